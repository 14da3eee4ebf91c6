//! The dump of all memories.

use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};

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
        let first = stored.workspace.save_memory(first).await.unwrap();
        let second = MemoryDraft {
            mode: SaveMode::Overwrite,
            content: "newer".into(),
            expected: Some(first.id),
            source_memories: vec![first.id],
            ..draft(channel)
        };
        stored.workspace.save_memory(second).await.unwrap();
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
    other.workspace.save_memory(draft("C3")).await.unwrap();
    assert_ne!(dump, other.workspace.dump().unwrap());
}
