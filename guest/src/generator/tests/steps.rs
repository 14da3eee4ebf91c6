//! The steps one by one make the same memories as a whole run.

use crate::bindings::storage::Memory;
use crate::generator::Run;
use crate::testing::{DAY, HOUR, TestHost, at};

/// A few days in three channels with threads, all stored beforehand: a run sees only the past.
pub(super) fn fill(host: &TestHost) {
    for (channel_id, start) in [("A", -2 * HOUR), ("B", -HOUR), ("C", 5 * HOUR)] {
        for day in 0..3 {
            let start = start + day * DAY;
            host.say_many(channel_id, start, 4);
            host.reply(channel_id, start, start + 30, &format!("reply {day}"));
            host.reply(
                channel_id,
                start + 1,
                start + 3 * HOUR,
                &format!("late reply {day}"),
            );
        }
    }
}

/// When [`fill`]'s host runs.
pub(super) const TICKS: [i64; 6] = [0, HOUR, 8 * HOUR, DAY, 2 * DAY, 3 * DAY];

/// What the host does at one tick, step by step.
fn run_steps(host: &TestHost, seconds: i64) {
    let due = Run::new(&host.ports(), at(seconds)).list_due().unwrap();
    for thread in &due.threads {
        let _ = Run::new(&host.ports(), at(seconds))
            .generate_thread(&thread.channel_id, &thread.thread_ts);
    }
    for channel_id in &due.channels {
        let entries = host.generate_channel(channel_id, seconds);
        if host.settings.workspace_merge_per_channel
            && entries.iter().any(|entry| !entry.made.is_empty())
        {
            let _ = host.generate_workspace(seconds);
        }
    }
    if due.workspace || !due.channels.is_empty() {
        let _ = host.generate_workspace(seconds);
    }
}

fn memories(settings: impl Fn(&mut TestHost), act: impl Fn(&TestHost, i64)) -> Vec<Memory> {
    let mut host = TestHost::new();
    settings(&mut host);
    fill(&host);
    TICKS.iter().for_each(|seconds| act(&host, *seconds));
    host.storage.memories()
}

fn assert_steps_equal_a_run(settings: impl Fn(&mut TestHost)) {
    let whole = memories(&settings, |host, seconds| {
        host.generate(seconds);
    });
    assert!(whole.len() > 20);
    assert_eq!(memories(&settings, run_steps), whole);
}

#[test]
fn steps_make_the_same_memories_as_a_run() {
    assert_steps_equal_a_run(|_| {});
}

#[test]
fn steps_make_the_same_memories_as_a_run_where_more_is_named_than_is_due() {
    assert_steps_equal_a_run(|host| host.storage.generous.set(true));
}

#[test]
fn steps_make_the_same_memories_as_a_run_with_small_limits() {
    assert_steps_equal_a_run(|host| host.settings.generation_message_limit = 2);
}

#[test]
fn steps_make_the_same_memories_as_a_run_without_versions() {
    assert_steps_equal_a_run(|host| host.settings.short_term_history.enabled = false);
}

#[test]
fn steps_make_the_same_memories_as_a_run_that_merges_the_workspace_per_channel() {
    assert_steps_equal_a_run(|host| {
        host.settings.workspace_merge_per_channel = true;
        host.settings.legacy_workspace_short_term = true;
    });
}

#[test]
fn steps_in_another_order_of_channels_make_the_same_texts() {
    let run = |backwards: bool| {
        let host = TestHost::new();
        fill(&host);
        let mut channels = ["A", "B", "C"];
        if backwards {
            channels.reverse();
        }
        for seconds in TICKS {
            channels.iter().for_each(|channel_id| {
                host.generate_channel(channel_id, seconds);
            });
            host.generate_workspace(seconds);
        }
        let memories = host.storage.memories();
        memories
            .into_iter()
            .map(|m| (m.scope_id, m.version, m.content))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn the_order_of_listings_changes_no_memory() {
    let reversed = memories(
        |host| host.storage.reversed.set(true),
        |host, seconds| {
            host.generate(seconds);
        },
    );
    let promised = memories(
        |_| {},
        |host, seconds| {
            host.generate(seconds);
        },
    );
    assert_eq!(reversed, promised);
}
