//! Memories that are imported.

use myao_plugin::storage::records::MemoryRecord;
use myao_plugin::{Engine, MemoryType, Scope};

use super::{Fixture, WORKSPACE, all_memories, channel, imported, key, memories};

/// A second import changes nothing.
pub async fn imported_memory_is_version_one_and_the_stored_one_stays(fixture: &dyn Fixture) {
    fixture
        .add(channel().memory(imported(Scope::Channel, "C1", MemoryType::ShortTerm)))
        .await;
    let first = memories(fixture, all_memories()).await;
    assert_eq!((first[0].version, first[0].engine), (1, Engine::Imported));
    assert_eq!(first[0].created_at.unix_seconds, 100);
    assert_eq!(first[0].updated_at.unix_seconds, 200);
    let mut again = imported(Scope::Channel, "C1", MemoryType::ShortTerm);
    again.content = "another text".into();
    fixture.add(channel().memory(again)).await;
    assert_eq!(memories(fixture, all_memories()).await, first);
}

/// In any order; the workspace's memory has merged those of the channels.
pub async fn imported_long_term_memory_has_merged_the_imported_short_term(fixture: &dyn Fixture) {
    let records = channel().memory(imported(Scope::Workspace, WORKSPACE, MemoryType::LongTerm));
    let records = records.memory(imported(Scope::Channel, "C1", MemoryType::LongTerm));
    fixture
        .add(records.memory(imported(Scope::Channel, "C1", MemoryType::ShortTerm)))
        .await;
    let stored = memories(fixture, all_memories()).await;
    assert_eq!(stored[0].merged_through, Some(stored[1].id));
    assert_eq!(stored[1].merged_through, Some(stored[2].id));
    let due = fixture
        .storage()
        .list_due(super::due_query())
        .await
        .unwrap();
    assert_eq!((due.channels.len(), due.workspace_long_term), (0, false));
}

/// All messages that existed when it was made count as summarised.
pub async fn imported_memory_without_watermark_takes_the_newest_message_of_its_time(
    fixture: &dyn Fixture,
) {
    let records = channel().memory(imported(Scope::Channel, "C1", MemoryType::ShortTerm));
    let records = records.memory(imported(Scope::Thread, "C1:150.0", MemoryType::ShortTerm));
    let records = records.message("C1", "150.0").reply("C1", "150.0", "160.0");
    let records = records.message("C1", "200.9").message("C1", "201.0");
    let known = MemoryRecord {
        source_latest_message_ts: Some(key("155.0")),
        ..imported(Scope::Channel, "C2", MemoryType::ShortTerm)
    };
    fixture.add(records.memory(known)).await;
    let stored = memories(fixture, all_memories()).await;
    let watermarks: Vec<Option<&str>> = stored
        .iter()
        .map(|memory| memory.source_latest_message_ts.as_deref())
        .collect();
    assert_eq!(
        watermarks,
        [Some("200.000009"), Some("155.000000"), Some("160.000000")]
    );
}
