//! Importing into a file.

use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::storage::Storage;
use myao_plugin::storage::records::{
    ChannelRecord, ImportSink, ImportTally, MemoryRecord, MessageRecord, Tally, UserRecord,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};
use myao_testkit::blocking;

use super::{Stored, stored};
use crate::import::SqliteImport;

fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

fn message(ts: &str, thread: Option<&str>) -> MessageRecord {
    MessageRecord {
        channel_id: "C1".into(),
        ts: key(ts),
        user_id: "U1".into(),
        author_name: None,
        is_bot: false,
        text: "text".into(),
        thread_ts: thread.map(key),
        edited_at: None,
    }
}

fn fill(import: &mut SqliteImport) {
    let user = UserRecord {
        id: "U1".into(),
        name: "Aki".into(),
        is_bot: false,
    };
    import.user(&user).unwrap();
    let channel = ChannelRecord {
        id: "C1".into(),
        name: "general".into(),
        is_private: false,
    };
    import.channel(&channel).unwrap();
    import.message(&message("1.0", None)).unwrap();
    import.message(&message("2.0", Some("1.0"))).unwrap();
    for (scope, scope_id) in [(Scope::Workspace, "default"), (Scope::Channel, "C1")] {
        let memory = MemoryRecord {
            scope,
            scope_id: scope_id.into(),
            memory_type: MemoryType::ShortTerm,
            content: "text".into(),
            created_at: 1,
            updated_at: 1,
            source_message_count: 1,
            source_latest_message_ts: None,
        };
        import.memory(&memory).unwrap();
    }
}

fn import_once(stored: &Stored) -> ImportTally {
    let mut import = stored.store.import("W1").unwrap();
    fill(&mut import);
    import.commit().unwrap()
}

/// Every row of every table.
fn everything(stored: &Stored) -> Vec<String> {
    let mut rows = Vec::new();
    stored.store.pool.with_writer(|connection| {
        for table in ["users", "channels", "messages", "memories", "backlog"] {
            let mut statement = connection
                .prepare(&format!("TABLE {table}").replace("TABLE", "SELECT * FROM"))
                .unwrap();
            let columns = statement.column_count();
            let mut found = statement.query([]).unwrap();
            while let Some(row) = found.next().unwrap() {
                let values: Vec<_> = (0..columns)
                    .map(|column| row.get_ref(column).unwrap())
                    .collect();
                rows.push(format!("{table} {values:?}"));
            }
        }
    });
    rows
}

#[test]
fn importing_twice_changes_nothing() {
    let stored = stored();
    let first = import_once(&stored);
    let new = |new| Tally {
        new,
        ..Tally::default()
    };
    assert_eq!(
        first,
        ImportTally {
            users: new(1),
            channels: new(1),
            messages: new(2),
            memories: new(2)
        }
    );
    let before = everything(&stored);
    let again = import_once(&stored);
    let same = |unchanged| Tally {
        unchanged,
        ..Tally::default()
    };
    assert_eq!(
        again,
        ImportTally {
            users: same(1),
            channels: same(1),
            messages: same(2),
            memories: same(2)
        }
    );
    assert_eq!(everything(&stored), before);
}

/// Names that are resolved otherwise are no edit.
#[tokio::test]
async fn text_that_is_no_newer_changes_nothing() {
    let stored = stored();
    for text in ["b", "c", "a"] {
        let mut import = stored.store.import("W1").unwrap();
        import.message(&super::record("1.0", None, text)).unwrap();
        import.commit().unwrap();
    }
    assert_eq!(stored.texts().await, [("1.000000".into(), "b".into())]);
}

#[test]
fn import_that_is_dropped_leaves_nothing() {
    let stored = stored();
    let before = everything(&stored);
    let mut import = stored.store.import("W1").unwrap();
    fill(&mut import);
    drop(import);
    assert_eq!(everything(&stored), before);
    assert_eq!(import_once(&stored).messages.new, 2);
}

#[test]
fn message_outside_threads_is_stored_once() {
    let stored = stored();
    let mut import = stored.store.import("W1").unwrap();
    for _ in 0..2 {
        import.message(&message("1.0", None)).unwrap();
        import.message(&message("1.0", Some("1.0"))).unwrap();
    }
    let tally = import.commit().unwrap();
    assert_eq!((tally.messages.new, tally.messages.unchanged), (1, 3));
}

#[test]
fn deleted_message_keeps_no_text() {
    let stored = stored();
    import_once(&stored);
    let mut import = stored.store.import("W1").unwrap();
    import.delete_message("C1", key("1.0"), 77).unwrap();
    import.commit().unwrap();
    let rows = everything(&stored);
    let deleted: Vec<_> = rows
        .iter()
        .filter(|row| row.contains("Integer(77)"))
        .collect();
    assert_eq!(deleted.len(), 1);
    assert!(deleted[0].contains("Text([])"), "{deleted:?}");
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() {
    let stored = stored();
    import_once(&stored);
    let other = stored
        .store
        .workspace("W2", chrono_tz::UTC, "default")
        .unwrap();
    assert_eq!(other.list_channels().await.unwrap(), []);
    assert_eq!(
        blocking(other.next_message_after(TsKey::from_database(-1))).unwrap(),
        None
    );
    assert_eq!(other.dump().unwrap(), "");
    let mut import = stored.store.import("W2").unwrap();
    fill(&mut import);
    assert_eq!(import.commit().unwrap().messages.new, 2);
}

/// Whatever happens to messages, the backlog is what counting all of them gives.
#[test]
fn backlog_is_always_what_a_full_count_gives() {
    let stored = stored();
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for _ in 0..60 {
        let mut import = stored.store.import("W1").unwrap();
        for _ in 0..next(8) {
            let ts = format!("{}.0", 1 + next(30));
            let thread = (next(2) == 0).then(|| format!("{}.0", 1 + next(10)));
            match next(5) {
                0 => import.delete_message("C1", key(&ts), 1).unwrap(),
                _ => import.message(&message(&ts, thread.as_deref())).unwrap(),
            }
        }
        import.commit().unwrap();
        let kept = everything(&stored);
        stored.store.pool.with_writer(super::recount_all);
        assert_eq!(everything(&stored), kept);
    }
}
