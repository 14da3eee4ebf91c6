//! The columns of items and their changes.
//!
//! The value of a change is the name of a state; an owner as `@ID`, or the name of somebody who is only named; a day as
//! `2026-08-07`; or empty for nobody and no day.

use crate::session::{Result, Row};
use myao_plugin::state::items::{Change, ChangedBy, ItemChanged};
use myao_plugin::ts::TsKey;
use myao_plugin::{ItemEvent, ItemKind, User, names};

const KINDS: [ItemKind; 4] = [
    ItemKind::Decision,
    ItemKind::Task,
    ItemKind::Question,
    ItemKind::Fact,
];

pub(super) fn kind_code(kind: ItemKind) -> i64 {
    let code = (0..).zip(KINDS).find(|(_, own)| *own == kind);
    code.map_or(0, |(code, _)| code)
}

/// A kind from its column value; the schema allows no other codes.
pub(super) fn kind(code: i64) -> ItemKind {
    let at = usize::try_from(code).unwrap_or_default();
    KINDS.get(at).copied().unwrap_or(ItemKind::Decision)
}

/// The field and the value of what a message says; `None` if it makes the item.
pub(super) fn columns(event: &ItemEvent) -> Option<(i64, String)> {
    match event {
        ItemEvent::Noted => None,
        ItemEvent::State(state) => Some((0, names::item_state(*state).to_owned())),
        ItemEvent::Owner(owner) => Some((1, owner_value(Some(owner)))),
        ItemEvent::Due(due) => Some((2, due.clone())),
    }
}

/// The field and the value of what a person sets.
pub(super) fn columns_of(change: &Change) -> (i64, String) {
    match change {
        Change::State(state) => (0, names::item_state(*state).to_owned()),
        Change::Owner(owner) => (1, owner_value(owner.as_ref())),
        Change::Due(due) => (2, due.clone().unwrap_or_default()),
    }
}

fn owner_value(owner: Option<&User>) -> String {
    match owner {
        Some(User { id, .. }) if !id.is_empty() => format!("@{id}"),
        Some(User { name, .. }) => name.clone(),
        None => String::new(),
    }
}

/// A change from the columns field, user, user's name, time, value and owner's name.
pub(super) fn changed(row: &Row<'_>, from: usize) -> Result<Option<ItemChanged>> {
    let (field, user_id, name): (i64, String, Option<String>) =
        (row.get(from)?, row.get(from + 1)?, row.get(from + 2)?);
    let (at, value, owner): (i64, String, Option<String>) =
        (row.get(from + 3)?, row.get(from + 4)?, row.get(from + 5)?);
    let at = TsKey::from_database(at);
    let person = |id: &str, name: Option<String>| User {
        id: id.to_owned(),
        name: name.unwrap_or_else(|| id.to_owned()),
        is_bot: false,
    };
    let by = match user_id.as_str() {
        "" => ChangedBy::Message(at),
        id => ChangedBy::Person(person(id, name)),
    };
    let change = match field {
        0 => match names::item_state_of(&value) {
            Some(state) => Change::State(state),
            None => return Ok(None),
        },
        1 => Change::Owner(match value.strip_prefix('@') {
            Some(id) => Some(person(id, owner)),
            None if value.is_empty() => None,
            None => Some(User {
                id: String::new(),
                name: value,
                is_bot: false,
            }),
        }),
        _ => Change::Due(Some(value).filter(|day| !day.is_empty())),
    };
    Ok(Some(ItemChanged { at, by, change }))
}
