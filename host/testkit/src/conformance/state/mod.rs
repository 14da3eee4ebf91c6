//! Tests that every [`Workspace`] passes. The names of the checks say what they check.
//!
//! `myao_testkit::workspace_conformance!(fixture)`, in a module of tests, makes one `#[tokio::test]` of each check. It
//! also makes the tests of [`storage_conformance!`](crate::storage_conformance) twice: with records that are imported, and
//! with records that arrive as events; nothing of the contract may be missing. `fixture` is an expression that creates an empty workspace as
//! a [`WorkspaceFixture`]. No check sleeps: all times are made up.
#![allow(missing_docs)]

pub mod agent_tokens;
pub mod audience;
pub mod audit;
pub mod backfill;
pub mod catch_up;
pub mod changed_threads;
pub mod done;
pub mod effects;
pub mod erasure;
pub mod feedback;
pub mod forgetting;
pub mod import;
pub mod inbox;
pub mod items;
pub mod journal;
pub mod judgments;
pub mod line_sources;
pub mod lost_lines;
pub mod marks;
pub mod mentions;
pub mod off_record;
pub mod places;
pub mod presence;
pub mod recall;
pub mod recordings;
pub mod replies;
pub mod reply_answers;
pub mod retracted;
pub mod samples;
pub mod search;
pub mod sync;
pub mod times;
pub mod view;
pub mod withdrawn;

mod fixtures;
mod macros;
mod visible;

use std::ops::Deref;
use std::sync::Arc;

pub use fixtures::{ByEvents, ByImport, New, WorkspaceFixture, effects_of};
use myao_plugin::Place;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::Import;
use myao_plugin::state::view::View;
use myao_plugin::storage::Storage;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::ImportTally;
use samples::{
    deferral, deleted, draft, edited, mention, message, named, present, public, record, said, user,
};
use visible::visible;

use super::{Records, key, read};

/// When imports begin, in Unix seconds: before any run.
const IMPORTED_AT: i64 = 1;

/// A workspace that is empty or was filled by a check.
struct Stored {
    fixture: Box<dyn WorkspaceFixture>,
    /// The store, as it is seen by the operator.
    storage: Arc<dyn Storage>,
}

impl Deref for Stored {
    type Target = dyn Workspace;

    fn deref(&self) -> &Self::Target {
        self.fixture.workspace()
    }
}

impl Stored {
    /// The store, as it is seen by the operator.
    fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    fn of(new: New<'_>) -> Self {
        let fixture = new();
        let storage = fixture.workspace().at(Place::Operator);
        Self { fixture, storage }
    }

    /// Applies effects at a given time.
    async fn apply_at(&self, now: i64, effects: &[Effect]) {
        self.apply_effects(effects.to_vec(), now).await.unwrap();
    }

    /// Applies effects at a time long before any run.
    async fn apply(&self, effects: &[Effect]) {
        self.apply_at(1, effects).await;
    }

    async fn begin_import(&self) -> Box<dyn Import> {
        self.fixture
            .import_target()
            .begin_import(IMPORTED_AT)
            .await
            .unwrap()
    }

    async fn import(&self, records: Records) -> ImportTally {
        let mut import = self.begin_import().await;
        records.write(&mut *import).unwrap();
        import.commit().unwrap()
    }

    /// The id and text of the messages of C1, oldest first.
    async fn texts(&self) -> Vec<(String, String)> {
        let messages = self.storage().list_messages(read("99999.0")).await.unwrap();
        let messages = messages.into_iter();
        messages.map(|message| (message.ts, message.text)).collect()
    }

    fn all(&self) -> Arc<dyn View> {
        self.view(Place::Operator)
    }
}
