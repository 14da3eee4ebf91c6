//! The dump of all memories.

use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
use myao_plugin::{Place, Places as _};
use std::collections::BTreeSet;

use super::{Stored, draft, present, stored};

/// A store with a memory of each channel, and its next text.
async fn filled(channels: &[&str]) -> Stored {
    let stored = stored();
    for channel in ["C1", "C2", "C3"] {
        stored.apply(&[present(channel, true, "1.0")]).await;
    }
    for channel in channels {
        let first = MemoryDraft {
            mode: SaveMode::Overwrite,
            ..draft(channel)
        };
        let first = stored
            .workspace
            .at(Place::Operator)
            .save_memory(first, BTreeSet::new())
            .await
            .unwrap();
        let second = MemoryDraft {
            mode: SaveMode::Overwrite,
            content: "newer".into(),
            expected: Some(first.id),
            source_memories: vec![first.id],
            ..draft(channel)
        };
        stored
            .workspace
            .at(Place::Operator)
            .save_memory(second, BTreeSet::new())
            .await
            .unwrap();
    }
    stored
}

#[tokio::test]
async fn dumps_are_equal_in_whatever_order_channels_were_worked_on() {
    let (one, other) = (filled(&["C1", "C2"]).await, filled(&["C2", "C1"]).await);
    let dump = one.workspace.dump().unwrap();
    assert_eq!(dump, other.workspace.dump().unwrap());
    let lines = dump.lines().filter(|line| line.starts_with("channel "));
    assert_eq!(lines.count(), 4);
    other
        .workspace
        .at(Place::Operator)
        .save_memory(draft("C3"), BTreeSet::new())
        .await
        .unwrap();
    assert_ne!(dump, other.workspace.dump().unwrap());
}
