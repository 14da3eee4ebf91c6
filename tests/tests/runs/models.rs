//! What a model costs: time where it is slow, room where its window is small.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::llm::{LlmError, Request, estimate_tokens};
use myao_plugin::{Limits, run};
use myao_testkit::{Imports, Recorder, Reply, ScriptedLlm};
use myao_tests::backfills::{backfill_all, llm_settings};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, utc};
use myao_tests::telling::letters;
use myao_tests::{builder, plugin};
use tokio::time::Instant;

const HOUR: i64 = 3600;

const AT_ONCE: usize = 16;
const SECOND: Duration = Duration::from_secs(1);

/// A model that takes a second for each answer, and gives 16 at once.
fn slow_model() -> ScriptedLlm {
    ScriptedLlm::new(|n, _| Reply::from(format!("- summary {}", letters(n as u64))).after(SECOND))
        .with_calls_in_flight(AT_ONCE)
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
    let model = Arc::new(slow_model());
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
    assert_eq!(model.requests().len(), 201);
    // The workspace waits for the channels: 200 answers, 16 at once, and one more.
    let ideal = SECOND * 200 / u32::try_from(AT_ONCE).unwrap() + SECOND;
    eprintln!("{took:?}, ideally {ideal:?}");
    assert!(took >= ideal, "{took:?} is less than is possible");
    assert!(took < ideal.mul_f64(1.25), "{took:?}, ideally {ideal:?}");
}

const WINDOW: u32 = 8192;

/// A model with a small window, which a longer prompt would miss.
fn small_model() -> ScriptedLlm {
    let script = |n, request: &Request| {
        if length(request) > WINDOW {
            return Reply::from(LlmError::ContextTooLong(Some(WINDOW)));
        }
        Reply::from(format!("- summary {}", letters(n as u64)))
    };
    ScriptedLlm::new(script).with_context_window(WINDOW)
}

/// Of prompt and answer, in tokens.
fn length(request: &Request) -> u32 {
    estimate_tokens(&request.system_prompt) + request.max_tokens
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
async fn twenty_thousand_messages_of_a_channel_cost_no_more_room_than_a_thousand() {
    let settings = llm_settings().with(|settings| {
        settings.set("memory.context_margin_tokens", 100);
    });
    // What a thousand messages, the most that go into one memory, need, with a few to spare.
    let limits = Limits::default().with(|limits| limits.memory_bytes = 24 << 20);
    for messages in [2_000, 20_000] {
        let (_file, workspace) = chatty(messages).into_workspace();
        let (model, recorder) = (Arc::new(small_model()), Arc::new(Recorder::default()));
        let imports = Imports::new(Arc::new(workspace.clone()), model.clone());
        let storage = imports.tapped(recorder.clone()).storage;
        let plugin = builder(storage, model.clone(), settings.clone())
            .limits(limits)
            .build()
            .unwrap();
        let until = START + messages * 20 + 3 * HOUR;
        let outcomes = backfill_all(&plugin, &workspace, 6 * 3600, until).await;
        let requests = model.requests();
        let longest = requests.iter().map(length).max().unwrap();
        assert!(
            longest <= WINDOW && longest > WINDOW / 2,
            "the longest prompt: {longest} tokens"
        );
        let rows = recorder
            .take()
            .into_iter()
            .map(|made| made.answer.rows)
            .max();
        // A merge reads the records of two memories, 500 of each at most, and the messages of lines that it lost.
        assert!(rows.unwrap() < 2_200, "rows at once: {rows:?}");
        eprintln!(
            "{messages} messages: {} calls, {outcomes:?}",
            requests.len()
        );
    }
}
