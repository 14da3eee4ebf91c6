//! The suite for every workspace.

use myao_plugin::state::Workspace;
use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::StorageError;
use myao_testkit::conformance::state::WorkspaceFixture;

use super::{Stored, stored};

impl WorkspaceFixture for Stored {
    fn workspace(&self) -> &(dyn Workspace + 'static) {
        &self.workspace
    }

    fn import_target(&self) -> &dyn ImportTarget {
        self
    }
}

#[async_trait::async_trait]
impl ImportTarget for Stored {
    async fn begin_import(&self, now: i64) -> Result<Box<dyn Import>, StorageError> {
        Ok(Box::new(self.store.import("W1", now)?))
    }
}

myao_testkit::workspace_conformance!(stored());
