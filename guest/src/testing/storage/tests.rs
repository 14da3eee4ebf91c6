//! Checks the parts of the store's contract that the generator's tests depend on.

use super::*;
use crate::bindings::types::Engine;
use crate::testing::{DAY, HOUR, NO_COVERAGE, TestHost, at, ts};
use MemoryType::{LongTerm, ShortTerm};
use Scope::Channel;

fn draft(memory_type: MemoryType, mode: SaveMode, expected: Option<MemoryId>) -> MemoryDraft {
    MemoryDraft {
        scope: Channel,
        scope_id: "C1".to_owned(),
        memory_type,
        mode,
        expected,
        content: "text".to_owned(),
        engine: Engine::Llm,
        now: at(0),
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: Some(ts(-HOUR)),
        merged_through: None,
        truncated: false,
        coverage: NO_COVERAGE,
        citations: Vec::new(),
        records: Vec::new(),
    }
}

fn read(storage: &MemoryStorage, history_limit: u32, unmerged: bool) -> Vec<MemoryId> {
    let query = MemoryQuery {
        until: None,
        workspace: false,
        channels: ChannelFilter::All,
        history_limit,
        unmerged,
        threads: Vec::new(),
        citations: false,
    };
    storage
        .list_memories(&query)
        .unwrap()
        .iter()
        .map(|memory| memory.id)
        .collect()
}

#[test]
fn a_save_takes_the_next_id_and_version_and_overwriting_drops_all_others() {
    let storage = MemoryStorage::default();
    let save = |mode, expected| {
        let memory = storage
            .save_memory(&draft(ShortTerm, mode, expected))
            .unwrap();
        (memory.id, memory.version)
    };
    assert_eq!(save(SaveMode::NewVersion, None), (0, 1));
    assert_eq!(save(SaveMode::NewVersion, Some(0)), (1, 2));
    assert_eq!(save(SaveMode::Overwrite, Some(1)), (2, 1));
    assert_eq!(read(&storage, 9, false), [2]);
}

#[test]
fn a_save_is_refused_where_somebody_wrote_first_or_the_text_is_empty() {
    let storage = MemoryStorage::default();
    storage
        .save_memory(&draft(ShortTerm, SaveMode::NewVersion, None))
        .unwrap();
    let stale = storage.save_memory(&draft(ShortTerm, SaveMode::NewVersion, None));
    assert!(matches!(stale, Err(StorageError::Conflict(_))));
    let mut empty = draft(ShortTerm, SaveMode::NewVersion, Some(0));
    empty.content.clear();
    assert!(matches!(
        storage.save_memory(&empty),
        Err(StorageError::Invalid(_))
    ));
}

#[test]
fn versions_are_read_newest_first_counted_and_unmerged_ones_however_old() {
    let storage = MemoryStorage::default();
    for expected in [None, Some(0), Some(1)] {
        storage
            .save_memory(&draft(ShortTerm, SaveMode::NewVersion, expected))
            .unwrap();
    }
    let mut merge = draft(LongTerm, SaveMode::Overwrite, None);
    merge.merged_through = Some(0);
    storage.save_memory(&merge).unwrap();
    assert_eq!(
        read(&storage, 1, false),
        [3, 2],
        "long-term first, then the newest version"
    );
    assert_eq!(read(&storage, 1, true), [3, 1, 2]);
}

#[test]
fn a_backlog_knows_nothing_after_until() {
    let host = TestHost::new();
    host.say("C1", -2 * HOUR, "old");
    host.reply("C1", -2 * HOUR, 0, "new");
    let backlog = |until: i64| host.storage.get_backlog("C1", None, &ts(until)).unwrap();
    assert_eq!(backlog(-HOUR).new_message_count, 1);
    assert_eq!(backlog(0).latest_message_ts, Some(ts(0)));
    host.storage
        .save_memory(&draft(ShortTerm, SaveMode::NewVersion, None))
        .unwrap();
    let backlog = backlog(0);
    assert_eq!((backlog.new_message_count, backlog.unmerged_count), (1, 1));
}

#[test]
fn messages_come_with_the_first_message_of_their_thread_and_a_whole_thread() {
    let host = TestHost::new();
    host.say("C1", -3 * DAY, "parent");
    host.reply("C1", -3 * DAY, -2 * DAY, "old reply");
    host.reply("C1", -3 * DAY, -3, "reply");
    host.say("C1", -2, "a");
    host.say("C1", -1, "b");
    let read = |limit, keep, whole_thread, thread_limit| {
        let query = MessageQuery {
            channel_id: "C1".to_owned(),
            since: Some(ts(-DAY)),
            until: ts(0),
            limit,
            keep,
            whole_thread,
            thread_limit,
            only_new: false,
        };
        let messages = host.storage.list_messages(&query).unwrap();
        messages
            .into_iter()
            .map(|message| message.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(read(1, Keep::Newest, None, 0), ["b"]);
    assert_eq!(read(1, Keep::Oldest, None, 0), ["parent", "reply"]);
    let whole = read(1, Keep::Newest, Some(ts(-3 * DAY)), 2);
    assert_eq!(whole, ["parent", "old reply", "reply", "b"]);
    let newest = read(9, Keep::Newest, Some(ts(-3 * DAY)), 1);
    assert_eq!(newest, ["parent", "reply", "a", "b"]);
}
