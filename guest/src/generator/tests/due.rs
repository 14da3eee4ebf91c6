//! When a channel's short-term memory gets a new version.

use super::*;
use crate::bindings::exports::myao::memory::memory_generator::{ThreadRef, UpdateState};
use crate::bindings::types::Scope;
use crate::generator::{Run, should_update};
use crate::settings::ShortTermHistory;
use crate::testing::{DAY, HOUR, TestHost, at, ts};

/// Asks at `NOW` about a channel whose newest message is so many seconds old.
fn asks(enabled: bool, has_memory: bool, age: i64, new_message_count: u32) -> bool {
    let history = ShortTermHistory {
        enabled,
        ..TestHost::new().settings.short_term_history
    };
    let latest_message_ts = Some(ts(-age));
    let state = UpdateState {
        latest_message_ts,
        has_memory,
        new_message_count,
    };
    should_update(&state, &history, at(0)).unwrap()
}

// 01f _should_update_short_term_memory: 履歴機能無効
#[test]
fn without_versions_every_channel_updates() {
    assert!(asks(false, true, HOUR, 1));
}

// 01f _should_update_short_term_memory: 既存記憶なし
#[test]
fn a_channel_without_a_memory_updates() {
    assert!(asks(true, false, HOUR, 1));
}

// 01f _should_update_short_term_memory: idle 時間経過
#[test]
fn two_hours_of_silence_update() {
    assert!(asks(true, true, 2 * HOUR, 1));
    assert!(!asks(true, true, 2 * HOUR - 1, 1));
}

// 01f _should_update_short_term_memory: メッセージ数超過. Document 01 says "more than"; its table, the code of
// 01f and the README say that 50 is enough.
#[test]
fn fifty_new_messages_update() {
    assert!(asks(true, true, HOUR, 50));
    assert!(!asks(true, true, HOUR, 49));
}

// 01f _should_update_short_term_memory: 両条件未満
#[test]
fn an_hour_of_silence_and_thirty_messages_do_not_update() {
    assert!(!asks(true, true, HOUR, 30));
}

// 01f _should_update_short_term_memory: idle + メッセージ
#[test]
fn silence_and_many_messages_update() {
    assert!(asks(true, true, 2 * HOUR, 60));
}

#[test]
fn a_channel_with_a_memory_and_no_message_does_not_update() {
    let history = TestHost::new().settings.short_term_history;
    let state = UpdateState {
        latest_message_ts: None,
        has_memory: true,
        new_message_count: 0,
    };
    assert_eq!(should_update(&state, &history, at(DAY)), Ok(false));
}

#[test]
fn an_id_that_is_none_is_an_error_that_names_it() {
    let history = TestHost::new().settings.short_term_history;
    let latest_message_ts = Some("yesterday".to_owned());
    let state = UpdateState {
        latest_message_ts,
        has_memory: true,
        new_message_count: 1,
    };
    let error = Error::InvalidTs("yesterday".to_owned());
    assert_eq!(should_update(&state, &history, at(0)), Err(error));
}

/// The conversation continues, whatever was imported or listed last.
#[test]
fn idle_is_measured_from_the_newest_message_whatever_the_order() {
    let host = TestHost::new();
    host.storage.reversed.set(true);
    host.say("C1", -5 * HOUR, "first");
    host.generate(-3 * HOUR);
    host.say("C1", -HOUR, "newest");
    host.say("C1", -3 * HOUR + 1, "came late");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["first"]);
    host.generate(HOUR);
    assert_eq!(
        host.storage.versions("C1"),
        ["first", "first came late newest"]
    );
}

#[test]
fn the_watermark_is_the_newest_message_even_in_a_thread_that_began_first() {
    let host = TestHost::new();
    host.storage.reversed.set(true);
    host.say("C1", -5 * HOUR, "parent");
    host.say("C1", -4 * HOUR, "alone");
    host.reply("C1", -5 * HOUR, -3 * HOUR, "reply");
    host.generate(0);
    let version = &host.storage.of("C1", MemoryType::ShortTerm)[0];
    assert_eq!(version.source_latest_message_ts, Some(ts(-3 * HOUR)));
}

#[test]
fn one_message_then_silence_makes_one_version_and_three_calls_in_a_day() {
    let host = TestHost::new();
    host.say("C1", -1, "hello");
    for hour in 0..24 {
        let entries = host.generate(hour * HOUR);
        assert_eq!(made(&entries).is_empty(), hour > 0, "hour {hour}");
    }
    assert_eq!(host.storage.versions("C1"), ["hello"]);
    assert_eq!(
        host.llm.calls(),
        3,
        "one version, one merge, one merge of the workspace"
    );
}

#[test]
fn a_channel_is_skipped_with_its_reason_where_the_store_names_too_many() {
    let host = TestHost::new();
    host.storage.generous.set(true);
    for channel_id in ["quiet", "busy"] {
        host.say(channel_id, -10, "first");
    }
    host.say("history", -2 * DAY, "long ago");
    host.storage.add_channel("empty", "empty");
    host.generate(0);
    host.say("busy", 10, "second");
    let entries = host.generate(HOUR);
    let reason = |scope_id: &str, reason| is_skipped(outcome_of(&entries, scope_id), reason);
    assert!(reason("quiet", SkipReason::NoNewMessages));
    assert!(reason("busy", SkipReason::NotDue));
    assert!(reason("history", SkipReason::OutsideWindow));
    assert!(reason("empty", SkipReason::NoNewMessages));
    assert!(reason("default", SkipReason::Unchanged));
    assert_eq!(host.llm.calls(), 2 * 2 + 1, "all in the first run");
}

#[test]
fn messages_after_now_do_not_exist() {
    let host = TestHost::new();
    host.say("C1", -10, "now");
    host.say("C1", 1, "later");
    host.reply("C1", -10, 2, "later reply");
    let entries = host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["now"]);
    assert_eq!(
        outcome_of(&entries, &format!("C1:{}", ts(-10))),
        None,
        "no thread yet"
    );
}

#[test]
fn list_due_names_what_a_run_would_make_and_nothing_else() {
    let host = TestHost::new();
    host.storage.generous.set(true);
    host.say("B", -10, "new");
    host.say("A", -20, "parent");
    host.reply("A", -20, -10, "reply");
    host.say("history", -2 * DAY, "long ago");
    let due = |seconds| {
        let due = Run::new(&host.ports(), at(seconds)).list_due().unwrap();
        let thread = |thread: ThreadRef| (thread.channel_id, thread.thread_ts);
        (
            due.threads.into_iter().map(thread).collect::<Vec<_>>(),
            due.channels,
            due.workspace,
        )
    };
    let thread = ("A".to_owned(), ts(-20));
    assert_eq!(
        due(0),
        (vec![thread], vec!["A".to_owned(), "B".to_owned()], false)
    );
    host.generate(0);
    assert_eq!(due(HOUR), (vec![], vec![], false));
}

#[test]
fn list_due_names_a_channel_with_a_version_to_merge_and_then_the_workspace() {
    let host = TestHost::new();
    host.storage.add_channel("A", "A");
    host.remember(Scope::Channel, "A", MemoryType::ShortTerm, "text");
    let due = || Run::new(&host.ports(), at(0)).list_due().unwrap();
    assert_eq!(
        (due().channels, due().workspace),
        (vec!["A".to_owned()], false)
    );
    host.generate_channel("A", 0);
    assert_eq!((due().channels, due().workspace), (vec![], true));
    host.generate_workspace(0);
    assert!(!due().workspace);
}

/// Its step then reports the error, as a whole run would.
#[test]
fn list_due_names_a_channel_whose_ids_cannot_be_read() {
    let host = TestHost::new();
    host.say("A", 0, "text");
    host.storage.spoil_backlogs.set(true);
    let due = Run::new(&host.ports(), at(0)).list_due().unwrap();
    assert_eq!(due.channels, ["A"]);
    let error = Error::InvalidTs("spoilt".to_owned());
    assert_eq!(error_of(&host.generate_channel("A", 0), "A"), &error);
    assert_eq!(error_of(&host.generate(0), "A"), &error);
}
