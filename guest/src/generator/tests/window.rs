//! Which messages go into a channel's short-term memory.

use super::*;
use crate::bindings::llm::{FinishReason, LlmError};
use crate::bindings::types::Engine;
use crate::testing::{DAY, HOUR, TestHost, completion};
use MemoryType::ShortTerm;

// 05 CHANNEL: 短期記憶（全メッセージ使用）
#[test]
fn a_version_is_made_from_top_level_messages_and_every_thread() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.say("C1", -40, "b");
    host.reply("C1", -60, -30, "a2");
    host.say("C1", -20, "c");
    host.reply("C1", -20, -10, "c1");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["b (a a1 a2) (c c1)"]);
}

#[test]
fn a_version_looks_back_24_hours() {
    let host = TestHost::new();
    host.say("C1", -DAY - 1, "before");
    host.say("C1", -DAY, "first");
    host.say("C1", -1, "last");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["first last"]);
}

#[test]
fn a_version_shows_again_what_the_window_still_holds() {
    let host = TestHost::new();
    host.say("C1", -HOUR, "a");
    host.generate(0);
    host.say("C1", HOUR, "b");
    host.generate(3 * HOUR);
    assert_eq!(host.storage.versions("C1"), ["a", "a b"]);
}

#[test]
fn what_arrived_while_nobody_ran_for_three_days_is_summarised() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.generate(0);
    host.say("C1", HOUR, "b");
    host.say("C1", DAY, "c");
    host.say("C1", 3 * DAY - 10, "d");
    host.generate(3 * DAY + 2 * HOUR);
    assert_eq!(
        host.storage.versions("C1"),
        ["a", "a b c d"],
        "from the last watermark on"
    );
}

#[test]
fn what_arrived_while_nobody_ran_is_summarised_even_if_the_window_is_silent() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.generate(0);
    host.say("C1", HOUR, "b");
    host.generate(10 * DAY);
    assert_eq!(host.storage.versions("C1"), ["a", "a b"]);
}

#[test]
fn a_channel_with_nothing_in_the_window_that_was_never_summarised_is_history() {
    let host = TestHost::new();
    host.say("C1", -DAY - 1, "long ago");
    let entries = host.generate_channel("C1", 0);
    assert!(is_skipped(
        outcome_of(&entries, "C1"),
        SkipReason::OutsideWindow
    ));
    assert_eq!(host.llm.calls(), 0);
}

/// The store knows it: a run on the first day found the channel due, and failed.
#[test]
fn the_first_version_takes_in_the_day_on_which_the_model_was_away() {
    for later in ["", "back"] {
        let host = TestHost::new();
        host.say("C1", -2 * DAY, "long ago");
        host.say("C1", -HOUR, "first");
        host.llm.script(0, Err(LlmError::TimedOut));
        host.generate(0);
        assert!(host.storage.versions("C1").is_empty());
        host.storage.end_history("C1", &crate::testing::ts(-DAY));
        if !later.is_empty() {
            host.say("C1", 3 * DAY - HOUR, later);
        }
        let entries = host.generate(3 * DAY);
        assert!(is_done(outcome_of(&entries, "C1")), "{entries:?}");
        let expected = format!("first {later}");
        assert_eq!(host.storage.versions("C1"), [expected.trim_end()]);
    }
}

#[test]
fn what_waits_for_the_first_version_becomes_several_where_one_does_not_hold_it() {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 3;
    host.say("C1", -2 * DAY, "long ago");
    host.say_many("C1", -HOUR, 5);
    host.storage.end_history("C1", &crate::testing::ts(-DAY));
    host.generate(9 * DAY);
    assert_eq!(host.storage.versions("C1"), ["1 2 3", "3 4 5"]);
}

/// A backfill runs as of a time before that end.
#[test]
fn history_that_ends_after_the_present_moves_no_window() {
    let host = TestHost::new();
    host.say("C1", -2 * DAY, "before");
    host.say("C1", -HOUR, "within");
    host.storage.end_history("C1", &crate::testing::ts(9 * DAY));
    let entries = host.generate_channel("C1", -2 * DAY - HOUR);
    assert!(is_skipped(
        outcome_of(&entries, "C1"),
        SkipReason::NoNewMessages
    ));
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["within"]);
    let entries = host.generate_channel("C1", 2 * DAY);
    assert!(is_skipped(
        outcome_of(&entries, "C1"),
        SkipReason::NoNewMessages
    ));
}

#[test]
fn the_window_is_the_settings() {
    let mut host = TestHost::new();
    host.settings.short_term_window_hours = 1;
    host.say("C1", -HOUR - 1, "before");
    host.say("C1", -HOUR, "first");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["first"]);
}

// 05 CHANNEL: 空コンテンツ, extra05a CHANNEL: 空会話履歴
#[test]
fn a_channel_whose_new_messages_are_gone_has_nothing_to_summarise() {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 0;
    host.say("C1", -10, "gone when they are read");
    let entries = host.generate(0);
    assert!(is_skipped(
        outcome_of(&entries, "C1"),
        SkipReason::NothingToSummarize
    ));
    assert!(host.storage.memories().is_empty());
    assert_eq!(host.llm.calls(), 0);
}

#[test]
fn a_deleted_message_is_in_no_later_version() {
    let host = TestHost::new();
    host.say("C1", -20, "a");
    host.say("C1", -10, "b");
    host.generate(0);
    host.storage.delete_message("C1", &crate::testing::ts(-10));
    host.say("C1", 10, "c");
    host.generate(3 * HOUR);
    assert_eq!(host.storage.versions("C1"), ["a b", "a c"]);
}

// 05: `response.strip()`
#[test]
fn a_text_is_saved_without_surrounding_white_space() {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    host.llm
        .script(0, Ok(completion(" \n- text\n\n", FinishReason::Stop)));
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["- text"]);
}

#[test]
fn the_engine_without_a_model_asks_none_and_signs_its_memories() {
    let mut host = TestHost::new();
    host.settings.engine = Engine::Extractive;
    host.say("C1", -20, "We decided to release on 2024-03-05.");
    host.reply("C1", -20, -10, "Bob prepares the notes.");
    host.generate(0);
    assert_eq!(host.llm.calls(), 0);
    let memories = host.storage.memories();
    assert_eq!(memories.len(), 4, "thread, channel twice, workspace");
    for memory in memories {
        assert_eq!(memory.engine, Engine::Extractive);
        assert!(memory.content.contains("2024-03-05"), "{}", memory.content);
    }
    assert_eq!(host.storage.of("C1", ShortTerm)[0].source_message_count, 2);
}

/// Otherwise a channel of pictures would fail at every run, for ever.
#[test]
fn messages_without_words_are_nothing_to_summarise_without_a_model() {
    let mut host = TestHost::new();
    host.settings.engine = Engine::Extractive;
    host.say("C1", -10, "");
    host.say("C1", -5, "🎉");
    host.reply("C1", -5, -4, " ");
    let entries = host.generate(0);
    for entry in &entries[..2] {
        assert!(
            is_skipped(Some(&entry.outcome), SkipReason::NothingToSummarize),
            "{entry:?}"
        );
    }
}
