//! The stored state of catching up.

use myao_plugin::state::catch_up::{Gap, MissingMessage, Sweep, UnreadChannel};
use myao_plugin::state::judgments::StoredJudgment;
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;

use super::samples::{message, record};
use super::{New, Stored, key, named, said};

pub async fn a_channel_that_cannot_be_read_waits_longer_each_time_and_keeps_the_beginning_of_its_gap(
    new: New<'_>,
) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let channels = [named("C1", "general", "1.0"), named("C2", "new", "1.0")];
    stored.apply(&channels).await;
    let unread = |now| async move { workspace.unread_channels(now).await.unwrap() };
    workspace
        .put_off_channel("C1", Some(500), 1000)
        .await
        .unwrap();
    assert_eq!((unread(1059).await.len(), unread(1060).await.len()), (0, 1));
    workspace
        .put_off_channel("C1", Some(900), 2000)
        .await
        .unwrap();
    workspace.put_off_channel("C2", None, 2000).await.unwrap();
    workspace
        .put_off_channel("C2", Some(900), 2000)
        .await
        .unwrap();
    let unread_of = |id: &str, since| UnreadChannel {
        channel_id: id.to_owned(),
        since,
    };
    assert_eq!(unread(2119).await, []);
    let both = [unread_of("C1", Some(500)), unread_of("C2", None)];
    assert_eq!(unread(2120).await, both);
    // Whoever begins asks for all of them.
    assert_eq!(unread(i64::MAX).await, both);
    for _ in 0..100 {
        workspace.put_off_channel("C1", None, 3000).await.unwrap();
    }
    assert_eq!((unread(6599).await.len(), unread(6600).await.len()), (1, 2));
    workspace.end_unread("C1").await.unwrap();
    assert_eq!(unread(9000).await, [unread_of("C2", None)]);
}

pub async fn channels_that_are_owed_come_in_order_of_their_gap_and_of_their_newest_message(
    new: New<'_>,
) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let said_in = |channel: &str, ts: &str| {
        let channel_id = channel.to_owned();
        message(MessageRecord {
            channel_id,
            ..record(ts, None, "a")
        })
    };
    let channels = [
        named("C1", "quiet", "1.0"),
        said_in("C2", "5.0"),
        said_in("C3", "7.0"),
        named("C4", "new", "1.0"),
        said_in("C5", "1.0"),
    ];
    stored.apply(&channels).await;
    workspace.put_off_channel("C4", None, 50).await.unwrap();
    workspace.put_off_channel("C5", Some(10), 50).await.unwrap();
    let ids = ["C1", "C2", "C3", "C4", "C5", "C9"].map(str::to_owned);
    workspace.owe_channels(&ids, Some(40), 60).await.unwrap();
    let unread = workspace.unread_channels(60).await.unwrap();
    let unread: Vec<_> = unread
        .iter()
        .map(|unread| (&*unread.channel_id, unread.since))
        .collect();
    let (gap, none) = (Some(40), None);
    let expected = [
        ("C5", Some(10)),
        ("C3", gap),
        ("C2", gap),
        ("C1", gap),
        ("C4", none),
    ];
    assert_eq!(unread, expected);
}

pub async fn a_gap_is_open_until_all_of_it_was_read(new: New<'_>) {
    let workspace = Stored::of(new);
    let gap = |since, until| Some(Gap { since, until });
    assert_eq!(workspace.gap().await, Ok(None));
    for (since, until) in [(500, 600), (520, 700), (400, 450)] {
        workspace.open_gap(Gap { since, until }).await.unwrap();
    }
    assert_eq!(workspace.gap().await, Ok(gap(400, 700)));
    let read = |since, until| workspace.close_gap(Gap { since, until });
    read(401, 800).await.unwrap();
    assert_eq!(workspace.gap().await, Ok(gap(400, 700)));
    read(400, 700).await.unwrap();
    assert_eq!(workspace.gap().await, Ok(gap(700, 700)));
    read(400, 701).await.unwrap();
    assert_eq!(workspace.gap().await, Ok(None));
    // The clock was ahead.
    let (since, until) = (100, 5000);
    workspace.open_gap(Gap { since, until }).await.unwrap();
    read(0, 1000).await.unwrap();
    assert_eq!(workspace.gap().await, Ok(None));
}

pub async fn a_missing_message_is_asked_for_a_few_times_and_then_counts_as_there(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    stored
        .apply(&[said("5.0", None, "a"), said("6.0", None, "b")])
        .await;
    let id = |ts| StoredId {
        ts: key(ts),
        thread_ts: None,
    };
    for _ in 0..2 {
        let ids = vec![id("5.0"), id("6.0")];
        workspace.note_missing("C1", ids).await.unwrap();
    }
    let due = |now| async move { workspace.missing_messages(now, 9).await.unwrap() };
    let missing = |ts| MissingMessage {
        channel_id: "C1".to_owned(),
        id: id(ts),
    };
    assert_eq!(due(0).await, [missing("5.0"), missing("6.0")]);
    workspace.end_missing(&missing("6.0")).await.unwrap();
    workspace.ask_again(&missing("5.0"), 1000).await.unwrap();
    assert_eq!(due(1599).await, []);
    assert_eq!(due(1600).await, [missing("5.0")]);
    for _ in 0..5 {
        workspace.ask_again(&missing("5.0"), 2000).await.unwrap();
    }
    assert_eq!(due(i64::MAX).await, []);
}

pub async fn channels_are_compared_in_turn_and_go_on_where_they_stopped(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    let presence = |id: &str, present| Effect::ChannelPresence {
        id: id.to_owned(),
        present,
        at: key("1.0"),
    };
    let sweep = |channel: &str, through: Option<&str>| Sweep {
        channel_id: channel.to_owned(),
        through: through.map(key),
        good_through: None,
    };
    let next = |before| async move {
        let next = workspace.next_sweep(before, 9000).await.unwrap();
        next.map(|next| Sweep {
            good_through: None,
            ..next
        })
    };
    let channels = [
        presence("C1", true),
        presence("C2", true),
        presence("C3", false),
    ];
    stored.apply(&channels).await;
    assert_eq!(next(9).await, None, "a channel without messages");
    let said_in = |channel: &str, ts: &str| {
        let channel_id = channel.to_owned();
        message(MessageRecord {
            channel_id,
            ..record(ts, None, "a")
        })
    };
    let messages = [
        said_in("C1", "5.0"),
        said_in("C2", "6.0"),
        said_in("C3", "7.0"),
    ];
    stored.apply(&messages).await;
    assert_eq!(next(0).await, Some(sweep("C1", None)));
    let note = |noted: Sweep, hidden, now| async move {
        workspace.note_sweep(noted, hidden, now).await.unwrap();
    };
    note(sweep("C2", Some("5.5")), 0, 100).await;
    assert_eq!(next(0).await, Some(sweep("C2", Some("5.5"))));
    note(sweep("C2", None), 2, 110).await;
    note(sweep("C1", None), 1, 120).await;
    assert_eq!(next(110).await, None);
    assert_eq!(next(111).await, Some(sweep("C2", None)));
    assert_eq!(next(121).await, Some(sweep("C2", None)));
    note(sweep("C2", Some("5.5")), 0, 130).await;
    let swept = workspace.swept().await.unwrap();
    assert_eq!((swept.channels, swept.done, swept.hidden), (2, 2, 3));
}

pub async fn a_comparison_knows_through_when_all_was_stored_before(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    stored.apply(&[said("5.0", None, "a")]).await;
    let good = || async move {
        let next = workspace.next_sweep(9000, 9999).await.unwrap();
        next.unwrap().good_through
    };
    let note = |through: Option<&'static str>, now| async move {
        let noted = Sweep {
            channel_id: "C1".to_owned(),
            through: through.map(key),
            good_through: None,
        };
        workspace.note_sweep(noted, 0, now).await.unwrap();
    };
    let read = |ts| workspace.set_history_read_through("C1", key(ts));
    read("500.0").await.unwrap();
    read("550.0").await.unwrap();
    assert_eq!(good().await, Some(key("500.0")), "the first reading");
    note(Some("40.0"), 600).await;
    read("700.0").await.unwrap();
    note(Some("30.0"), 800).await;
    assert_eq!(good().await, Some(key("500.0")));
    note(None, 900).await;
    assert_eq!(good().await, Some(key("600.0")), "it began then");
    note(Some("40.0"), 1000).await;
    assert_eq!(good().await, Some(key("600.0")));
    note(None, 1100).await;
    assert_eq!(good().await, Some(key("1000.0")));
}

pub async fn a_refused_comparison_is_told_and_goes_on_where_it_was_after_an_hour(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    stored.apply(&[said("5.0", None, "a")]).await;
    let sweep = |through: Option<&str>| Sweep {
        channel_id: "C1".to_owned(),
        through: through.map(key),
        good_through: None,
    };
    let begun = sweep(Some("4.0"));
    workspace.note_sweep(begun.clone(), 0, 100).await.unwrap();
    let refused = workspace.refuse_sweep("C1", "not_in_channel", 5000);
    refused.await.unwrap();
    let next = |now| async move { workspace.next_sweep(200, now).await.unwrap() };
    let told = workspace.swept().await.unwrap().refused;
    assert_eq!(told, [("C1".to_owned(), "not_in_channel".to_owned())]);
    assert_eq!((next(5000).await, next(8599).await), (None, None));
    // The clock was ahead when it was refused.
    assert_eq!(next(4999).await.as_ref(), Some(&begun));
    assert_eq!(next(8600).await, Some(begun));
    workspace.note_sweep(sweep(None), 0, 8600).await.unwrap();
    assert_eq!(workspace.swept().await.unwrap().refused, []);
}

pub async fn what_is_noted_of_an_unknown_channel_is_refused(new: New<'_>) {
    let stored = Stored::of(new);
    let id = StoredId {
        ts: key("1.0"),
        thread_ts: None,
    };
    let missing = MissingMessage {
        channel_id: "C9".to_owned(),
        id,
    };
    let judgment = StoredJudgment {
        message_ts: id.ts,
        should_respond: false,
        confidence: 0.5,
        until: 9,
    };
    for refused in [
        stored.put_off_channel("C9", None, 1).await,
        stored.end_unread("C9").await,
        stored.note_missing("C9", vec![id]).await,
        stored.ask_again(&missing, 1).await,
        stored.end_missing(&missing).await,
        stored.refuse_sweep("C9", "", 1).await,
        stored.set_history_read_through("C9", id.ts).await,
        stored.keep_judgment("C9", None, judgment, 1).await,
        stored.judgment("C9", None).await.map(drop),
    ] {
        assert!(
            matches!(&refused, Err(StorageError::NotFound(text)) if text.contains("C9")),
            "{refused:?}"
        );
    }
    assert_eq!(stored.known_channel("C9").await.unwrap(), None);
}
