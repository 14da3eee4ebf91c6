//! The host's side of the contract: one file for each import of the WIT world. Nothing else is linked, except the
//! parts of WASI that Rust's standard library needs; these are empty (`wasi.rs`).

/// One import: the result comes from the tape, or the host does the work.
macro_rules! import {
    ($state:ident, $import:literal, $arguments:expr, $live:expr) => {{
        $state.count_import()?;
        match $state.tape.begin($import, &$arguments)? {
            $crate::recording::Step::Over(result) => Ok(result),
            $crate::recording::Step::Live => {
                let result = $live;
                $state.tape.end(&result);
                Ok(result)
            }
        }
    }};
}

mod bound;
mod budget;
mod chat;
mod llm;
mod log;
mod recall;
mod settings;
mod storage;
mod wasi;

use std::sync::Arc;

use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use self::bound::Bound;
use self::budget::Budget;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::chat::{Chat, NoChat};
use crate::embedder::{Embedder, Meaning};
use crate::error::TooManyImportCalls;
use crate::journal::{Attempts, CallJournal};
use crate::limits::Limits;
use crate::llm::{Agents, Allowance, CallObserver, NoLlm};
use crate::memory_limit::MemoryLimit;
use crate::recording::Tape;
use crate::settings::Settings;
use crate::storage::Storage;
use crate::storage::empty::EmptyStorage;
use crate::turn::Turn;
use crate::{Place, Places};

/// The store, models and settings of one workspace's component.
#[derive(Clone)]
pub(crate) struct Capabilities {
    pub(crate) places: Arc<dyn Places>,
    pub(crate) agents: Agents,
    /// Finds messages by their meaning; `None` for by their words alone.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) chat: Arc<dyn Chat>,
    /// Receives the cost of each call of a model.
    pub(crate) calls: Arc<dyn CallObserver>,
    /// Where calls of the models are recorded, if anywhere.
    pub(crate) journal: Option<Arc<dyn CallJournal>>,
    /// The budget for models; `None` means no limit.
    pub(crate) allowance: Option<Arc<dyn Allowance>>,
    pub(crate) settings: Arc<Settings>,
    /// True if a backfill makes this call. A backfill comes back to the time at which something failed.
    pub(crate) is_backfill: bool,
    /// True if the spans of model calls contain prompts and answers.
    pub(crate) captures_content: bool,
    /// Awaited before saving a memory that is merged into the workspace's memory.
    pub(crate) turn: Option<Turn>,
}

/// An empty workspace without a model or a chat.
impl Default for Capabilities {
    fn default() -> Self {
        Self {
            places: Arc::new(EmptyStorage),
            agents: NoLlm.into(),
            embedder: None,
            chat: Arc::new(NoChat),
            calls: Arc::new(()),
            journal: None,
            allowance: None,
            settings: Arc::default(),
            is_backfill: false,
            captures_content: false,
            turn: None,
        }
    }
}

/// The purpose of a call into the component.
pub(crate) enum Purpose {
    /// It only returns something; answers of the model are shown, and not kept.
    Look,
    /// It makes memories from answers, and saves them.
    Make(Tape),
    /// It makes replies from answers, and posts them.
    Reply,
}

/// The place of a call, and the message that it may answer, if it answers one.
pub(crate) struct Bounds {
    pub(crate) place: Place,
    pub(crate) target: Option<Target>,
}

impl From<Place> for Bounds {
    fn from(place: Place) -> Self {
        Self {
            place,
            target: None,
        }
    }
}

impl From<&Target> for Bounds {
    fn from(target: &Target) -> Self {
        Self {
            place: Place::Channel(target.channel_id.clone()),
            target: Some(target.clone()),
        }
    }
}

/// The state of one call into the component.
pub(crate) struct CallState {
    pub(crate) capabilities: Capabilities,
    pub(crate) memory_limit: MemoryLimit,
    /// The store, as it is seen from the call's place.
    storage: Arc<dyn Storage>,
    bound: Bound,
    /// True if answers of the model become memories or replies.
    keeps_answers: bool,
    attempts: Attempts,
    pub(crate) tape: Tape,
    /// How many more import calls are allowed.
    import_calls_left: u64,
    budget: Budget,
    /// The last question that was looked for by its meaning; `None` as its meaning if the embedder failed.
    meaning: Option<(String, Option<Meaning>)>,
    wasi: WasiCtx,
    resources: ResourceTable,
}

impl CallState {
    pub(crate) fn new(
        capabilities: Capabilities,
        limits: &Limits,
        bounds: Bounds,
        purpose: Purpose,
    ) -> Self {
        let storage = capabilities.places.at(bounds.place.clone());
        let bound = Bound::new(bounds, &purpose, capabilities.settings.workspace_scope_id());
        let (keeps_answers, tape) = match purpose {
            Purpose::Look => (false, Tape::Off),
            Purpose::Make(tape) => (true, tape),
            Purpose::Reply => (true, Tape::Off),
        };
        Self {
            storage,
            bound,
            capabilities,
            keeps_answers,
            tape,
            import_calls_left: limits.import_calls,
            budget: Budget::new(limits),
            meaning: None,
            attempts: Attempts::default(),
            memory_limit: MemoryLimit {
                bytes: limits.memory_bytes,
            },
            wasi: wasi::context(),
            resources: wasi::resources(),
        }
    }

    /// Counts one import call.
    fn count_import(&mut self) -> Result<(), TooManyImportCalls> {
        let left = self.import_calls_left.checked_sub(1);
        self.import_calls_left = left.ok_or(TooManyImportCalls)?;
        Ok(())
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.resources,
        }
    }
}

/// Links every import of the contract.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    wasi::add_to_linker(linker)?;
    crate::bindings::Bot::add_to_linker::<_, HasSelf<_>>(linker, |state| state)
}

/// Interfaces that contain only types have nothing to implement.
impl crate::bindings::types::Host for CallState {}
impl crate::bindings::errors::Host for CallState {}
