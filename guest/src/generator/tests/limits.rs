//! More new messages than go into one memory.

use super::*;
use crate::bindings::types::Scope;
use crate::testing::{DAY, HOUR, TestHost};

fn host_with_limit(limit: u32) -> TestHost {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = limit;
    host
}

#[test]
fn more_new_messages_than_fit_become_several_versions_in_one_run() {
    let host = host_with_limit(3);
    host.say_many("C1", -3 * HOUR, 7);
    let entries = host.generate(0);
    assert!(is_done(outcome_of(&entries, "C1")));
    assert_eq!(host.storage.versions("C1"), ["1 2 3", "4 5 6", "5 6 7"]);
    assert_eq!(host.storage.long_term("C1"), "1 2 3 + 4 5 6 + 5 6 7");
}

#[test]
fn no_message_is_lost_or_new_twice_at_any_count_and_limit() {
    for limit in 1..=4 {
        for count in 1..=9 {
            let host = host_with_limit(limit);
            host.say("C1", -10, "old");
            host.generate(0);
            host.say_many("C1", HOUR, count);
            host.generate(2 * DAY);
            assert_eq!(new_in_each_version(&host), (1..=count).collect::<Vec<_>>());
        }
    }
}

/// The numbers that each version after the first adds to those before it, in order.
fn new_in_each_version(host: &TestHost) -> Vec<i64> {
    let mut seen = vec!["old".to_owned()];
    for text in host.storage.versions("C1") {
        for word in text.split(' ').map(str::to_owned) {
            if !seen.contains(&word) {
                seen.push(word);
            }
        }
    }
    seen[1..].iter().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn what_is_left_over_waits_while_the_conversation_goes_on() {
    let host = host_with_limit(3);
    host.say_many("C1", -10, 4);
    host.generate(0);
    assert_eq!(
        host.storage.versions("C1"),
        ["1 2 3"],
        "4 is one new message, and not idle"
    );
    host.generate(3 * HOUR);
    assert_eq!(host.storage.versions("C1"), ["1 2 3", "2 3 4"]);
}

#[test]
fn history_before_the_window_does_not_count_against_the_limit() {
    let host = host_with_limit(3);
    host.say_many("C1", -10 * DAY, 5);
    host.say("C1", -20, "a");
    host.say("C1", -10, "b");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["a b"]);
}

#[test]
fn a_reply_comes_with_the_first_message_of_its_thread_outside_the_limit() {
    let host = host_with_limit(2);
    host.say("C1", -5 * HOUR, "parent");
    host.say_many("C1", -4 * HOUR, 3);
    host.reply("C1", -5 * HOUR, -3 * HOUR, "reply");
    host.generate(0);
    assert_eq!(
        host.storage.versions("C1"),
        ["parent 1", "2 3", "3 (parent reply)"]
    );
}

#[test]
fn without_versions_every_part_is_merged_and_the_last_one_stays() {
    let mut host = host_with_limit(3);
    host.settings.history_enabled = false;
    host.say_many("C1", -3 * HOUR, 7);
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["5 6 7"]);
    assert_eq!(host.storage.long_term("C1"), "1 2 3 + 4 5 6 + 5 6 7");
}

#[test]
fn the_default_limit_holds_a_thousand_messages() {
    let mut host = TestHost::new();
    host.settings.short_term_summary_max_tokens = 10_000;
    host.settings.long_term_summary_max_tokens = 10_000;
    host.say_many("C1", -4 * HOUR, 1001);
    host.generate(0);
    let counts: Vec<u32> = host
        .storage
        .memories()
        .iter()
        .filter(|m| m.scope == Scope::Channel)
        .map(|m| m.source_message_count)
        .collect();
    assert_eq!(counts, [1000, 1000, 1000], "merged, and two versions");
    let versions = host.storage.versions("C1");
    assert!(versions[0].starts_with("1 2 ") && versions[0].ends_with(" 1000"));
    assert!(versions[1].starts_with("2 3 ") && versions[1].ends_with(" 1001"));
}
