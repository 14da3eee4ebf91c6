//! The component sees only the channels that the bot is in.

use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{
    ChannelFilter, DueQuery, MemoryDraft, MemoryQuery, MessageQuery, SaveMode,
};
use myao_plugin::{MemoryType, Place, Scope};

use super::{New, Stored, draft, key, message, named, places, present, public, said};
use crate::conformance::{WORKSPACE, read, time};

/// Everything that the component sees without naming a channel: channels, memories, and what is due.
async fn seen(stored: &Stored) -> (Vec<String>, usize, usize, usize, bool) {
    let workspace = stored;
    let channels = workspace.storage().list_channels().await.unwrap();
    let query = MemoryQuery {
        until: None,
        workspace: false,
        channels: ChannelFilter::All,
        history_limit: 5,
        unmerged: true,
        threads: Vec::new(),
        citations: false,
    };
    let memories = workspace.storage().list_memories(query).await.unwrap();
    let query = DueQuery {
        until: "9000.0".into(),
        window_start: "0.0".into(),
        idle_since: "9000.0".into(),
        message_threshold: 1,
        always: true,
    };
    let due = workspace.storage().list_due(query).await.unwrap();
    (
        channels.into_iter().map(|channel| channel.id).collect(),
        memories.len(),
        due.channels.len(),
        due.threads.len(),
        due.workspace_long_term,
    )
}

fn none() -> (Vec<String>, usize, usize, usize, bool) {
    (Vec::new(), 0, 0, 0, false)
}

pub async fn channel_that_the_bot_left_is_not_seen_and_comes_back_with_its_memories(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "text"),
            said("2.0", Some("1.0"), "reply"),
            said("3.0", None, "new"),
        ])
        .await;
    stored.apply(&public("C1", "1.0")).await;
    let short = MemoryDraft {
        source_latest_message_ts: Some("1.0".into()),
        ..draft("C1")
    };
    let short = stored
        .storage()
        .save_memory(short, Default::default())
        .await
        .unwrap();
    let long = MemoryDraft {
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        merged_through: Some(short.id),
        ..draft("C1")
    };
    stored
        .storage()
        .save_memory(long, Default::default())
        .await
        .unwrap();
    let before = seen(&stored).await;
    assert_eq!(before, (vec!["C1".to_owned()], 2, 1, 1, true));
    stored.apply(&[present("C1", false, "10.0")]).await;
    assert_eq!(seen(&stored).await, none());
    assert!(stored.oldest_new_message().await.unwrap().is_none());
    // Neither a late message nor an older event brings it back.
    stored
        .apply(&[said("9.0", Some("1.0"), "late"), present("C1", true, "5.0")])
        .await;
    assert_eq!(seen(&stored).await, none());
    stored.apply(&[present("C1", true, "11.0")]).await;
    assert_eq!(seen(&stored).await, before);
}

pub async fn memory_can_be_saved_for_a_channel_that_the_bot_left_meanwhile(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[said("1.0", None, "text"), present("C1", false, "2.0")])
        .await;
    assert!(
        stored
            .storage()
            .save_memory(draft("C1"), Default::default())
            .await
            .is_ok()
    );
}

pub async fn channel_known_by_its_name_alone_is_not_seen_until_a_message_comes(new: New<'_>) {
    let stored = Stored::of(new);
    stored.apply(&[named("C1", "general", "1.0")]).await;
    assert_eq!(seen(&stored).await, none());
    assert!(
        !stored
            .known_channel("C1")
            .await
            .unwrap()
            .unwrap()
            .is_present
    );
    stored.apply(&[said("2.0", None, "text")]).await;
    assert_eq!(
        stored.storage().list_channels().await.unwrap()[0].name,
        "general"
    );
}

pub async fn workspace_is_not_due_for_the_memory_of_a_channel_that_the_bot_left(new: New<'_>) {
    let stored = Stored::of(new);
    let other = MessageRecord {
        channel_id: "C2".into(),
        ..super::record("1.0", None, "text")
    };
    stored
        .apply(&[said("1.0", None, "text"), message(other)])
        .await;
    for id in ["C1", "C2"] {
        stored.apply(&public(id, "1.0")).await;
    }
    let long = |channel: &str| MemoryDraft {
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        ..draft(channel)
    };
    let first = stored
        .storage()
        .save_memory(long("C1"), Default::default())
        .await
        .unwrap();
    stored
        .storage()
        .save_memory(long("C2"), Default::default())
        .await
        .unwrap();
    stored.apply(&[present("C2", false, "2.0")]).await;
    let merged = MemoryDraft {
        scope: Scope::Workspace,
        scope_id: WORKSPACE.into(),
        merged_through: Some(first.id),
        now: time(600),
        ..long("C1")
    };
    stored
        .storage()
        .save_memory(merged, Default::default())
        .await
        .unwrap();
    assert!(!seen(&stored).await.4);
    stored.apply(&[present("C2", true, "3.0")]).await;
    assert!(seen(&stored).await.4);
}

pub async fn nothing_is_read_in_a_private_channel_and_nobody_answered_until_it_was_read_again(
    new: New<'_>,
) {
    let stored = places::stored(new).await;
    let mention = Effect::Mention {
        channel_id: "P".into(),
        ts: key("20.0"),
        thread_ts: None,
        asked_at: 20,
    };
    stored.apply(&[mention]).await;
    let found = async || {
        let storage = stored.at(Place::Channel("P".into()));
        let query = MessageQuery {
            channel_id: "P".into(),
            ..read("99.0")
        };
        let messages = storage.list_messages(query).await.unwrap();
        let marked = storage.list_marked("P".into(), "99.0".into(), 9).await;
        let waiting = stored.waiting_replies(100, 9).await.unwrap();
        (messages.len(), marked.unwrap().len(), waiting.len())
    };
    let pin = Effect::Pin {
        channel_id: "P".into(),
        ts: key("10.0"),
        by: PinnedBy::Operator,
        is_pinned: true,
        at: key("11.0"),
    };
    stored.apply(&[pin]).await;
    assert_eq!(found().await, (2, 1, 1));
    stored.apply(&[present("P", false, "30.0")]).await;
    stored.apply(&[present("P", true, "40.0")]).await;
    assert_eq!(found().await, (0, 0, 0));
    stored.end_unread("P").await.unwrap();
    assert_eq!(found().await, (2, 1, 1));
}
