//! What people ask.

use myao_plugin::state::Workspace as _;
use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::state::view::{MemoryFilter, Place};
use myao_plugin::storage::records::{ChannelRecord, ImportSink, MemoryRecord, MessageRecord};
use myao_plugin::storage::{Coverage, Keep, LeftOut, MemoryDraft, MessageQuery, SaveMode, Storage};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope, Timestamp};
use myao_testkit::blocking;

use super::{deferral, draft, stored};
use crate::SqliteWorkspace;

fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

fn with_channels() -> super::Stored {
    let stored = stored();
    let mut import = stored.store.import("W1").unwrap();
    for (id, name) in [
        ("C1", "general"),
        ("C2", "random"),
        ("C3", "random"),
        ("C4", ""),
    ] {
        let channel = ChannelRecord {
            id: id.into(),
            name: name.into(),
            is_private: false,
        };
        import.channel(&channel).unwrap();
    }
    for (channel, ts) in [("C1", "5.0"), ("C1", "7.0"), ("C2", "6.0")] {
        let message = MessageRecord {
            channel_id: channel.into(),
            ts: key(ts),
            user_id: "U1".into(),
            author_name: Some("Aki".into()),
            is_bot: false,
            text: format!("text of {ts}"),
            thread_ts: None,
            edited_at: None,
        };
        import.message(&message).unwrap();
    }
    import.commit().unwrap();
    stored
}

async fn fill(workspace: &SqliteWorkspace, channels: &[&str]) {
    for channel in channels {
        let first = MemoryDraft {
            mode: SaveMode::Overwrite,
            source_channel_id: (*channel).into(),
            source_messages: vec![if *channel == "C1" {
                "5.0".into()
            } else {
                "6.0".into()
            }],
            ..draft(channel)
        };
        let first = workspace.save_memory(first).await.unwrap();
        let second = MemoryDraft {
            mode: SaveMode::Overwrite,
            content: "newer".into(),
            expected: Some(first.id),
            source_memories: vec![first.id],
            ..draft(channel)
        };
        workspace.save_memory(second).await.unwrap();
    }
}

#[tokio::test]
async fn older_texts_and_sources_are_kept() {
    let stored = with_channels();
    fill(&stored.workspace, &["C1"]).await;
    let filter = MemoryFilter {
        scope: Some(Scope::Channel),
        scope_id: Some("C1".into()),
        memory_type: Some(MemoryType::ShortTerm),
        superseded: true,
        with_text: true,
    };
    let older = blocking(
        stored
            .workspace
            .view(Place::Operator)
            .memories(filter.clone()),
    )
    .unwrap();
    assert_eq!(older.len(), 1);
    assert_eq!(older[0].memory.content, "a text");
    assert_eq!(older[0].channel_name.as_deref(), Some("general"));
    assert_eq!(
        older[0].superseded_at.map(|time| time.unix_seconds),
        Some(500)
    );
    let sources = blocking(
        stored
            .workspace
            .view(Place::Operator)
            .sources(older[0].memory.id),
    )
    .unwrap();
    let messages: Vec<_> = sources
        .messages
        .iter()
        .map(|m| (m.ts, m.author.as_str(), m.text.as_str()))
        .collect();
    assert_eq!(messages, [(key("5.0"), "Aki", "text of 5.0")]);
    let current = blocking(
        stored
            .workspace
            .view(Place::Operator)
            .memories(MemoryFilter::default()),
    )
    .unwrap();
    assert_eq!((current.len(), current[0].memory.content.as_str()), (1, ""));
    let sources = blocking(
        stored
            .workspace
            .view(Place::Operator)
            .sources(current[0].memory.id),
    )
    .unwrap();
    assert_eq!(sources.memories[0].id, older[0].memory.id);
    assert!(sources.memories[0].superseded);
    assert!(
        blocking(stored.workspace.view(Place::Operator).sources(77))
            .unwrap_err()
            .to_string()
            .contains("77")
    );
}

#[tokio::test]
async fn coverage_and_cuts_are_kept_with_each_text() {
    let stored = with_channels();
    let coverage = Coverage {
        messages: 9,
        covered: 8,
        left_out: LeftOut {
            other_channels: 1,
            workspace: 2,
            messages: 3,
            channel: 4,
        },
        chunks: 5,
        calls: 6,
    };
    let cut = MemoryDraft {
        truncated: true,
        coverage,
        ..draft("C1")
    };
    let first = stored.workspace.save_memory(cut).await.unwrap();
    let whole = MemoryDraft {
        mode: SaveMode::Overwrite,
        expected: Some(first.id),
        ..draft("C1")
    };
    stored.workspace.save_memory(whole.clone()).await.unwrap();
    let mut import = stored.store.import("W1").unwrap();
    let imported = MemoryRecord {
        scope: Scope::Channel,
        scope_id: "C2".into(),
        memory_type: MemoryType::ShortTerm,
        content: "of another program".into(),
        created_at: 1,
        updated_at: 1,
        source_message_count: 1,
        source_latest_message_ts: None,
    };
    import.memory(&imported).unwrap();
    import.commit().unwrap();
    let read = |superseded| {
        let filter = MemoryFilter {
            superseded,
            ..MemoryFilter::default()
        };
        let memories = blocking(
            stored
                .workspace
                .view(Place::Operator)
                .memories(filter.clone()),
        )
        .unwrap();
        let made = memories.into_iter().map(|m| (m.truncated, m.coverage));
        made.collect::<Vec<_>>()
    };
    assert_eq!(read(true), [(Some(true), Some(coverage))]);
    assert_eq!(
        read(false),
        [(Some(false), Some(whole.coverage)), (None, None)]
    );
}

#[tokio::test]
async fn texts_of_stand_ins_are_kept() {
    let stored = with_channels();
    let stand_in = |content: &str| MemoryDraft {
        mode: SaveMode::StandIn,
        content: content.into(),
        ..draft("C1")
    };
    for content in ["first", "second"] {
        stored
            .workspace
            .save_memory(stand_in(content))
            .await
            .unwrap();
    }
    stored.workspace.save_memory(draft("C1")).await.unwrap();
    let read = |superseded| {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let memories = blocking(
            stored
                .workspace
                .view(Place::Operator)
                .memories(filter.clone()),
        )
        .unwrap();
        let told = memories
            .into_iter()
            .map(|m| (m.is_stand_in(), m.memory.content));
        told.collect::<Vec<_>>()
    };
    let texts = |is_stand_in, texts: &[&str]| -> Vec<(bool, String)> {
        let text = |text: &&str| (is_stand_in, (*text).to_owned());
        texts.iter().map(text).collect()
    };
    assert_eq!(read(true), texts(true, &["first", "second"]));
    assert_eq!(read(false), texts(false, &["a text"]));
}

#[tokio::test]
async fn deferrals_are_listed_with_names_and_cleared_in_one_workspace_only() {
    let stored = with_channels();
    let mut import = stored.store.import("W2").unwrap();
    let channel = ChannelRecord {
        id: "C1".into(),
        name: "elsewhere".into(),
        is_private: false,
    };
    import.channel(&channel).unwrap();
    import.commit().unwrap();
    let other = stored
        .store
        .workspace("W2", chrono_tz::UTC, "default")
        .unwrap();
    for (workspace, scope, scope_id) in [
        (&stored.workspace, Scope::Workspace, "default"),
        (&stored.workspace, Scope::Thread, "C1:5.0"),
        (&stored.workspace, Scope::Channel, "C4"),
        (&other, Scope::Channel, "C1"),
    ] {
        let deferred = workspace.defer(scope, scope_id.into(), deferral());
        deferred.await.unwrap();
    }
    let listed = blocking(stored.workspace.deferrals()).unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|deferred| (deferred.scope_id.as_str(), deferred.channel_name.as_deref()))
        .collect();
    assert_eq!(
        names,
        [
            ("default", None),
            ("C4", Some("C4")),
            ("C1:5.000000", Some("general")),
        ]
    );
    let rest = &listed[0].deferral;
    assert_eq!(
        (rest.failures, rest.reason.as_str()),
        (1, "the model failed")
    );
    // In the workspace's time zone.
    let tokyo = Timestamp {
        unix_seconds: 900,
        utc_offset_seconds: 9 * 3600,
    };
    assert_eq!(rest.until, tokyo);
    assert_eq!(blocking(stored.workspace.clear_deferrals()).unwrap(), 3);
    assert_eq!(blocking(stored.workspace.deferrals()).unwrap(), []);
    assert_eq!(blocking(other.deferrals()).unwrap().len(), 1);
}

#[tokio::test]
async fn dumps_are_equal_in_whatever_order_channels_were_worked_on() {
    let (one, other) = (with_channels(), with_channels());
    fill(&one.workspace, &["C1", "C2"]).await;
    fill(&other.workspace, &["C2", "C1"]).await;
    let dump = one.workspace.dump().unwrap();
    assert_eq!(dump, other.workspace.dump().unwrap());
    assert_eq!(
        dump.lines()
            .filter(|line| line.starts_with("channel "))
            .count(),
        4
    );
    let more = MemoryDraft {
        scope_id: "C3".into(),
        ..draft("C3")
    };
    other.workspace.save_memory(more).await.unwrap();
    assert_ne!(dump, other.workspace.dump().unwrap());
}

#[test]
fn messages_are_found_in_order_of_time_over_all_channels() {
    let stored = with_channels();
    let mut found = Vec::new();
    let mut next = blocking(
        stored
            .workspace
            .next_message_after(TsKey::from_database(-1)),
    )
    .unwrap();
    while let Some(ts) = next {
        found.push(ts);
        next = blocking(stored.workspace.next_message_after(ts)).unwrap();
    }
    assert_eq!(found, [key("5.0"), key("6.0"), key("7.0")]);
}

#[test]
fn backfill_goes_on_where_it_stopped() {
    let stored = with_channels();
    assert_eq!(blocking(stored.workspace.backfill_tick()).unwrap(), None);
    blocking(stored.workspace.set_backfill_tick(3600)).unwrap();
    blocking(stored.workspace.set_backfill_tick(7200)).unwrap();
    assert_eq!(
        blocking(stored.workspace.backfill_tick()).unwrap(),
        Some(7200)
    );
}

#[tokio::test]
async fn times_carry_the_offset_of_the_timezone_at_that_moment() {
    let stored = stored();
    let berlin = stored
        .store
        .workspace("W1", chrono_tz::Europe::Berlin, "default")
        .unwrap();
    let mut import = stored.store.import("W1").unwrap();
    for ts in ["1704067200.0", "1720000000.0"] {
        let message = MessageRecord {
            channel_id: "C1".into(),
            ts: key(ts),
            user_id: "U1".into(),
            author_name: None,
            is_bot: false,
            text: "text".into(),
            thread_ts: None,
            edited_at: Some(1_720_000_000),
        };
        import.message(&message).unwrap();
    }
    import.commit().unwrap();
    let query = MessageQuery {
        channel_id: "C1".into(),
        since: None,
        until: "1720000000.0".into(),
        limit: 9,
        keep: Keep::Newest,
        whole_thread: None,
    };
    let messages = berlin.list_messages(query).await.unwrap();
    let offsets: Vec<_> = messages
        .iter()
        .map(|m| m.timestamp.utc_offset_seconds)
        .collect();
    assert_eq!(offsets, [3600, 7200]);
    assert_eq!(messages[0].edited_at.unwrap().utc_offset_seconds, 7200);
}
