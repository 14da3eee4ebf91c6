//! Items of channels: what messages and people say of them, and what is left when a message goes.

use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::state::items::{Change, ItemFilter, ItemId, StoredItem};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::{ItemQuery, MemoryDraft, Storage};
use myao_plugin::{ItemChange, ItemEvent, ItemKind, ItemState, KeptSpan, Place, User, names};

use super::done::{CHECK, guest, mark};
use super::erasure::{here, of_c1, save, stored, version};
use super::{New, Stored, deleted, edited, key, present, said, user};
use ItemEvent::{Due, Noted, Owner};

/// A change of the item whose title is the first so many characters of a message of C1.
fn change(title: (&str, u32), message: &str, event: ItemEvent) -> ItemChange {
    let (of, length) = title;
    ItemChange {
        kind: ItemKind::Task,
        title: KeptSpan {
            message: of_c1(of),
            start: 0,
            length,
        },
        message: of_c1(message),
        event,
    }
}

fn person(id: &str) -> User {
    User {
        id: id.into(),
        name: String::new(),
        is_bot: false,
    }
}

/// The tasks of 1.0 and 2.0: of the first, the next messages say the owner, the day and that it is done.
fn draft() -> MemoryDraft {
    let (first, second) = (("1.0", 8), ("2.0", 5));
    MemoryDraft {
        items: vec![
            change(first, "1.0", Noted),
            change(second, "2.0", Noted),
            change(first, "2.0", Owner(person("U2"))),
            change(first, "3.0", Due("2026-08-07".into())),
            change(first, "3.0", ItemEvent::State(ItemState::Done)),
        ],
        ..version(&[("- the door", &["1.0"])], &["1.0", "2.0", "3.0"])
    }
}

async fn noted(new: New<'_>) -> Stored {
    let stored = stored(new).await;
    stored.apply(&[user("U2", "Aki", 1)]).await;
    save(&stored, draft(), &[]).await;
    stored
}

fn door() -> ItemId {
    ItemId {
        channel_id: "C1".into(),
        ts: key("1.0"),
        kind: ItemKind::Task,
        start: 0,
    }
}

/// As `TITLE: STATE OWNER DAY`.
fn shown(item: &StoredItem) -> String {
    let StoredItem { item, .. } = item;
    let owner = item.owner.as_ref().map_or("-", |owner| &owner.name);
    let due = item.due.as_deref().unwrap_or("-");
    let state = names::item_state(item.state);
    format!("{}: {state} {owner} {due}", item.title.text)
}

/// The items that are seen from a place.
async fn items_at(stored: &Stored, place: Place, until: Option<&str>) -> Vec<String> {
    let filter = ItemFilter {
        channel_id: None,
        until: until.map(key),
    };
    let items = stored.view(place).items(filter).await.unwrap();
    items.iter().map(shown).collect()
}

async fn items(stored: &Stored) -> Vec<String> {
    items_at(stored, Place::Operator, None).await
}

fn query(channel_id: Option<&str>, until: &str) -> ItemQuery {
    ItemQuery {
        channel_id: channel_id.map(str::to_owned),
        since: None,
        until: until.to_owned(),
        closed: false,
    }
}

async fn open(stored: &Stored, until: &str) -> Vec<String> {
    let open = here(stored).list_items(query(Some("C1"), until)).await;
    let open = open.unwrap().expect("the store keeps items");
    open.into_iter().map(|item| item.title.text).collect()
}

async fn set(stored: &Stored, change: Change, at: &str) {
    let set = stored.set_item(door(), change, "U2".into(), key(at));
    set.await.unwrap();
}

pub async fn items_are_the_fold_of_what_messages_say_up_to_a_time(new: New<'_>) {
    let stored = noted(new).await;
    let second = "lunch: open - -";
    assert_eq!(
        items(&stored).await,
        ["the door: done Aki 2026-08-07", second]
    );
    let then = items_at(&stored, Place::Operator, Some("2.0")).await;
    assert_eq!(then, ["the door: open Aki -", second]);
    assert_eq!(open(&stored, "2.0").await, ["the door", "lunch"]);
    assert_eq!(open(&stored, "9.0").await, ["lunch"]);
    // A later version reads the same messages again.
    let again = MemoryDraft {
        expected: Some(1),
        ..draft()
    };
    let memories = here(&stored)
        .list_memories(super::erasure::everything())
        .await
        .unwrap();
    let again = MemoryDraft {
        expected: memories.last().map(|memory| memory.id),
        ..again
    };
    save(&stored, again, &[]).await;
    assert_eq!(items(&stored).await.len(), 2);
}

pub async fn items_go_with_their_message_and_so_does_what_it_says_of_others(new: New<'_>) {
    for edit in [false, true] {
        let stored = noted(new).await;
        let goes = |ts: &str| match edit {
            true => edited(ts, None, "8.0", "something else"),
            false => deleted(ts, "8.0"),
        };
        stored.apply_at(8, &[goes("3.0")]).await;
        assert_eq!(
            items(&stored).await,
            ["the door: unknown Aki -", "lunch: open - -"]
        );
        assert_eq!(open(&stored, "9.0").await, ["lunch"]);
        stored.apply_at(8, &[goes("2.0")]).await;
        assert_eq!(items(&stored).await, ["the door: unknown - -"]);
        stored.apply_at(8, &[goes("1.0")]).await;
        assert_eq!(items(&stored).await, [""; 0]);
    }
}

pub async fn items_are_seen_where_their_channel_is(new: New<'_>) {
    let stored = noted(new).await;
    stored.apply(&[present("C2", true, "0.5")]).await;
    stored.apply(&super::public("C2", "0.5")).await;
    let elsewhere = Place::Channel("C2".into());
    assert_eq!(items_at(&stored, elsewhere.clone(), None).await.len(), 2);
    stored
        .apply(&[Effect::ChannelName {
            id: "C1".into(),
            name: String::new(),
            is_private: Some(true),
            at: key("7.0"),
        }])
        .await;
    assert_eq!(items_at(&stored, elsewhere.clone(), None).await, [""; 0]);
    assert_eq!(
        items_at(&stored, Place::Channel("C1".into()), None)
            .await
            .len(),
        2
    );
    let refused = stored
        .at(elsewhere)
        .list_items(query(Some("C1"), "9.0"))
        .await;
    assert!(refused.is_err(), "{refused:?}");
}

pub async fn persons_have_the_last_word_of_an_item_and_take_it_back(new: New<'_>) {
    let stored = noted(new).await;
    set(&stored, Change::State(ItemState::Open), "2.5").await;
    set(&stored, Change::Owner(None), "5.0").await;
    set(&stored, Change::Due(Some("2026-09-01".into())), "5.0").await;
    assert_eq!(items(&stored).await[0], "the door: open - 2026-09-01");
    assert!(stored.undo_item(door()).await.unwrap());
    assert_eq!(items(&stored).await[0], "the door: open - 2026-08-07");
    // A rebuilt item keeps it; until then there is no item.
    stored.begin_again(None, 9).await.unwrap();
    assert_eq!(items(&stored).await, [""; 0]);
    assert!(stored.undo_item(door()).await.is_err());
    save(&stored, draft(), &[]).await;
    assert_eq!(items(&stored).await[0], "the door: open - 2026-08-07");
    assert!(stored.undo_item(door()).await.unwrap());
    assert!(stored.undo_item(door()).await.unwrap());
    assert!(!stored.undo_item(door()).await.unwrap());
    assert_eq!(items(&stored).await[0], "the door: done Aki 2026-08-07");
}

pub async fn tasks_that_a_person_ticks_are_done_until_the_tick_is_taken_back(new: New<'_>) {
    let stored = noted(new).await;
    stored.apply(&[guest("U2", false), guest("U9", true)]).await;
    set(&stored, Change::State(ItemState::Open), "5.0").await;
    stored.apply(&[mark("U9", CHECK, true, "6.0")]).await;
    assert_eq!(items(&stored).await[0], "the door: open Aki 2026-08-07");
    stored.apply(&[mark("U2", CHECK, true, "7.0")]).await;
    assert_eq!(items(&stored).await[0], "the door: done Aki 2026-08-07");
    let then = items_at(&stored, Place::Operator, Some("6.5")).await;
    assert_eq!(then[0], "the door: open Aki 2026-08-07");
    stored.apply(&[mark("U2", CHECK, false, "8.0")]).await;
    assert_eq!(items(&stored).await[0], "the door: open Aki 2026-08-07");
}

pub async fn somebody_who_is_forgotten_owns_no_item_and_has_set_none(new: New<'_>) {
    let stored = noted(new).await;
    set(&stored, Change::State(ItemState::Dropped), "5.0").await;
    let forget = Forget::User("U2".into());
    stored.forget(forget, 10, Mode::Erase).await.unwrap();
    assert_eq!(items(&stored).await[0], "the door: done - 2026-08-07");
}

pub async fn messages_that_are_not_stored_have_no_items(new: New<'_>) {
    let stored = stored(new).await;
    let draft = MemoryDraft {
        items: vec![change(("7.0", 3), "7.0", Noted)],
        ..version(&[("- the door", &["1.0"])], &["1.0"])
    };
    let saved = here(&stored).save_memory(draft, Default::default()).await;
    assert!(saved.is_err());
    assert_eq!(items(&stored).await, [""; 0]);
    stored.apply(&[said("5.0", None, "nothing")]).await;
}

pub async fn queries_choose_items_by_their_state_and_its_time(new: New<'_>) {
    let stored = noted(new).await;
    let listed = async |since: Option<&str>, closed| {
        let query = ItemQuery {
            since: since.map(str::to_owned),
            closed,
            ..query(None, "9.0")
        };
        let items = here(&stored).list_items(query).await.unwrap();
        let items = items.unwrap().into_iter();
        let titles: Vec<String> = items.map(|item| item.title.text).collect();
        titles
    };
    assert_eq!(listed(None, true).await, ["the door", "lunch"]);
    assert_eq!(listed(None, false).await, ["lunch"]);
    assert_eq!(listed(Some("2.5"), true).await, ["the door"]);
    assert_eq!(listed(Some("2.5"), false).await, [""; 0]);
    let here = here(&stored);
    let all = here.list_items(ItemQuery {
        closed: true,
        ..query(None, "9.0")
    });
    let all = all.await.unwrap().unwrap();
    assert_eq!(all[0].state_since, key("3.0").to_string());
    assert_eq!(all[0].state_source, Some(of_c1("3.0")));
    assert_eq!(
        (all[1].state_since.clone(), &all[1].state_source),
        (key("2.0").to_string(), &None)
    );
}

pub async fn messages_that_say_so_themselves_are_items_as_long_as_they_do(new: New<'_>) {
    let stored = stored(new).await;
    let decision = said("5.0", None, "@myao decision: we ship on Monday\nmore later");
    let mut program = super::record("6.0", None, "todo: deploy");
    program.is_bot = true;
    stored.apply(&[decision, super::message(program)]).await;
    assert_eq!(items(&stored).await, ["we ship on Monday: open - -"]);
    // A model's report of the same adds nothing, and a rebuild keeps it.
    let decided = ItemChange {
        kind: ItemKind::Decision,
        ..change(("5.0", 8), "5.0", Noted)
    };
    let reported = MemoryDraft {
        items: vec![decided],
        ..version(&[("- Monday", &["5.0"])], &["5.0"])
    };
    save(&stored, reported, &[]).await;
    stored.begin_again(None, 9).await.unwrap();
    assert_eq!(items(&stored).await, ["we ship on Monday: open - -"]);
    stored
        .apply_at(9, &[edited("5.0", None, "8.0", "決定: 火曜")])
        .await;
    assert_eq!(items(&stored).await, ["火曜: open - -"]);
    stored
        .apply_at(9, &[edited("5.0", None, "9.0", "nothing yet")])
        .await;
    assert_eq!(items(&stored).await, [""; 0]);
}

pub async fn what_a_correction_strikes_is_superseded(new: New<'_>) {
    let stored = noted(new).await;
    stored
        .apply(&[user("U1", "Dora", 1), guest("U1", false)])
        .await;
    stored
        .apply(&[
            super::marks::correction(),
            super::marks::strike("U1", &["2.0"]),
        ])
        .await;
    assert_eq!(items(&stored).await[1], "lunch: superseded - -");
    let then = items_at(&stored, Place::Operator, Some("4.0")).await;
    assert_eq!(then[1], "lunch: open - -");
}
