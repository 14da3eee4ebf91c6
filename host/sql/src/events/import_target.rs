//! A workspace that importers write into.

use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::StorageError;

use crate::events::import::SqlImport;
use crate::workspace::on_blocking_thread;

/// A workspace that importers write into. It is created only if an import succeeds.
pub struct SqlImportTarget<B>(B);

impl<B> SqlImportTarget<B>
where
    B: Fn(i64) -> Result<SqlImport, StorageError> + Clone + Send + Sync + 'static,
{
    /// `begin` begins an import, at a time in Unix seconds. It may block.
    pub fn new(begin: B) -> Self {
        Self(begin)
    }
}

#[async_trait::async_trait]
impl<B> ImportTarget for SqlImportTarget<B>
where
    B: Fn(i64) -> Result<SqlImport, StorageError> + Clone + Send + Sync + 'static,
{
    async fn begin_import(&self, now: i64) -> Result<Box<dyn Import>, StorageError> {
        let begin = self.0.clone();
        let import = on_blocking_thread(move || begin(now)).await?;
        Ok(Box::new(import))
    }
}
