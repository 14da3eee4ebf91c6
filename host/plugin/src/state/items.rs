//! The ledger: items of channels, and what people set of them.

use crate::storage::StorageError;
use crate::ts::TsKey;
use crate::{Item, ItemKind, ItemState, User};

/// Identifies an item: where its title begins in a message, and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemId {
    /// The channel of the message.
    pub channel_id: String,
    /// The message.
    pub ts: TsKey,
    /// The kind.
    pub kind: ItemKind,
    /// The first character of the title, in Unicode scalar values.
    pub start: u32,
}

/// Which items to list.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Only those of this channel.
    pub channel_id: Option<String>,
    /// As of this time: what was said or set later is not known.
    pub until: Option<TsKey>,
}

/// A part of an item that changes.
///
/// Exhaustive on purpose: a store keeps each.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Its state.
    State(ItemState),
    /// Who is to do it; `None` for nobody.
    Owner(Option<User>),
    /// The day it is due, as `2026-08-07`; `None` for no day.
    Due(Option<String>),
}

/// The source of a change.
///
/// Exhaustive on purpose: whoever shows a change names its source.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangedBy {
    /// A message of the item's channel. Of one that was deleted or edited only a state is left, and it is not known.
    Message(TsKey),
    /// A person, by the page, the terminal or a button.
    Person(User),
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemChanged {
    /// When.
    pub at: TsKey,
    /// Its source.
    pub by: ChangedBy,
    /// The part that changes.
    pub change: Change,
}

/// An item, with data that the component does not see.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredItem {
    /// Its id.
    pub id: ItemId,
    /// The item.
    pub item: Item,
    /// The name of its channel without `#`.
    pub channel_name: String,
    /// Its changes, oldest first. What a person set counts more than what messages say.
    pub changes: Vec<ItemChanged>,
}

/// Changes of items by people.
#[async_trait::async_trait]
pub trait Ledger: Send + Sync {
    /// Sets a part of an item, for a person, at a time. No message changes that part any more.
    ///
    /// # Errors
    /// `StorageError::NotFound` if the item is not stored.
    async fn set_item(
        &self,
        id: ItemId,
        change: Change,
        by: String,
        at: TsKey,
    ) -> Result<(), StorageError>;

    /// Takes back the newest change by a person. Returns `false` if there is none.
    ///
    /// # Errors
    /// `StorageError::NotFound` if the item is not stored.
    async fn undo_item(&self, id: ItemId) -> Result<bool, StorageError>;
}
