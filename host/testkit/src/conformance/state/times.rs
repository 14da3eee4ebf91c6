//! Times that were stored while the clock was ahead: once the clock is set back, they must not block anything. And what
//! waits.

use myao_plugin::state::catch_up::MissingMessage;
use myao_plugin::state::inbox::{Failed, IncomingEvent};
use myao_plugin::state::judgments::StoredJudgment;
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::{ChannelFilter, Deferral, DueQuery, MemoryDraft, MemoryQuery, SaveMode};
use myao_plugin::ts::TsKey;
use myao_plugin::waits::{Wait, WaitKind};
use myao_plugin::{MemoryType, Scope, Timestamp};

use super::{New, Stored, draft, key, mention, named, present, said, user};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 24 * 3600;
/// The clock's time while it is ahead.
const AHEAD: i64 = NOW + 365 * DAY;

fn ts(unix_seconds: i64) -> String {
    format!("{unix_seconds}.000000")
}

/// Stores an event, which then waits, and returns its id.
async fn event(stored: &Stored, event_id: &str) -> i64 {
    let event = IncomingEvent {
        event_id: event_id.into(),
        received_at_ms: 0,
        payload: "{}".into(),
    };
    stored.keep_events(vec![event]).await.unwrap();
    let waiting = stored.waiting_events(NOW, 99).await.unwrap();
    waiting.last().unwrap().id
}

async fn defer_reply(stored: &Stored, ts: &str, until: i64) {
    stored.apply_at(NOW, &[mention(ts, None)]).await;
    stored
        .fail_reply("C1", key(ts), "no model".into(), until)
        .await
        .unwrap();
}

pub async fn an_answer_that_was_put_off_for_longer_than_an_hour_is_tried_at_once(new: New<'_>) {
    let stored = Stored::of(new);
    defer_reply(&stored, "5.0", NOW + 3600).await;
    defer_reply(&stored, "6.0", NOW + 3601).await;
    defer_reply(&stored, "7.0", NOW + 99_999_999).await;
    let tried = stored.waiting_replies(NOW, 9).await.unwrap();
    let tried: Vec<TsKey> = tried.iter().map(|reply| reply.ts).collect();
    assert_eq!(tried, [key("6.0"), key("7.0")]);
}

pub async fn an_event_that_failed_while_the_clock_was_ahead_is_tried_at_once(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let id = event(&stored, "E1").await;
    let failed = workspace.fail_event(id, "locked".into(), AHEAD).await;
    assert_eq!(failed, Ok(Failed::TriedAgainAt(AHEAD + 2)));
    let waiting = async |now| workspace.waiting_events(now, 9).await.unwrap().len();
    assert_eq!(waiting(AHEAD).await, 0, "the clock is still ahead");
    assert_eq!(waiting(NOW).await, 1, "it came back");
}

pub async fn an_event_that_was_applied_while_the_clock_was_ahead_is_forgotten(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    for (event_id, applied_at) in [("E1", NOW), ("E2", AHEAD)] {
        let id = event(&stored, event_id).await;
        let applied = workspace.apply_event(id, Vec::new(), applied_at).await;
        assert_eq!(applied, Ok(true));
    }
    assert_eq!(workspace.forget_applied_events(NOW - DAY).await, Ok(1));
    assert_eq!(workspace.forget_applied_events(NOW + 1).await, Ok(1));
}

pub async fn what_was_read_while_the_clock_was_ahead_gives_way_to_the_next_event(new: New<'_>) {
    let private = |is_private, at: &str| Effect::ChannelName {
        id: "C1".into(),
        name: "renamed".into(),
        is_private: Some(is_private),
        at: key(at),
    };
    let stored = Stored::of(new);
    let workspace = &stored;
    let ahead = ts(AHEAD);
    let read = [
        named("C1", "general", &ahead),
        private(false, &ahead),
        present("C1", true, &ahead),
        user("U1", "Aki", AHEAD),
    ];
    stored.apply_at(AHEAD, &read).await;
    let channel = async || workspace.known_channel("C1").await.unwrap().unwrap();
    assert!(channel().await.is_present && !channel().await.is_private);

    let event = ts(NOW);
    let events = [
        private(true, &event),
        present("C1", false, &event),
        user("U1", "Akari", NOW),
    ];
    stored.apply_at(NOW + 5, &events).await;
    let known = channel().await;
    assert_eq!(
        (known.name.as_str(), known.is_private, known.is_present),
        ("renamed", true, false)
    );
    let known = workspace.known_user("U1").await.unwrap().unwrap();
    assert_eq!(known.name, "Akari");

    // The newest still wins, even if others arrive late.
    let earlier = ts(NOW - 60);
    let late = [
        private(false, &earlier),
        present("C1", true, &earlier),
        user("U1", "Aki", NOW - 60),
    ];
    stored.apply_at(NOW + 5, &late).await;
    let known = channel().await;
    assert!(known.is_private && !known.is_present);
}

pub async fn a_connection_that_was_noted_while_the_clock_was_ahead_counts_as_of_now(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let noted = async || workspace.connected_through().await.unwrap();
    for (second, expected) in [(AHEAD, NOW), (NOW + 60, NOW + 60), (NOW - 5, NOW + 60)] {
        workspace.set_connected_through(second).await.unwrap();
        workspace
            .bring_back_connected_through(NOW, NOW + 60)
            .await
            .unwrap();
        assert_eq!(noted().await, Some(expected));
    }
}

pub async fn a_thread_that_changed_while_the_clock_was_ahead_is_due_when_it_comes_back(
    new: New<'_>,
) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let said = [
        said("1.0", None, "first"),
        said("2.0", Some("1.0"), "reply"),
    ];
    stored.apply_at(10, &said).await;
    let made = MemoryDraft {
        scope: Scope::Thread,
        scope_id: "C1:1.0".into(),
        mode: SaveMode::Overwrite,
        source_latest_message_ts: Some("2.0".into()),
        now: Timestamp {
            unix_seconds: NOW,
            utc_offset_seconds: 0,
        },
        ..draft("C1")
    };
    workspace
        .storage()
        .save_memory(made, Default::default())
        .await
        .unwrap();
    let edit = super::edited("2.0", Some("1.0"), "9.0", "edited");
    stored.apply_at(AHEAD, &[edit]).await;
    let due = async || {
        let query = DueQuery {
            until: format!("{}.999999", NOW + 60),
            window_start: "0.0".into(),
            idle_since: "0.0".into(),
            message_threshold: 50,
            always: false,
        };
        workspace
            .storage()
            .list_due(query)
            .await
            .unwrap()
            .threads
            .len()
    };
    assert_eq!(due().await, 0);
    workspace.bring_back_times(NOW).await.unwrap();
    assert_eq!(due().await, 1);
}

pub async fn memory_that_was_made_while_the_clock_was_ahead_is_shown_when_it_is_right(
    new: New<'_>,
) {
    let stored = Stored::of(new);
    stored.apply_at(NOW, &[said("1.0", None, "text")]).await;
    let made = MemoryDraft {
        now: Timestamp {
            unix_seconds: AHEAD,
            utc_offset_seconds: 0,
        },
        ..draft("C1")
    };
    let storage = stored.storage();
    let saved = storage.save_memory(made, Default::default()).await.unwrap();
    let times = async || {
        let query = MemoryQuery {
            until: Some(format!("{NOW}.999999")),
            workspace: true,
            channels: ChannelFilter::All,
            history_limit: 5,
            unmerged: false,
            threads: Vec::new(),
            citations: false,
        };
        let shown = storage.list_memories(query).await.unwrap();
        let shown = shown.into_iter().filter(|memory| memory.id == saved.id);
        let times: Vec<_> = shown
            .map(|memory| {
                (
                    memory.created_at.unix_seconds,
                    memory.updated_at.unix_seconds,
                )
            })
            .collect();
        times
    };
    assert_eq!(times().await, []);
    stored.bring_back_times(NOW).await.unwrap();
    assert_eq!(times().await, [(NOW, NOW)]);
}

/// Messages of C1 that were missing from an answer.
fn missing_messages<const N: usize>(ids: [&str; N]) -> [MissingMessage; N] {
    ids.map(|ts| MissingMessage {
        channel_id: "C1".into(),
        id: StoredId {
            ts: key(ts),
            thread_ts: None,
        },
    })
}

pub async fn everything_that_waits_is_told_until_when_and_why(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    stored.apply_at(NOW, &[said("1.0", None, "text")]).await;
    let defer = async |until: i64, memory_type| {
        let deferral = Deferral {
            memory_type,
            until: Timestamp {
                unix_seconds: until,
                utc_offset_seconds: 0,
            },
            failures: 1,
            reason: "the answer was empty".into(),
        };
        let deferred = workspace
            .storage()
            .defer(Scope::Channel, "C1".into(), deferral);
        deferred.await.unwrap();
    };
    defer(NOW + DAY, MemoryType::ShortTerm).await;
    // Deferrals that are over, and those that were stored while the clock was ahead.
    defer(AHEAD, MemoryType::LongTerm).await;
    defer_reply(&stored, "5.0", NOW + 900).await;
    defer_reply(&stored, "6.0", NOW).await;
    defer_reply(&stored, "7.0", AHEAD).await;
    let id = event(&stored, "E1").await;
    workspace
        .fail_event(id, "locked".into(), NOW)
        .await
        .unwrap();
    for missing in missing_messages(["8.0", "9.0"]) {
        let noted = workspace.note_missing("C1", vec![missing.id]);
        noted.await.unwrap();
    }
    let [asked_for, asked_for_while_ahead] = missing_messages(["8.0", "9.0"]);
    workspace.ask_again(&asked_for, NOW).await.unwrap();
    workspace
        .ask_again(&asked_for_while_ahead, AHEAD)
        .await
        .unwrap();
    workspace.put_off_channel("C1", None, NOW).await.unwrap();
    for (thread, until) in [("1.0", NOW + 600), ("2.0", AHEAD), ("3.0", NOW - 1)] {
        let judgment = StoredJudgment {
            message_ts: key("1.0"),
            should_respond: false,
            confidence: 0.5,
            until,
        };
        let kept = workspace.keep_judgment("C1", Some(key(thread)), judgment, NOW - 2);
        kept.await.unwrap();
    }
    let wait = |kind, label, what: &str, until, why: &str| Wait {
        kind,
        label,
        what: what.to_owned(),
        until,
        why: why.to_owned(),
    };
    assert_eq!(
        workspace.waits(NOW).await.unwrap(),
        [
            wait(
                WaitKind::Memory,
                "channel short-term",
                "the channel short-term memory of C1",
                NOW + DAY,
                "the answer was empty"
            ),
            wait(
                WaitKind::Answer,
                "mention",
                "the answer to C1:5.000000",
                NOW + 900,
                "it failed once"
            ),
            wait(WaitKind::Event, "", "event E1", NOW + 2, "it failed once"),
            wait(
                WaitKind::Channel,
                "",
                "reading C1",
                NOW + 60,
                "it failed once"
            ),
            wait(
                WaitKind::Message,
                "",
                "asking for C1:8.000000",
                NOW + 600,
                "it failed once"
            ),
            wait(
                WaitKind::Judgment,
                "judged",
                "the judgment of C1:1.000000",
                NOW + 600,
                "it was judged, and nobody has written since"
            ),
        ]
    );
}
