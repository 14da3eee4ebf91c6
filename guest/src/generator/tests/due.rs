//! When a channel's short-term memory gets a new version.

use super::*;
use crate::bindings::exports::myao::memory::memory_generator::{
    DoneStep, Step, ThreadRef, UpdateState,
};
use crate::bindings::types::Scope;
use crate::generator::should_update;
use crate::settings::Settings;
use crate::testing::{DAY, HOUR, TestHost, at, ts};

/// Asks at `NOW` about a channel whose newest message is so many seconds old.
fn asks(enabled: bool, has_memory: bool, age: i64, new_message_count: u32) -> bool {
    let settings = Settings {
        history_enabled: enabled,
        ..TestHost::new().settings
    };
    let latest_message_ts = Some(ts(-age));
    let state = UpdateState {
        latest_message_ts,
        has_memory,
        new_message_count,
    };
    should_update(&state, &settings, at(0)).unwrap()
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
    let settings = TestHost::new().settings;
    let state = UpdateState {
        latest_message_ts: None,
        has_memory: true,
        new_message_count: 0,
    };
    assert_eq!(should_update(&state, &settings, at(DAY)), Ok(false));
}

#[test]
fn an_id_that_is_none_is_an_error_that_names_it() {
    let settings = TestHost::new().settings;
    let latest_message_ts = Some("yesterday".to_owned());
    let state = UpdateState {
        latest_message_ts,
        has_memory: true,
        new_message_count: 1,
    };
    let error = Error::InvalidTs("yesterday".to_owned());
    assert_eq!(should_update(&state, &settings, at(0)), Err(error));
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
fn a_channel_whose_memories_lost_lines_is_due_once_a_message_waits() {
    let host = TestHost::new();
    host.say("C1", -10, "first");
    host.generate(0);
    host.storage.lose_lines("C1");
    host.generate(1);
    assert_eq!(host.storage.versions("C1"), ["first"], "nothing waits");
    host.say("C1", 2, "second");
    host.generate(3);
    assert_eq!(host.storage.versions("C1"), ["first", "first second"]);
    host.say("C1", 4, "third");
    host.generate(5);
    assert_eq!(host.storage.versions("C1").len(), 2, "only once");
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
    assert_eq!(host.generate(HOUR), [], "nothing is due");
    let reason = |channel_id: &str, reason| {
        let entries = host.generate_channel(channel_id, HOUR);
        is_skipped(outcome_of(&entries, channel_id), reason)
    };
    assert!(reason("quiet", SkipReason::NoNewMessages));
    assert!(reason("busy", SkipReason::NotDue));
    assert!(reason("history", SkipReason::OutsideWindow));
    assert!(reason("empty", SkipReason::NoNewMessages));
    let workspace = [host.generate_workspace(HOUR)];
    let outcome = outcome_of(&workspace, "default");
    assert!(is_skipped(outcome, SkipReason::Unchanged));
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

fn channel(id: &str) -> Step {
    Step::Channel(id.to_owned())
}

fn done(step: Step, made: bool) -> DoneStep {
    DoneStep { step, made }
}

#[test]
fn threads_come_first_then_channels_and_then_the_workspace_once() {
    let host = TestHost::new();
    host.storage.generous.set(true);
    host.say("B", -10, "new");
    host.say("A", -20, "parent");
    host.reply("A", -20, -10, "reply");
    host.say("history", -2 * DAY, "long ago");
    let next = |done: &[DoneStep]| {
        let batch = host.next_steps(done, 0).unwrap();
        (batch.steps, batch.later)
    };
    let thread = Step::Thread(ThreadRef {
        channel_id: "A".to_owned(),
        thread_ts: ts(-20),
    });
    assert_eq!(next(&[]), (vec![thread.clone()], 2));
    let mut taken = vec![done(thread, false)];
    assert_eq!(next(&taken), (vec![channel("A"), channel("B")], 0));
    // Whatever became of them, they are not taken again.
    taken.extend([done(channel("A"), true), done(channel("B"), false)]);
    assert_eq!(next(&taken), (vec![Step::Workspace], 0));
    taken.push(done(Step::Workspace, false));
    assert_eq!(next(&taken), (vec![], 0));
    host.generate(0);
    let later = host.next_steps(&[], HOUR).unwrap();
    assert_eq!((later.steps, later.later), (vec![], 0));
}

#[test]
fn a_workspace_that_merges_per_channel_follows_each_channel_that_changed() {
    let mut host = TestHost::new();
    host.settings.workspace_merge_per_channel = true;
    for id in ["A", "B", "C"] {
        host.say(id, -10, "new");
    }
    let mut taken = Vec::new();
    let mut steps = Vec::new();
    for made in [true, false, false, true, true] {
        let batch = host.next_steps(&taken, 0).unwrap();
        let [step] = batch.steps.try_into().unwrap();
        steps.push((step, batch.later));
        taken.push(done(steps.last().unwrap().0.clone(), made));
    }
    let expected = [
        (channel("A"), 2),
        (Step::Workspace, 2),
        (channel("B"), 1),
        (channel("C"), 0),
        (Step::Workspace, 0),
    ];
    assert_eq!(steps, expected);
    assert_eq!(host.next_steps(&taken, 0).unwrap().steps, []);
}

#[test]
fn a_channel_with_a_version_to_merge_is_due_and_then_the_workspace() {
    let host = TestHost::new();
    host.storage.add_channel("A", "A");
    host.remember(Scope::Channel, "A", MemoryType::ShortTerm, "text");
    let next = || host.next_steps(&[], 0).unwrap().steps;
    assert_eq!(next(), [channel("A")]);
    host.generate_channel("A", 0);
    assert_eq!(next(), [Step::Workspace]);
    host.generate_workspace(0);
    assert_eq!(next(), []);
}

/// Its step then reports the error, as a whole run would.
#[test]
fn a_channel_whose_ids_cannot_be_read_is_due() {
    let host = TestHost::new();
    host.say("A", 0, "text");
    host.storage.spoil_backlogs.set(true);
    assert_eq!(host.next_steps(&[], 0).unwrap().steps, [channel("A")]);
    let error = Error::InvalidTs("spoilt".to_owned());
    assert_eq!(error_of(&host.generate_channel("A", 0), "A"), &error);
    assert_eq!(error_of(&host.generate(0), "A"), &error);
}
