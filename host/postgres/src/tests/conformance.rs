//! The suite for every workspace.

use myao_plugin::state::Workspace;
use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::StorageError;
use myao_sql::SqlWorkspace;
use myao_testkit::conformance::state::WorkspaceFixture;

use super::TestDatabase;
use crate::PostgresStore;

/// A workspace in a database of its own.
struct Stored {
    workspace: SqlWorkspace,
    store: PostgresStore,
    // The last one to go.
    _database: TestDatabase,
}

fn stored() -> Stored {
    let database = TestDatabase::migrated();
    let store = database.store();
    let workspace = store
        .workspace("W1", chrono_tz::Asia::Tokyo, "default")
        .unwrap();
    Stored {
        workspace,
        store,
        _database: database,
    }
}

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
