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
mod audience;
pub mod backend;
mod backfill;
mod backlog;
mod begin_again;
mod candidates;
mod catch_up;
mod channels;
pub mod copy;
mod credentials;
mod deferrals;
mod discarding;
mod done;
mod dump;
mod dump_conversations;
mod effects;
mod erase;
pub mod fault;
mod forgetting;
mod import;
mod import_target;
mod inbox;
mod index;
mod journal;
mod judgments;
mod lineage;
mod lines;
mod lookup;
mod memories;
mod mention_limits;
mod message_row;
mod messages;
mod off_record;
mod outbox;
mod parked;
mod pins;
mod place;
mod progress;
mod recordings;
mod records;
mod replies;
mod reply;
mod retraction;
mod rows;
mod save;
mod search;
mod series;
pub mod session;
mod sight;
mod storage;
mod stored_memories;
mod sync;
mod tombstones;
mod transaction;
mod upkeep;
mod vector_rows;
mod vectors;
mod view;
mod visible;
mod waits;
mod workspace;
mod workspaces;
mod writing;

/// Parts that only the crates of the engines and their tests use.
#[doc(hidden)]
pub mod parts {
    pub use crate::backlog::{recount_channel, recount_thread};
    pub use crate::effects::Application;
    pub use crate::index::{index_all, leftovers};
    pub use crate::place::Place;
    pub use crate::save::{Handed, save};
}

pub use import::SqlImport;
pub use import_target::SqlImportTarget;
pub use workspace::SqlWorkspace;
pub use workspaces::{known_workspace, workspace_ids, workspace_key};
