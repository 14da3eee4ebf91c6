//! One workspace of the store: how its rows are read and written.

use std::sync::Arc;

use myao_plugin::storage::StorageError;
use myao_plugin::{LocalTime, OtherReason, Place as SeenFrom};
use rusqlite::Connection;

use super::error::{Fault, StoreError};
use super::place::Place;
use super::pool::Pool;

/// One workspace of a [`super::SqliteStore`]. Cheap to clone.
///
/// The methods of its traits run on tokio's blocking threads.
#[derive(Clone)]
pub struct SqliteWorkspace {
    pool: Arc<Pool>,
    pub(super) place: Place,
}

impl SqliteWorkspace {
    pub(super) fn new(
        pool: Arc<Pool>,
        workspace: i64,
        local_time: LocalTime,
        scope_id: &str,
    ) -> Self {
        Self {
            pool,
            place: Place {
                workspace,
                local_time,
                scope_id: scope_id.into(),
                seen_from: SeenFrom::Operator,
            },
        }
    }

    /// The same workspace, seen from another place.
    pub(super) fn seen_from(&self, place: SeenFrom) -> Self {
        let mut this = self.clone();
        this.place.seen_from = place;
        this
    }

    /// Reads one state of the database.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.pool.read(|connection| work(connection, &self.place))
    }

    /// Writes everything that `work` writes, or nothing.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.pool.write(|connection| work(connection, &self.place))
    }

    /// Writes what `work` writes, and undoes it.
    pub(super) fn try_out<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.pool
            .try_out(|connection| work(connection, &self.place))
    }

    /// Moves all pages of the log into the file, and empties the log. Returns why it could not.
    pub(super) fn empty_log(&self) -> Result<Option<String>, StoreError> {
        self.pool.empty_log()
    }

    /// [`Self::read`] on a thread that may block.
    pub(super) async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.blocking(|this| this.read(work)).await
    }

    /// [`Self::write`] on a thread that may block.
    pub(super) async fn writing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.blocking(|this| this.write(work)).await
    }

    /// Runs `work` on a thread that may block.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&this)).await;
        done.map_err(|error| {
            let text = format!("the store's thread ended: {error}");
            StorageError::Other(OtherReason::new("thread-ended", text))
        })?
        .map_err(StorageError::from)
    }
}
