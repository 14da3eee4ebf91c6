//! What a model costs: time where it is slow, room where its window is small.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use myao::bindings::settings::Values;
use myao::llm::scripted::answer;
use myao::llm::{CallObserver, Completion, Llm, LlmError, Request, estimate_tokens};
use myao::plugin::Limits;
use myao::run;
use myao_tests::backfills::{backfill_all, llm_settings};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::recorder::Recorder;
use myao_tests::store::{TestStore, utc};
use myao_tests::tap::tapped;
use myao_tests::{builder, plugin};
use tokio::sync::Semaphore;
use tokio::time::Instant;

const HOUR: i64 = 3600;

/// A model that takes a second for each answer, and gives 16 at once.
struct SlowModel {
    places: Semaphore,
    calls: AtomicU32,
}

const AT_ONCE: usize = 16;
const SECOND: Duration = Duration::from_secs(1);

#[async_trait::async_trait]
impl Llm for SlowModel {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let _place = self.places.acquire().await.unwrap();
        tokio::time::sleep(SECOND).await;
        Ok(answer(format!("- summary {n}")))
    }

    fn calls_in_flight(&self) -> usize {
        AT_ONCE
    }
}

/// The clock stands still but for the model's seconds.
#[tokio::test(start_paused = true)]
async fn a_hundred_due_channels_keep_a_slow_model_busy() {
    let history = History {
        users: vec![user("alice")],
        channels: (0..100).map(channel).collect(),
        messages: (0..100)
            .map(|n| message(&channel_id(n), ts(START, 1), "Hello."))
            .collect(),
        ..History::default()
    };
    let (_file, workspace) = TestStore::of(&history).into_workspace();
    let model = Arc::new(SlowModel {
        places: Semaphore::new(AT_ONCE),
        calls: AtomicU32::new(0),
    });
    let plugin = plugin(Arc::new(workspace), model.clone(), llm_settings());
    let in_flight = myao::config::Config::default().memory.channels_in_flight;
    let begun = Instant::now();
    let report = run::generate(
        &plugin,
        utc(START + 3 * HOUR),
        in_flight.try_into().unwrap(),
        &|_| {},
    )
    .await
    .unwrap();
    let took = begun.elapsed();
    let made: usize = report.entries.iter().map(|entry| entry.made.len()).sum();
    assert_eq!(made, 201, "two for each channel, and the workspace's");
    assert_eq!(model.calls.load(Ordering::Relaxed), 201);
    // The workspace waits for the channels: 200 answers, 16 at once, and one more.
    let ideal = SECOND * 200 / u32::try_from(AT_ONCE).unwrap() + SECOND;
    eprintln!("{took:?}, ideally {ideal:?}");
    assert!(took >= ideal, "{took:?} is less than is possible");
    assert!(took < ideal.mul_f64(1.25), "{took:?}, ideally {ideal:?}");
}

/// A model with a small window, which a longer prompt would miss.
#[derive(Default)]
struct SmallModel {
    calls: AtomicUsize,
    longest: AtomicU32,
}

const WINDOW: u32 = 8192;

#[async_trait::async_trait]
impl Llm for SmallModel {
    async fn complete(
        &self,
        request: Request,
        _: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let tokens = estimate_tokens(&request.system_prompt) + request.max_tokens;
        self.longest.fetch_max(tokens, Ordering::Relaxed);
        if tokens > WINDOW {
            return Err(LlmError::ContextTooLong(Some(WINDOW)));
        }
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(answer(format!("- summary {n}")))
    }

    fn context_window(&self) -> Option<u32> {
        Some(WINDOW)
    }
}

/// A channel in which somebody writes every 20 seconds.
fn chatty(messages: i64) -> TestStore {
    let say = |n: i64| {
        let text = format!("Message {n}: 来週のリリースについて、確認をお願いします。");
        let mut said = message(&channel_id(0), ts(START + n * 20, 1), text);
        let thread = n - n % 500;
        said.thread_ts = (n % 500 == 7).then(|| ts(START + thread * 20, 1));
        said
    };
    TestStore::of(&History {
        users: vec![user("alice")],
        channels: vec![channel(0)],
        messages: (0..messages).map(say).collect(),
        ..History::default()
    })
}

#[tokio::test]
async fn a_hundred_thousand_messages_of_a_channel_cost_no_more_room_than_a_thousand() {
    let settings = Values {
        context_margin_tokens: 100,
        ..llm_settings()
    };
    // What a thousand messages, the most that go into one memory, need, with a few to spare.
    let limits = Limits {
        memory_bytes: 24 << 20,
        ..Limits::default()
    };
    for messages in [2_000, 100_000] {
        let (_file, workspace) = chatty(messages).into_workspace();
        let (model, recorder) = (
            Arc::new(SmallModel::default()),
            Arc::new(Recorder::default()),
        );
        let (storage, _) = tapped(Arc::new(workspace.clone()), model.clone(), recorder.clone());
        let plugin = builder(storage, model.clone(), settings.clone())
            .limits(limits)
            .build()
            .unwrap();
        let until = START + messages * 20 + 3 * HOUR;
        let outcomes = backfill_all(&plugin, &workspace, 6 * 3600, until).await;
        let longest = model.longest.load(Ordering::Relaxed);
        assert!(
            longest <= WINDOW && longest > WINDOW / 2,
            "the longest prompt: {longest} tokens"
        );
        let rows = recorder.calls().into_iter().map(|(_, rows)| rows).max();
        assert!(rows.unwrap() < 1_200, "rows at once: {rows:?}");
        eprintln!(
            "{messages} messages: {} calls, {outcomes:?}",
            model.calls.load(Ordering::Relaxed)
        );
    }
}
