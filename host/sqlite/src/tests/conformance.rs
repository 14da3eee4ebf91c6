//! The suite for every workspace.

use myao_plugin::state::Workspace;
use myao_testkit::conformance::state::WorkspaceFixture;

use super::{Stored, stored};

impl WorkspaceFixture for Stored {
    fn workspace(&self) -> &(dyn Workspace + 'static) {
        &self.workspace
    }
}

myao_testkit::workspace_conformance!(stored());
