//! One workspace of the store: how its rows are read and written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::upkeep::DatabaseUse;
use myao_plugin::storage::StorageError;
use myao_plugin::{LocalTime, OtherReason, Place as SeenFrom};

use crate::backend::Backend;
use crate::discarding::Discarding;
use crate::fault::Fault;
use crate::place::Place;
use crate::search::code_cache::CodeCache;
use crate::session::Connection;
use crate::transaction::{reading, trying, writing};

/// One workspace of a store. Cheap to clone.
///
/// The methods of its traits run on tokio's blocking threads.
#[derive(Clone)]
pub struct SqlWorkspace {
    backend: Arc<dyn Backend>,
    discarding: Arc<Discarding>,
    pub(crate) codes: Arc<CodeCache>,
    /// How many calls failed for a reason of the database.
    errors: Arc<AtomicU64>,
    pub(crate) place: Place,
}

impl SqlWorkspace {
    /// A workspace by its key, for the operator. `local_time`, a time zone, determines the UTC offset of the times that it
    /// returns, `scope_id` is the scope id of its own memories.
    pub fn new(
        backend: Arc<dyn Backend>,
        workspace: i64,
        local_time: LocalTime,
        scope_id: &str,
    ) -> Self {
        Self {
            backend,
            discarding: Arc::default(),
            codes: Arc::default(),
            errors: Arc::default(),
            place: Place {
                workspace,
                local_time,
                scope_id: scope_id.into(),
                redacts: true,
                bot: "myao".into(),
                by: Actor::operator(Door::Cli),
                seen_from: SeenFrom::Operator,
            },
        }
    }

    /// The same workspace, in which credentials in messages are stored as placeholders (the default), or as they are.
    #[must_use]
    pub fn redacting(mut self, redacts: bool) -> Self {
        self.place.redacts = redacts;
        self
    }

    /// The same workspace, whose bot has this name (`myao` by default): corrections begin with a mention of it.
    #[must_use]
    pub fn called(mut self, bot: &str) -> Self {
        self.place.bot = bot.into();
        self
    }

    /// The same workspace, through another backend of its database.
    #[must_use]
    pub fn through(&self, backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            ..self.clone()
        }
    }

    /// The same workspace, seen from another place.
    pub(crate) fn seen_from(&self, place: SeenFrom) -> Self {
        let mut this = self.clone();
        this.place.seen_from = place;
        this
    }

    /// The same workspace, where somebody else acts.
    pub(crate) fn acting(&self, by: Actor) -> Self {
        let mut this = self.clone();
        this.place.by = by;
        this
    }

    /// Reads one state of the database. Blocks.
    ///
    /// # Errors
    /// That of `work`, or of the database.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StorageError> {
        reading(&*self.backend, |connection| work(connection, &self.place))
    }

    /// Writes everything that `work` writes, or nothing. Blocks.
    ///
    /// # Errors
    /// That of `work`, or of the database.
    pub fn write<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StorageError> {
        writing(&*self.backend, self.place.workspace, |connection| {
            self.discarding.see(connection.dialect());
            work(connection, &self.place)
        })
    }

    /// Writes what `work` writes, and undoes it. Blocks.
    ///
    /// # Errors
    /// That of `work`, or of the database.
    pub fn try_out<T>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault>,
    ) -> Result<T, StorageError> {
        trying(&*self.backend, self.place.workspace, |connection| {
            work(connection, &self.place)
        })
    }

    /// Removes what the engine still keeps of erased rows. Returns why it could not, or what is left.
    pub(crate) fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        self.backend.discard_erased()
    }

    /// Tries whether there is room for an event.
    pub(crate) fn try_room(&self) -> Result<(), StorageError> {
        self.backend.try_room(self.place.workspace)
    }

    /// Something was erased: what the engine keeps of it is discarded soon, in the background.
    pub(crate) fn discard_soon(&self) {
        let Some(wait) = self.discarding.plan() else {
            return;
        };
        let this = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            this.discarding.begin();
            match this.blocking(Self::discard_erased).await {
                Ok(kept) => tracing::debug!(kept, "what was erased is vacuumed"),
                Err(error) => tracing::warn!("what was erased is not vacuumed yet: {error}"),
            }
        });
    }

    /// [`Self::read`] on a thread that may block.
    pub(crate) async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.blocking(|this| this.read(work)).await
    }

    /// [`Self::write`] on a thread that may block.
    pub(crate) async fn writing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Place) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.blocking(|this| this.write(work)).await
    }

    /// Runs `work` on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let this = self.clone();
        let done = on_blocking_thread(move || work(&this)).await;
        if let Err(StorageError::Unavailable(_) | StorageError::Other(_)) = &done {
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        done
    }

    pub(crate) fn use_of_database(&self) -> DatabaseUse {
        let (used, most) = self.backend.connections();
        DatabaseUse {
            errors: self.errors.load(Ordering::Relaxed),
            used,
            most,
        }
    }
}

/// Runs `work` on a thread that may block.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| {
        let text = format!("the store's thread ended: {error}");
        StorageError::Other(OtherReason::new("thread-ended", text))
    })?
}
