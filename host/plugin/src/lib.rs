//! Loads the myao memory component in your own host.
//!
//! [`MemoryPlugin`] is a component that is bound to one workspace: to its [`Storage`](storage::Storage), its
//! [`Llm`](llm::Llm)s and its chat platform ([`Chat`](chat::Chat)). One call is a whole generation run:
//!
//! ```no_run
//! use myao_plugin::explain::explain;
//! use myao_plugin::{CallError, MemoryPlugin, Outcome, Timestamp};
//!
//! async fn remember(plugin: &MemoryPlugin, unix_seconds: i64) -> Result<(), CallError> {
//!     let now = Timestamp { unix_seconds, utc_offset_seconds: 0 };
//!     for entry in plugin.generate(now).await?.entries {
//!         // The next run tries it again.
//!         if let Outcome::Failed(error) = &entry.outcome {
//!             eprintln!("{}: {}", entry.scope_id, explain(error));
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The types of the contract (`wit/`) are at the root. Those of its interfaces `llm`, `chat` and `storage` are in the
//! modules of the same names, next to the traits that a host implements. The crate `myao-testkit` has an in-memory
//! store, model and platform for tests.

mod about;
pub mod audience;
mod bindings;
mod cache;
mod capabilities;
pub mod chat;
mod component;
pub mod context_json;
pub mod digest;
pub mod embedder;
pub mod erasure;
mod error;
pub mod explain;
pub mod journal;
mod limits;
pub mod llm;
mod local_time;
mod memory_limit;
mod memory_plugin;
pub mod names;
mod place;
pub mod printable;
pub mod recording;
mod retry;
pub mod run;
mod settings;
pub mod spans;
pub mod state;
pub mod storage;
pub mod system_clock;
pub mod ts;
mod turn;
pub mod waits;

pub use bindings::errors::{
    BadAnswer, Combination, Error, LanguageMismatch, OtherReason, SettingFault, Shrinkage,
    TemplateFault, TokenExcess,
};
pub use bindings::exports::myao::memory::about::{
    Component as About, NumberRange, Setting, SettingValues,
};
pub use bindings::exports::myao::memory::context_builder::BuildRequest;
pub use bindings::exports::myao::memory::marks::{
    ChannelMarks, Correction, ReplacedLine, Strikable,
};
pub use bindings::exports::myao::memory::memory_generator::{
    Batch, DoneStep, Entry, Made, Outcome, SkipReason, Step, ThreadRef, UpdateState,
};
pub use bindings::exports::myao::memory::memory_summarizer::Summary;
pub use bindings::exports::myao::memory::reply_prompt::Occasion;
pub use bindings::exports::myao::memory::responder::{Answer, Judgment, Reply, Response, Target};
pub use bindings::exports::myao::memory::searcher::{Hit, SearchRequest, SearchResult};
pub use bindings::log::Level as LogLevel;
pub use bindings::types::{
    Channel, ChannelMemory, Citation, Context, ConversationHistory, Engine, Item, ItemChange,
    ItemEvent, ItemKind, ItemState, KeptSpan, KeptText, MemoryType, Message, MessageRef, Persona,
    Scope, Source, Thread, Timestamp, User,
};
pub use component::{CONTRACT_VERSION, LoadError, LoadedComponent};
pub use error::{CallError, Excess, Trespass};
pub use limits::Limits;
pub use local_time::LocalTime;
pub use memory_plugin::{BuildError, MemoryPlugin, MemoryPluginBuilder};
pub use place::Place;
pub use retry::Retry;
pub use run::Report;
pub use settings::{Settings, WORKSPACE_SCOPE_ID};
pub use storage::Places;

/// The component of the world `bot` that this library was built with.
#[cfg(feature = "bundled-component")]
pub static BUNDLED_COMPONENT: &[u8] = include_bytes!(env!("MYAO_COMPONENT"));

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
