//! A run that fails at any point is completed by the next one: nothing is lost, nothing is merged twice.

use super::steps::{TICKS, fill};
use super::*;
use crate::bindings::errors::BadAnswer;
use crate::bindings::llm::FinishReason;
use crate::bindings::llm::LlmError;
use crate::bindings::storage::{Memory, StorageError};
use crate::bindings::types::Scope;
use crate::testing::{DAY, Effect, Fault, HOUR, TestHost, completion};
use MemoryType::{LongTerm, ShortTerm};

/// A host before its first tick. The limit is small, so that a run makes several versions.
fn host(settings: &dyn Fn(&mut TestHost)) -> TestHost {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 3;
    settings(&mut host);
    fill(&host);
    host
}

/// The saved memories without their ids, which depend on the number of saves.
fn saved(host: &TestHost) -> Vec<Memory> {
    let without_ids = |memory| Memory {
        id: 0,
        merged_through: None,
        // They depend on what else there was to see.
        citations: Vec::new(),
        ..memory
    };
    host.storage
        .memories()
        .into_iter()
        .map(without_ids)
        .collect()
}

/// A host as it is before each tick of the undisturbed run.
fn before_ticks(settings: &dyn Fn(&mut TestHost)) -> Vec<TestHost> {
    let mut before = vec![host(settings)];
    for seconds in &TICKS[..TICKS.len() - 1] {
        let next = copy(before.last().unwrap(), settings);
        next.generate(*seconds);
        before.push(next);
    }
    before
}

fn copy(host: &TestHost, settings: &dyn Fn(&mut TestHost)) -> TestHost {
    let mut copy = TestHost::new();
    copy.settings.generation_message_limit = host.settings.generation_message_limit;
    settings(&mut copy);
    copy.storage = host.storage.copy();
    copy
}

/// Runs these ticks, the first one a second time after `disturb` has spoiled its first run.
fn saved_after(
    host: &TestHost,
    ticks: &[i64],
    disturb: impl Fn(&TestHost),
    recover: impl Fn(&TestHost),
) -> Vec<Memory> {
    disturb(host);
    let _ = host.try_generate(ticks[0]);
    recover(host);
    for seconds in ticks {
        host.generate(*seconds);
        assert!(
            made(&host.generate(*seconds)).is_empty(),
            "nothing is due any more"
        );
        assert_merged_once_in_order(host);
    }
    saved(host)
}

fn saved_undisturbed(settings: &dyn Fn(&mut TestHost)) -> Vec<Memory> {
    saved_after(&host(settings), &TICKS, |_| {}, |_| {})
}

/// Each channel's long-term memory is its versions, each once, in order. Where version 1 is overwritten,
/// what was saved stands in the drafts.
fn assert_merged_once_in_order(host: &TestHost) {
    for channel_id in ["A", "B", "C"] {
        let versions: Vec<String> = host
            .storage
            .drafts()
            .into_iter()
            .filter(|draft| draft.scope_id == channel_id && draft.memory_type == ShortTerm)
            .map(|draft| draft.content)
            .collect();
        assert_eq!(
            host.storage.long_term(channel_id),
            versions.join(" + "),
            "{channel_id}"
        );
        let newest = host.storage.of(channel_id, ShortTerm).pop();
        let merged = host
            .storage
            .of(channel_id, LongTerm)
            .pop()
            .and_then(|m| m.merged_through);
        assert_eq!(merged, newest.map(|memory| memory.id));
    }
}

/// Storage and model calls of each tick of the undisturbed run.
fn calls_per_tick(settings: &dyn Fn(&mut TestHost)) -> Vec<(usize, usize)> {
    let host = host(settings);
    let calls = |seconds: &i64| {
        let before = host.llm.calls();
        host.storage.take_calls();
        host.generate(*seconds);
        (host.storage.take_calls().len(), host.llm.calls() - before)
    };
    TICKS.iter().map(calls).collect()
}

/// Fails every storage call of every tick, before and after its effect, and compares with the
/// undisturbed run.
fn assert_storage_faults_leave_no_trace(settings: &dyn Fn(&mut TestHost), lasting: bool) {
    let undisturbed = saved_undisturbed(settings);
    assert!(undisturbed.iter().any(|memory| memory.scope_id == "C"));
    let before = before_ticks(settings);
    for (tick, (calls, _)) in calls_per_tick(settings).into_iter().enumerate() {
        assert!(calls > 0);
        for call in 0..calls {
            for effect in [Effect::None, Effect::Done] {
                let fault = Fault {
                    call,
                    effect,
                    lasting,
                };
                let disturb = |host: &TestHost| host.storage.fail(fault);
                let host = copy(&before[tick], settings);
                let recover = |host: &TestHost| host.storage.recover();
                let found = saved_after(&host, &TICKS[tick..], disturb, recover);
                assert_eq!(found, undisturbed, "tick {tick}, {fault:?}");
            }
        }
    }
}

#[test]
fn a_crash_at_any_storage_call_leaves_no_trace_after_the_next_run() {
    assert_storage_faults_leave_no_trace(&|_| {}, true);
}

#[test]
fn one_failing_storage_call_leaves_no_trace_after_the_next_run() {
    assert_storage_faults_leave_no_trace(&|_| {}, false);
}

#[test]
fn a_crash_without_versions_leaves_no_trace_after_the_next_run() {
    let settings = |host: &mut TestHost| host.settings.history_enabled = false;
    assert_storage_faults_leave_no_trace(&settings, true);
}

#[test]
fn a_crash_with_every_workspace_memory_leaves_no_trace_after_the_next_run() {
    let settings = |host: &mut TestHost| {
        host.settings.workspace_merge_per_channel = true;
        host.settings.legacy_workspace_short_term = true;
    };
    assert_storage_faults_leave_no_trace(&settings, true);
}

#[test]
fn a_failing_model_call_shows_as_failed_stops_nothing_else_and_leaves_no_trace() {
    let undisturbed = saved_undisturbed(&|_| {});
    for (tick, (_, calls)) in calls_per_tick(&|_| {}).into_iter().enumerate() {
        for call in 0..calls {
            let host = host(&|_| {});
            for seconds in &TICKS[..tick] {
                host.generate(*seconds);
            }
            host.llm
                .script(host.llm.calls() + call, Err(LlmError::TimedOut));
            let entries = host.generate(TICKS[tick]);
            let failed: Vec<_> = entries
                .iter()
                .filter(|entry| entry.outcome == Outcome::Failed(Error::Llm(LlmError::TimedOut)))
                .collect();
            assert_eq!(failed.len(), 1, "tick {tick}, call {call}: {entries:?}");
            let is_other = |entry: &&Entry| {
                entry.scope != Scope::Workspace && entry.scope_id != failed[0].scope_id
            };
            let mut others = entries.iter().filter(is_other);
            assert!(
                others.all(|entry| is_done(Some(&entry.outcome))),
                "{entries:?}"
            );
            for seconds in &TICKS[tick..] {
                host.generate(*seconds);
            }
            assert_eq!(saved(&host), undisturbed, "tick {tick}, call {call}");
        }
    }
}

#[test]
fn a_model_that_is_down_fails_every_entry_and_loses_nothing() {
    let undisturbed = saved_undisturbed(&|_| {});
    for (tick, host) in before_ticks(&|_| {}).iter().enumerate() {
        let down = |host: &TestHost| host.llm.go_down_for_prompts_with(Some(""));
        let up = |host: &TestHost| host.llm.go_down_for_prompts_with(None);
        assert_eq!(
            saved_after(host, &TICKS[tick..], down, up),
            undisturbed,
            "tick {tick}"
        );
    }
}

#[test]
fn a_store_that_is_down_fails_the_run_and_one_that_goes_down_fails_entries() {
    let host = host(&|_| {});
    let fail = |call| {
        host.storage.fail(Fault {
            call,
            effect: Effect::None,
            lasting: true,
        })
    };
    fail(0);
    assert!(matches!(
        host.try_generate(0),
        Err(Error::Storage(StorageError::Unavailable(_)))
    ));
    fail(1);
    let entries = host.generate(0);
    assert_eq!(entries.len(), 2, "two threads, and what follows is unknown");
    let failed = |entry: &Entry| matches!(entry.outcome, Outcome::Failed(Error::Storage(_)));
    assert!(entries.iter().all(failed));
}

#[test]
fn what_was_made_before_a_failure_is_in_the_report() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.llm.script(1, Err(LlmError::RateLimited(Some(30))));
    let entries = host.generate(0);
    assert_eq!(made(&entries), [("C1", ShortTerm, 1)]);
    assert_eq!(
        error_of(&entries, "C1"),
        &Error::Llm(LlmError::RateLimited(Some(30)))
    );
    assert!(is_skipped(
        outcome_of(&entries, "default"),
        SkipReason::NothingToSummarize
    ));
}

#[test]
fn an_empty_answer_is_an_error_and_nothing_is_saved() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    for call in [0, 1] {
        host.llm
            .script(call, Ok(completion(" \n", FinishReason::Stop)));
    }
    let entries = host.generate(0);
    assert_eq!(
        error_of(&entries, "C1"),
        &Error::BadAnswer(BadAnswer::Empty)
    );
    assert!(host.storage.memories().is_empty());
    host.generate(HOUR);
    assert_eq!(host.storage.versions("C1"), ["a"]);
}

#[test]
fn one_broken_template_fails_every_entry_and_names_itself() {
    let mut host = TestHost::new();
    host.settings.templates[0].source = "{% if %}".to_owned();
    host.say("C1", -10, "a");
    let entries = host.generate(DAY - 20);
    assert!(
        matches!(error_of(&entries, "C1"), Error::Template(fault) if fault.name == "memory_prompt.j2")
    );
}
