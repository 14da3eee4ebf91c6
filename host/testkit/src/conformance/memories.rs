//! Reading memories, including imported ones.

use myao_plugin::storage::records::MemoryRecord;
use myao_plugin::storage::{ChannelFilter, Memory, MemoryDraft, MemoryQuery, StorageError};
use myao_plugin::{Engine, MemoryType, Scope, names};

use super::{
    Fixture, WORKSPACE, all_memories, channel, draft, imported, key, long_term, memories, save,
    save_versions, short_term, thread_memory, time,
};

fn nothing() -> MemoryQuery {
    MemoryQuery {
        until: None,
        workspace: false,
        channels: ChannelFilter::None,
        history_limit: 100,
        unmerged: false,
        threads: Vec::new(),
        citations: false,
    }
}

fn labels(memories: &[Memory]) -> Vec<String> {
    memories
        .iter()
        .map(|memory| {
            let memory_type = names::memory_type(memory.memory_type);
            format!("{} {memory_type} {}", memory.scope_id, memory.version)
        })
        .collect()
}

async fn fill(fixture: &dyn Fixture) {
    fixture
        .add(channel().channel("C2", "another").message("C1", "1.0"))
        .await;
    save(fixture, thread_memory("2.0", "3.0")).await;
    save(fixture, thread_memory("1.0", "3.0")).await;
    let other = MemoryDraft {
        scope_id: "C2:1.0".into(),
        ..thread_memory("1.0", "3.0")
    };
    save(fixture, other).await;
    save(fixture, short_term("C2", "1.0")).await;
    let versions = save_versions(fixture, &["1.0", "2.0"]).await;
    save(fixture, long_term("C1", &versions[1])).await;
    save(
        fixture,
        draft(Scope::Workspace, WORKSPACE, MemoryType::ShortTerm, None),
    )
    .await;
    save(
        fixture,
        draft(Scope::Workspace, WORKSPACE, MemoryType::LongTerm, None),
    )
    .await;
}

/// Scopes and types in the order of `wit/types.wit`.
pub async fn memories_are_ordered_by_scope_id_type_and_version(fixture: &dyn Fixture) {
    fill(fixture).await;
    assert_eq!(
        labels(&memories(fixture, all_memories()).await),
        [
            "default long-term 1",
            "default short-term 1",
            "C1 long-term 1",
            "C1 short-term 1",
            "C1 short-term 2",
            "C2 short-term 1",
            "C1:1.000000 short-term 1",
            "C1:2.000000 short-term 1",
        ]
    );
}

/// One channel, the workspace, and some threads.
pub async fn only_the_scopes_asked_for_are_read(fixture: &dyn Fixture) {
    fill(fixture).await;
    assert!(memories(fixture, nothing()).await.is_empty());
    let one = MemoryQuery {
        channels: ChannelFilter::One("C2".into()),
        ..nothing()
    };
    assert_eq!(labels(&memories(fixture, one).await), ["C2 short-term 1"]);
    let workspace = MemoryQuery {
        workspace: true,
        ..nothing()
    };
    assert_eq!(memories(fixture, workspace).await.len(), 2);
    let threads = MemoryQuery {
        threads: vec!["C2:1.000000".into(), "C2:9.000000".into()],
        ..nothing()
    };
    assert_eq!(
        labels(&memories(fixture, threads).await),
        ["C2:1.000000 short-term 1"]
    );
    let unknown = MemoryQuery {
        channels: ChannelFilter::One("C9".into()),
        ..nothing()
    };
    assert!(memories(fixture, unknown).await.is_empty());
}

/// The long-term memory is not counted.
pub async fn history_limit_takes_the_newest_versions(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let versions = save_versions(fixture, &["1.0", "2.0", "3.0"]).await;
    save(fixture, long_term("C1", &versions[2])).await;
    let query = |history_limit| MemoryQuery {
        channels: ChannelFilter::All,
        history_limit,
        unmerged: true,
        ..nothing()
    };
    assert_eq!(
        labels(&memories(fixture, query(2)).await),
        ["C1 long-term 1", "C1 short-term 2", "C1 short-term 3"]
    );
    assert_eq!(
        labels(&memories(fixture, query(0)).await),
        ["C1 long-term 1"]
    );
}

/// And no others.
pub async fn unmerged_versions_come_however_old(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let versions = save_versions(fixture, &["1.0", "2.0", "3.0", "4.0"]).await;
    let query = |unmerged| MemoryQuery {
        channels: ChannelFilter::One("C1".into()),
        history_limit: 1,
        unmerged,
        ..nothing()
    };
    assert_eq!(memories(fixture, query(true)).await, versions);
    save(fixture, long_term("C1", &versions[1])).await;
    assert_eq!(memories(fixture, query(true)).await[1..], versions[2..]);
    assert_eq!(memories(fixture, query(false)).await[1..], versions[3..]);
}

/// The newest ones of those that were made up to then come instead; of an overwritten memory, nothing.
pub async fn memories_made_after_until_do_not_exist_yet(fixture: &dyn Fixture) {
    fixture.add(channel().message("C1", "1.0")).await;
    let at = |seconds, expected: Option<&Memory>, draft: MemoryDraft| MemoryDraft {
        now: time(seconds),
        expected: expected.map(|memory| memory.id),
        ..draft
    };
    let first = save(fixture, at(500, None, short_term("C1", "1.0"))).await;
    let long = save(fixture, at(500, None, long_term("C1", &first))).await;
    let second = save(fixture, at(900, Some(&first), short_term("C1", "1.0"))).await;
    let merged = save(fixture, at(900, Some(&long), long_term("C1", &second))).await;
    let of_workspace = draft(Scope::Workspace, WORKSPACE, MemoryType::LongTerm, None);
    let of_workspace = save(fixture, at(900, None, of_workspace)).await;
    let thread = save(fixture, at(900, None, thread_memory("1.000000", "1.0"))).await;
    let read = |until: Option<&str>, history_limit, unmerged| MemoryQuery {
        until: until.map(Into::into),
        history_limit,
        unmerged,
        ..all_memories()
    };
    let earlier = [first];
    for until in ["500.0", "899.999999"] {
        assert_eq!(
            memories(fixture, read(Some(until), 1, false)).await,
            earlier
        );
    }
    let waiting = memories(fixture, read(Some("899.999999"), 0, true)).await;
    assert!(waiting.is_empty(), "{waiting:?}");
    let before = memories(fixture, read(Some("499.999999"), 9, true)).await;
    assert!(before.is_empty(), "{before:?}");
    let now = [of_workspace, merged, second, thread];
    for until in [None, Some("900.0")] {
        assert_eq!(memories(fixture, read(until, 1, false)).await, now);
    }
    let storage = fixture.storage();
    let invalid = storage
        .list_memories(read(Some("yesterday"), 1, false))
        .await;
    assert!(
        matches!(invalid, Err(StorageError::Invalid(_))),
        "{invalid:?}"
    );
}

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
