//! Saving memories.

use myao_plugin::storage::{MemoryDraft, SaveMode, StorageError};
use myao_plugin::{MemoryType, Scope};

use super::{
    Fixture, WORKSPACE, all_memories, channel, draft, long_term, memories, save, save_versions,
    short_term, thread_memory, time,
};

/// All fields are equal.
pub async fn saved_memory_is_listed_as_it_was_returned(fixture: &dyn Fixture) {
    fixture
        .add(channel().message("C1", "1.0").reply("C1", "1.0", "2.0"))
        .await;
    let short = MemoryDraft {
        source_channel_id: "C1".into(),
        source_messages: vec!["1.0".into(), "2.0".into()],
        ..short_term("C1", "2.000000")
    };
    let short = save(fixture, short).await;
    let long = MemoryDraft {
        source_memories: vec![short.id],
        ..long_term("C1", &short)
    };
    let long = save(fixture, long).await;
    let workspace = MemoryDraft {
        merged_through: Some(long.id),
        ..draft(Scope::Workspace, WORKSPACE, MemoryType::LongTerm, None)
    };
    let workspace = save(fixture, workspace).await;
    let thread = save(fixture, thread_memory("1.000000", "2.000000")).await;
    assert_eq!(short.version, 1);
    assert_eq!(short.created_at.unix_seconds, 500);
    assert_eq!(short.source_latest_message_ts.as_deref(), Some("2.000000"));
    assert_eq!(long.merged_through, Some(short.id));
    assert_eq!(
        memories(fixture, all_memories()).await,
        [workspace, long, short, thread]
    );
}

/// Ids grow across the whole workspace.
pub async fn versions_count_up_and_ids_grow(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let saved = save_versions(fixture, &["1.0", "2.0", "3.0"]).await;
    let versions: Vec<u32> = saved.iter().map(|memory| memory.version).collect();
    assert_eq!(versions, [1, 2, 3]);
    assert!(saved.is_sorted_by(|a, b| a.id < b.id));
    assert!(save(fixture, long_term("C1", &saved[0])).await.id > saved[2].id);
}

/// A memory that merged the older text can then see that there is a newer one.
pub async fn overwritten_memory_takes_a_greater_id_and_keeps_its_creation_time(
    fixture: &dyn Fixture,
) {
    fixture.add(channel()).await;
    let mut draft = MemoryDraft {
        mode: SaveMode::Overwrite,
        now: time(100),
        ..short_term("C1", "1.0")
    };
    let first = save(fixture, draft.clone()).await;
    draft.expected = Some(first.id);
    draft.now = time(200);
    draft.content = "a newer text".into();
    let second = save(fixture, draft).await;
    assert!(second.id > first.id);
    assert_eq!(
        (second.version, second.content.as_str()),
        (1, "a newer text")
    );
    assert_eq!(
        (
            second.created_at.unix_seconds,
            second.updated_at.unix_seconds
        ),
        (100, 200)
    );
    assert_eq!(memories(fixture, all_memories()).await, [second]);
}

/// If versions were on and are off now.
pub async fn overwriting_replaces_all_versions(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let saved = save_versions(fixture, &["1.0", "2.0"]).await;
    let overwrite = MemoryDraft {
        mode: SaveMode::Overwrite,
        expected: Some(saved[1].id),
        ..short_term("C1", "3.0")
    };
    let memory = save(fixture, overwrite).await;
    assert_eq!(
        memories(fixture, all_memories()).await,
        std::slice::from_ref(&memory)
    );
    let next = MemoryDraft {
        expected: Some(memory.id),
        ..short_term("C1", "4.0")
    };
    assert_eq!(save(fixture, next).await.version, 2);
}

/// The writer that was too late reads again.
pub async fn stale_expectation_is_a_conflict_and_writes_nothing(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let first = save(fixture, short_term("C1", "1.0")).await;
    for expected in [None, Some(first.id + 1)] {
        let stale = MemoryDraft {
            expected,
            ..short_term("C1", "2.0")
        };
        let result = fixture
            .storage()
            .save_memory(stale, Default::default())
            .await;
        assert!(
            matches!(result, Err(StorageError::Conflict(_))),
            "{result:?}"
        );
    }
    assert_eq!(memories(fixture, all_memories()).await, [first]);
}

/// An empty memory must not be saved.
pub async fn empty_text_is_refused(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    for content in ["", " \n"] {
        let empty = MemoryDraft {
            content: content.into(),
            ..short_term("C1", "1.0")
        };
        let result = fixture
            .storage()
            .save_memory(empty, Default::default())
            .await;
        assert!(
            matches!(result, Err(StorageError::Invalid(_))),
            "{result:?}"
        );
    }
    assert!(memories(fixture, all_memories()).await.is_empty());
}

/// All or nothing, however late the unknown source is found.
pub async fn unknown_sources_are_refused_and_nothing_is_saved(fixture: &dyn Fixture) {
    fixture.add(channel().message("C1", "1.0")).await;
    let message = MemoryDraft {
        source_channel_id: "C1".into(),
        source_messages: vec!["1.0".into(), "7.0".into()],
        ..short_term("C1", "1.0")
    };
    let memory = MemoryDraft {
        source_memories: vec![77],
        ..short_term("C1", "1.0")
    };
    let merged = MemoryDraft {
        merged_through: Some(77),
        ..short_term("C1", "1.0")
    };
    for draft in [message, memory, merged] {
        let result = fixture
            .storage()
            .save_memory(draft, Default::default())
            .await;
        assert!(
            matches!(&result, Err(StorageError::Invalid(text)) if text.contains('7')),
            "{result:?}"
        );
    }
    assert!(memories(fixture, all_memories()).await.is_empty());
}

/// The same for the memory of a thread in such a channel.
pub async fn memory_of_an_unknown_channel_is_not_found(fixture: &dyn Fixture) {
    for draft in [short_term("C1", "1.0"), thread_memory("1.0", "2.0")] {
        let result = fixture
            .storage()
            .save_memory(draft, Default::default())
            .await;
        assert!(
            matches!(&result, Err(StorageError::NotFound(text)) if text.contains("C1")),
            "{result:?}"
        );
    }
}
