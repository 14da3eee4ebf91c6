//! All that myao keeps, in a PostgreSQL database, which several hosts may share.
//!
//! PostgreSQL 14 and newer. Nothing is kept in a session of the server: statements have no names, locks end with their
//! transaction, settings are the transaction's. So PgBouncer may be between, in transaction mode.
//!
//! **Invariant**: writing transactions of a workspace run one after the other, under an advisory lock, as those of an SQLite file
//! do. Those of different workspaces run side by side.
//!
//! **Invariant**: a reading transaction sees one state of the database.

mod address;
mod backend;
mod connect;
mod database;
mod error;
pub mod examine;
mod lease;
mod leases;
mod options;
mod schema;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod texts;
mod tls;
mod turns;
mod vacuum;
mod values;
mod wait;

pub use address::Address;
pub use error::PostgresError;
pub use lease::{Claim, Claimed, Lease};
pub use leases::PostgresLeases;
pub use options::{PostgresOptions, SslMode};
pub use store::PostgresStore;
