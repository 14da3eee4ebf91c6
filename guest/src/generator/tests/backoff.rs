//! Back-off: a memory that the model keeps failing to make is deferred, longer each time; everything else is still made.

use super::*;
use crate::bindings::errors::{BadAnswer, OtherReason};
use crate::bindings::llm::{FinishReason, LlmError};
use crate::bindings::storage::Deferral;
use crate::bindings::types::Scope;
use crate::ports::Storage as _;
use crate::testing::{HOUR, TestHost, at, completion};
use MemoryType::{LongTerm, ShortTerm};

/// The next answer and its retry are empty.
fn refuse_next(host: &TestHost, calls_before: usize) {
    let next = host.llm.calls() + calls_before;
    for call in [next, next + 1] {
        host.llm
            .script(call, Ok(completion("", FinishReason::Stop)));
    }
}

fn deferral<'e>(entries: &'e [Entry], scope_id: &str) -> &'e Deferral {
    match outcome_of(entries, scope_id) {
        Some(Outcome::Deferred(deferral)) => deferral,
        other => panic!("{scope_id} is not deferred: {other:?}"),
    }
}

#[test]
fn a_refused_version_is_not_asked_for_while_it_is_deferred() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    refuse_next(&host, 0);
    let entries = host.generate(0);
    assert_eq!(
        error_of(&entries, "C1"),
        &Error::BadAnswer(BadAnswer::Empty)
    );
    let calls = host.llm.calls();
    let entries = host.generate(HOUR - 1);
    let deferred = deferral(&entries, "C1");
    assert_eq!(
        (deferred.until.unix_seconds, deferred.failures),
        (at(HOUR).unix_seconds, 1)
    );
    assert_eq!(deferred.reason, "the answer was empty");
    assert_eq!(host.llm.calls(), calls);
    host.generate(HOUR);
    assert_eq!(host.storage.versions("C1"), ["a"]);
}

#[test]
fn a_deferral_made_while_the_clock_was_ahead_ends_when_the_clock_is_set_back() {
    const DAY: i64 = 24 * HOUR;
    for (until, is_deferred) in [(DAY, true), (DAY + 1, false), (365 * DAY, false)] {
        let host = TestHost::new();
        host.say("C1", -10, "a");
        let ahead = Deferral {
            memory_type: ShortTerm,
            until: at(until),
            failures: 1,
            reason: "the answer was empty".to_owned(),
        };
        host.storage.defer(Scope::Channel, "C1", &ahead).unwrap();
        let entries = host.generate(0);
        let found = matches!(outcome_of(&entries, "C1"), Some(Outcome::Deferred(_)));
        assert_eq!(found, is_deferred, "{until}");
        assert_eq!(
            host.storage.versions("C1").is_empty(),
            is_deferred,
            "{until}"
        );
    }
}

#[test]
fn delays_double_up_to_a_day_and_end_with_success() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    let mut now = 0;
    for hours in [1, 2, 4, 8, 16, 24, 24] {
        host.llm
            .answer_by(|_, _| Ok(completion("", FinishReason::Stop)));
        host.generate(now);
        let entries = host.generate(now + 1);
        assert_eq!(
            deferral(&entries, "C1").until.unix_seconds,
            at(now + hours * HOUR).unix_seconds
        );
        now += hours * HOUR;
        // A message an hour keeps the channel in the window.
        host.say("C1", now - 10, "a");
    }
    host.llm.answer_as_usual();
    host.generate(now);
    assert_eq!(host.storage.versions("C1").len(), 1);
    host.say("C1", now + 1, "b");
    refuse_next(&host, 0);
    host.generate(now + 3 * HOUR);
    let entries = host.generate(now + 3 * HOUR + 1);
    assert_eq!(deferral(&entries, "C1").failures, 1, "counted anew");
}

#[test]
fn a_deferred_merge_is_done_later_and_versions_are_still_made() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    refuse_next(&host, 1);
    let entries = host.generate(0);
    assert_eq!(made(&entries), [("C1", ShortTerm, 1)]);
    assert_eq!(
        error_of(&entries, "C1"),
        &Error::BadAnswer(BadAnswer::Empty)
    );
    host.say("C1", 60, "b");
    let entries = host.generate_channel("C1", 3 * HOUR - 1);
    assert_eq!(
        made(&entries).len(),
        3,
        "both merged after an hour: {entries:?}"
    );
    assert_eq!(host.storage.long_term("C1"), "a + a b");
}

#[test]
fn while_a_merge_is_deferred_versions_are_made_and_wait() {
    let host = TestHost::new();
    host.say_many("C1", -100, 50);
    refuse_next(&host, 1);
    host.generate(0);
    host.say_many("C1", 60, 50);
    let entries = host.generate(200);
    assert_eq!(made(&entries), [("C1", ShortTerm, 2)]);
    assert_eq!(deferral(&entries, "C1").memory_type, LongTerm);
    assert_eq!(host.storage.long_term("C1"), "");
    host.generate(HOUR);
    assert_eq!(
        host.storage.versions("C1").join(" + "),
        host.storage.long_term("C1")
    );
}

#[test]
fn a_thread_and_the_workspace_are_deferred_too() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    let thread = "C1:1709287140.000000";
    refuse_next(&host, 0);
    refuse_next(&host, 4);
    let entries = host.generate(0);
    assert!(matches!(error_of(&entries, thread), Error::BadAnswer(_)));
    assert!(matches!(error_of(&entries, "default"), Error::BadAnswer(_)));
    let calls = host.llm.calls();
    let entries = host.generate(60);
    assert_eq!(deferral(&entries, thread).memory_type, ShortTerm);
    assert_eq!(deferral(&entries, "default").memory_type, LongTerm);
    assert_eq!(host.llm.calls(), calls);
    let entries = host.generate(HOUR);
    assert_eq!(
        made(&entries),
        [(thread, ShortTerm, 1), ("default", LongTerm, 1)]
    );
}

#[test]
fn a_model_that_is_away_is_asked_again_at_the_next_run() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    for error in [
        LlmError::RateLimited(Some(30)),
        LlmError::Unavailable("down".to_owned()),
        LlmError::TimedOut,
        LlmError::InvalidRequest("wrong key".to_owned()),
        LlmError::Other(OtherReason {
            code: "unknown".to_owned(),
            text: "?".to_owned(),
        }),
    ] {
        host.llm.script(host.llm.calls(), Err(error));
        assert!(matches!(error_of(&host.generate(0), "C1"), Error::Llm(_)));
    }
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["a"]);
}

#[test]
fn a_refused_prompt_and_one_that_never_fits_are_deferred() {
    for error in [
        LlmError::Refused("policy".to_owned()),
        LlmError::ContextTooLong(Some(1)),
    ] {
        let host = TestHost::new();
        host.say("C1", -10, "a");
        host.llm.answer_by(move |_, _| Err(error.clone()));
        host.generate(0);
        assert_eq!(deferral(&host.generate(1), "C1").failures, 1);
    }
}

#[test]
fn one_refused_message_among_many_is_left_out_within_the_run() {
    let host = TestHost::new();
    host.say_many("C1", -400, 199);
    host.say("C1", -10, "POISON");
    host.llm.answer_by(|calls, request| {
        if request.system_prompt.contains("POISON") {
            return Err(LlmError::Refused("policy".to_owned()));
        }
        // No numbers: the messages have others.
        let answer = "x".repeat(calls + 1);
        Ok(completion(
            &format!("- answer {answer}"),
            FinishReason::Stop,
        ))
    });
    let entries = host.generate(0);
    assert_eq!(
        made(&entries),
        [
            ("C1", ShortTerm, 1),
            ("C1", LongTerm, 1),
            ("default", LongTerm, 1)
        ]
    );
    assert!(host.llm.calls() <= 3 + 12, "{}", host.llm.calls());
    // The refused message counts as summarised: the next run has nothing to do.
    let calls = host.llm.calls();
    host.generate(HOUR);
    assert_eq!(host.llm.calls(), calls);
}

// -- stand-ins --

fn with_stand_ins() -> TestHost {
    let mut host = TestHost::new();
    host.settings.extractive_stand_in = true;
    host
}

/// The stand-in for a short-term memory.
fn stand_in(host: &TestHost, scope_id: &str) -> Vec<String> {
    let mut memories = host.storage.seen(Scope::Channel, scope_id);
    memories.extend(host.storage.seen(Scope::Thread, scope_id));
    memories.retain(|memory| memory.version == 0);
    memories.into_iter().map(|memory| memory.content).collect()
}

const FACT: &str = "We decided to release on 2024-03-05.";
const LATER: &str = "Carol owns the budget of 3000 dollars.";

#[test]
fn an_extract_stands_in_while_the_model_is_away_and_is_made_anew_when_it_is_back() {
    let host = with_stand_ins();
    host.say("C1", -10, FACT);
    host.llm.go_down_for_prompts_with(Some(""));
    let entries = host.generate(0);
    assert!(
        matches!(error_of(&entries, "C1"), Error::Llm(_)),
        "the failure still shows"
    );
    assert_eq!(made(&entries), [("C1", ShortTerm, 0)]);
    assert!(stand_in(&host, "C1")[0].contains("2024-03-05"));
    assert_eq!(host.storage.long_term("C1"), "", "never merged");

    host.llm.go_down_for_prompts_with(None);
    let entries = host.generate(HOUR);
    assert_eq!(
        made(&entries),
        [
            ("C1", ShortTerm, 1),
            ("C1", LongTerm, 1),
            ("default", LongTerm, 1)
        ]
    );
    assert_eq!(host.storage.versions("C1"), [FACT]);
    assert!(stand_in(&host, "C1").is_empty());
}

#[test]
fn a_stand_in_is_shown_as_the_newest_memory() {
    let host = with_stand_ins();
    host.remember(Scope::Channel, "C1", ShortTerm, "first");
    host.say("C1", 10, FACT);
    host.llm.go_down_for_prompts_with(Some(""));
    host.generate(3 * HOUR);
    let context = host.context_at("C1", 3 * HOUR);
    let memory = &context.channel_memories[0];
    assert_eq!(memory.short_term_memory_history.len(), 2);
    assert_eq!(memory.short_term_memory_history[0], "first");
    assert!(
        memory
            .short_term_memory
            .as_deref()
            .unwrap()
            .contains("2024-03-05")
    );
}

#[test]
fn a_stand_in_is_made_again_only_for_new_messages() {
    let host = with_stand_ins();
    host.say("C1", -10, FACT);
    host.llm.go_down_for_prompts_with(Some(""));
    host.generate(0);
    assert!(made(&host.generate(HOUR)).is_empty());
    host.say("C1", HOUR + 1, LATER);
    assert_eq!(made(&host.generate(2 * HOUR)), [("C1", ShortTerm, 0)]);
    let texts = stand_in(&host, "C1");
    assert!(texts.len() == 1 && texts[0].contains("2024-03-05") && texts[0].contains("3000"));
}

#[test]
fn a_stand_in_for_a_deferred_memory_is_made_without_asking_the_model() {
    let host = with_stand_ins();
    host.say("C1", -10, FACT);
    refuse_next(&host, 0);
    host.generate(0);
    host.say("C1", 60, LATER);
    let calls = host.llm.calls();
    let entries = host.generate(120);
    assert_eq!(made(&entries), [("C1", ShortTerm, 0)]);
    assert_eq!(deferral(&entries, "C1").failures, 1);
    assert_eq!(host.llm.calls(), calls);
}

#[test]
fn a_threads_memory_is_stood_in_for_and_made_anew() {
    let host = with_stand_ins();
    host.say("C1", -60, FACT);
    host.reply("C1", -60, -50, LATER);
    let thread = "C1:1709287140.000000";
    host.llm.go_down_for_prompts_with(Some(""));
    host.generate(0);
    assert!(stand_in(&host, thread)[0].contains("3000"));
    host.llm.go_down_for_prompts_with(None);
    let entries = host.generate(60);
    assert!(made(&entries).contains(&(thread, ShortTerm, 1)));
    assert!(stand_in(&host, thread).is_empty());
}

#[test]
fn a_store_that_fails_is_stood_in_for_by_nothing() {
    use crate::testing::{Effect, Fault};
    let host = with_stand_ins();
    host.say("C1", -10, FACT);
    host.storage.fail(Fault {
        call: 4,
        effect: Effect::None,
        lasting: false,
    });
    let entries = host.generate(0);
    assert!(matches!(error_of(&entries, "C1"), Error::Storage(_)));
    assert!(host.storage.drafts().is_empty());
}

#[test]
fn without_the_setting_nothing_stands_in() {
    let host = TestHost::new();
    host.say("C1", -10, FACT);
    host.llm.go_down_for_prompts_with(Some(""));
    assert!(made(&host.generate(0)).is_empty());
    assert!(host.storage.drafts().is_empty());
}
