//! What each effect does, and which of two effects wins.

use myao_plugin::storage::MemoryDraft;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::{MemoryType, Scope};

use super::{
    New, Stored, deleted, draft, edited, key, mention, message, named, present, record, said, user,
};
use crate::conformance::Records;

fn shown(texts: &[(&str, &str)]) -> Vec<(String, String)> {
    let texts = texts.iter();
    texts
        .map(|(ts, text)| ((*ts).to_owned(), (*text).to_owned()))
        .collect()
}

/// All permutations of some effects.
fn permutations(effects: &[Effect]) -> Vec<Vec<Effect>> {
    let Some((first, rest)) = effects.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for others in permutations(rest) {
        for place in 0..=others.len() {
            let mut order = others.clone();
            order.insert(place, first.clone());
            all.push(order);
        }
    }
    all
}

pub async fn newest_edit_wins_in_any_order_and_the_message_itself_never_undoes_one(new: New<'_>) {
    let effects = [
        said("1.0", None, "as it was sent"),
        edited("1.0", None, "20.0", "first edit"),
        edited("1.0", None, "20.000001", "second edit"),
    ];
    for order in permutations(&effects) {
        let stored = Stored::of(new);
        for effect in &order {
            stored.apply(std::slice::from_ref(effect)).await;
        }
        assert_eq!(stored.texts().await, shown(&[("1.000000", "second edit")]));
    }
}

pub async fn edit_within_the_second_of_the_message_wins(new: New<'_>) {
    let read_again = MessageRecord {
        edited_at: Some(1),
        ..record("1.5", None, "edited")
    };
    let stored = Stored::of(new);
    stored.apply(&[said("1.5", None, "as it was sent")]).await;
    let changed = read_again.changed();
    stored
        .apply(&[Effect::Message {
            record: read_again,
            changed,
        }])
        .await;
    assert_eq!(stored.texts().await, shown(&[("1.000005", "edited")]));
}

pub async fn edit_of_a_message_that_is_not_stored_adds_it(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[edited("2.0", Some("1.0"), "20.0", "edited")])
        .await;
    assert_eq!(stored.texts().await, shown(&[("2.000000", "edited")]));
    let thread = stored
        .storage()
        .get_backlog("C1".into(), Some("1.0".into()), "99.0".into());
    assert_eq!(thread.await.unwrap().new_message_count, 1);
}

/// Regression 10: a deleted message came back when a queued event saved it again.
pub async fn deleted_message_stays_deleted_whatever_comes_before_or_after(new: New<'_>) {
    let effects = [
        said("2.0", Some("1.0"), "secret as it was sent"),
        edited("2.0", Some("1.0"), "30.0", "secret as it was edited"),
        deleted("2.0", "20.0"),
    ];
    for order in permutations(&effects) {
        let stored = Stored::of(new);
        stored.apply(&[said("1.0", None, "first")]).await;
        for effect in &order {
            stored.apply(std::slice::from_ref(effect)).await;
        }
        assert_eq!(stored.texts().await, shown(&[("1.000000", "first")]));
        let channel = stored
            .storage()
            .get_backlog("C1".into(), None, "99.0".into());
        let channel = channel.await.unwrap();
        assert_eq!(channel.new_message_count, 1);
        assert_eq!(channel.latest_message_ts.as_deref(), Some("1.000000"));
        let thread = stored
            .storage()
            .get_backlog("C1".into(), Some("1.0".into()), "99.0".into());
        assert_eq!(thread.await.unwrap().new_message_count, 0);
    }
}

/// Regression 7: an event without a name blanked the stored one.
pub async fn name_of_a_channel_is_changed_only_by_a_newer_event_that_tells_one(new: New<'_>) {
    let stored = Stored::of(new);
    let name = async || {
        let known = stored.known_channel("C1").await.unwrap();
        known.map(|channel| channel.name)
    };
    stored.apply(&[said("1.0", None, "text")]).await;
    assert_eq!(name().await.as_deref(), Some(""));
    stored.apply(&[named("C1", "general", "10.0")]).await;
    for ignored in [
        said("11.0", None, "text"),
        named("C1", "", "12.0"),
        named("C1", "an older one", "9.0"),
        present("C1", true, "12.0"),
    ] {
        stored.apply(&[ignored]).await;
        assert_eq!(name().await.as_deref(), Some("general"));
    }
    stored.apply(&[named("C1", "renamed", "11.0")]).await;
    assert_eq!(name().await.as_deref(), Some("renamed"));
}

pub async fn name_of_a_user_is_changed_only_by_a_newer_event_that_tells_one(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "", 5), user("U1", "Aki", 10)])
        .await;
    for ignored in [user("U1", "", 20), user("U1", "an older one", 9)] {
        stored.apply(&[ignored]).await;
        let known = stored.known_user("U1").await.unwrap().unwrap();
        assert_eq!(known.name, "Aki");
    }
    stored.apply(&[user("U1", "Aki T.", 11)]).await;
    let known = stored.known_user("U1").await.unwrap().unwrap();
    assert_eq!(known.name, "Aki T.");
}

pub async fn import_changes_no_name_that_came_with_an_event(new: New<'_>) {
    let stored = Stored::of(new);
    let private = Effect::ChannelName {
        id: "C1".into(),
        name: "now".into(),
        is_private: Some(true),
        at: key("10.0"),
    };
    stored.apply(&[private, user("U1", "Now", 10)]).await;
    let records = Records::default()
        .channel("C1", "then")
        .channel("C2", "then");
    stored
        .import(records.user("U1", "then").user("U2", "then"))
        .await;
    let channels = stored.storage().list_channels().await.unwrap();
    let channels: Vec<_> = channels
        .iter()
        .map(|c| (c.name.as_str(), c.is_private))
        .collect();
    assert_eq!(channels, [("now", true), ("then", false)]);
    for (id, name) in [("U1", "Now"), ("U2", "then")] {
        let known = stored.known_user(id).await.unwrap().unwrap();
        assert_eq!(known.name, name);
    }
}

/// What is said in a private channel must not appear elsewhere, so a channel counts as private if that is unknown.
pub async fn channel_is_private_until_an_event_says_that_it_is_not(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[said("1.0", None, "text"), named("C1", "general", "2.0")])
        .await;
    let is_private = async || stored.storage().list_channels().await.unwrap()[0].is_private;
    assert!(is_private().await);
    let told = Effect::ChannelName {
        id: "C1".into(),
        name: String::new(),
        is_private: Some(false),
        at: key("1.0"),
    };
    stored.apply(&[told]).await;
    assert!(!is_private().await);
}

pub async fn event_without_the_thread_does_not_take_a_message_out_of_it(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "first"),
            said("2.0", Some("1.0"), "reply"),
            edited("2.0", None, "9.0", "edited"),
        ])
        .await;
    let thread = stored.messages_between("C1", key("2.0"), key("2.0"));
    assert_eq!(thread.await.unwrap()[0].thread_ts, Some(key("1.0")));
}

/// Regression 5: the first message of a thread is recognised even if it arrives last.
pub async fn first_message_that_comes_after_its_replies_stands_first(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("3.0", Some("1.0"), "reply"),
            said("2.0", None, "between"),
        ])
        .await;
    stored.apply(&[said("1.0", None, "first")]).await;
    assert_eq!(stored.texts().await[0], ("1.000000".into(), "first".into()));
    let thread = stored
        .storage()
        .get_backlog("C1".into(), Some("1.0".into()), "9.0".into());
    let thread = thread.await.unwrap();
    assert_eq!(thread.latest_message_ts.as_deref(), Some("3.000000"));
    assert_eq!(thread.new_message_count, 2);
}

/// Regression 2: when compared as text, the ids of the bot's own posts blocked everything after them.
pub async fn posts_of_the_bot_have_ids_that_count_like_all_others(new: New<'_>) {
    let own = MessageRecord {
        is_bot: true,
        ..record("999.5", None, "own post")
    };
    let stored = Stored::of(new);
    stored
        .apply(&[said("1000.000002", None, "after"), message(own)])
        .await;
    let saved = MemoryDraft {
        source_latest_message_ts: Some("999.5".into()),
        ..draft("C1")
    };
    stored
        .storage()
        .save_memory(saved, Default::default())
        .await
        .unwrap();
    let backlog = stored
        .storage()
        .get_backlog("C1".into(), None, "2000.0".into());
    let backlog = backlog.await.unwrap();
    assert_eq!(backlog.new_message_count, 1);
    assert_eq!(backlog.latest_message_ts.as_deref(), Some("1000.000002"));
}

pub async fn memory_stays_linked_to_messages_that_were_edited_and_deleted(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[said("1.0", None, "one"), said("2.0", None, "two")])
        .await;
    let made = MemoryDraft {
        source_channel_id: "C1".into(),
        source_messages: vec!["1.0".into(), "2.0".into()],
        ..draft("C1")
    };
    let made = stored
        .storage()
        .save_memory(made, Default::default())
        .await
        .unwrap();
    assert_eq!(
        (made.scope, made.memory_type),
        (Scope::Channel, MemoryType::ShortTerm)
    );
    stored
        .apply(&[edited("1.0", None, "9.0", "edited"), deleted("2.0", "9.0")])
        .await;
    let sources = stored.all().sources(made.id).await.unwrap().messages;
    let sources: Vec<_> = sources
        .iter()
        .map(|m| (m.text.as_str(), m.deleted))
        .collect();
    assert_eq!(sources, [("edited", false), ("", true)]);
}

pub async fn mention_in_a_deleted_message_is_dropped_in_either_order(new: New<'_>) {
    for order in permutations(&[
        mention("1.0", None),
        deleted("1.0", "2.0"),
        said("1.0", None, "hey"),
    ]) {
        let stored = Stored::of(new);
        for effect in &order {
            stored.apply(std::slice::from_ref(effect)).await;
        }
        assert_eq!(stored.waiting_replies(99, 9).await.unwrap(), []);
    }
}
