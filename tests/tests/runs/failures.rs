//! One thing that fails: the others go on, the report says so, and the next run makes up for it.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::llm::{CallObserver, Completion, Llm, LlmError, Request};
use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::StorageError;
use myao_plugin::{
    BadAnswer, CallError, Entry, Error, Limits, MemoryPlugin, Outcome, Report, Scope, run,
};
use myao_sql::SqlWorkspace;
use myao_testkit::{Asked, Call, Calls, Fault, Faults, Recorder, Reply, Tap, blocking};
use myao_tests::backfills::{
    backfill, backfill_all, llm_settings, small_steps, tapped_plugin, telling_plugin,
};
use myao_tests::conversation::{
    History, START, Shape, channel, channel_id, history, message, ts, user,
};
use myao_tests::merges::{
    assert_every_message_is_a_source, assert_long_term_tells_of_each_version,
    assert_merged_once_in_order,
};
use myao_tests::store::{TestStore, utc};
use myao_tests::telling::telling_llm;
use myao_tests::{builder, plugin};

const HOUR: i64 = 3600;
const NOW: i64 = START + 10 * HOUR;
const CHANNELS: u64 = 5;
/// The one of them that fails.
const BAD: u64 = 2;

/// A few channels with a message each, and one message of another size.
fn five_channels(bad_text: &str) -> History {
    let mut history = History {
        users: vec![user("alice")],
        ..History::default()
    };
    for n in 0..CHANNELS {
        history.channels.push(channel(n));
        let text = if n == BAD {
            bad_text
        } else {
            "The crane is due on March 3."
        };
        history
            .messages
            .push(message(&channel_id(n), ts(START + HOUR, 1), text));
    }
    history
}

fn limited_plugin(workspace: &SqlWorkspace, llm: Arc<dyn Llm>, limits: Limits) -> MemoryPlugin {
    let storage = Arc::new(workspace.clone());
    let plugin = builder(storage, llm, llm_settings()).limits(limits);
    plugin.build().unwrap()
}

fn of_bad(entry: &&Entry) -> bool {
    entry.scope_id == channel_id(BAD)
}

/// All entries but that of the bad channel are done; returns how that one ended.
fn bad_outcome(report: &Report) -> Outcome {
    for entry in report.entries.iter().filter(|entry| !of_bad(entry)) {
        assert_eq!(entry.outcome, Outcome::Done, "{}", entry.scope_id);
    }
    let channels = report
        .entries
        .iter()
        .filter(|entry| entry.scope == Scope::Channel);
    assert_eq!(channels.count(), 5);
    let workspace = report.entries.last().unwrap();
    assert_eq!(
        (workspace.scope, workspace.made.len()),
        (Scope::Workspace, 1)
    );
    report.entries.iter().find(of_bad).unwrap().outcome.clone()
}

/// The next run, with nothing in its way, makes the bad channel's memories.
async fn assert_next_run_makes_up(workspace: &SqlWorkspace) {
    let report = run::generate(
        &telling_plugin(workspace, llm_settings()),
        utc(NOW),
        2,
        &|_| {},
    )
    .await
    .unwrap();
    let bad = report.entries.iter().find(of_bad).unwrap();
    assert_eq!((&bad.outcome, bad.made.len()), (&Outcome::Done, 2));
    assert_eq!(assert_merged_once_in_order(workspace), 5);
}

#[tokio::test]
async fn a_model_that_fails_for_one_channel_fails_that_channel_only() {
    let (_file, workspace) = TestStore::of(&five_channels("unspeakable")).into_workspace();
    let llm = Arc::new(telling_llm().on(Asked::with("unspeakable"), ""));
    for one_call in [true, false] {
        let (_file, workspace) = TestStore::of(&five_channels("unspeakable")).into_workspace();
        let plugin = plugin(Arc::new(workspace), llm.clone(), llm_settings());
        let report = if one_call {
            plugin.generate(utc(NOW)).await.unwrap()
        } else {
            run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap()
        };
        let expected = Outcome::Failed(Error::BadAnswer(BadAnswer::Empty));
        assert_eq!(bad_outcome(&report), expected);
    }
    let plugin = plugin(Arc::new(workspace.clone()), llm, llm_settings());
    run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap();
    let report = run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap();
    let bad = report.entries.iter().find(of_bad).unwrap();
    assert!(matches!(bad.outcome, Outcome::Deferred(_)), "{bad:?}");
    assert_eq!(blocking(workspace.clear_deferrals()).unwrap(), 1);
    assert_next_run_makes_up(&workspace).await;
}

#[tokio::test]
async fn a_channel_that_needs_too_much_memory_fails_alone() {
    let mut history = five_channels("much");
    let text = "much ".repeat(20_000);
    let more = (2..120).map(|n| message(&channel_id(BAD), ts(START + HOUR, n), &text));
    history.messages.extend(more);
    let (_file, workspace) = TestStore::of(&history).into_workspace();
    let limits = Limits::default().with(|limits| limits.memory_bytes = 8 << 20);
    let plugin = limited_plugin(&workspace, Arc::new(telling_llm()), limits);
    let report = run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap();
    let Outcome::Failed(Error::Other(other)) = bad_outcome(&report) else {
        panic!("{report:?}")
    };
    assert!(
        other
            .text
            .contains("needed more than 8388608 bytes of memory"),
        "{other:?}"
    );
    assert_next_run_makes_up(&workspace).await;
}

#[tokio::test]
async fn a_channel_whose_model_never_answers_fails_alone() {
    let (_file, workspace) = TestStore::of(&five_channels("unanswerable")).into_workspace();
    let limits = Limits::default().with(|limits| limits.deadline = Duration::from_secs(2));
    let llm = Arc::new(telling_llm().on(Asked::with("unanswerable"), Reply::never()));
    let plugin = limited_plugin(&workspace, llm, limits);
    let report = run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap();
    let Outcome::Failed(Error::Other(other)) = bad_outcome(&report) else {
        panic!("{report:?}")
    };
    assert!(other.text.contains("took longer than 2s"), "{other:?}");
    assert_next_run_makes_up(&workspace).await;
}

/// A listener that does not get along with the messages of one channel.
struct Panicking;

#[async_trait::async_trait]
impl Tap for Panicking {
    async fn before(&self, call: &Call) -> Result<(), Fault> {
        let bad = call.is_of("storage.list-messages") && call.mentions(&channel_id(BAD));
        assert!(!bad, "the store is not as it should be");
        Ok(())
    }
}

async fn run_over_faulty_store(tap: Arc<dyn Tap>) -> (TestStore, SqlWorkspace, Outcome) {
    let (file, workspace) = TestStore::of(&five_channels("fine")).into_workspace();
    let plugin = tapped_plugin(&workspace, llm_settings(), tap);
    let report = run::generate(&plugin, utc(NOW), 2, &|_| {}).await.unwrap();
    (file, workspace, bad_outcome(&report))
}

#[tokio::test]
async fn a_store_that_fails_for_one_channel_fails_that_channel_only() {
    let full = StorageError::Unavailable("the disk is full".to_owned());
    let faults = Arc::new(Faults::default());
    let of_bad = Calls::of("storage.list-messages").mentioning(&channel_id(BAD));
    faults.before(of_bad, full.clone());
    let (_file, workspace, outcome) = run_over_faulty_store(faults).await;
    assert_eq!(outcome, Outcome::Failed(Error::Storage(full)));
    assert_next_run_makes_up(&workspace).await;
}

#[tokio::test]
async fn a_store_that_panics_for_one_channel_fails_that_channel_only() {
    let (_file, workspace, outcome) = run_over_faulty_store(Arc::new(Panicking)).await;
    let Outcome::Failed(Error::Other(other)) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(other.text.contains("ended before its time"), "{other:?}");
    assert_next_run_makes_up(&workspace).await;
}

/// Tells when the last call to it is over, also where that was given up.
struct Hanging(tokio::sync::mpsc::Sender<&'static str>);

#[async_trait::async_trait]
impl Llm for Hanging {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        self.0.send("asked").await.unwrap();
        let _held = self.0.clone();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_run_that_is_given_up_stops_its_steps() {
    let (_file, workspace) = TestStore::of(&five_channels("fine")).into_workspace();
    let (sender, mut told) = tokio::sync::mpsc::channel(9);
    {
        let plugin: MemoryPlugin = plugin(
            Arc::new(workspace),
            Arc::new(Hanging(sender)),
            llm_settings(),
        );
        let run = run::generate(&plugin, utc(NOW), 2, &|_| {});
        tokio::select! {
            report = run => panic!("{report:?}"),
            asked = told.recv() => assert_eq!(asked, Some("asked")),
        }
    }
    // Ends only when every step has let go of the model.
    while told.recv().await.is_some() {}
}

/// When a call fails: before or after it was done.
type Moment = fn(&Faults, Calls, Fault);

/// A run in which the `n`th call fails.
fn failing_at(moment: Moment, n: usize) -> Arc<Faults> {
    let faults = Arc::new(Faults::default());
    let struck = Fault::Unavailable(format!("struck at call {n}"));
    moment(&faults, Calls::all().nth(n), struck);
    faults
}

/// A run in which any call fails.
async fn assert_an_error_at_any_call_is_made_up_for(moment: Moment) {
    let shape = Shape {
        channels: 2,
        days: 1,
        burst: 30,
    };
    let imported = TestStore::of(&history(21, shape));
    let now = utc(START + 24 * HOUR);
    let (_file, undisturbed) = TestStore::copy_of(&imported).into_workspace();
    let recorder = Arc::new(Recorder::default());
    let plugin = tapped_plugin(&undisturbed, small_steps(), recorder.clone());
    run::generate(&plugin, now, 1, &|_| {}).await.unwrap();
    let versions = assert_merged_once_in_order(&undisturbed);
    assert!(versions >= 3);
    let calls = recorder.take().into_iter().map(|made| made.call);
    for at in 0..calls.filter(Call::can_fail).count() {
        let (_file, workspace) = TestStore::copy_of(&imported).into_workspace();
        let tap = failing_at(moment, at);
        match run::generate(
            &tapped_plugin(&workspace, small_steps(), tap),
            now,
            1,
            &|_| {},
        )
        .await
        {
            Ok(report) => {
                let failed = report
                    .entries
                    .iter()
                    .filter(|entry| matches!(entry.outcome, Outcome::Failed(_)));
                assert_eq!(failed.count(), 1, "call {at}: {report:?}");
            }
            Err(error) => {
                assert!(matches!(error, CallError::Refused(Error::Storage(_))) && at == 0)
            }
        }
        let report = run::generate(&telling_plugin(&workspace, small_steps()), now, 1, &|_| {})
            .await
            .unwrap();
        assert!(
            !report
                .entries
                .iter()
                .any(|entry| matches!(entry.outcome, Outcome::Failed(_)))
        );
        assert_eq!(
            assert_merged_once_in_order(&workspace),
            versions,
            "call {at}"
        );
        assert_long_term_tells_of_each_version(&workspace);
        assert_every_message_is_a_source(&workspace).await;
    }
}

#[tokio::test]
async fn a_call_that_fails_is_made_up_for_by_the_next_run() {
    assert_an_error_at_any_call_is_made_up_for(Faults::before::<Fault>).await;
}

#[tokio::test]
async fn a_call_that_was_done_but_seemed_to_fail_is_not_done_twice() {
    assert_an_error_at_any_call_is_made_up_for(Faults::after::<Fault>).await;
}

#[tokio::test]
async fn a_backfill_stops_at_a_failure_and_goes_on_from_there() {
    let shape = Shape {
        channels: 2,
        days: 3,
        burst: 30,
    };
    let until = START + 5 * 24 * HOUR;
    let imported = TestStore::of(&history(22, shape));
    let mut stopped = 0;
    for at in (1..200).step_by(9) {
        let (_file, workspace) = TestStore::copy_of(&imported).into_workspace();
        let tap = failing_at(Faults::before::<Fault>, at);
        let tapped = tapped_plugin(&workspace, small_steps(), tap);
        if let Ok(outcomes) = backfill(&tapped, &workspace, 3600, until).await {
            assert_eq!(outcomes.failed.len(), 1, "call {at}");
            assert_eq!(
                blocking(workspace.backfill_tick()).unwrap(),
                outcomes.ticks.map(|(_, last)| last)
            );
            stopped += 1;
        }
        backfill_all(
            &telling_plugin(&workspace, small_steps()),
            &workspace,
            3600,
            until,
        )
        .await;
        assert_merged_once_in_order(&workspace);
        assert_long_term_tells_of_each_version(&workspace);
        assert_every_message_is_a_source(&workspace).await;
    }
    assert!(stopped > 10);
}
