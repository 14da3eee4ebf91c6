//! The workspace, as the component sees it, and the total of everything that is stored.

use std::sync::Arc;

use myao_plugin::Scope;
use myao_plugin::state::Workspace;
use myao_plugin::state::view::{Place as ViewPlace, View};
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};

use super::workspace::SqliteWorkspace;
use super::{backlog, deferrals, memories, messages, save};

#[async_trait::async_trait]
impl Storage for SqliteWorkspace {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.reading(messages::channels).await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.reading(move |connection, place| messages::messages(connection, place, &query))
            .await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.reading(move |connection, place| memories::memories(connection, place, &query))
            .await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        self.reading(move |connection, place| backlog::due(connection, place, &query))
            .await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.reading(move |connection, place| {
            backlog::backlog(connection, place, &channel_id, thread_ts.as_deref(), &until)
        })
        .await
    }

    async fn save_memory(&self, draft: MemoryDraft) -> Result<Memory, StorageError> {
        self.writing(move |connection, place| save::save(connection, place, &draft))
            .await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        self.reading(move |connection, place| deferrals::of(connection, place, scope, &scope_id))
            .await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            deferrals::set(connection, place, scope, &scope_id, &deferral)
        })
        .await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            backlog::expect_first_version(connection, place, channel_ids, &since)
        })
        .await
    }
}

impl Workspace for SqliteWorkspace {
    fn view(&self, place: ViewPlace) -> Arc<dyn View> {
        match place {
            ViewPlace::Operator => Arc::new(self.clone()),
        }
    }
}
