//! The order of steps and of listings makes no difference to the memories.

use crate::bindings::storage::Memory;
use crate::testing::{DAY, HOUR, TestHost};

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

fn memories(settings: impl Fn(&mut TestHost), act: impl Fn(&TestHost, i64)) -> Vec<Memory> {
    let mut host = TestHost::new();
    settings(&mut host);
    fill(&host);
    TICKS.iter().for_each(|seconds| act(&host, *seconds));
    let memories = host.storage.memories().into_iter();
    memories
        .map(|memory| Memory {
            // They depend on what else there was to see.
            citations: Vec::new(),
            ..memory
        })
        .collect()
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
    let generous = memories(
        |host| host.storage.generous.set(true),
        |host, seconds| {
            host.generate(seconds);
        },
    );
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
    assert!(promised.len() > 20);
    assert_eq!(reversed, promised);
    assert_eq!(generous, promised);
}
