//! Items of the ledger, each with a menu to change it.

use myao_plugin::{ItemKind, ItemState};
use serde_json::{Value, json};

use super::lines::{LINE_CHARS, Source, beginning, first_words, link_to};
use super::words::Language;
use super::{context, ephemeral, mrkdwn, section};

/// The id of an item's menu, and of its window.
pub const ITEM: &str = "item";
/// The id of the list of people in an item's window.
pub(crate) const OWNER: &str = "owner";
/// The id of the day in an item's window.
pub(crate) const DUE: &str = "due";
/// The most items of a message, which has room for 50 blocks with the headings and the line below.
const MOST_ITEMS: usize = 40;

/// An item as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemLine {
    /// Its name, as the menu gives it back.
    pub name: String,
    /// Its kind.
    pub kind: ItemKind,
    /// Its state.
    pub state: ItemState,
    /// The name of who is to do it.
    pub owner: Option<String>,
    /// The day it is due.
    pub due: Option<String>,
    /// The name of its channel, without `#`.
    pub channel: String,
    /// Its message, with its title as the text.
    pub said: Source,
}

/// A choice in the menu of an item.
///
/// Exhaustive on purpose: a bot must do each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemChoice {
    /// It is done, or answered.
    Done,
    /// It is open again.
    Open,
    /// It was taken back, or is not true.
    Dropped,
    /// Somebody else is to do it, or on another day: [`item_modal`] asks.
    Details,
    /// Takes back the last change by a person.
    Undo,
}

const CHOICES: [(ItemChoice, &str); 5] = [
    (ItemChoice::Done, "done"),
    (ItemChoice::Open, "open"),
    (ItemChoice::Dropped, "dropped"),
    (ItemChoice::Details, "details"),
    (ItemChoice::Undo, "undo"),
];

/// Reads the value of a menu's option: the choice, and the name of the item.
pub(crate) fn chosen(value: &str) -> Option<(ItemChoice, &str)> {
    let (word, name) = value.split_once(' ')?;
    let (choice, _) = CHOICES.iter().find(|(_, own)| *own == word)?;
    Some((*choice, name))
}

/// The answer to a request for items.
#[must_use]
pub fn items_message(items: &[ItemLine], language: Language) -> Value {
    let title = match language {
        Language::Japanese => "決定・作業・質問",
        Language::English => "Decisions, tasks and questions",
    };
    if items.is_empty() {
        let nothing = match language {
            Language::Japanese => "いま当てはまるものはありません。",
            Language::English => "There is nothing of the kind now.",
        };
        return ephemeral(title, vec![section(nothing)]);
    }
    let mut blocks = item_blocks(items.get(..MOST_ITEMS).unwrap_or(items), language);
    if let Some(left_out @ 1..) = items.len().checked_sub(MOST_ITEMS) {
        let more = match language {
            Language::Japanese => format!("ほかに {left_out} 件: `myao items`"),
            Language::English => format!("{left_out} more: `myao items`"),
        };
        blocks.push(context(&more));
    }
    ephemeral(title, blocks)
}

/// Items below the headings of their kinds, in the order given.
pub(super) fn item_blocks(items: &[ItemLine], language: Language) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut kind = None;
    for item in items {
        if kind != Some(item.kind) {
            blocks.push(section(&format!("*{}*", kind_title(item.kind, language))));
            kind = Some(item.kind);
        }
        let text = mrkdwn(&item_text(item, language));
        let menu = menu(item, language);
        blocks.push(json!({ "type": "section", "text": text, "accessory": menu }));
    }
    blocks
}

/// The answer if nobody changed an item in Slack, on the page or in the terminal.
#[must_use]
pub fn nothing_to_undo(language: Language) -> &'static str {
    match language {
        Language::Japanese => "人による変更はありません。✅ はメッセージから外すと取り消せます。",
        Language::English => "Nobody changed it. A ✅ is taken back on the message itself.",
    }
}

/// The window that sets who is to do an item, and by when (<https://docs.slack.dev/reference/views/modal-views>). `kept` comes back
/// with what is chosen. A list of at most one person can be emptied, unlike a list to choose one from.
#[must_use]
pub fn item_modal(
    text: &str,
    (owner_id, due): (Option<&str>, Option<&str>),
    kept: &str,
    language: Language,
) -> Value {
    let [title, owner_label, due_label, save] = match language {
        Language::Japanese => ["担当と期日", "担当", "期日", "保存"],
        Language::English => ["Owner and day", "Owner", "Due", "Save"],
    };
    let plain = |text: &str| json!({ "type": "plain_text", "text": text });
    let input = |id: &str, label: &str, element: Value| {
        let label = plain(label);
        json!({ "type": "input", "block_id": id, "optional": true, "label": label, "element": element })
    };
    let element = |kind: &str, id: &str, initial: Option<(&str, Value)>| {
        let fields = [("type", kind.into()), ("action_id", id.into())];
        let fields = fields.into_iter().chain(initial);
        Value::Object(
            fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    };
    let owner = owner_id.filter(|id| !id.is_empty());
    let owner = owner.map(|id| ("initial_users", json!([id])));
    let mut people = element("multi_users_select", OWNER, owner);
    if let Value::Object(people) = &mut people {
        people.insert("max_selected_items".to_owned(), 1.into());
    }
    let day = element(
        "datepicker",
        DUE,
        due.map(|due| ("initial_date", due.into())),
    );
    json!({
        "type": "modal", "callback_id": ITEM, "private_metadata": kept,
        "title": plain(title), "submit": plain(save), "close": plain(language.words().close),
        "blocks": [section(&beginning(text, LINE_CHARS)), input(OWNER, owner_label, people), input(DUE, due_label, day)],
    })
}

/// The state, the owner and the day that an item has after somebody changed it.
#[must_use]
pub fn item_changed(item: &ItemLine, language: Language) -> String {
    let state = state_word(item.state, language).to_owned();
    let parts: Vec<String> = std::iter::once(state)
        .chain(who_and_when(item, language))
        .collect();
    let (now, text) = (parts.join(" · "), beginning(&item.said.text, LINE_CHARS));
    match language {
        Language::Japanese => format!("{now}: {text}（項目のメニューから元に戻せます）"),
        Language::English => format!("{now}: {text} (the item's menu undoes it)"),
    }
}

fn who_and_when(item: &ItemLine, language: Language) -> impl Iterator<Item = String> {
    let owner = item.owner.as_deref().map(first_words);
    let due = item.due.as_ref().map(|due| match language {
        Language::Japanese => format!("{due} まで"),
        Language::English => format!("due {due}"),
    });
    owner.into_iter().chain(due)
}

fn item_text(item: &ItemLine, language: Language) -> String {
    let state =
        (item.state != ItemState::Open).then(|| state_word(item.state, language).to_owned());
    let said = format!("#{} {}", first_words(&item.channel), link_to(&item.said));
    let state = state.into_iter();
    let parts = state.chain(who_and_when(item, language)).chain([said]);
    let parts: Vec<String> = parts.collect();
    format!(
        "• {}\n{}",
        beginning(&item.said.text, LINE_CHARS),
        parts.join(" · ")
    )
}

/// A menu of what can be done with an item
/// (<https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element>).
fn menu(item: &ItemLine, language: Language) -> Value {
    let offered = CHOICES.iter().filter(|(choice, _)| match choice {
        ItemChoice::Done => item.state != ItemState::Done,
        ItemChoice::Open => item.state != ItemState::Open,
        ItemChoice::Dropped => item.state != ItemState::Dropped,
        ItemChoice::Details | ItemChoice::Undo => true,
    });
    let options = offered.map(|(choice, word)| {
        let text = match (choice, language) {
            (ItemChoice::Done, Language::Japanese) => "終わった",
            (ItemChoice::Done, Language::English) => "Done",
            (ItemChoice::Open, Language::Japanese) => "まだ終わっていない",
            (ItemChoice::Open, Language::English) => "Still open",
            (ItemChoice::Dropped, Language::Japanese) => "取り消し・事実でない",
            (ItemChoice::Dropped, Language::English) => "Not true, or taken back",
            (ItemChoice::Details, Language::Japanese) => "担当と期日を決める",
            (ItemChoice::Details, Language::English) => "Set owner and day",
            (ItemChoice::Undo, Language::Japanese) => "人による最後の変更を戻す",
            (ItemChoice::Undo, Language::English) => "Undo the last change by a person",
        };
        json!({ "text": { "type": "plain_text", "text": text }, "value": format!("{word} {}", item.name) })
    });
    json!({ "type": "overflow", "action_id": ITEM, "options": options.collect::<Value>() })
}

fn kind_title(kind: ItemKind, language: Language) -> &'static str {
    match (kind, language) {
        (ItemKind::Decision, Language::Japanese) => "決まったこと",
        (ItemKind::Decision, Language::English) => "Decisions",
        (ItemKind::Task, Language::Japanese) => "作業",
        (ItemKind::Task, Language::English) => "Tasks",
        (ItemKind::Question, Language::Japanese) => "質問",
        (ItemKind::Question, Language::English) => "Questions",
        (ItemKind::Fact, Language::Japanese) => "事実",
        (ItemKind::Fact, Language::English) => "Facts",
    }
}

fn state_word(state: ItemState, language: Language) -> &'static str {
    match (state, language) {
        (ItemState::Open, Language::Japanese) => "未完了",
        (ItemState::Open, Language::English) => "Open",
        (ItemState::Done, Language::Japanese) => "完了",
        (ItemState::Done, Language::English) => "Done",
        (ItemState::Dropped, Language::Japanese) => "取り消し",
        (ItemState::Dropped, Language::English) => "Dropped",
        (ItemState::Superseded, Language::Japanese) => "置き換え済み",
        (ItemState::Superseded, Language::English) => "Replaced",
        (ItemState::Unknown, Language::Japanese) => "状態不明",
        (ItemState::Unknown, Language::English) => "State not known",
    }
}
