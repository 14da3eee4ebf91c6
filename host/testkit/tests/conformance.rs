//! Runs the suite for workspaces on the in-memory workspace.

#![allow(clippy::unwrap_used, missing_docs)]

use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::state::WorkspaceFixture;

struct InMemory(MemoryStorage);

impl WorkspaceFixture for InMemory {
    fn workspace(&self) -> &(dyn Workspace + 'static) {
        &self.0
    }

    fn import_target(&self) -> &dyn ImportTarget {
        &self.0
    }
}

myao_testkit::workspace_conformance!(InMemory(MemoryStorage::new()));
