//! Faults of the Python bot in making memories, by their number in the specification's list.

use super::*;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::llm::{FinishReason, LlmError};
use crate::bindings::types::{Message, Scope, Timestamp, User};
use crate::testing::{DAY, HOUR, NOW, TestHost, at, completion, message, ts};
use MemoryType::{LongTerm, ShortTerm};

#[test]
fn regression_01_threads_are_part_of_a_channels_short_term_memory() {
    let host = TestHost::new();
    host.say("C1", -60, "parent");
    host.reply("C1", -60, -50, "reply");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["(parent reply)"]);
    host.reply("C1", -60, HOUR, "a reply alone makes the next version due");
    host.generate(4 * HOUR);
    assert_eq!(host.storage.versions("C1").len(), 2);
}

/// 999999999.… is older than 1000000000.…, though greater as text; and the last of two ids with the same
/// seconds is told by its sequence, beyond the digits of a floating-point number.
#[test]
fn regression_02_ids_are_ordered_by_number_and_regeneration_does_not_freeze() {
    let host = TestHost::new();
    let say = |ts: &str, text: &str| {
        let timestamp = Timestamp {
            unix_seconds: 1_000_000_000,
            utc_offset_seconds: 0,
        };
        let message = Message {
            ts: ts.to_owned(),
            timestamp,
            ..message(0, text)
        };
        host.storage.add_message("C1", message);
    };
    let generate = |unix_seconds: i64| host.generate(unix_seconds - NOW);
    say("999999999.000001", "a");
    generate(1_000_000_000);
    say("1000000001.000002", "c");
    say("1000000001.000001", "b");
    generate(1_000_010_000);
    assert_eq!(host.storage.versions("C1"), ["a", "a b c"]);
    let newest = host
        .storage
        .of("C1", ShortTerm)
        .pop()
        .unwrap()
        .source_latest_message_ts;
    assert_eq!(newest.as_deref(), Some("1000000001.000002"));
    say("1000000001.000003", "d");
    generate(1_000_020_000);
    assert_eq!(host.storage.versions("C1").last().unwrap(), "a b c d");
}

#[test]
fn regression_03_a_failed_merge_is_tried_again_without_a_new_message() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.llm.script(1, Err(LlmError::TimedOut));
    host.generate(0);
    assert_eq!(
        (host.storage.versions("C1"), host.storage.long_term("C1")),
        (vec!["a".to_owned()], String::new())
    );
    let entries = host.generate(1);
    assert_eq!(
        made(&entries),
        [("C1", LongTerm, 1), ("default", LongTerm, 1)]
    );
    assert_eq!(host.storage.long_term("C1"), "a");
}

#[test]
fn regression_04_a_failed_workspace_merge_keeps_the_channels_memories() {
    let host = TestHost::new();
    host.say("A", -10, "a");
    host.say("B", -10, "b");
    host.llm.script(4, Err(LlmError::TimedOut));
    let entries = host.generate(0);
    assert_eq!(
        error_of(&entries, "default"),
        &Error::Llm(LlmError::TimedOut)
    );
    assert_eq!(
        (host.storage.long_term("A"), host.storage.long_term("B")),
        ("a".to_owned(), "b".to_owned())
    );
    assert_eq!(
        made(&host.generate(1)),
        [("default", LongTerm, 1)],
        "and nothing else is made again"
    );
}

#[test]
fn regression_05_a_threads_parent_stands_first_even_if_a_bot_wrote_it() {
    let host = TestHost::new();
    let bot = User {
        id: "B1".to_owned(),
        name: "bot".to_owned(),
        is_bot: true,
    };
    host.reply("C1", -2 * DAY, -50, "reply");
    host.storage.add_message(
        "C1",
        Message {
            user: bot,
            ..message(-2 * DAY, "posted by a bot")
        },
    );
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["(posted by a bot reply)"]);
    assert_eq!(
        host.storage.versions(&format!("C1:{}", ts(-2 * DAY))),
        ["(posted by a bot reply)"]
    );
}

#[test]
fn regression_06_an_older_thread_is_whole_whatever_is_newer_in_the_channel() {
    let host = TestHost::new();
    host.say("C1", -DAY, "parent");
    for reply in 1..=30 {
        host.reply("C1", -DAY, -DAY + reply, &format!("reply {reply}"));
    }
    host.say_many("C1", -HOUR, 100);
    let request = BuildRequest {
        channel_id: "C1".to_owned(),
        target_thread_ts: Some(ts(-DAY)),
        since: None,
        message_limit: None,
    };
    let history = host.requested(request).unwrap().conversation_history;
    assert_eq!(history.threads[0].messages.len(), 31);
    assert_eq!(
        history.top_level_messages.len(),
        50,
        "the reply message limit"
    );
}

#[test]
fn regression_08_no_time_zone_shifts_what_is_due_or_shown() {
    for utc_offset_seconds in [-39_600, 0, 32_400, 50_400] {
        let host = TestHost::with_prompts();
        let shift = |time: Timestamp| Timestamp {
            utc_offset_seconds,
            ..time
        };
        let generate = |seconds: i64| host.try_generate_at(shift(at(seconds))).unwrap();
        let timestamp = shift(at(-10));
        host.storage.add_message(
            "C1",
            Message {
                timestamp,
                ..message(-10, "a")
            },
        );
        generate(0);
        let hour = (10 * HOUR - 10 + i64::from(utc_offset_seconds)).rem_euclid(DAY) / HOUR;
        let shown = format!(" {hour:02}:59:50** alice:\na\n");
        assert!(
            host.llm.prompts()[0].contains(&shown),
            "{shown}: {}",
            host.llm.prompts()[0]
        );
        host.say("C1", 10, "b");
        assert!(
            made(&generate(10 + 2 * HOUR - 1)).is_empty(),
            "offset {utc_offset_seconds}"
        );
        assert!(
            !made(&generate(10 + 2 * HOUR)).is_empty(),
            "offset {utc_offset_seconds}"
        );
    }
}

#[test]
fn regression_11_an_answer_that_was_cut_off_is_saved_and_not_asked_for_again() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.llm.script(
        0,
        Ok(completion("- first\n- second\n- thi", FinishReason::Length)),
    );
    let entries = host.generate(0);
    assert!(is_done(outcome_of(&entries, "C1")));
    assert_eq!(host.storage.versions("C1"), ["- first\n- second"]);
    let calls = host.llm.calls();
    host.generate(HOUR);
    assert_eq!(host.llm.calls(), calls);
}

/// The Python bot took 2C²+14C+10 queries for a run over C channels.
#[test]
fn regression_13_a_run_costs_nine_calls_for_each_channel_and_eight_for_all() {
    let cost = |count: usize| {
        let host = TestHost::new();
        for number in 0..count {
            host.say(&format!("C{number}"), -1, "a");
        }
        host.generate(0);
        host.storage.take_calls().len()
    };
    for count in [1, 10, 100] {
        assert_eq!(cost(count), 9 * count + 8);
    }
}

/// The message limit; the summariser's tests hold the budget of tokens.
#[test]
fn regression_14_no_prompt_has_more_messages_than_the_limit() {
    let mut host = TestHost::with_prompts();
    host.settings.generation_message_limit = 20;
    host.say_many("C1", -HOUR, 75);
    host.say("C1", -2 * HOUR, "parent");
    host.reply("C1", -2 * HOUR, -10, "reply");
    for call in 0..20 {
        host.llm
            .script(call, Ok(completion("- summary", FinishReason::Stop)));
    }
    host.generate(3 * HOUR);
    let prompts = host.llm.prompts();
    let of_channels = prompts
        .iter()
        .filter(|prompt| prompt.contains("## 要約対象: チャンネル会話履歴"));
    let shown: Vec<usize> = of_channels
        .map(|prompt| prompt.matches("** alice:\n").count())
        .collect();
    assert_eq!(
        shown,
        [20, 20, 20, 20 + 1],
        "a reply comes with the first message of its thread"
    );
}

#[test]
fn regression_17_a_failure_in_one_place_skips_nothing_unrelated() {
    let host = TestHost::new();
    for channel_id in ["A", "B", "C"] {
        host.say(channel_id, -60, &format!("{channel_id}-text"));
        host.reply(channel_id, -60, -50, "reply");
    }
    host.llm.go_down_for_prompts_with(Some("B-text"));
    let entries = host.generate(0);
    let failed: Vec<&str> = entries
        .iter()
        .filter(|entry| matches!(entry.outcome, Outcome::Failed(_)))
        .map(|entry| entry.scope_id.as_str())
        .collect();
    assert_eq!(failed, [format!("B:{}", ts(-60)).as_str(), "B"]);
    let done = entries.iter().filter(|entry| is_done(Some(&entry.outcome)));
    let scopes: Vec<Scope> = done.map(|entry| entry.scope).collect();
    assert_eq!(
        scopes,
        [
            Scope::Thread,
            Scope::Thread,
            Scope::Channel,
            Scope::Channel,
            Scope::Workspace
        ]
    );
    assert_eq!(
        host.storage.long_term("default"),
        "#A: (A-text reply)\n#C: (C-text reply)"
    );
}
