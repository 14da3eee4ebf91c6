//! Items, with the menu of each.

use myao_plugin::{ItemKind, ItemState};

use super::*;
use crate::blocks::{ItemLine, item_changed, item_modal, items_message};
use crate::shortcut::{ChosenItem, SavedItem};

fn item(number: usize, kind: ItemKind, state: ItemState, text: &str) -> ItemLine {
    ItemLine {
        name: format!("C0123456789:1709287200.{number:06}/question/99999"),
        kind,
        state,
        owner: (number == 0).then(|| "Aki <!channel>".to_owned()),
        due: (number == 0).then(|| "2026-08-07".to_owned()),
        channel: "general".to_owned(),
        said: source(0, "akari", text, Some("https://a.slack.com/archives/C1/p1")),
    }
}

#[test]
fn items_stand_below_their_kind_with_owner_day_message_and_menu() {
    let items = [
        item(
            0,
            ItemKind::Task,
            ItemState::Open,
            "Aki sends the *letter*\nby <!channel> Friday",
        ),
        item(
            1,
            ItemKind::Decision,
            ItemState::Superseded,
            "箱根にします。",
        ),
    ];
    assert_are(&[
        ("items-en.json", items_message(&items, English)),
        ("items-ja.json", items_message(&items, Japanese)),
        ("items-none-en.json", items_message(&[], English)),
        (
            "item-modal-en.json",
            item_modal(
                "Aki sends it",
                (Some("U1"), Some("2026-08-07")),
                "kept",
                English,
            ),
        ),
        (
            "item-modal-ja.json",
            item_modal("箱根", (None, None), "kept", Japanese),
        ),
    ]);
    let changed = item_changed(&items[0], English);
    assert!(changed.starts_with("Open · Aki ") && changed.contains(" · due 2026-08-07: Aki sends"));
}

#[test]
fn more_items_than_fit_are_counted_and_each_menu_is_within_slacks_limits() {
    let kinds = [
        ItemKind::Task,
        ItemKind::Question,
        ItemKind::Decision,
        ItemKind::Fact,
    ];
    let items: Vec<ItemLine> = (0..90)
        .map(|number| {
            item(
                number,
                kinds[number / 23],
                ItemState::Open,
                &"long ".repeat(200),
            )
        })
        .collect();
    let message = items_message(&items, English);
    assert_within_limits(&message);
    assert!(message.to_string().contains("50 more"));
    for block in message["blocks"].as_array().unwrap() {
        for option in block["accessory"]["options"]
            .as_array()
            .into_iter()
            .flatten()
        {
            // <https://docs.slack.dev/reference/block-kit/composition-objects/option-object>
            assert!(option["text"]["text"].as_str().unwrap().chars().count() <= 75);
            assert!(option["value"].as_str().unwrap().chars().count() <= 75);
        }
    }
}

#[test]
fn what_somebody_chooses_in_a_menu_is_read() {
    let message = items_message(&[item(1, ItemKind::Task, ItemState::Open, "x")], English);
    let menu = &message["blocks"][1]["accessory"];
    let pressed = |option: &Value| {
        let action = serde_json::json!({ "type": "overflow", "action_id": menu["action_id"], "selected_option": option });
        serde_json::json!({ "type": "block_actions", "user": { "id": "U1" }, "channel": { "id": "C1" }, "actions": [action] })
            .to_string()
    };
    let chosen: Vec<String> = menu["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| {
            let chosen = ChosenItem::parse(&pressed(option)).unwrap();
            assert_eq!(chosen.channel_id.as_deref(), Some("C1"));
            assert!(chosen.item.ends_with("/question/99999"));
            format!("{:?}", chosen.choice)
        })
        .collect();
    assert_eq!(chosen, ["Done", "Dropped", "Details", "Undo"]);
    let odd = serde_json::json!({ "text": "x", "value": "buy C1:1.0/task" });
    assert_eq!(ChosenItem::parse(&pressed(&odd)), None);
}

#[test]
fn what_somebody_saves_in_the_window_of_an_item_is_read() {
    let saved = |kind: &str, callback: &str, users: Value, date: Value| {
        let view = item_modal("x", (None, None), "C1 an item", English);
        let payload = serde_json::json!({
            "type": kind, "user": { "id": "U1" },
            "view": {
                "type": "modal", "callback_id": callback, "private_metadata": view["private_metadata"],
                "state": { "values": {
                    "owner": { "owner": { "type": "multi_users_select", "selected_users": users } },
                    "due": { "due": { "type": "datepicker", "selected_date": date } },
                } },
            },
        });
        SavedItem::parse(&payload.to_string())
    };
    let both = saved(
        "view_submission",
        "item",
        ["U2"].as_slice().into(),
        "2026-08-07".into(),
    );
    let both = both.unwrap();
    assert_eq!(
        (both.user_id.as_str(), both.kept.as_str()),
        ("U1", "C1 an item")
    );
    assert_eq!(
        (both.owner.as_deref(), both.due.as_deref()),
        (Some("U2"), Some("2026-08-07"))
    );
    let none = saved(
        "view_submission",
        "item",
        Value::Array(Vec::new()),
        Value::Null,
    )
    .unwrap();
    assert_eq!((none.owner, none.due), (None, None));
    for (kind, callback) in [("view_closed", "item"), ("view_submission", "thread")] {
        assert_eq!(
            saved(kind, callback, Value::Array(Vec::new()), Value::Null),
            None
        );
    }
}
