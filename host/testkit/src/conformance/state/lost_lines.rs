//! A channel whose memories lost lines is due at once.

use myao_plugin::storage::{Backlog, DueQuery};

use super::erasure::{LINES, merged, save, stored, version};
use super::{New, Stored, deleted};

/// The channel, if it is due: its conversation is not over, and few messages wait.
async fn due(stored: &Stored) -> Vec<Backlog> {
    let query = DueQuery {
        until: "99.0".into(),
        window_start: "0.0".into(),
        idle_since: "0.0".into(),
        message_threshold: 50,
        always: false,
    };
    stored.storage().list_due(query).await.unwrap().channels
}

pub async fn channel_whose_memories_lost_lines_is_due_until_its_next_version(new: New<'_>) {
    let stored = stored(new).await;
    let first = save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    save(&stored, merged(&LINES[1..2], &first, 6), &[&first]).await;
    assert_eq!(due(&stored).await, []);
    stored.apply_at(9, &[deleted("4.0", "9.0")]).await;
    assert_eq!(due(&stored).await, [], "it is in no memory");
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    let found = due(&stored).await;
    assert_eq!(found.len(), 1);
    assert!(found[0].lost_lines);
    assert_eq!(found[0].new_message_count, 2);
    let mut second = version(&LINES[1..], &["2.0", "3.0"]);
    second.expected = Some(first.id);
    let second = save(&stored, second, &[]).await;
    let waits: Vec<bool> = due(&stored).await.iter().map(|of| of.lost_lines).collect();
    assert_eq!(waits, [false], "only its merge waits");
    let long_term = stored.all().memories(Default::default()).await.unwrap();
    let long_term = long_term
        .iter()
        .find(|of| of.memory.merged_through.is_some());
    let mut merge = merged(&LINES[1..2], &second, 10);
    merge.expected = long_term.map(|of| of.memory.id);
    save(&stored, merge, &[&second]).await;
    assert_eq!(due(&stored).await, []);
}
