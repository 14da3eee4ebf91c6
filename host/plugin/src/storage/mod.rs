//! The store of messages, channels and memories.
//!
//! [`Storage`] is the part that the component sees: one workspace, seen from one [`Place`], few large
//! calls. The crate `myao-sqlite` has the
//! store of the `myao` program. A platform that stores its own messages implements the trait.

pub mod effects;
pub mod empty;
pub mod marks;
pub mod recall;
pub mod records;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use crate::bindings::storage::{
    Backlog, ChannelFilter, Deferral, Due, DueQuery, ItemQuery, Keep, Marked, Memory, MemoryDraft,
    MemoryId, MemoryQuery, MessageQuery, SaveMode, StorageError, Strike,
};
pub use crate::bindings::types::{Channel, Coverage, LeftOut, Message};
use crate::bindings::types::{Item, KeptSpan, KeptText, Scope};
use crate::embedder::Meaning;
use crate::place::Place;
use recall::{Candidates, RecallQuery};

/// The version of a stand-in: a memory made in place of one that the model could not make.
pub const STAND_IN_VERSION: u32 = 0;

/// One workspace of a store, as the component sees it from one [`Place`]. [`Places`] opens
/// it. Only what may be seen in that place is returned. `wit/storage.wit` documents each call. An implementation must
/// follow it exactly (the conformance suite of `myao-testkit` checks an implementation).
///
/// The store of the program is one implementation. Before you write another, read the in-memory store of the crate
/// `myao-testkit`.
#[async_trait::async_trait]
pub trait Storage: Send + Sync {
    /// All channels, ordered by name and then by id.
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError>;

    /// Messages of one channel, oldest first, with the first message of every thread that appears.
    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError>;

    /// The newest messages of a channel that people may have marked, oldest first: `myao_terms::addressed::may_mark` says which texts. A store
    /// without marks, like this default, has none: nothing is pinned, and no correction has effect.
    async fn list_marked(
        &self,
        _channel_id: String,
        _until: String,
        _limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        Ok(Vec::new())
    }

    /// What the authors of corrections picked to be struck. A store that does not keep it, like this default, has nothing.
    async fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        Ok(Vec::new())
    }

    /// Memories, ordered by scope, scope id, type and version, including the stand-ins.
    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError>;

    /// Messages, memories and records with these terms, and messages of a similar meaning (`wit/recall.wit`); `meaning` is that
    /// of the query's text, where the host has an embedder. A store that cannot search finds nothing, like this default.
    async fn find_candidates(
        &self,
        _query: RecallQuery,
        _meaning: Option<Meaning>,
    ) -> Result<Candidates, StorageError> {
        Ok(recall::nothing())
    }

    /// The terms of a text, as this store looks for them (`wit/recall.wit`; the crate `myao-terms`).
    fn terms(&self, _text: &str) -> Vec<String> {
        Vec::new()
    }

    /// The words of parts of messages, in the order given, without those that are gone or may not be seen here. A part
    /// ends with its message.
    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError>;

    /// The items that a query selects. A store that keeps no items, like this default, returns `None`.
    async fn list_items(&self, _query: ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        Ok(None)
    }

    /// Channels and threads that may be due.
    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError>;

    /// The messages of one channel or thread that wait for a memory.
    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError>;

    /// Saves one memory, completely or not at all, and ends its deferral. `handed` are the memories that the call was
    /// given, whether or not it used them: the memory may be shown only where they may be shown.
    ///
    /// # Errors
    /// `StorageError::Conflict` also if one of them may not be shown here any more.
    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError>;

    /// Returns true if all these memories may still be shown here: a channel can become private while an answer is
    /// written.
    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError>;

    /// Notes that the call was given these messages by the chat platform, so that [`Self::save_memory`] and
    /// [`Self::may_show`] refuse what was made from one that is edited or deleted later. A store that does not notice
    /// changes, like this default, does nothing.
    async fn hand_out(&self, _channel_id: String, _ids: Vec<String>) -> Result<(), StorageError> {
        Ok(())
    }

    /// The deferred memories of one workspace, channel or thread, by memory type.
    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError>;

    /// Defers a memory, and replaces an earlier deferral of it.
    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError>;

    /// Makes the first version of these channels include everything from `since` on, however old it is by then: a run
    /// found them due with a message window that begins there. If this is called with several times, the earliest one
    /// counts. A channel that has a version is not changed.
    ///
    /// The host calls this, not the component. Until the channel's first version is saved, its backlogs show this: they
    /// have no `short-term-version`, and `summarized-through` is the last id before `since`. `list-due` returns the
    /// channel as long as it has a message after that. A store that does not keep this, like this default, loses the
    /// messages that have left its window if a model was unavailable on a channel's first day.
    async fn expect_first_version(
        &self,
        _channel_ids: Vec<String>,
        _since: String,
    ) -> Result<(), StorageError> {
        Ok(())
    }
}

/// The store of one workspace, which is opened for a place.
pub trait Places: Send + Sync {
    /// The store as it is seen from a place. Each call into the component gets its own.
    fn at(&self, place: Place) -> Arc<dyn Storage>;
}

/// A shared store is a store, too.
impl<T: Places + ?Sized> Places for Arc<T> {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        (**self).at(place)
    }
}

/// A view may be shared after it was opened.
#[async_trait::async_trait]
impl<T: Storage + ?Sized> Storage for Arc<T> {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        (**self).list_channels().await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        (**self).list_messages(query).await
    }

    async fn list_marked(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        (**self).list_marked(channel_id, until, limit).await
    }

    async fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        (**self).list_strikes().await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        (**self).list_memories(query).await
    }

    async fn find_candidates(
        &self,
        query: RecallQuery,
        meaning: Option<Meaning>,
    ) -> Result<Candidates, StorageError> {
        (**self).find_candidates(query, meaning).await
    }

    fn terms(&self, text: &str) -> Vec<String> {
        (**self).terms(text)
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        (**self).read_spans(spans).await
    }

    async fn list_items(&self, query: ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        (**self).list_items(query).await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        (**self).list_due(query).await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        (**self).get_backlog(channel_id, thread_ts, until).await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        (**self).save_memory(draft, handed).await
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        (**self).may_show(memories).await
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<(), StorageError> {
        (**self).hand_out(channel_id, ids).await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        (**self).list_deferrals(scope, scope_id).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        (**self).defer(scope, scope_id, deferral).await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        (**self).expect_first_version(channel_ids, since).await
    }
}
