//! Items, with the menu of each.

use myao_plugin::{ItemKind, ItemState};

use super::*;
use crate::blocks::{ItemLine, item_changed, items_message};
use crate::shortcut::ChosenItem;

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
    ]);
    assert!(item_changed(&items[0], English).starts_with("Open: Aki sends"));
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
    assert_eq!(chosen, ["Done", "Dropped", "Undo"]);
    let odd = serde_json::json!({ "text": "x", "value": "buy C1:1.0/task" });
    assert_eq!(ChosenItem::parse(&pressed(&odd)), None);
}
