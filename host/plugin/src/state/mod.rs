//! Everything that a host stores for one workspace, behind traits, so that a second store is a second crate.
//!
//! [`Storage`](crate::storage::Storage) is the part that the component sees; [`Places`] opens it for a place. The bot, the backfill, the importers and the commands also need the
//! traits of this module. Each call is one transaction. All of them are async and have the error type
//! [`StorageError`](crate::storage::StorageError). Besides the errors that a call documents, each returns `Unavailable`
//! if the store cannot be reached, and `Other` if it fails in another way.
//!
//! The crate `myao-sqlite` is such a store. `myao-testkit` has the conformance suite, which every store passes.

pub mod agent_tokens;
pub mod audit;
pub mod backfill;
pub mod catch_up;
pub mod forgetting;
pub mod import;
pub mod inbox;
pub mod items;
pub mod judgments;
pub mod leases;
pub mod off_record;
pub mod outbox;
pub mod parked;
pub mod replies;
pub mod sync;
pub mod upkeep;
pub mod vectors;
pub mod view;

use std::sync::Arc;

use crate::journal::CallJournal;
use crate::recording::Recordings;
use crate::{Place, Places};
use agent_tokens::AgentTokens;
use audit::{Actor, Audit};
use backfill::BackfillState;
use catch_up::CatchUpState;
use forgetting::Forgetting;
use inbox::Inbox;
use items::Ledger;
use judgments::Judgments;
use off_record::OffRecord;
use outbox::Outbox;
use parked::ParkedStore;
use replies::Replies;
use sync::SyncState;
use upkeep::Upkeep;
use vectors::Vectors;
use view::View;

/// All state of one workspace.
pub trait Workspace:
    Places
    + CallJournal
    + Recordings
    + Inbox
    + Outbox
    + ParkedStore
    + Replies
    + Judgments
    + SyncState
    + CatchUpState
    + BackfillState
    + Upkeep
    + Forgetting
    + OffRecord
    + AgentTokens
    + Audit
    + Vectors
    + Ledger
{
    /// Opens the view of messages and memories for a place.
    fn view(&self, place: Place) -> Arc<dyn View>;

    /// The same workspace, where the audit log names this actor. It is the operator on the command line before.
    fn by(&self, actor: Actor) -> Arc<dyn Workspace>;
}
