//! Writing what importers bring.

use crate::storage::StorageError;
use crate::storage::records::{ImportSink, ImportTally};

/// An import under way: one transaction. Dropping it leaves the store as it was.
pub trait Import: ImportSink + Send {
    /// Ends the import: all of it is stored now. It blocks; the store is as it was if it fails.
    ///
    /// # Errors
    /// [`StorageError`].
    fn commit(self: Box<Self>) -> Result<ImportTally, StorageError>;
}

/// A store that importers can write into.
#[async_trait::async_trait]
pub trait ImportTarget: Send + Sync {
    /// Begins an import, which other writers wait for. An importer writes from a thread that may block.
    async fn begin_import(&self) -> Result<Box<dyn Import>, StorageError>;
}
