//! The state of an item from its changes.

use myao_plugin::state::items::{Change, ChangedBy, ItemChanged};
use myao_plugin::{Item, ItemKind, ItemState, KeptText};

/// An item as of its last change. Of each part the newest change by a person counts, or else the newest by a message.
pub(super) fn item(kind: ItemKind, title: KeptText, changes: &[ItemChanged]) -> Item {
    let newest = |is_part: fn(&Change) -> bool| {
        let of_part = changes.iter().filter(|changed| is_part(&changed.change));
        let newest = of_part.max_by_key(|changed| {
            let is_by_person = matches!(changed.by, ChangedBy::Person(_));
            (is_by_person, changed.at)
        });
        newest.map(|changed| &changed.change)
    };
    Item {
        kind,
        title,
        state: match newest(|change| matches!(change, Change::State(_))) {
            Some(Change::State(state)) => *state,
            _ => ItemState::Open,
        },
        owner: match newest(|change| matches!(change, Change::Owner(_))) {
            Some(Change::Owner(owner)) => owner.clone(),
            _ => None,
        },
        due: match newest(|change| matches!(change, Change::Due(_))) {
            Some(Change::Due(due)) => due.clone(),
            _ => None,
        },
    }
}
