//! The state of an item from its changes.

use myao_plugin::state::items::{Change, ChangedBy, ItemChanged};
use myao_plugin::{Item, ItemKind, ItemState, KeptText, MessageRef};

/// An item as of its last change. Of each part the newest change by a person counts, or else the newest by a message.
pub(super) fn item(kind: ItemKind, title: KeptText, changes: &[ItemChanged]) -> Item {
    let is_by_person = |changed: &ItemChanged| matches!(changed.by, ChangedBy::Person(_));
    let of_part = |is_part: fn(&Change) -> bool| -> Vec<&ItemChanged> {
        let of_part = changes.iter().filter(|changed| is_part(&changed.change));
        let mut of_part: Vec<&ItemChanged> = of_part.collect();
        of_part.sort_by_key(|changed| (is_by_person(changed), changed.at));
        of_part
    };
    let states = of_part(|change| matches!(change, Change::State(_)));
    // Who says it again changes nothing.
    let says_so = |changed: &&&ItemChanged| {
        states.last().is_some_and(|last| {
            changed.change == last.change && is_by_person(changed) == is_by_person(last)
        })
    };
    let state = states.iter().rev().take_while(says_so).last();
    let newest = |is_part| of_part(is_part).pop().map(|changed| &changed.change);
    Item {
        state: match state.map(|changed| &changed.change) {
            Some(Change::State(state)) => *state,
            _ => ItemState::Open,
        },
        state_since: match state {
            Some(changed) => changed.at.to_string(),
            None => title.span.message.ts.clone(),
        },
        state_source: state.and_then(|changed| match (&changed.by, &changed.change) {
            (ChangedBy::Person(_), _) | (_, Change::State(ItemState::Unknown)) => None,
            (ChangedBy::Message(ts), _) => Some(MessageRef {
                channel_id: title.span.message.channel_id.clone(),
                ts: ts.to_string(),
            }),
        }),
        owner: match newest(|change| matches!(change, Change::Owner(_))) {
            Some(Change::Owner(owner)) => owner.clone(),
            _ => None,
        },
        due: match newest(|change| matches!(change, Change::Due(_))) {
            Some(Change::Due(due)) => due.clone(),
            _ => None,
        },
        kind,
        title,
    }
}
