//! The workspaces of one file do not see each other.

use myao_plugin::Place;
use myao_plugin::recording::{Export, Head, ImportCall, Part, Recordings as _, SAVE};
use myao_plugin::state::Workspace as _;
use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::state::inbox::{Inbox as _, IncomingEvent, Kept};
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::{Keep, MessageQuery, Storage as _};
use myao_plugin::ts::TsKey;
use myao_plugin::{Places as _, Scope, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;

use super::{Stored, deferral, draft, named, present, said, stored};
use myao_sql::SqlWorkspace;

/// A workspace with a message in C1, and another one in the same file.
async fn two() -> (Stored, SqlWorkspace) {
    let stored = stored();
    let said = [said("1.0", None, "text"), named("C1", "general", "1.0")];
    stored.apply(&said).await;
    let other = stored
        .store
        .workspace("W2", chrono_tz::UTC, "default")
        .unwrap();
    (stored, other)
}

#[tokio::test]
async fn what_is_said_and_remembered_in_one_is_not_seen_in_another() {
    let (stored, other) = two().await;
    let head = Head {
        export: Export::GenerateWorkspace {
            now: Timestamp {
                unix_seconds: 7,
                utc_offset_seconds: 0,
            },
        },
        component: "c0ffee".into(),
        started_at: 9,
    };
    let save = ImportCall {
        import: SAVE.into(),
        arguments: Value::Null,
        result: None,
    };
    let part = Part {
        head,
        recording: None,
        first: 0,
        calls: vec![save],
        draft: draft("C1"),
        messages: [].into(),
        memories: [].into(),
    };
    stored.workspace.keep(part).await.unwrap();
    let saved = stored
        .workspace
        .at(Place::Operator)
        .save_memory(draft("C1"), BTreeSet::new())
        .await
        .unwrap();
    let recording = |of: &SqlWorkspace| {
        let view = of.view(Place::Operator);
        async move { view.recording_of(saved.id).await.unwrap() }
    };
    assert!(recording(&stored.workspace).await.is_some());
    assert_eq!(recording(&other).await, None);
    assert_eq!(other.at(Place::Operator).list_channels().await.unwrap(), []);
    let first = other.next_message_after(TsKey::from_database(-1)).await;
    assert_eq!(first.unwrap(), None);
    assert_eq!(other.dump().unwrap(), "");
}

#[tokio::test]
async fn inboxes_and_deferrals_are_of_one_workspace() {
    let (stored, other) = two().await;
    let workspace = &stored.workspace;
    let event = || IncomingEvent {
        event_id: "E1".into(),
        received_at_ms: 0,
        payload: "{}".into(),
    };
    for workspace in [workspace, &other] {
        let kept = workspace.keep_events(vec![event()]).await;
        assert_eq!(kept.unwrap(), [Kept::New]);
    }
    let id = workspace.waiting_events(0, 9).await.unwrap()[0].id;
    assert_eq!(other.apply_event(id, Vec::new(), 1).await, Ok(false));
    assert_eq!(workspace.waiting_events(0, 9).await.unwrap().len(), 1);

    let joined = vec![present("C1", true, "1.0")];
    other.apply_effects(joined, 1).await.unwrap();
    for workspace in [workspace, &other] {
        let storage = workspace.at(Place::Operator);
        let deferred = storage.defer(Scope::Channel, "C1".into(), deferral());
        deferred.await.unwrap();
    }
    assert_eq!(workspace.clear_deferrals().await.unwrap(), 1);
    assert_eq!(other.deferrals().await.unwrap().len(), 1);
}

#[tokio::test]
async fn times_carry_the_offset_of_the_timezone_at_that_moment() {
    let (stored, _) = two().await;
    let berlin = stored
        .store
        .workspace("W1", chrono_tz::Europe::Berlin, "default")
        .unwrap();
    let said = ["1704067200.0", "1720000000.0"].map(|ts| said(ts, None, "text"));
    stored.apply(&said).await;
    let query = MessageQuery {
        channel_id: "C1".into(),
        since: Some("2.0".into()),
        until: "1720000000.0".into(),
        limit: 9,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    };
    let messages = berlin
        .at(Place::Operator)
        .list_messages(query)
        .await
        .unwrap();
    let offsets = messages.iter().map(|m| m.timestamp.utc_offset_seconds);
    assert_eq!(offsets.collect::<Vec<_>>(), [3600, 7200]);

    let workspace = &stored.workspace;
    let storage = workspace.at(Place::Operator);
    let deferred = storage.defer(Scope::Channel, "C1".into(), deferral());
    deferred.await.unwrap();
    let listed = workspace.deferrals().await.unwrap();
    let tokyo = Timestamp {
        unix_seconds: 900,
        utc_offset_seconds: 9 * 3600,
    };
    assert_eq!(listed[0].deferral.until, tokyo);
}
