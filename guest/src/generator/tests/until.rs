//! A run in the past, as a backfill makes it, with memories that were made later.

use super::*;
use crate::bindings::types::Scope;
use crate::testing::{DAY, HOUR, TestHost};
use MemoryType::{LongTerm, ShortTerm};

/// The time of the runs: everything that [`TestHost::remember`] makes is later.
const THEN: i64 = -10 * DAY;

/// One thread and the memories of now: the workspace's, the channel's, the thread's and another channel's.
fn host() -> TestHost {
    let host = TestHost::with_prompts();
    host.say("A", THEN - 20, "a question");
    host.reply("A", THEN - 20, THEN - 10, "an answer");
    host.storage.add_channel("B", "B");
    host.remember(Scope::Workspace, "default", LongTerm, "- later workspace");
    host.remember(Scope::Channel, "A", LongTerm, "- later own past");
    host.remember(Scope::Channel, "B", LongTerm, "- later other past");
    host.remember(Scope::Channel, "B", ShortTerm, "- later other version");
    host
}

#[test]
fn it_shows_nothing_that_was_made_later() {
    let host = host();
    host.generate_thread("A", THEN - 20, THEN);
    host.generate_channel("A", THEN);
    let prompts = host.llm.prompts();
    assert_eq!(prompts.len(), 3);
    for later in ["later workspace", "later other"] {
        assert!(
            prompts.iter().all(|prompt| !prompt.contains(later)),
            "{later}"
        );
    }
    assert!(
        prompts[..2]
            .iter()
            .all(|prompt| !prompt.contains("later own past"))
    );
}

#[test]
fn a_channel_goes_on_from_its_own_memory_whenever_that_was_made() {
    let host = host();
    host.generate_channel("A", THEN);
    let merge = host.llm.prompts().pop().unwrap();
    assert!(merge.contains("later own past"), "{merge}");
    assert_eq!(host.storage.of("A", LongTerm).len(), 1);
}

#[test]
fn the_workspace_memory_of_later_is_left_alone_until_the_clock_has_reached_it() {
    let host = host();
    host.generate_channel("A", THEN);
    let entry = host.generate_workspace(THEN);
    assert!(
        matches!(entry.outcome, Outcome::Skipped(SkipReason::Other(_))),
        "{entry:?}"
    );
    assert_eq!(host.storage.long_term("default"), "- later workspace");
    let entry = host.generate_workspace(HOUR);
    assert!(is_done(Some(&entry.outcome)), "{entry:?}");
    let merge = host.llm.prompts().pop().unwrap();
    for merged in ["later workspace", "later other past"] {
        assert!(merge.contains(merged), "{merge}");
    }
}

#[test]
fn a_channel_of_later_messages_is_left_alone_until_the_clock_has_reached_them() {
    let host = TestHost::new();
    host.say("A", 0, "a question");
    host.generate_channel("A", HOUR);
    host.say("A", THEN - 20, "an older question, which came late");
    let entry = host.generate_channel("A", THEN).remove(0);
    assert!(
        matches!(entry.outcome, Outcome::Skipped(SkipReason::Other(_))),
        "{entry:?}"
    );
    let entry = host.generate_channel("A", 2 * HOUR).remove(0);
    assert!(is_done(Some(&entry.outcome)), "{entry:?}");
}
