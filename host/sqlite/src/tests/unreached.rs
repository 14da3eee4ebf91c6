//! Messages that memories have passed by.

use myao_plugin::state::backfill::{BackfillState as _, Unreached};
use myao_plugin::storage::records::{ImportSink as _, MemoryRecord};
use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
use myao_plugin::{MemoryType, Scope};
use myao_testkit::blocking;

use super::{Stored, draft, key, present, said, stored};

/// A version of C1, made from these messages.
async fn summarize(stored: &Stored, mode: SaveMode, messages: &[&str], before: Option<u64>) -> u64 {
    let made = MemoryDraft {
        mode,
        expected: before,
        source_channel_id: "C1".into(),
        source_messages: messages.iter().map(|ts| (*ts).to_owned()).collect(),
        source_latest_message_ts: messages.last().map(|ts| (*ts).to_owned()),
        ..draft("C1")
    };
    stored.workspace.save_memory(made).await.unwrap().id
}

fn of_c1(messages: u64, oldest: &str, newest: &str) -> Vec<Unreached> {
    vec![Unreached {
        channel_id: "C1".into(),
        channel_name: "C1".into(),
        messages,
        oldest: key(oldest),
        newest: key(newest),
    }]
}

#[tokio::test]
async fn messages_older_than_the_newest_memory_and_in_none_are_told() {
    let stored = stored();
    let messages = ["1.0", "2.0", "3.0", "4.0", "5.0"];
    let said: Vec<_> = messages.iter().map(|ts| said(ts, None, "text")).collect();
    stored.apply(&said).await;
    let unreached = || blocking(stored.workspace.unreached()).unwrap();
    assert_eq!(unreached(), [], "without a memory a backfill takes them in");
    // Nothing but a stand-in has taken in the first.
    summarize(&stored, SaveMode::StandIn, &["1.0"], None).await;
    let first = summarize(&stored, SaveMode::NewVersion, &["3.0"], None).await;
    assert_eq!(unreached(), of_c1(2, "1.0", "2.0"), "4.0 and 5.0 wait");
    // Also what a version took in that is overwritten now.
    summarize(&stored, SaveMode::Overwrite, &["2.0", "5.0"], Some(first)).await;
    stored.apply(&[super::deleted("1.0", "9.0")]).await;
    assert_eq!(unreached(), of_c1(1, "4.0", "4.0"));
    stored.apply(&[present("C1", false, "9.0")]).await;
    assert_eq!(unreached(), []);
}

#[tokio::test]
async fn what_a_memory_of_another_program_was_made_from_is_not_told() {
    let stored = stored();
    stored
        .apply(&[
            said("1.0", None, "text"),
            said("2.0", None, "text"),
            said("3.0", None, "text"),
            said("4.0", None, "text"),
        ])
        .await;
    let mut import = stored.store.import("W1").unwrap();
    import
        .memory(&MemoryRecord {
            scope: Scope::Channel,
            scope_id: "C1".into(),
            memory_type: MemoryType::ShortTerm,
            content: "The past".into(),
            created_at: 1,
            updated_at: 2,
            source_message_count: 2,
            source_latest_message_ts: Some(key("2.0")),
        })
        .unwrap();
    import.commit().unwrap();
    assert_eq!(blocking(stored.workspace.unreached()).unwrap(), []);
    summarize(&stored, SaveMode::NewVersion, &["4.0"], Some(1)).await;
    assert_eq!(
        blocking(stored.workspace.unreached()).unwrap(),
        of_c1(1, "3.0", "3.0")
    );
}
