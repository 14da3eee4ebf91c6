//! A component bound to one workspace's storage, model and settings, and the calls into it.

/// One call: span, instance, export, deadline, errors.
macro_rules! call {
    ($plugin:ident, $subject:expr, $purpose:expr, $interface:ident, $method:ident $(, $argument:expr)*) => {{
        let name = stringify!($method);
        let export = name.strip_prefix("call_").unwrap_or(name);
        let trace = $plugin.traces.as_ref();
        let trace = trace.map(|traces| ComponentCall::start(traces, export, $subject));
        let result = $plugin
            .within_deadline(name, async {
                let (mut store, instance) =
                    $plugin.instantiate(name, $purpose, trace.clone()).await?;
                Ok(instance.$interface().$method(&mut store $(, $argument)*).await)
            })
            .await;
        if let Some(trace) = trace {
            trace.end(export, &result);
        }
        result
    }};
}

mod generating;
mod replying;

use std::sync::Arc;
use std::time::Duration;

use wasmtime::{Store, Trap};

use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::exports::myao::memory::memory_generator::{DueWork, UpdateState};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::settings::Values;
use crate::bindings::types::{Context, MemoryType, Scope, Timestamp};
use crate::bindings::{Memory, errors};
use crate::capabilities::{CallState, Capabilities, Purpose};
use crate::component::LoadedComponent;
use crate::explain::explain;
use crate::journal::CallJournal;
use crate::llm::{Agents, CallObserver};
use crate::recording::Recordings;
use crate::slack::{NoSlack, Slack};
use crate::storage::{Storage, StorageError};
use crate::traces::{ComponentCall, Subject, Traces};

/// What a call may use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Linear memory of one call, in bytes. The default of 256 MiB holds contexts of some 100,000 messages.
    pub memory_bytes: usize,
    /// Time of one call, the time inside imports included. The default of 15 minutes leaves room for
    /// slow models.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            deadline: Duration::from_secs(15 * 60),
        }
    }
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The component said no.
    #[error("{}", explain(.0))]
    Refused(errors::Error),
    /// The component trapped. The next call works.
    #[error(
        "the component {component} failed in `{call}`: {detail}; report this with the component's version"
    )]
    Trapped {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// What happened, with a backtrace.
        detail: String,
    },
    /// The call used more memory than its limit.
    #[error("the component {component} needed more than {limit} bytes of memory in `{call}`")]
    OutOfMemory {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The call took longer than its deadline.
    #[error("the component {component} took longer than {deadline:?} in `{call}`")]
    TimedOut {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        deadline: Duration,
    },
}

/// A component for one workspace. Each call runs in an instance of its own, so calls may run side by
/// side and one that traps leaves nothing behind.
#[derive(Clone)]
pub struct MemoryPlugin {
    component: LoadedComponent,
    capabilities: Capabilities,
    limits: Limits,
    recordings: Option<Arc<dyn Recordings>>,
    traces: Option<Traces>,
}

impl MemoryPlugin {
    /// Binds a component to a workspace, with a model for each agent or one for all.
    #[must_use]
    pub fn new(
        component: LoadedComponent,
        storage: Arc<dyn Storage>,
        agents: impl Into<Agents>,
        settings: Values,
    ) -> Self {
        let capabilities = Capabilities {
            storage,
            agents: agents.into(),
            slack: Arc::new(NoSlack),
            calls: Arc::new(()),
            journal: None,
            settings: Arc::new(settings),
            trace: None,
        };
        Self {
            component,
            capabilities,
            limits: Limits::default(),
            recordings: None,
            traces: None,
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, with a chat platform to answer on.
    #[must_use]
    pub fn with_slack(mut self, slack: Arc<dyn Slack>) -> Self {
        self.capabilities.slack = slack;
        self
    }

    /// The same, telling `calls` what each call of the model cost.
    #[must_use]
    pub fn with_call_observer(mut self, calls: Arc<dyn CallObserver>) -> Self {
        self.capabilities.calls = calls;
        self
    }

    /// The same, writing the model's calls down in `journal`, which belongs to the plugin's storage. The models
    /// take over what it knows of their context windows.
    ///
    /// # Errors
    /// Where the journal cannot be read.
    pub async fn with_journal(
        mut self,
        journal: Arc<dyn CallJournal>,
    ) -> Result<Self, StorageError> {
        let agents = &self.capabilities.agents;
        for llm in [&agents.memory, &agents.response, &agents.judgment] {
            if let Some(identity) = llm.identity()
                && let Some(window) = journal.learned_window(identity).await?
            {
                llm.restore_context_window(window);
            }
        }
        self.capabilities.journal = Some(journal);
        Ok(self)
    }

    /// The same, recording each call that saves memories in `recordings`, which belong to the plugin's storage.
    /// Recordings hold messages, prompts and answers in plain text.
    #[must_use]
    pub fn with_recordings(mut self, recordings: Arc<dyn Recordings>) -> Self {
        self.recordings = Some(recordings);
        self
    }

    /// The component's digest, for recordings.
    #[must_use]
    pub fn component_digest(&self) -> &str {
        self.component.digest()
    }

    /// The same, tracing its calls and the model's.
    #[must_use]
    pub fn with_traces(mut self, traces: Traces) -> Self {
        self.traces = Some(traces);
        self
    }

    /// The settings that the component is given.
    #[must_use]
    pub fn settings(&self) -> &Values {
        &self.capabilities.settings
    }

    async fn instantiate(
        &self,
        call: &'static str,
        purpose: Purpose,
        trace: Option<ComponentCall>,
    ) -> Result<(Store<CallState>, Memory), CallError> {
        let capabilities = Capabilities {
            trace,
            ..self.capabilities.clone()
        };
        let state = CallState::new(capabilities, self.limits.memory_bytes, purpose);
        let mut store = Store::new(&self.component.engine, state);
        store.limiter(|state| &mut state.memory_limit);
        // At every tick a running component gives way to tokio, which keeps the deadline.
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let instance = self.component.pre.instantiate_async(&mut store).await;
        let instance = instance.map_err(|error| self.trapped(call, &error))?;
        Ok((store, instance))
    }

    async fn within_deadline<T>(
        &self,
        call: &'static str,
        result: impl Future<Output = Result<wasmtime::Result<T>, CallError>>,
    ) -> Result<T, CallError> {
        match tokio::time::timeout(self.limits.deadline, result).await {
            Ok(result) => result?.map_err(|error| self.trapped(call, &error)),
            Err(_) => Err(CallError::TimedOut {
                component: self.component.name.to_string(),
                call,
                deadline: self.limits.deadline,
            }),
        }
    }

    fn trapped(&self, call: &'static str, error: &wasmtime::Error) -> CallError {
        let component = self.component.name.to_string();
        let detail = format!("{error:#}");
        let grown = error.downcast_ref::<Trap>().is_none()
            && detail.contains("forcing trap when growing memory");
        if grown {
            return CallError::OutOfMemory {
                component,
                call,
                limit: self.limits.memory_bytes,
            };
        }
        CallError::Trapped {
            component,
            call,
            detail,
        }
    }
}

impl MemoryPlugin {
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
            Purpose::Look,
            myao_memory_memory_summarizer,
            call_summarize,
            context,
            scope,
            memory_type,
            existing_memory
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
            Purpose::Look,
            myao_memory_memory_summarizer,
            call_render_prompt,
            context,
            scope,
            memory_type,
            existing_memory
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
            Purpose::Look,
            myao_memory_context_builder,
            call_build,
            request,
            now
        )?
        .map_err(CallError::Refused)
    }

    /// `memory-generator.should-update`: whether a channel's short-term memory takes a new version.
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
            Purpose::Look,
            myao_memory_memory_generator,
            call_should_update,
            state,
            now
        )?
        .map_err(CallError::Refused)
    }

    /// `memory-generator.list-due`: what is due.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_due(&self, now: Timestamp) -> Result<DueWork, CallError> {
        call!(
            self,
            Subject::All,
            Purpose::Look,
            myao_memory_memory_generator,
            call_list_due,
            now
        )?
        .map_err(CallError::Refused)
    }
}
