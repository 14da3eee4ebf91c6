//! Imports: all or nothing.

use std::collections::BTreeSet;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::MemoryDraft;
use myao_plugin::storage::records::{ImportTally, MessageRecord, Tally};
use myao_plugin::{MemoryType, Scope};

use super::{New, Stored, draft, key, record, visible};
use crate::conformance::{Records, WORKSPACE, imported, message};

/// One record of each kind or more.
fn records() -> Records {
    Records::default()
        .user("U1", "Aki")
        .channel("C1", "general")
        .message("C1", "1.0")
        .reply("C1", "1.0", "2.0")
        .memory(imported(Scope::Workspace, WORKSPACE, MemoryType::ShortTerm))
        .memory(imported(Scope::Channel, "C1", MemoryType::ShortTerm))
}

/// Everything that an import can change.
async fn everything(stored: &Stored) -> String {
    let visible = visible(&**stored, &["C1"], &["U1"], 9).await;
    let memories = stored.all().memories(Default::default()).await;
    format!("{visible}{memories:?}")
}

pub async fn importing_twice_changes_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    let first = stored.import(records()).await;
    let added = |new| Tally {
        new,
        ..Tally::default()
    };
    let expected = ImportTally {
        users: added(1),
        channels: added(1),
        messages: added(2),
        memories: added(2),
    };
    assert_eq!(first, expected);
    let before = everything(&stored).await;
    let again = stored.import(records()).await;
    let same = |unchanged| Tally {
        unchanged,
        ..Tally::default()
    };
    let expected = ImportTally {
        users: same(1),
        channels: same(1),
        messages: same(2),
        memories: same(2),
    };
    assert_eq!(again, expected);
    assert_eq!(everything(&stored).await, before);
}

pub async fn what_is_newer_in_an_import_counts_as_changed(new: New<'_>) {
    let stored = Stored::of(new);
    stored.import(records()).await;
    let edited = MessageRecord {
        edited_at: Some(5),
        text: "edited".into(),
        ..message("C1", "1.0")
    };
    let newer = Records::default().user("U1", "Akari").channel("C1", "all");
    let tally = stored.import(newer.with(edited)).await;
    let changed = [tally.users, tally.channels, tally.messages].map(|tally| tally.changed);
    assert_eq!(changed, [1, 1, 1]);
    assert_eq!(stored.texts().await[0].1, "edited");
}

/// A name that is resolved differently is not an edit.
pub async fn text_that_is_no_newer_changes_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    for text in ["b", "c", "a"] {
        let records = Records::default().with(record("1.0", None, text));
        stored.import(records).await;
    }
    assert_eq!(stored.texts().await, [("1.000000".into(), "b".into())]);
}

pub async fn import_that_is_dropped_leaves_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    let before = everything(&stored).await;
    let mut import = stored.begin_import().await;
    records().write(&mut *import).unwrap();
    drop(import);
    assert_eq!(everything(&stored).await, before);
    assert_eq!(stored.import(records()).await.messages.new, 2);
}

pub async fn message_outside_threads_is_stored_once(new: New<'_>) {
    let stored = Stored::of(new);
    let records = Records::default().message("C1", "1.0");
    let records = records.reply("C1", "1.0", "1.0").message("C1", "1.0");
    let tally = stored.import(records).await;
    assert_eq!((tally.messages.new, tally.messages.unchanged), (1, 2));
    let stored = stored.messages_between("C1", key("0.0"), key("9.0")).await;
    assert_eq!(stored.unwrap().len(), 1);
}

pub async fn imported_memory_without_text_or_thread_is_refused(new: New<'_>) {
    let stored = Stored::of(new);
    let mut empty = imported(Scope::Channel, "C1", MemoryType::ShortTerm);
    empty.content = " ".into();
    let no_thread = imported(Scope::Thread, "C1", MemoryType::ShortTerm);
    for memory in [empty, no_thread] {
        let mut import = stored.begin_import().await;
        let refused = Records::default().memory(memory).write(&mut *import);
        assert!(refused.is_err(), "{refused:?}");
    }
}

pub async fn import_sets_memories_aside_at_its_own_time(new: New<'_>) {
    let stored = Stored::of(new);
    let two = Records::default().channel("C1", "one").channel("C2", "two");
    stored.import(two.message("C2", "1.0")).await;
    let made = |id: &str| MemoryDraft {
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        ..draft(id)
    };
    let first = stored.storage().save_memory(made("C1"), BTreeSet::new());
    let handed = BTreeSet::from([first.await.unwrap().id]);
    let second = stored.storage().save_memory(made("C2"), handed);
    second.await.unwrap();
    let mut private = Records::default().channel("C1", "one");
    private.channels[0].facts = ChannelFacts::PRIVATE;
    let target = stored.fixture.import_target();
    let mut import = target.begin_import(70).await.unwrap();
    private.write(&mut *import).unwrap();
    import.commit().unwrap();
    let set_aside = MemoryFilter {
        superseded: true,
        ..MemoryFilter::default()
    };
    let memories = stored.all().memories(set_aside).await.unwrap();
    let times = memories.iter().map(|stored| stored.superseded_at);
    let times: Vec<i64> = times.map(|at| at.unwrap().unix_seconds).collect();
    assert_eq!(times, [70]);
}
