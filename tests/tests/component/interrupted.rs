//! A run that is cut short at any call, by an error, a crash or a call that never ends, and a run that somebody else
//! overtakes: nothing is half written, nothing is made twice, and the next run completes to the same memories.

use std::time::Duration;

use myao_plugin::explain::explain;
use myao_plugin::llm::LlmError;
use myao_plugin::storage::StorageError;
use myao_plugin::{CallError, Error, Outcome, Report, Scope, Settings};
use myao_testkit::{Call, Calls, Fault, Gate, Strike};
use myao_tests::store::utc;
use myao_tests::telling::target_telling_llm;

use crate::component::host::{HOUR, Host, NOW, with_every_workspace_memory, without_versions};

/// A host with memories, and new messages in both channels and in the thread; its model tells what it was to summarise.
async fn half_done(settings: fn(&mut Settings)) -> Host {
    let host = Host::with_conversation(target_telling_llm()).with(settings);
    let host = host.with(|settings| {
        // So that a long pause takes several versions.
        settings.set("memory.generation_message_limit", 4);
        settings.set("memory.short_term_history.message_threshold", 3);
    });
    host.generate(NOW).await;
    for n in 0..7 {
        let text = format!("Crate {n} is on board, {} kilos.", 100 + n);
        host.storage.say("C1", NOW + 60 + n, "bob", &text);
    }
    let thread = crate::component::host::thread_ts();
    host.storage
        .reply("C1", thread, NOW + 90, "alice", "Is ten o'clock fine too?");
    host.storage
        .say("C2", NOW + 100, "carol", "The new one runs.");
    host.take_calls();
    host
}

const LATER: i64 = NOW + 3 * HOUR;

const SETTINGS: [fn(&mut Settings); 4] = [
    |_| {},
    without_versions,
    with_every_workspace_memory,
    |settings| settings.set("memory.extractive_stand_in", true),
];

/// What a run makes that nothing disturbs, and how many calls that can fail it takes.
async fn undisturbed(settings: fn(&mut Settings)) -> (Vec<(String, u32, String)>, usize) {
    let host = half_done(settings).await;
    assert_nothing_failed(&host.generate(LATER).await);
    let calls = host.take_calls().len();
    assert_eq!(host.generate(LATER).await.entries.len(), 1, "all is made");
    (host.remembered(), calls)
}

fn assert_nothing_failed(report: &Report) {
    let failed = report
        .entries
        .iter()
        .find(|entry| matches!(entry.outcome, Outcome::Failed(_)));
    assert_eq!(failed, None);
}

/// Every memory of a channel or a thread that was ever saved, by what went into it; how often the workspace's is merged
/// depends on who comes when.
fn made(host: &Host) -> Vec<String> {
    let drafts = host.storage.drafts().into_iter();
    let mut made: Vec<String> = drafts
        .filter(|draft| draft.scope != Scope::Workspace)
        .map(|draft| {
            let latest = draft.source_latest_message_ts.unwrap_or_default();
            format!("{} {:?} {latest}", draft.scope_id, draft.memory_type)
        })
        .collect();
    made.sort();
    made
}

/// When a call fails.
type Moment = fn(&myao_testkit::Faults, Calls, Fault);

const MOMENTS: [Moment; 2] = [
    myao_testkit::Faults::before::<Fault>,
    myao_testkit::Faults::after::<Fault>,
];

#[tokio::test]
async fn one_failing_call_anywhere_is_made_up_for_by_the_next_run() {
    for settings in SETTINGS {
        let (expected, calls) = undisturbed(settings).await;
        for moment in MOMENTS {
            for at in 0..calls {
                let host = half_done(settings).await;
                let struck = Fault::Unavailable(format!("struck at call {at}"));
                moment(&host.faults, Calls::all().nth(at), struck);
                let disturbed = host.plugin().generate(utc(LATER)).await;
                host.faults.lift();
                let report = host.generate(LATER).await;
                assert_nothing_failed(&report);
                assert_eq!(host.remembered(), expected, "call {at}: {disturbed:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_crash_at_any_call_leaves_nothing_half_written_and_is_made_up_for() {
    for settings in SETTINGS {
        let (expected, calls) = undisturbed(settings).await;
        for moment in MOMENTS {
            for at in 0..calls {
                let host = half_done(settings).await;
                let gone = Fault::Unavailable("the host is gone".to_owned());
                moment(&host.faults, Calls::all().from_nth(at), gone);
                drop(host.plugin().generate(utc(LATER)).await);
                host.faults.lift();
                assert_nothing_failed(&host.generate(LATER).await);
                assert_eq!(host.remembered(), expected, "call {at}");
            }
        }
    }
}

/// The clock stands still but for the deadline.
#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_is_given_up_at_the_deadline_wherever_it_is() {
    let (expected, calls) = undisturbed(|_| {}).await;
    let deadline = Duration::from_secs(20);
    for at in 0..calls {
        let host = half_done(|_| {}).await;
        host.faults.before(Calls::all().nth(at), Strike::Stall);
        let stalled = host.plugin_until(deadline).generate(utc(LATER)).await;
        // What is due is read first; after that, a step that takes too long is an entry of the report.
        let took_longer = |error: &Error| explain(error).contains("took longer than 20s");
        let is_given_up = match &stalled {
            Err(CallError::TimedOut { deadline: d, .. }) => *d == deadline,
            Err(_) => false,
            Ok(report) => report.entries.iter().any(
                |entry| matches!(&entry.outcome, Outcome::Failed(error) if took_longer(error)),
            ),
        };
        assert!(is_given_up, "call {at}: {stalled:?}");
        host.faults.lift();
        assert_nothing_failed(&host.generate(LATER).await);
        assert_eq!(host.remembered(), expected, "call {at}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_slow_is_waited_for() {
    let (expected, calls) = undisturbed(|_| {}).await;
    let host = half_done(|_| {}).await;
    host.faults
        .before(Calls::all(), Strike::Delay(Duration::from_secs(5)));
    let begun = tokio::time::Instant::now();
    assert_nothing_failed(&host.generate(LATER).await);
    let seconds = u64::try_from(5 * calls).unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(seconds));
    assert_eq!(host.remembered(), expected);
}

#[tokio::test]
async fn a_held_up_call_goes_on_when_it_is_let_through() {
    let host = half_done(|_| {}).await;
    let gate = Gate::default();
    host.faults.before(
        Calls::of("storage.save-memory").nth(0),
        Strike::Wait(gate.clone()),
    );
    let before = host.storage.drafts().len();
    let plugin = host.plugin();
    let run = tokio::spawn(async move { plugin.generate(utc(LATER)).await });
    gate.reached().await;
    assert_eq!(host.storage.drafts().len(), before, "held up before it");
    gate.open();
    assert_nothing_failed(&run.await.unwrap().unwrap());
    assert_eq!(host.remembered(), undisturbed(|_| {}).await.0);
}

#[tokio::test]
async fn a_conflict_at_any_save_is_reported_and_the_next_run_makes_up_for_it() {
    let (expected, _) = undisturbed(|_| {}).await;
    let conflict = StorageError::Conflict("somebody else wrote first".to_owned());
    for at in 0.. {
        let host = half_done(|_| {}).await;
        let save = Calls::of("storage.save-memory").nth(at);
        host.faults.before(save, conflict.clone());
        let report = host.generate(LATER).await;
        let failed = Outcome::Failed(Error::Storage(conflict.clone()));
        let failed = report
            .entries
            .iter()
            .filter(|entry| entry.outcome == failed);
        if failed.count() == 0 {
            assert!(at > 6, "a run of more than {at} saves was expected");
            break;
        }
        assert!(
            !host.take_calls().contains(&"storage.defer"),
            "a conflict is no fault of the model"
        );
        assert_nothing_failed(&host.generate(LATER).await);
        assert_eq!(host.remembered(), expected, "save {at}");
    }
}

#[tokio::test]
async fn another_run_before_any_call_makes_nothing_twice() {
    for settings in SETTINGS {
        let (expected, calls) = undisturbed(settings).await;
        let once = {
            let host = half_done(settings).await;
            host.generate(LATER).await;
            made(&host)
        };
        for at in 0..calls {
            let host = half_done(settings).await;
            let other = host.other_plugin();
            let run = Strike::letting(move || {
                let other = other.clone();
                async move { assert_nothing_failed(&other.generate(utc(LATER)).await.unwrap()) }
            });
            host.faults.before(Calls::all().nth(at), run);
            let report = host.plugin().generate(utc(LATER)).await.unwrap();
            let only_conflicts = report.entries.iter().all(|entry| {
                !matches!(&entry.outcome, Outcome::Failed(error)
                    if !matches!(error, Error::Storage(StorageError::Conflict(_))))
            });
            assert!(only_conflicts, "call {at}: {report:?}");
            assert_nothing_failed(&host.generate(LATER).await);
            assert_eq!(host.remembered(), expected, "call {at}");
            assert_eq!(made(&host), once, "call {at}");
        }
    }
}

#[tokio::test]
async fn each_error_of_the_model_at_any_answer_loses_nothing() {
    let (expected, _) = undisturbed(|_| {}).await;
    for error in [
        LlmError::TimedOut,
        LlmError::RateLimited(None),
        LlmError::Unavailable("?".to_owned()),
    ] {
        for at in 0.. {
            let host = half_done(|_| {}).await;
            host.faults
                .before(Calls::of("llm.complete").nth(at), error.clone());
            let report = host.generate(LATER).await;
            let failed = Outcome::Failed(Error::Llm(error.clone()));
            if !report.entries.iter().any(|entry| entry.outcome == failed) {
                assert!(at > 6, "a run of more than {at} answers was expected");
                break;
            }
            assert_nothing_failed(&host.generate(LATER).await);
            assert_eq!(host.remembered(), expected, "answer {at}");
        }
    }
}

#[tokio::test]
async fn what_was_made_before_a_failure_is_in_the_report_and_in_the_store() {
    let (_, calls) = undisturbed(|_| {}).await;
    for at in 1..calls {
        let host = half_done(|_| {}).await;
        let before = host.storage.drafts().len();
        host.faults
            .before(Calls::all().from_nth(at), Strike::unavailable("gone"));
        let report = host.generate(LATER).await;
        let made: usize = report.entries.iter().map(|entry| entry.made.len()).sum();
        assert_eq!(host.storage.drafts().len() - before, made, "call {at}");
        let calls = host.recorder.take().into_iter();
        let saved =
            calls.filter(|made| made.call.is_of("storage.save-memory") && !made.answer.is_error());
        assert_eq!(
            saved.map(|made| made.call).collect::<Vec<Call>>().len(),
            made
        );
    }
}
