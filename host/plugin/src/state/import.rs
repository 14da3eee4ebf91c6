//! Writes what importers read.

use crate::storage::StorageError;
use crate::storage::records::{ImportSink, ImportTally};

/// An import in progress, as one transaction. Dropping it leaves the store as it was.
pub trait Import: ImportSink + Send {
    /// Commits the import: everything is stored. This blocks. If it fails, the store is as it was.
    ///
    /// # Errors
    /// [`StorageError`].
    fn commit(self: Box<Self>) -> Result<ImportTally, StorageError>;
}

/// A store that importers can write into.
#[async_trait::async_trait]
pub trait ImportTarget: Send + Sync {
    /// Begins an import, at `now` in Unix seconds. Other writers wait until it ends. An importer writes from a thread that
    /// may block.
    async fn begin_import(&self, now: i64) -> Result<Box<dyn Import>, StorageError>;
}
