//! The workspace, as the component sees it from a place, and the total of everything that is stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_plugin::state::Workspace;
use myao_plugin::state::view::View;
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryId, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};
use myao_plugin::{Place, Places, Scope};

use super::sight::Sight;
use super::view::SeenWorkspace;
use super::workspace::SqliteWorkspace;
use super::{backlog, deferrals, memories, messages, save};

/// A workspace that was opened for a place.
struct Opened(SqliteWorkspace);

impl Opened {
    fn place(&self) -> &Place {
        &self.0.place.seen_from
    }

    /// Refuses a channel whose messages may not be read here.
    fn hear(&self, channel_id: &str) -> Result<(), StorageError> {
        self.allow(self.place().hears(channel_id), channel_id)
    }

    /// Refuses memories that are not made here.
    fn own(&self, scope: Scope, scope_id: &str) -> Result<(), StorageError> {
        self.allow(self.place().owns(scope, scope_id), scope_id)
    }

    /// Refuses what is due, unless this place decides about it.
    fn schedule(&self) -> Result<(), StorageError> {
        let may = matches!(self.place(), Place::Schedule | Place::Operator);
        self.allow(may, "what is due")
    }

    fn allow(&self, may: bool, what: &str) -> Result<(), StorageError> {
        if may {
            return Ok(());
        }
        Err(StorageError::NotFound(format!(
            "`{what}` is not seen from {}",
            self.place()
        )))
    }
}

#[async_trait::async_trait]
impl Storage for Opened {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.0.reading(messages::channels).await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.hear(&query.channel_id)?;
        self.0
            .reading(move |connection, place| messages::messages(connection, place, &query))
            .await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        for thread in &query.threads {
            self.own(Scope::Thread, thread)?;
        }
        self.0
            .reading(move |connection, place| memories::memories(connection, place, &query))
            .await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        self.schedule()?;
        self.0
            .reading(move |connection, place| backlog::due(connection, place, &query))
            .await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.hear(&channel_id)?;
        self.0
            .reading(move |connection, place| {
                backlog::backlog(connection, place, &channel_id, thread_ts.as_deref(), &until)
            })
            .await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        self.own(draft.scope, &draft.scope_id)?;
        self.0
            .writing(move |connection, place| save::save(connection, place, &draft, &handed))
            .await
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        self.0
            .reading(move |connection, place| {
                let sight = Sight::of(connection, place)?;
                Ok(sight.covers(connection, place, &memories)?)
            })
            .await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        self.own(scope, &scope_id)?;
        self.0
            .reading(move |connection, place| deferrals::of(connection, place, scope, &scope_id))
            .await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.own(scope, &scope_id)?;
        self.0
            .writing(move |connection, place| {
                deferrals::set(connection, place, scope, &scope_id, &deferral)
            })
            .await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        self.schedule()?;
        self.0
            .writing(move |connection, place| {
                backlog::expect_first_version(connection, place, channel_ids, &since)
            })
            .await
    }
}

impl Places for SqliteWorkspace {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Opened(self.seen_from(place)))
    }
}

impl Workspace for SqliteWorkspace {
    fn view(&self, place: Place) -> Arc<dyn View> {
        Arc::new(SeenWorkspace(self.seen_from(place)))
    }
}
