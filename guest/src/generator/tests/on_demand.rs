//! `memory.thread_memories: on_demand`, the default: a thread's memory is made when it is of use.

use super::*;
use crate::settings::ThreadMemories;
use crate::testing::{DAY, HOUR, TestHost, ts};
use MemoryType::{LongTerm, ShortTerm};

/// The scope id of the thread that began at so many seconds in C1.
fn scope_id(thread: i64) -> String {
    format!("C1:{}", ts(thread))
}

fn on_demand(mut host: TestHost) -> TestHost {
    host.settings.thread_memories = ThreadMemories::OnDemand;
    host
}

/// A thread that began three days ago; since then its channel had another version.
fn long_thread(host: &TestHost) {
    host.say("C1", -3 * DAY, "opener");
    host.reply("C1", -3 * DAY, -3 * DAY + 60, "older reply");
    host.generate(-3 * DAY + 3 * HOUR);
    host.say("C1", -DAY, "elsewhere");
    host.generate(-DAY + 3 * HOUR);
}

#[test]
fn a_thread_that_its_channels_version_shows_whole_has_no_memory() {
    let host = on_demand(TestHost::new());
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.reply("C1", -60, -40, "a2");
    let entries = host.generate(0);
    assert_eq!(
        made(&entries),
        [
            ("C1", ShortTerm, 1),
            ("C1", LongTerm, 1),
            ("default", LongTerm, 1)
        ]
    );
}

#[test]
fn a_version_that_leaves_out_older_replies_shows_the_threads_memory_instead() {
    let host = on_demand(TestHost::with_prompts());
    long_thread(&host);
    host.reply("C1", -3 * DAY, 0, "new reply");
    let answer = "- what the thread said so far";
    host.llm.answer_by(move |_, request| {
        let is_thread = request.system_prompt.contains("## 要約対象スレッド");
        let text = if is_thread { answer } else { "- 要約" };
        Ok(crate::testing::completion(
            text,
            crate::bindings::llm::FinishReason::Stop,
        ))
    });
    let before = host.llm.calls();
    let entries = host.generate(3 * HOUR);
    assert_eq!(
        made(&entries)[0],
        (scope_id(-3 * DAY).as_str(), ShortTerm, 1)
    );
    let prompts = host.llm.prompts().split_off(before);
    assert!(prompts[0].contains("older reply"), "{}", prompts[0]);
    let of_channel = &prompts[1];
    assert!(of_channel.contains("## 要約対象: チャンネル会話履歴"));
    assert!(!of_channel.contains("older reply"), "{of_channel}");
    assert!(of_channel.contains(answer), "{of_channel}");
}

#[test]
fn a_thread_waits_for_the_version_of_its_channel() {
    let host = on_demand(TestHost::new());
    long_thread(&host);
    host.reply("C1", -3 * DAY, 0, "new reply");
    assert_eq!(host.generate(HOUR), []);
    let entries = host.generate(3 * HOUR);
    let order: Vec<&str> = entries
        .iter()
        .map(|entry| entry.scope_id.as_str())
        .collect();
    assert_eq!(order, [scope_id(-3 * DAY).as_str(), "C1", "default"]);
    host.say("C1", 4 * HOUR, "elsewhere");
    let entries = host.generate(7 * HOUR);
    assert_eq!(outcome_of(&entries, &scope_id(-3 * DAY)), None);
}

#[test]
fn the_first_reply_to_an_old_message_leaves_nothing_out() {
    let host = on_demand(TestHost::new());
    host.say("C1", -3 * DAY, "opener");
    host.generate(-3 * DAY + 3 * HOUR);
    host.reply("C1", -3 * DAY, 0, "late reply");
    let entries = host.generate(3 * HOUR);
    assert_eq!(outcome_of(&entries, &scope_id(-3 * DAY)), None);
    assert!(is_done(outcome_of(&entries, "C1")));
}

#[test]
fn what_is_in_no_version_yet_is_shown_and_needs_no_memory() {
    let host = on_demand(TestHost::new());
    host.say("C1", -4 * DAY, "before");
    host.generate(-4 * DAY + 3 * HOUR);
    host.say("C1", -3 * DAY, "opener");
    host.reply("C1", -3 * DAY, -3 * DAY + 60, "while nobody ran");
    host.reply("C1", -3 * DAY, 0, "new reply");
    let entries = host.generate(3 * HOUR);
    assert_eq!(outcome_of(&entries, &scope_id(-3 * DAY)), None);
    let version = host.storage.versions("C1").pop().unwrap();
    assert!(version.contains("while nobody ran"), "{version}");
}

#[test]
fn messages_that_take_several_versions_have_their_threads_remembered() {
    let mut host = on_demand(TestHost::new());
    host.settings.generation_message_limit = 3;
    host.say("C1", -100, "opener");
    for number in 0..4 {
        host.reply("C1", -100, -90 + number, &format!("reply {number}"));
    }
    let entries = host.generate(3 * HOUR);
    assert!(is_done(outcome_of(&entries, &scope_id(-100))));
    assert_eq!(host.storage.versions("C1").len(), 2);
}

#[test]
fn whoever_asks_for_the_memory_of_a_thread_gets_it_however_old_it_is() {
    let host = on_demand(TestHost::new());
    host.say("C1", -9 * DAY, "a");
    host.reply("C1", -9 * DAY, -9 * DAY + 60, "a1");
    assert_eq!(host.generate(0), []);
    let entry = host.generate_thread("C1", -9 * DAY, 0);
    assert!(is_done(Some(&entry.outcome)));
    assert_eq!(host.storage.versions(&scope_id(-9 * DAY)), ["(a a1)"]);
    let entry = host.generate_thread("C1", -9 * DAY, HOUR);
    assert!(is_skipped(Some(&entry.outcome), SkipReason::NoNewMessages));
}
