//! What records bring: names, edits and deletions in any order. The contract leaves to the store how messages get into it.

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Deferral, MessageQuery};
use myao_plugin::{MemoryType, Scope};

use super::{Fixture, Records, channel, ids, key, message, read, time};

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

/// Even if a queued event or an import brings it again, edited or not.
pub async fn deleted_message_never_comes_back(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").reply("C1", "1.0", "2.0");
    fixture.add(records.clone()).await;
    fixture.delete("C1", key("1.0")).await;
    let edited = MessageRecord {
        edited_at: Some(9),
        ..message("C1", "1.0")
    };
    fixture.add(records.with(edited)).await;
    assert_eq!(ids(fixture, read("9.0")).await, ["2.000000"]);
}

/// Events may arrive in any order.
pub async fn deletion_before_the_message_arrives_counts(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    fixture.delete("C1", key("1.0")).await;
    fixture.add(Records::default().message("C1", "1.0")).await;
    assert!(ids(fixture, read("9.0")).await.is_empty());
}

/// The newest edit wins, in whatever order the edits arrive.
pub async fn older_edit_changes_nothing(fixture: &dyn Fixture) {
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

/// The component writes ids as it read them; an operator or a platform may leave zeros out.
pub async fn ids_are_the_same_however_they_are_written(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").reply("C1", "1.0", "2.0");
    fixture.add(records.message("C1", "3.0")).await;
    let thread = MessageQuery {
        since: Some("3.0".into()),
        whole_thread: Some("1.0".into()),
        thread_limit: 9,
        ..read("3.0")
    };
    let expected = ["1.000000", "2.000000", "3.000000"];
    assert_eq!(ids(fixture, thread).await, expected);
    let storage = fixture.storage();
    let deferral = Deferral {
        memory_type: MemoryType::ShortTerm,
        until: time(900),
        failures: 1,
        reason: "the model failed".into(),
    };
    let deferred = storage.defer(Scope::Thread, "C1:1.0".into(), deferral);
    deferred.await.unwrap();
    for scope_id in ["C1:1.0", "C1:1.000000"] {
        let listed = storage.list_deferrals(Scope::Thread, scope_id.into()).await;
        assert_eq!(listed.unwrap().len(), 1, "{scope_id}");
    }
}
