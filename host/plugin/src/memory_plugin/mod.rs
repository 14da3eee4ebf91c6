//! A component bound to one workspace's storage, model and settings, and the calls into it.

/// One call without a span: admission, instance, export, deadline, errors.
macro_rules! call_unobserved {
    ($plugin:ident, $export:expr, $bounds:expr, $purpose:expr, $interface:ident.$method:ident($($argument:expr),*)) => {
        $plugin.within_limits($export, async {
            let Some(interface) = &$plugin.component.exports.$interface else {
                return Err($plugin.not_offered($export));
            };
            let (mut store, instance) = $plugin.instantiate($export, $bounds.into(), $purpose).await?;
            let interface = interface.load(&mut store, &instance);
            let interface = interface.map_err(|error| $plugin.trapped($export, &error))?;
            Ok(interface.$method(&mut store $(, $argument)*).await)
        })
    };
}

/// One call with its span.
macro_rules! call {
    ($plugin:ident, $subject:expr, $bounds:expr, $purpose:expr, $interface:ident.$method:ident($($argument:expr),*)) => {{
        let name = stringify!($method);
        let export = name.strip_prefix("call_").unwrap_or(name);
        let span = component_call(export, $subject);
        let result = call_unobserved!($plugin, export, $bounds, $purpose, $interface.$method($($argument),*))
            .instrument(span.clone())
            .await;
        record_outcome(&span, &result);
        result
    }};
}

mod asking;
mod builder;
mod generating;
mod marking;
mod models;
mod replying;
mod searching;

pub use builder::{BuildError, MemoryPluginBuilder};

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tracing::Instrument as _;
use wasmtime::Store;
use wasmtime::component::Instance;

use crate::Place;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::exports::myao::memory::memory_generator::{Batch, DoneStep, UpdateState};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::types::{Context, MemoryType, Scope, Timestamp};
use crate::capabilities::{Bounds, CallState, Capabilities, Purpose};
use crate::chat::Chat;
use crate::component::LoadedComponent;
use crate::embedder::Embedder;
use crate::error::CallError;
use crate::journal::CallJournal;
use crate::limits::Limits;
use crate::recording::Recordings;
use crate::settings::Settings;
use crate::spans::{Subject, component_call, record_outcome};
use crate::state::leases::{Leased, Leases, Piece};
use crate::turn::Turn;

/// A component for one workspace. Each call runs in its own instance, so calls may run in parallel, and a call that
/// traps leaves nothing behind.
///
/// [`MemoryPlugin::builder`] builds one. This example makes the text of a memory from a context that the platform has;
/// nothing is read from the store or saved:
///
/// ```no_run
/// use myao_plugin::{Context, MemoryType, Scope};
/// use myao_plugin::{CallError, MemoryPlugin};
///
/// async fn summary_of(plugin: &MemoryPlugin, channel: &Context) -> Result<String, CallError> {
///     let summary = plugin
///         .summarize(channel, Scope::Channel, MemoryType::ShortTerm, None)
///         .await?;
///     Ok(summary.text)
/// }
/// ```
#[derive(Clone)]
pub struct MemoryPlugin {
    component: LoadedComponent,
    capabilities: Capabilities,
    limits: Limits,
    /// One permit for each call that may run.
    permits: Arc<Semaphore>,
    recordings: Option<Arc<dyn Recordings>>,
    leases: Option<Arc<dyn Leases>>,
}

impl MemoryPlugin {
    /// Returns the same plugin, which does a piece of work: what it stores is stored with that piece's workspace.
    #[must_use]
    pub fn doing(mut self, piece: &Leased) -> Self {
        self.capabilities.places = piece.workspace().clone();
        self
    }

    /// Returns the same plugin, which shares the steps of its runs ([`run`](crate::run)) with other processes: it claims each one,
    /// and leaves it out if another process takes it.
    #[must_use]
    pub fn with_leases(mut self, leases: Arc<dyn Leases>) -> Self {
        self.leases = Some(leases);
        self
    }

    /// Claims a step, and returns the plugin to take it with. `None` if another process takes it.
    pub(crate) async fn claim_step(
        &self,
        scope: Scope,
        scope_id: &str,
    ) -> Result<Option<(Self, Option<Leased>)>, CallError> {
        let Some(leases) = &self.leases else {
            return Ok(Some((self.clone(), None)));
        };
        let piece = Piece::Step {
            scope,
            scope_id: scope_id.to_owned(),
        };
        let claimed = leases.claim(&piece).await;
        let claimed = claimed.map_err(|error| CallError::Refused(Error::Storage(error)))?;
        Ok(claimed.map(|leased| (self.clone().doing(&leased), Some(leased))))
    }

    /// Returns the same plugin with another chat platform for its answers.
    #[must_use]
    pub fn with_chat(mut self, chat: Arc<dyn Chat>) -> Self {
        self.capabilities.chat = chat;
        self
    }

    /// Returns the same plugin, with its model calls recorded in `journal`, which belongs to the plugin's storage.
    #[must_use]
    pub fn with_journal(mut self, journal: Arc<dyn CallJournal>) -> Self {
        self.capabilities.journal = Some(journal);
        self
    }

    /// The search by meaning; `None` if messages are found by their words alone.
    #[must_use]
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.capabilities.embedder.as_deref()
    }

    /// Returns the same plugin; what its calls merge into the workspace's memory is saved only when it is their turn.
    pub(crate) fn with_turn(mut self, turn: Turn) -> Self {
        self.capabilities.turn = Some(turn);
        self
    }

    /// How long a call may wait for its turn, so that there is enough time left for its work.
    pub(crate) fn longest_turn(&self) -> Duration {
        self.limits.deadline / 3
    }

    /// Returns the same plugin for a backfill. If something fails, the backfill comes back to that time, so the store
    /// need not remember what was due then
    /// ([`Storage::expect_first_version`](crate::storage::Storage::expect_first_version)).
    #[must_use]
    pub fn for_backfill(mut self) -> Self {
        self.capabilities.is_backfill = true;
        self
    }

    /// The component's digest, for recordings.
    #[must_use]
    pub fn component_digest(&self) -> &str {
        self.component.digest()
    }

    /// The component's settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.capabilities.settings
    }

    async fn instantiate(
        &self,
        call: &'static str,
        bounds: Bounds,
        purpose: Purpose,
    ) -> Result<(Store<CallState>, Instance), CallError> {
        let state = CallState::new(self.capabilities.clone(), &self.limits, bounds, purpose);
        let instance = self.component.instantiate(state, &self.limits).await;
        instance.map_err(|error| self.trapped(call, &error))
    }

    /// Waits for a permit, and ends a call at its deadline. A call that is ended is dropped, with the imports that it
    /// is running.
    async fn within_limits<T>(
        &self,
        call: &'static str,
        result: impl Future<Output = Result<wasmtime::Result<T>, CallError>>,
    ) -> Result<T, CallError> {
        let Limits {
            deadline,
            admission_wait,
            concurrent_calls,
            ..
        } = self.limits;
        let component = || self.component.name.to_string();
        let permit = tokio::time::timeout(admission_wait, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else {
            return Err(CallError::Busy {
                component: component(),
                call,
                waited: admission_wait,
                running: concurrent_calls,
            });
        };
        match tokio::time::timeout(deadline, result).await {
            Ok(result) => result?.map_err(|error| self.trapped(call, &error)),
            Err(_) => Err(CallError::TimedOut {
                component: component(),
                call,
                deadline,
            }),
        }
    }

    fn trapped(&self, call: &'static str, error: &wasmtime::Error) -> CallError {
        CallError::of(error, &self.component.name, call, &self.limits)
    }

    fn not_offered(&self, call: &'static str) -> CallError {
        CallError::NotOffered {
            component: self.component.name.to_string(),
            call,
        }
    }
}

impl MemoryPlugin {
    /// The component, loaded.
    #[must_use]
    pub fn component(&self) -> &LoadedComponent {
        &self.component
    }

    /// `memory-summarizer.summarize`: the text of one memory.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn summarize(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<Summary, CallError> {
        call!(
            self,
            Subject::Memory(scope, memory_type),
            Place::of_memory(scope, context),
            Purpose::Look,
            memory_summarizer.call_summarize(context, scope, memory_type, existing_memory)
        )?
        .map_err(CallError::Refused)
    }

    /// `memory-summarizer.render-prompt`: the exact prompt.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn render_prompt(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<String, CallError> {
        call!(
            self,
            Subject::Memory(scope, memory_type),
            Place::of_memory(scope, context),
            Purpose::Look,
            memory_summarizer.call_render_prompt(context, scope, memory_type, existing_memory)
        )?
        .map_err(CallError::Refused)
    }

    /// `context-builder.build`: a context from the store.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn build_context(
        &self,
        request: &BuildRequest,
        now: Timestamp,
    ) -> Result<Context, CallError> {
        call!(
            self,
            request.into(),
            Place::around(&request.channel_id),
            Purpose::Look,
            context_builder.call_build(request, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `memory-generator.should-update`: decides if a channel's short-term memory needs a new version.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn should_update(
        &self,
        state: &UpdateState,
        now: Timestamp,
    ) -> Result<bool, CallError> {
        call!(
            self,
            Subject::All,
            Place::Schedule,
            Purpose::Look,
            memory_generator.call_should_update(state, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `memory-generator.next-steps`: the steps that follow these in a run. [`crate::run::generate`] takes them.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn next_steps(&self, done: &[DoneStep], now: Timestamp) -> Result<Batch, CallError> {
        call!(
            self,
            Subject::All,
            Place::Schedule,
            Purpose::Look,
            memory_generator.call_next_steps(done, now)
        )?
        .map_err(CallError::Refused)
    }
}
