//! Tests a platform around the myao memory component without a database, a model or a network.
//!
//! The component calls its host through the imports of `wit/`. This crate has a test double for each:
//!
//! - [`MemoryStorage`] holds a workspace's messages and memories, and implements the whole contract,
//! - [`ScriptedLlm`] is a model that answers, delays and fails as a test says,
//! - [`MemoryChat`] is a chat platform in memory,
//! - [`WordEmbedder`] makes vectors of texts by their words,
//!
//! and two listeners that can wrap these or a platform's own implementations:
//!
//! - [`Recorder`] records every call with its arguments and its result,
//! - [`Faults`] makes calls fail before or after they were done, delays them, or lets another writer go first.
//!
//! [`LogLines`] captures what the component writes to its log.
//!
//! A test of a platform then looks like this:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use myao_plugin::storage::StorageError;
//! use myao_plugin::{MemoryPlugin, Outcome, Settings, Timestamp};
//! use myao_testkit::{Calls, Faults, Imports, MemoryStorage, Recorder, ScriptedLlm};
//!
//! # async fn channel_is_made_up_for_by_the_next_run() -> Result<(), Box<dyn std::error::Error>> {
//! let storage = Arc::new(MemoryStorage::new());
//! storage.add_channel("C1", "general");
//! storage.say("C1", 1_709_287_200, "alice", "The crane comes on March 3.");
//!
//! let faults = Arc::new(Faults::default());
//! let recorder = Arc::new(Recorder::default());
//! let llm = Arc::new(ScriptedLlm::answering("- The crane comes on March 3."));
//! let imports = Imports::new(storage.clone(), llm)
//!     .tapped(faults.clone())
//!     .tapped(recorder.clone());
//!
//! let plugin = MemoryPlugin::builder()
//!     .component_file("myao_bot.wasm")
//!     .storage(imports.storage)
//!     .llm(imports.llm)
//!     .settings(Settings::default().with(|settings| settings.set("engines.memory", "llm")))
//!     .build()?;
//!
//! // The first save fails: the report says so, and the next run makes up for it.
//! let full = StorageError::Unavailable("the disk is full".to_owned());
//! faults.before(Calls::of("storage.save-memory").nth(0), full);
//! let now = Timestamp { unix_seconds: 1_709_298_000, utc_offset_seconds: 0 };
//! let report = plugin.generate(now).await?;
//! assert!(matches!(report.entries[0].outcome, Outcome::Failed(_)), "{recorder}");
//! assert!(storage.memories().is_empty());
//!
//! plugin.generate(now).await?;
//! assert_eq!(storage.memories().len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! Test a platform's own store with [`crate::storage_conformance!`], and a store for the whole bot with
//! [`crate::workspace_conformance!`].

#![deny(missing_docs)]

mod blocking;
mod call;
mod chat;
pub mod conformance;
mod embedder;
mod faults;
mod llm;
mod log;
mod recorder;
pub mod storage;
pub mod tap;

pub use blocking::blocking;
pub use call::{Answer, Call};
pub use chat::MemoryChat;
pub use embedder::WordEmbedder;
pub use faults::{Action, Alteration, Calls, Faults, Gate, Strike};
pub use llm::{Asked, Reply, ScriptedLlm};
pub use log::LogLines;
pub use recorder::{Recorded, Recorder};
pub use storage::MemoryStorage;
pub use tap::{Fault, Imports, Tap};
