//! All that myao keeps, in a SQL database: every state trait, for every engine.
//!
//! The rows, the statements and the rules about them are here, once. A crate for an engine (`myao-sqlite`,
//! `myao-postgres`) opens a database, makes its tables and runs transactions: see [`backend::Backend`] and
//! [`session::Session`].
//!
//! **Invariant**: a message has one row forever, and everything known about it is merged there (`message_row.rs`): the
//! newest text wins, and a deleted message stays deleted.
//!
//! **Invariant**: `backlog` is derived from the other tables and changes in their transactions, by recounting
//! (`sql/recount_*.sql`) what a transaction touched.

mod agent_tokens;
mod answers;
mod audit;
pub mod backend;
pub mod copy;
mod discarding;
mod dump;
mod erasure;
mod events;
pub mod fault;
mod journal;
mod ledger;
mod memories;
mod messages;
mod outbox;
mod place;
mod reading;
mod rows;
mod save;
mod schedule;
mod search;
pub mod session;
mod sight;
mod storage;
mod transaction;
mod visibility;
mod workspace;
mod workspaces;
mod writing;

/// Parts that only the crates of the engines and their tests use.
#[doc(hidden)]
pub mod parts {
    pub use crate::events::effects::Application;
    pub use crate::memories::backlog::{recount_channel, recount_thread};
    pub use crate::place::Place;
    pub use crate::save::{Handed, save};
    pub use crate::search::index::{index_all, leftovers};
}

pub use events::import::SqlImport;
pub use events::import_target::SqlImportTarget;
pub use workspace::SqlWorkspace;
pub use workspaces::{known_workspace, workspace_ids, workspace_key};
