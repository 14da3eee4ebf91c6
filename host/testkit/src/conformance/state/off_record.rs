//! What is said off the record is not stored, however it arrives.

use std::collections::BTreeMap;

use myao_plugin::state::audit::Action;
use myao_plugin::state::off_record::{Participation, Speaker};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::MessageRecord;

use super::{New, Stored, edited, mention, message, public, record, user};
use crate::conformance::{Records, key};

fn by(user_id: &str, ts: &str, text: &str) -> MessageRecord {
    MessageRecord {
        user_id: user_id.into(),
        ..record(ts, None, text)
    }
}

fn akari() -> Speaker {
    Speaker::User("U1".into())
}

/// C1 with a message of U1 and one of U2.
async fn stored(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    let people = [user("U1", "Akari", 1), user("U2", "Emiko", 1)];
    stored.apply(&people).await;
    let said = [by("U1", "1.0", "before"), by("U2", "2.0", "by another")];
    stored.apply(&said.map(message)).await;
    stored.apply(&public("C1", "1.0")).await;
    stored
}

async fn switch(stored: &Stored, of: Speaker, is_off: bool, at: &str) -> bool {
    stored
        .set_off_record(of, is_off, key(at), 50)
        .await
        .unwrap()
}

async fn texts(stored: &Stored) -> Vec<String> {
    let texts = stored.texts().await.into_iter();
    texts.map(|(_, text)| text).collect()
}

pub async fn what_a_person_says_off_the_record_is_not_stored_and_what_they_say_later_is(
    new: New<'_>,
) {
    let stored = stored(new).await;
    assert_eq!(stored.off_record_since(akari()).await.unwrap(), None);
    assert!(switch(&stored, akari(), true, "10.0").await);
    // It goes on: saying so again changes nothing.
    assert!(!switch(&stored, akari(), true, "12.0").await);
    let since = stored.off_record_since(akari()).await.unwrap();
    assert_eq!(since, Some(key("10.0")));
    let off = [by("U1", "10.0", "a secret"), by("U1", "11.0", "another")];
    stored.apply_at(20, &off.clone().map(message)).await;
    stored
        .apply_at(20, &[message(by("U2", "12.0", "still here"))])
        .await;
    assert!(switch(&stored, akari(), false, "20.0").await);
    assert!(!switch(&stored, akari(), false, "21.0").await);
    assert_eq!(stored.off_record_since(akari()).await.unwrap(), None);
    // What was said in that time stays unsaid, for events and imports alike.
    let late = [by("U1", "19.9", "late"), by("U1", "20.0", "back")];
    stored.apply_at(30, &late.clone().map(message)).await;
    let [first, second] = off;
    let records = Records::default().with(first).with(second);
    stored.import(records).await;
    let shown = texts(&stored).await;
    assert_eq!(shown, ["before", "by another", "still here", "back"]);
    // A second time begins anew.
    assert!(switch(&stored, akari(), true, "40.0").await);
    let again = [by("U1", "30.0", "between"), by("U1", "41.0", "gone")];
    stored.apply_at(45, &again.map(message)).await;
    assert_eq!(texts(&stored).await.last().unwrap(), "between");
}

pub async fn what_is_said_in_a_channel_off_the_record_is_not_stored(new: New<'_>) {
    let stored = stored(new).await;
    let here = Speaker::Channel("C1".into());
    assert!(switch(&stored, here.clone(), true, "10.0").await);
    let elsewhere = MessageRecord {
        channel_id: "C2".into(),
        ..by("U1", "11.0", "elsewhere")
    };
    let said = [by("U2", "11.0", "a secret"), elsewhere];
    stored.apply_at(20, &said.map(message)).await;
    assert_eq!(texts(&stored).await, ["before", "by another"]);
    // Of a channel and of a person, each time counts for itself.
    assert!(switch(&stored, akari(), true, "12.0").await);
    assert!(switch(&stored, here, false, "20.0").await);
    let said = [by("U1", "21.0", "a secret"), by("U2", "21.5", "on it")];
    stored.apply_at(30, &said.map(message)).await;
    assert_eq!(texts(&stored).await, ["before", "by another", "on it"]);
}

pub async fn whoever_is_off_the_record_is_listed_with_the_time(new: New<'_>) {
    let stored = stored(new).await;
    let here = Speaker::Channel("C1".into());
    assert_eq!(stored.all_off_record().await.unwrap(), []);
    assert!(switch(&stored, akari(), true, "10.0").await);
    assert!(switch(&stored, here.clone(), true, "12.0").await);
    let both = [(here.clone(), key("12.0")), (akari(), key("10.0"))];
    assert_eq!(stored.all_off_record().await.unwrap(), both);
    assert!(switch(&stored, here, false, "20.0").await);
    let all = stored.all_off_record().await.unwrap();
    assert_eq!(all, [(akari(), key("10.0"))]);
}

pub async fn what_was_said_in_such_a_time_is_deleted_and_does_not_come_back(new: New<'_>) {
    let stored = stored(new).await;
    // It arrived before it was known that it is off the record.
    let quick = by("U1", "10.5", "a quick one");
    stored.apply_at(11, &[message(quick.clone())]).await;
    assert_eq!(texts(&stored).await.len(), 3);
    assert!(switch(&stored, akari(), true, "10.0").await);
    assert_eq!(texts(&stored).await, ["before", "by another"]);
    assert!(switch(&stored, akari(), false, "20.0").await);
    stored.apply_at(30, &[message(quick.clone())]).await;
    stored.import(Records::default().with(quick)).await;
    stored
        .apply_at(31, &[edited("10.5", None, "25.0", "an edit")])
        .await;
    assert_eq!(texts(&stored).await, ["before", "by another"]);
}

pub async fn mention_off_the_record_is_not_answered(new: New<'_>) {
    let stored = stored(new).await;
    assert!(switch(&stored, akari(), true, "10.0").await);
    let asked = message(by("U1", "11.0", "@myao when?"));
    stored.apply_at(12, &[asked, mention("11.0", None)]).await;
    let waiting = stored.waiting_replies(12, 10).await.unwrap();
    assert_eq!(waiting, []);
}

pub async fn edit_of_what_was_said_before_is_applied(new: New<'_>) {
    let stored = stored(new).await;
    assert!(switch(&stored, akari(), true, "10.0").await);
    stored
        .apply_at(20, &[edited("1.0", None, "15.0", "corrected")])
        .await;
    assert_eq!(texts(&stored).await, ["corrected", "by another"]);
}

pub async fn what_the_operator_writes_is_stored(new: New<'_>) {
    let stored = stored(new).await;
    assert!(switch(&stored, Speaker::Channel("C1".into()), true, "10.0").await);
    let correction = by(OPERATOR_ID, "11.0", "Atami is on the 25th");
    stored.apply_at(20, &[message(correction)]).await;
    assert_eq!(texts(&stored).await.len(), 3);
}

pub async fn how_the_bot_takes_part_is_kept_for_each_channel_and_noted(new: New<'_>) {
    let stored = stored(new).await;
    let set = async |id: &str, how| stored.set_participation(id, how, 50).await.unwrap();
    assert!(stored.participation().await.unwrap().is_empty());
    assert!(set("C1", Participation::JoinsIn).await);
    assert!(!set("C1", Participation::JoinsIn).await);
    assert!(set("C1", Participation::Silent).await);
    assert!(!set("C404", Participation::Silent).await);
    let all = stored.participation().await.unwrap();
    let expected = BTreeMap::from([("C1".to_owned(), Participation::Silent)]);
    assert_eq!(all, expected);
    for (id, is_first) in [("C1", true), ("C1", false), ("C404", false)] {
        assert_eq!(stored.note_greeting(id).await.unwrap(), is_first, "{id}");
    }
    let noted = stored.audit(0).await.unwrap();
    let of_mode = noted.iter().filter(|act| act.action == Action::SetMode);
    assert_eq!(of_mode.count(), 2);
}
