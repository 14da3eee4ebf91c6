//! Stand-ins: memories made in place of those that the model could not make.

use myao_plugin::storage::{
    Backlog, ChannelFilter, Memory, MemoryDraft, MemoryQuery, SaveMode, StorageError,
};
use myao_plugin::{MemoryType, Scope};

use super::{
    Fixture, WORKSPACE, all_memories, channel, draft, due_channels, due_query, due_threads,
    long_term, memories, save, save_versions, short_term, stand_in, thread_memory, time,
};

async fn backlog(fixture: &dyn Fixture, thread: Option<&str>) -> Backlog {
    let thread = thread.map(str::to_owned);
    let until = "10000.0".to_owned();
    fixture
        .storage()
        .get_backlog("C1".into(), thread, until)
        .await
        .unwrap()
}

/// It takes a new id, but no version number.
pub async fn stand_in_is_version_zero_beside_the_versions(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let first = save(fixture, short_term("C1", "1.0")).await;
    let beside = save(fixture, stand_in(Some(&first), short_term("C1", "2.0"))).await;
    assert_eq!(beside.version, 0);
    assert!(beside.id > first.id);
    assert_eq!(
        memories(fixture, all_memories()).await,
        [beside, first.clone()]
    );
    let next = MemoryDraft {
        expected: Some(first.id),
        ..short_term("C1", "2.0")
    };
    assert_eq!(save(fixture, next).await.version, 2);
}

/// Version 0 keeps the creation time of its first text.
pub async fn stand_in_takes_the_place_of_an_earlier_one(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let made = |content: &str, now| MemoryDraft {
        content: content.into(),
        now: time(now),
        ..stand_in(None, short_term("C1", "1.0"))
    };
    let first = save(fixture, made("first", 100)).await;
    let second = save(fixture, made("second", 200)).await;
    assert!(second.id > first.id);
    assert_eq!(
        (
            second.created_at.unix_seconds,
            second.updated_at.unix_seconds
        ),
        (100, 200)
    );
    assert_eq!(memories(fixture, all_memories()).await, [second]);
}

/// In either mode; stand-ins of other memories stay.
pub async fn saved_memory_sets_its_stand_in_aside(fixture: &dyn Fixture) {
    fixture
        .add(channel().channel("C2", "other").message("C1", "1.0"))
        .await;
    for mode in [SaveMode::NewVersion, SaveMode::Overwrite] {
        let newest = memories(fixture, all_memories()).await;
        let newest = newest
            .iter()
            .rfind(|memory| (memory.scope_id.as_str(), memory.version > 0) == ("C1", true));
        save(fixture, stand_in(newest, short_term("C1", "1.0"))).await;
        let others = [
            save(fixture, stand_in(None, short_term("C2", "1.0"))).await,
            save(fixture, stand_in(None, thread_memory("1.0", "2.0"))).await,
        ];
        let draft = MemoryDraft {
            mode,
            expected: newest.map(|memory| memory.id),
            ..short_term("C1", "2.0")
        };
        let made = save(fixture, draft).await;
        let [other, thread] = others;
        assert_eq!(
            memories(fixture, all_memories()).await,
            [made, other, thread]
        );
    }
}

/// The writer expects the newest memory that is not a stand-in.
pub async fn stand_ins_are_no_expectation(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let beside = save(fixture, stand_in(None, short_term("C1", "1.0"))).await;
    for mode in [SaveMode::NewVersion, SaveMode::Overwrite, SaveMode::StandIn] {
        let draft = MemoryDraft {
            mode,
            expected: Some(beside.id),
            ..short_term("C1", "2.0")
        };
        let result = fixture
            .storage()
            .save_memory(draft, Default::default())
            .await;
        assert!(
            matches!(result, Err(StorageError::Conflict(_))),
            "{mode:?}: {result:?}"
        );
    }
    // A stand-in is refused if the memory itself was made in the meantime.
    let made = save(fixture, short_term("C1", "2.0")).await;
    let late = stand_in(None, short_term("C1", "2.0"));
    let result = fixture
        .storage()
        .save_memory(late, Default::default())
        .await;
    assert!(
        matches!(result, Err(StorageError::Conflict(_))),
        "{result:?}"
    );
    assert_eq!(memories(fixture, all_memories()).await, [made]);
}

/// This includes stand-ins of a channel that has nothing else, of a thread, and of the workspace.
pub async fn stand_ins_are_listed_outside_the_history_limit(fixture: &dyn Fixture) {
    fixture
        .add(channel().channel("C2", "other").message("C1", "1.0"))
        .await;
    let versions = save_versions(fixture, &["1.0", "2.0", "3.0"]).await;
    let merged = save(fixture, long_term("C1", &versions[1])).await;
    let beside = save(fixture, stand_in(versions.last(), short_term("C1", "4.0"))).await;
    let alone = save(fixture, stand_in(None, short_term("C2", "1.0"))).await;
    let query = |history_limit, unmerged| MemoryQuery {
        until: None,
        workspace: false,
        channels: ChannelFilter::All,
        history_limit,
        unmerged,
        threads: Vec::new(),
        citations: false,
    };
    for (limit, unmerged, from) in [
        (0, false, 3),
        (0, true, 2),
        (1, false, 2),
        (2, true, 1),
        (9, false, 0),
    ] {
        let mut expected: Vec<&Memory> = vec![&merged, &beside];
        expected.extend(&versions[from..]);
        expected.push(&alone);
        let listed = memories(fixture, query(limit, unmerged)).await;
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "{limit}");
    }
    let one = MemoryQuery {
        channels: ChannelFilter::One("C2".into()),
        ..query(1, true)
    };
    assert_eq!(memories(fixture, one).await, [alone]);
    let of_thread = save(fixture, thread_memory("1.000000", "2.0")).await;
    let draft_of_thread = thread_memory("1.000000", "2.0");
    let thread = save(fixture, stand_in(Some(&of_thread), draft_of_thread)).await;
    let workspace = draft(Scope::Workspace, WORKSPACE, MemoryType::ShortTerm, None);
    let workspace = save(fixture, stand_in(None, workspace)).await;
    let others = MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::None,
        threads: vec![thread.scope_id.clone()],
        ..query(0, false)
    };
    assert_eq!(
        memories(fixture, others).await,
        [workspace, thread, of_thread]
    );
}

/// Their source messages keep waiting for the memory itself.
pub async fn stand_ins_change_no_backlog(fixture: &dyn Fixture) {
    let records = channel().message("C1", "150.0");
    fixture.add(records.reply("C1", "150.0", "7000.0")).await;
    for summarized in [false, true] {
        let before = (
            backlog(fixture, None).await,
            backlog(fixture, Some("150.0")).await,
            due_channels(fixture, due_query()).await,
            due_threads(fixture, due_query()).await,
        );
        let listed = memories(fixture, all_memories()).await;
        let newest = |scope| {
            listed.iter().rfind(|memory: &&Memory| {
                memory.scope == scope && memory.memory_type == MemoryType::ShortTerm
            })
        };
        save(
            fixture,
            stand_in(newest(Scope::Channel), short_term("C1", "7000.0")),
        )
        .await;
        save(
            fixture,
            stand_in(newest(Scope::Thread), thread_memory("150.0", "7000.0")),
        )
        .await;
        let after = (
            backlog(fixture, None).await,
            backlog(fixture, Some("150.0")).await,
            due_channels(fixture, due_query()).await,
            due_threads(fixture, due_query()).await,
        );
        assert_eq!(before, after);
        assert_eq!(before.0.new_message_count, if summarized { 1 } else { 2 });
        assert_eq!(before.3.len(), 1);
        if !summarized {
            // From here on, there are also a version that waits to be merged and a thread's memory.
            save(fixture, short_term("C1", "150.0")).await;
            save(fixture, thread_memory("150.0", "150.0")).await;
            assert_eq!(backlog(fixture, None).await.unmerged_count, 1);
        }
    }
}

/// A newer stand-in of a channel does not count, nor does what a stand-in of the workspace has merged.
pub async fn stand_ins_make_no_workspace_due(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let flags = async || {
        let due = fixture.storage().list_due(due_query()).await.unwrap();
        (due.workspace_long_term, due.workspace_short_term)
    };
    save(fixture, stand_in(None, short_term("C1", "1.0"))).await;
    assert_eq!(flags().await, (false, false));
    let made = save(fixture, short_term("C1", "1.0")).await;
    let workspace = MemoryDraft {
        merged_through: Some(made.id),
        ..draft(Scope::Workspace, WORKSPACE, MemoryType::ShortTerm, None)
    };
    save(fixture, stand_in(None, workspace.clone())).await;
    assert_eq!(flags().await, (false, true));
    save(fixture, workspace).await;
    save(fixture, stand_in(Some(&made), short_term("C1", "1.0"))).await;
    assert_eq!(flags().await, (false, false));
}
