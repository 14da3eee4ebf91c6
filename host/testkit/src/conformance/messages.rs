//! Channels and messages.

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Keep, MessageQuery, StorageError};

use super::{Fixture, Records, channel, ids, key, message, read};

/// The order of the list in settings and prompts.
pub async fn channels_are_ordered_by_name_and_then_by_id(fixture: &dyn Fixture) {
    let records = Records::default()
        .channel("C3", "b")
        .channel("C2", "a")
        .channel("C1", "b");
    fixture.add(records).await;
    let channels = fixture.storage().list_channels().await.unwrap();
    let ids: Vec<&str> = channels.iter().map(|channel| channel.id.as_str()).collect();
    assert_eq!(ids, ["C2", "C1", "C3"]);
}

/// An event may arrive without names.
pub async fn unknown_names_never_overwrite_known_ones(fixture: &dyn Fixture) {
    fixture
        .add(channel().user("U1", "Aki").message("C1", "1.0"))
        .await;
    fixture
        .add(Records::default().channel("C1", "").user("U1", ""))
        .await;
    assert_eq!(
        fixture.storage().list_channels().await.unwrap()[0].name,
        "general"
    );
    let messages = fixture.storage().list_messages(read("9.0")).await.unwrap();
    assert_eq!(messages[0].user.name, "Aki");
}

/// Both bounds are included.
pub async fn messages_come_oldest_first_within_inclusive_bounds(fixture: &dyn Fixture) {
    let records = channel().channel("C2", "other").message("C2", "3.5");
    let records = records
        .message("C1", "4.0")
        .message("C1", "2.0")
        .message("C1", "3.0");
    fixture.add(records.message("C1", "5.0")).await;
    let query = MessageQuery {
        since: Some("3.0".into()),
        ..read("4.0")
    };
    assert_eq!(ids(fixture, query).await, ["3.000000", "4.000000"]);
}

/// As text, 999 comes after 1000.
pub async fn messages_are_ordered_numerically(fixture: &dyn Fixture) {
    let records = channel()
        .message("C1", "1000.000002")
        .message("C1", "999.000009");
    fixture.add(records.message("C1", "1000.000010")).await;
    assert_eq!(
        ids(fixture, read("1000.000002")).await,
        ["999.000009", "1000.000002"]
    );
}

/// If there are more messages than the limit.
pub async fn limit_keeps_the_newest_or_the_oldest(fixture: &dyn Fixture) {
    let records = channel()
        .message("C1", "1.0")
        .message("C1", "2.0")
        .message("C1", "3.0");
    fixture.add(records).await;
    let newest = MessageQuery {
        limit: 2,
        ..read("9.0")
    };
    assert_eq!(ids(fixture, newest.clone()).await, ["2.000000", "3.000000"]);
    let oldest = MessageQuery {
        keep: Keep::Oldest,
        ..newest
    };
    assert_eq!(ids(fixture, oldest).await, ["1.000000", "2.000000"]);
    assert!(
        ids(
            fixture,
            MessageQuery {
                limit: 0,
                ..read("9.0")
            }
        )
        .await
        .is_empty()
    );
}

/// Even if it is older than `since`. It does not count for `limit`, and comes before the others.
pub async fn first_message_of_a_thread_comes_with_its_replies(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").message("C1", "2.0");
    fixture
        .add(records.reply("C1", "1.0", "3.0").message("C1", "4.0"))
        .await;
    let query = MessageQuery {
        since: Some("2.5".into()),
        limit: 2,
        ..read("9.0")
    };
    let messages = fixture.storage().list_messages(query).await.unwrap();
    let threads: Vec<(&str, Option<&str>)> = messages
        .iter()
        .map(|m| (m.ts.as_str(), m.thread_ts.as_deref()))
        .collect();
    assert_eq!(
        threads,
        [
            ("1.000000", Some("1.000000")),
            ("3.000000", Some("1.000000")),
            ("4.000000", None)
        ]
    );
}

/// Up to `until`; its messages use up none of the limit.
pub async fn whole_thread_is_read_outside_since_and_limit(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").reply("C1", "1.0", "2.0");
    let records = records
        .message("C1", "3.0")
        .reply("C1", "1.0", "4.0")
        .message("C1", "5.0");
    fixture
        .add(records.reply("C1", "1.0", "6.0").reply("C1", "1.0", "8.0"))
        .await;
    let query = MessageQuery {
        since: Some("3.5".into()),
        limit: 1,
        whole_thread: Some("1.0".into()),
        thread_limit: 9,
        ..read("7.0")
    };
    assert_eq!(
        ids(fixture, query.clone()).await,
        ["1.000000", "2.000000", "4.000000", "5.000000", "6.000000"]
    );
    let unknown = MessageQuery {
        whole_thread: Some("77.0".into()),
        ..query
    };
    assert_eq!(ids(fixture, unknown).await, ["1.000000", "6.000000"]);
}

/// The rest of the thread does not come with the messages around it, either.
pub async fn long_thread_keeps_its_first_message_and_its_newest_replies(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").message("C1", "2.0");
    let records = records
        .reply("C1", "1.0", "3.0")
        .reply("C1", "1.0", "4.0")
        .reply("C1", "1.0", "5.0");
    fixture.add(records.message("C1", "6.0")).await;
    let query = |thread_limit| MessageQuery {
        whole_thread: Some("1.0".into()),
        thread_limit,
        ..read("9.0")
    };
    let around = ["2.000000", "6.000000"];
    for (limit, kept) in [
        (0, vec!["1.000000"]),
        (2, vec!["1.000000", "4.000000", "5.000000"]),
        (3, vec!["1.000000", "3.000000", "4.000000", "5.000000"]),
    ] {
        let mut expected = [kept, around.to_vec()].concat();
        expected.sort_unstable();
        assert_eq!(ids(fixture, query(limit)).await, expected, "{limit}");
    }
    let earlier = MessageQuery {
        until: "4.5".into(),
        ..query(1)
    };
    let expected = ["1.000000", "2.000000", "4.000000"];
    assert_eq!(ids(fixture, earlier).await, expected);
}

/// Not before that, and also as of an earlier time.
pub async fn first_message_names_its_thread_once_there_is_a_reply(fixture: &dyn Fixture) {
    let first = MessageRecord {
        thread_ts: Some(key("1.0")),
        ..message("C1", "1.0")
    };
    fixture
        .add(channel().with(first).reply("C1", "1.0", "5.0"))
        .await;
    let before = fixture.storage().list_messages(read("4.0")).await.unwrap();
    assert_eq!(before[0].thread_ts, None);
    let after = fixture.storage().list_messages(read("5.0")).await.unwrap();
    assert_eq!(after[0].thread_ts.as_deref(), Some("1.000000"));
    fixture.delete("C1", key("5.0")).await;
    let deleted = fixture.storage().list_messages(read("5.0")).await.unwrap();
    assert_eq!(deleted[0].thread_ts, None);
}

/// Even if a queued event or an import brings it again, edited or not.
pub async fn deleted_message_is_not_returned_and_never_comes_back(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").reply("C1", "1.0", "2.0");
    fixture.add(records.clone()).await;
    fixture.delete("C1", key("1.0")).await;
    let edited = MessageRecord {
        edited_at: Some(9),
        ..message("C1", "1.0")
    };
    fixture.add(records.with(edited)).await;
    assert_eq!(ids(fixture, read("9.0")).await, ["2.000000"]);
    let thread = MessageQuery {
        limit: 0,
        whole_thread: Some("1.0".into()),
        thread_limit: 9,
        ..read("9.0")
    };
    assert_eq!(ids(fixture, thread).await, ["2.000000"]);
}

/// Events may arrive in any order.
pub async fn deletion_before_the_message_arrives_counts(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    fixture.delete("C1", key("1.0")).await;
    fixture.add(Records::default().message("C1", "1.0")).await;
    assert!(ids(fixture, read("9.0")).await.is_empty());
}

/// The newest edit wins, in whatever order the edits arrive.
pub async fn edit_replaces_the_text_and_an_older_one_changes_nothing(fixture: &dyn Fixture) {
    let edited = |at, text: &str| MessageRecord {
        edited_at: Some(at),
        text: text.into(),
        ..message("C1", "1.0")
    };
    fixture.add(channel().message("C1", "1.0")).await;
    for record in [
        edited(20, "second"),
        edited(10, "first"),
        message("C1", "1.0"),
    ] {
        fixture.add(Records::default().with(record)).await;
    }
    let messages = fixture.storage().list_messages(read("9.0")).await.unwrap();
    assert_eq!(messages[0].text, "second");
    assert_eq!(
        messages[0].edited_at.map(|time| time.unix_seconds),
        Some(20)
    );
}

/// The name that the message was posted under, or the user's name, or a placeholder that does not look like a name.
pub async fn authors_have_names_and_never_ids(fixture: &dyn Fixture) {
    let posted = MessageRecord {
        author_name: Some("Deploys".into()),
        ..message("C1", "1.0")
    };
    let unknown = MessageRecord {
        user_id: "U9".into(),
        ..message("C1", "3.0")
    };
    let records = channel()
        .user("U1", "Aki")
        .with(posted)
        .message("C1", "2.0");
    fixture.add(records.with(unknown)).await;
    let messages = fixture.storage().list_messages(read("9.0")).await.unwrap();
    let names: Vec<&str> = messages.iter().map(|m| m.user.name.as_str()).collect();
    assert_eq!(names[..2], ["Deploys", "Aki"]);
    assert!(
        !names[2].is_empty() && !names[2].contains("U9"),
        "{names:?}"
    );
}

/// The error names it.
pub async fn unknown_channel_is_not_found(fixture: &dyn Fixture) {
    let query = MessageQuery {
        channel_id: "C9".into(),
        ..read("9.0")
    };
    let messages = fixture.storage().list_messages(query).await.map(|_| ());
    let backlog = fixture
        .storage()
        .get_backlog("C9".into(), None, "9.0".into())
        .await
        .map(|_| ());
    for result in [messages, backlog] {
        assert!(
            matches!(&result, Err(StorageError::NotFound(text)) if text.contains("C9")),
            "{result:?}"
        );
    }
}

/// The error names it.
pub async fn what_is_no_message_id_is_invalid(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let messages = fixture
        .storage()
        .list_messages(read("yesterday"))
        .await
        .map(|_| ());
    let backlog = fixture
        .storage()
        .get_backlog("C1".into(), Some("yesterday".into()), "9.0".into())
        .await
        .map(|_| ());
    for result in [messages, backlog] {
        let invalid =
            matches!(&result, Err(StorageError::Invalid(text)) if text.contains("yesterday"));
        assert!(invalid, "{result:?}");
    }
}
