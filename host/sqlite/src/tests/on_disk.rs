//! What is on disk, and what is deleted from it.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use myao_plugin::journal::{CallEntry, CallJournal as _, Input};
use myao_plugin::llm::{Agent, CallRecord, FinishReason, Purpose};
use myao_plugin::state::inbox::{Inbox as _, IncomingEvent};
use myao_plugin::state::outbox::{NewPost, Outbox as _};
use myao_plugin::state::replies::{Replies as _, ReplyKind};
use myao_plugin::storage::{MemoryDraft, Storage as _};
use myao_plugin::{Engine, MemoryType, Scope};

use super::{Stored, deleted, draft, edited, key, said, stored};

/// Returns true if any file of a folder contains this text.
pub(super) fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let mut parts = bytes.windows(text.len());
        parts.any(|part| part == text.as_bytes())
    })
}

fn event(id: &str, payload: &str) -> IncomingEvent {
    IncomingEvent {
        event_id: id.into(),
        received_at_ms: 5_000,
        payload: payload.into(),
    }
}

/// A commit is on disk when it returns: `FULL` syncs the WAL at every commit, `NORMAL` would not.
#[tokio::test]
async fn commits_are_durable() {
    let stored = stored();
    stored.store.pool.with_writer(|connection| {
        let mode: String = connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .unwrap();
        let synchronous: i64 = connection
            .pragma_query_value(None, "synchronous", |row| row.get(0))
            .unwrap();
        assert_eq!((mode.as_str(), synchronous), ("wal", 2));
    });
    let kept = stored.workspace.keep_events(vec![event("E1", "{}")]).await;
    kept.unwrap();
    // Another process sees it at once.
    let other = crate::SqliteStore::open(stored.store.pool.path()).unwrap();
    let other = other.workspace("W1", chrono_tz::UTC, "default").unwrap();
    assert_eq!(other.waiting_events(0, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn payload_is_gone_once_the_event_is_applied() {
    let Stored {
        store,
        workspace,
        _folder: folder,
    } = stored();
    // One payload fits into a row, the other one needs its own pages.
    let short = event("E1", "a short payload");
    let long = event("E2", &"a very long payload ".repeat(2_000));
    workspace.keep_events(vec![short, long]).await.unwrap();
    assert!(holds(folder.path(), "a short payload") && holds(folder.path(), "a very long payload"));
    for waiting in workspace.waiting_events(0, 9).await.unwrap() {
        let applied = workspace.apply_event(waiting.id, Vec::new(), 1).await;
        applied.unwrap();
    }
    drop((store, workspace));
    assert!(holds(folder.path(), "E2"));
    assert!(
        !holds(folder.path(), "a short payload") && !holds(folder.path(), "a very long payload")
    );
}

#[tokio::test]
async fn text_of_a_deleted_message_is_gone() {
    let stored = stored();
    stored
        .apply(&[
            said("1.0", None, "kept"),
            said("2.0", None, "secret as it was sent"),
            edited("2.0", None, "3.0", "secret as it was edited"),
        ])
        .await;
    assert!(holds(stored._folder.path(), "secret as it was edited"));
    stored.apply(&[deleted("2.0", "4.0")]).await;
    let Stored {
        store,
        workspace,
        _folder: folder,
    } = stored;
    drop((store, workspace));
    assert!(holds(folder.path(), "kept") && !holds(folder.path(), "secret"));
}

fn answered(digest: &str, answer: &str) -> CallEntry {
    CallEntry {
        purpose: Purpose {
            agent: Agent::Memory,
            scope: Scope::Channel,
            scope_id: "C1".into(),
            memory_type: Some(MemoryType::ShortTerm),
        },
        model: "m".into(),
        input: Some(Input {
            digest: digest.into(),
            attempt: "both".into(),
            is_first: false,
        }),
        record: CallRecord {
            provider: "openai".into(),
            model: "m".into(),
            input_tokens: None,
            output_tokens: None,
            cached_tokens: None,
            started_at: UNIX_EPOCH,
            duration: Duration::ZERO,
            attempts: 1,
            finish_reason: Some(FinishReason::Stop),
            error: None,
        },
        answer: Some(answer.into()),
        for_memory: true,
    }
}

#[tokio::test]
async fn answer_of_the_model_is_gone_once_its_memory_is_saved() {
    let stored = stored();
    stored.apply(&[said("1.0", None, "text")]).await;
    let Stored {
        store,
        workspace,
        _folder: folder,
    } = stored;
    // One answer fits into a row, the other one needs its own pages.
    let long = "a very long answer ".repeat(2_000);
    for call in [answered("a", "a short answer"), answered("b", &long)] {
        workspace.record(call).await.unwrap();
    }
    assert!(holds(folder.path(), "a short answer") && holds(folder.path(), "a very long answer"));
    let saved = MemoryDraft {
        engine: Engine::Llm,
        content: "something else".into(),
        ..draft("C1")
    };
    workspace
        .at(Place::Operator)
        .save_memory(saved, BTreeSet::new())
        .await
        .unwrap();
    drop((store, workspace));
    assert!(holds(folder.path(), "something else"));
    assert!(!holds(folder.path(), "a short answer") && !holds(folder.path(), "a very long answer"));
}

#[tokio::test]
async fn text_of_an_answer_is_gone_once_it_is_posted_or_given_up() {
    for is_posted in [true, false] {
        let stored = stored();
        stored.apply(&[said("5.0", None, "@myao ?")]).await;
        let workspace = &stored.workspace;
        let post = NewPost {
            channel_id: "C1".into(),
            answers: key("5.0"),
            thread_ts: None,
            kind: ReplyKind::Mention,
            parts: vec!["secret".into()],
            sources: Vec::new(),
        };
        workspace.begin_post(post, 10).await.unwrap();
        let ended = if is_posted {
            let sent = workspace.mark_sent("C1", key("5.0"), 0, key("7.0")).await;
            sent.unwrap();
            workspace.finish_post("C1", key("5.0")).await
        } else {
            let error = "not in the channel".into();
            workspace.give_up_reply("C1", key("5.0"), error).await
        };
        ended.unwrap();
        stored.store.pool.with_writer(|connection| {
            let count = include_str!("kept_parts.sql");
            let kept: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(kept, 0);
        });
    }
}
