//! When messages were written, and which of them only a backfill takes in.

use myao_plugin::storage::records::MemoryRecord;
use myao_plugin::storage::{MemoryDraft, SaveMode};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};

use super::view::with_channels;
use super::{New, Stored, draft, key, present, said};
use crate::conformance::{Records, imported};

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
    stored
        .storage()
        .save_memory(made, Default::default())
        .await
        .unwrap()
        .id
}

async fn waiting(stored: &Stored) -> (u32, u32) {
    let backlog = stored
        .storage()
        .get_backlog("C1".into(), None, "99.0".into());
    let backlog = backlog.await.unwrap();
    (backlog.new_message_count, backlog.late_message_count)
}

pub async fn history_waits_once_a_backfill_takes_it_in(new: New<'_>) {
    let stored = Stored::of(new);
    let messages = ["1.0", "2.0", "3.0", "4.0", "5.0"];
    let said: Vec<_> = messages.iter().map(|ts| said(ts, None, "text")).collect();
    stored.apply(&said).await;
    let history = async || stored.oldest_history_message().await.unwrap();
    stored.take_in_history().await.unwrap();
    assert_eq!(history().await, Some(key("1.0")), "there is no version");
    stored.apply(&[super::deleted("1.0", "9.0")]).await;
    // Only a stand-in has taken in the first message.
    summarize(&stored, SaveMode::StandIn, &["2.0"], None).await;
    let first = summarize(&stored, SaveMode::NewVersion, &["3.0"], None).await;
    assert_eq!(waiting(&stored).await, (2, 0), "4.0 and 5.0 wait");
    assert_eq!(history().await, Some(key("2.0")));
    stored.apply(&[present("C1", false, "9.0")]).await;
    assert_eq!(history().await, None);
    stored.apply(&[present("C1", true, "10.0")]).await;
    stored.take_in_history().await.unwrap();
    assert_eq!(history().await, None);
    assert_eq!(waiting(&stored).await, (3, 1));
    summarize(&stored, SaveMode::Overwrite, &["2.0", "5.0"], Some(first)).await;
    assert_eq!(waiting(&stored).await, (1, 1), "4.0");
}

pub async fn what_a_memory_of_another_program_was_made_from_is_no_history(new: New<'_>) {
    let stored = Stored::of(new);
    let messages = ["1.0", "2.0", "3.0", "4.0"];
    let said: Vec<_> = messages.iter().map(|ts| said(ts, None, "text")).collect();
    stored.apply(&said).await;
    let past = MemoryRecord {
        source_latest_message_ts: Some(key("2.0")),
        ..imported(Scope::Channel, "C1", MemoryType::ShortTerm)
    };
    stored.import(Records::default().memory(past)).await;
    stored.accept_memories(None, 50).await.unwrap();
    assert_eq!(waiting(&stored).await, (2, 0));
    let memories = stored.all().memories(Default::default()).await.unwrap();
    let newest = memories.first().map(|imported| imported.memory.id);
    summarize(&stored, SaveMode::NewVersion, &["4.0"], newest).await;
    stored.take_in_history().await.unwrap();
    assert_eq!(stored.oldest_history_message().await.unwrap(), None);
    assert_eq!(waiting(&stored).await, (1, 1), "3.0");
}

pub async fn messages_are_found_in_order_of_time_over_all_channels(new: New<'_>) {
    let stored = with_channels(new).await;
    let mut found = Vec::new();
    let mut next = stored.next_message_after(TsKey::from_database(-1)).await;
    while let Some(ts) = next.unwrap() {
        found.push(ts);
        next = stored.next_message_after(ts).await;
    }
    assert_eq!(found, [key("5.0"), key("6.0"), key("7.0")]);
    let newest = async |until| stored.newest_message(key(until)).await.unwrap();
    assert_eq!(newest("6.5").await, Some(key("6.0")));
    assert_eq!(newest("4.0").await, None);
}

pub async fn oldest_new_message_is_the_first_that_no_version_has_taken_in(new: New<'_>) {
    let stored = with_channels(new).await;
    let oldest = async || {
        let of_all = stored.oldest_new_message().await.unwrap();
        let history = stored.oldest_history_message().await.unwrap();
        (of_all, history)
    };
    assert_eq!(oldest().await, (Some(key("5.0")), Some(key("5.0"))));
    summarize(&stored, SaveMode::StandIn, &["7.0"], None).await;
    assert_eq!(oldest().await, (Some(key("5.0")), Some(key("5.0"))));
    summarize(&stored, SaveMode::NewVersion, &["5.0"], None).await;
    assert_eq!(oldest().await, (Some(key("6.0")), Some(key("6.0"))));
    stored.apply(&[present("C2", false, "9.0")]).await;
    assert_eq!(oldest().await, (Some(key("7.0")), None));
}

pub async fn backfill_goes_on_where_it_stopped(new: New<'_>) {
    let stored = Stored::of(new);
    assert_eq!(stored.backfill_tick().await.unwrap(), None);
    stored.set_backfill_tick(3600).await.unwrap();
    stored.set_backfill_tick(7200).await.unwrap();
    assert_eq!(stored.backfill_tick().await.unwrap(), Some(7200));
}
