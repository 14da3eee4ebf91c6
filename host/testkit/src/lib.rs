//! Tests of a platform around the myao memory component, without a database, a model or a network.
//!
//! The component talks to its host through the imports of `wit/`. This crate holds a double of each:
//!
//! - [`MemoryStorage`], all state of a workspace in memory, which keeps every word of the contract,
//! - [`ScriptedLlm`], a model that answers, delays and fails as it is told,
//! - [`MemorySlack`], a chat platform in memory,
//!
//! and two listeners that stand in front of these or of a platform's own:
//!
//! - [`Recorder`] keeps every call with its arguments and its result,
//! - [`Faults`] makes calls fail before or after they were done, holds them up, or lets somebody else write first.
//!
//! [`LogLines`] shows what the component writes to its log.
//!
//! One test of a platform then looks so:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use myao_plugin::storage::StorageError;
//! use myao_plugin::{Engine, MemoryPlugin, Outcome, Settings, Timestamp};
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
//!     .component_file("myao_memory.wasm")
//!     .storage(imports.storage)
//!     .llm(imports.llm)
//!     .settings(Settings { engine: Engine::Llm, ..Settings::default() })
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
//! A platform's own store is tested with [`crate::storage_conformance!`]; one that the bot is to work over, with
//! [`crate::workspace_conformance!`].

#![deny(missing_docs)]

mod blocking;
mod call;
pub mod conformance;
mod faults;
mod llm;
mod log;
mod recorder;
mod slack;
pub mod storage;
pub mod tap;

pub use blocking::blocking;
pub use call::{Answer, Call};
pub use faults::{Action, Alteration, Calls, Faults, Gate, Strike};
pub use llm::{Asked, Reply, ScriptedLlm};
pub use log::LogLines;
pub use recorder::{Recorded, Recorder};
pub use slack::MemorySlack;
pub use storage::MemoryStorage;
pub use tap::{Fault, Imports, Tap};
