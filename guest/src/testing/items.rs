//! Items of the ledger.

use super::{at, message, ts};
use crate::bindings::types::{Item, ItemKind, ItemState, KeptSpan, KeptText, MessageRef};

/// An open item of the channel `C1` that alice said.
pub(crate) fn item(kind: ItemKind, seconds: i64, text: &str) -> Item {
    let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    Item {
        kind,
        title: KeptText {
            span: KeptSpan {
                message: said(seconds),
                start: 0,
                length,
            },
            user: message(seconds, "").user,
            timestamp: at(seconds),
            text: text.to_owned(),
        },
        state: ItemState::Open,
        owner: None,
        due: None,
        state_since: ts(seconds),
        state_source: None,
    }
}

/// The same item in a state that a message of its channel gave it.
pub(crate) fn ended(item: Item, state: ItemState, seconds: i64) -> Item {
    Item {
        state,
        state_since: ts(seconds),
        state_source: Some(said(seconds)),
        ..item
    }
}

fn said(seconds: i64) -> MessageRef {
    MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(seconds),
    }
}
