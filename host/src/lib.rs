//! Host for the myao memory component.
//!
//! The way of a message: [`import`] reads it, [`storage`] keeps it, the component (loaded by [`component`],
//! called through [`plugin`]) asks for it through [`capabilities`] and hands back memories, which
//! [`storage`] saves.
//!
//! A platform that takes the component in meets [`plugin::MemoryPlugin`] first, and gives it its own
//! [`storage::Storage`], [`llm::Llm`] and [`slack::Slack`]. A run then is one call:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use myao::bindings::exports::myao::memory::memory_generator::Outcome;
//! use myao::bindings::types::Timestamp;
//! use myao::explain::explain;
//! use myao::plugin::{CallError, MemoryPlugin};
//!
//! async fn remember(plugin: &MemoryPlugin, unix_seconds: i64) -> Result<(), CallError> {
//!     let now = Timestamp { unix_seconds, utc_offset_seconds: 0 };
//!     for entry in plugin.generate(now).await?.entries {
//!         // What failed is tried again by the next run.
//!         if let Outcome::Failed(error) = &entry.outcome {
//!             eprintln!("{}: {}", entry.scope_id, explain(error));
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The crate `myao-testkit` has a store, a model and a platform in memory for its tests.

pub mod backfill;
pub mod bindings;
pub mod bot;
mod cache;
pub mod capabilities;
pub mod chat;
pub mod component;
pub mod config;
pub mod context_json;
pub mod digest;
pub mod explain;
pub mod import;
pub mod journal;
pub mod llm;
pub mod names;
pub mod plugin;
pub mod printable;
pub mod recording;
pub mod run;
pub mod slack;
pub mod storage;
pub mod traces;
pub mod ts;
pub mod waits;

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
