//! Puts a plugin together.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::MemoryPlugin;
use crate::bindings::settings::Values;
use crate::capabilities::Capabilities;
use crate::component::{LoadError, LoadedComponent};
use crate::limits::Limits;
use crate::llm::{Agents, CallObserver, NoLlm};
use crate::recording::Recordings;
use crate::slack::{NoSlack, Slack};
use crate::storage::Storage;
use crate::storage::empty::EmptyStorage;

/// Why a plugin cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No component was given.
    #[error(
        "a plugin needs a component: give its builder `component_file`, `component_bytes` or `component`"
    )]
    NoComponent,
    /// The component cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Puts a [`MemoryPlugin`] together: [`MemoryPlugin::builder`] begins, [`Self::build`] ends. Only the component is
/// required; what is left out is empty ([`EmptyStorage`]), refuses with a message that says what is missing ([`NoLlm`],
/// [`NoSlack`]), or has its defaults.
///
/// ```no_run
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use myao_plugin::llm::Llm;
/// use myao_plugin::{BuildError, Limits, MemoryPlugin};
/// use myao_plugin::slack::Slack;
/// use myao_plugin::storage::Storage;
///
/// fn memory(
///     storage: Arc<dyn Storage>,
///     llm: Arc<dyn Llm>,
///     slack: Arc<dyn Slack>,
/// ) -> Result<MemoryPlugin, BuildError> {
///     MemoryPlugin::builder()
///         .component_file("myao_memory.wasm")
///         .cache_dir("/var/cache/my-platform/myao")
///         .storage(storage)
///         .llm(llm)
///         .slack(slack)
///         .limits(Limits::default().with(|limits| {
///            limits.deadline = Duration::from_secs(60);
///            limits.concurrent_calls = 8;
///        }))
///         .build()
/// }
/// ```
#[must_use]
pub struct MemoryPluginBuilder {
    component: Option<Source>,
    cache_dir: Option<PathBuf>,
    storage: Arc<dyn Storage>,
    agents: Agents,
    slack: Arc<dyn Slack>,
    settings: Values,
    limits: Limits,
    calls: Arc<dyn CallObserver>,
    recordings: Option<Arc<dyn Recordings>>,
    captures_content: bool,
}

enum Source {
    Loaded(Box<LoadedComponent>),
    File(PathBuf),
    Bytes { name: String, bytes: Vec<u8> },
}

impl MemoryPlugin {
    /// Begins a plugin.
    pub fn builder() -> MemoryPluginBuilder {
        MemoryPluginBuilder {
            component: None,
            cache_dir: None,
            storage: Arc::new(EmptyStorage),
            agents: NoLlm.into(),
            slack: Arc::new(NoSlack),
            settings: Values::default(),
            limits: Limits::default(),
            calls: Arc::new(()),
            recordings: None,
            captures_content: false,
        }
    }
}

impl MemoryPluginBuilder {
    /// The component in a file.
    pub fn component_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.component = Some(Source::File(path.into()));
        self
    }

    /// A component in memory; `name` stands in its errors.
    pub fn component_bytes(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.component = Some(Source::Bytes {
            name: name.into(),
            bytes: bytes.into(),
        });
        self
    }

    /// A component that is loaded already: the plugins of many workspaces share its compiled code.
    pub fn component(mut self, component: LoadedComponent) -> Self {
        self.component = Some(Source::Loaded(Box::new(component)));
        self
    }

    /// Where compiled code is kept between starts; see [`LoadedComponent::from_bytes`]. Nowhere, if not given.
    pub fn cache_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache_dir = Some(folder.into());
        self
    }

    /// The messages and memories of the workspace.
    pub fn storage(mut self, storage: impl Storage + 'static) -> Self {
        self.storage = Arc::new(storage);
        self
    }

    /// The model: one for all agents, or one for each ([`Agents`]).
    pub fn llm(mut self, agents: impl Into<Agents>) -> Self {
        self.agents = agents.into();
        self
    }

    /// The chat platform to answer on.
    pub fn slack(mut self, slack: impl Slack + 'static) -> Self {
        self.slack = Arc::new(slack);
        self
    }

    /// What the component is told to do. By default it makes memories without a model.
    pub fn settings(mut self, settings: Values) -> Self {
        self.settings = settings;
        self
    }

    /// What calls may use up.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Told what each call of the model cost.
    pub fn call_observer(mut self, calls: impl CallObserver + 'static) -> Self {
        self.calls = Arc::new(calls);
        self
    }

    /// Where each call that saves memories is recorded; it belongs to the plugin's storage. Recordings hold
    /// messages, prompts and answers in plain text.
    pub fn recordings(mut self, recordings: impl Recordings + 'static) -> Self {
        self.recordings = Some(Arc::new(recordings));
        self
    }

    /// Puts prompts and answers into the spans of model calls ([`spans`](crate::spans)); by default they are left out.
    pub fn capture_content(mut self, captures_content: bool) -> Self {
        self.captures_content = captures_content;
        self
    }

    /// Loads the component, which takes about a second where it has to be compiled, and binds it.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build(self) -> Result<MemoryPlugin, BuildError> {
        let cache = self.cache_dir.as_deref();
        let component = match self.component.ok_or(BuildError::NoComponent)? {
            Source::Loaded(component) => *component,
            Source::File(path) => LoadedComponent::from_file(&path, cache)?,
            Source::Bytes { name, bytes } => LoadedComponent::from_bytes(&name, &bytes, cache)?,
        };
        Ok(MemoryPlugin {
            component,
            capabilities: Capabilities {
                is_backfill: false,
                storage: self.storage,
                agents: self.agents,
                slack: self.slack,
                calls: self.calls,
                journal: None,
                settings: Arc::new(self.settings),
                captures_content: self.captures_content,
                turn: None,
            },
            places: Arc::new(Semaphore::new(self.limits.concurrent_calls)),
            limits: self.limits,
            recordings: self.recordings,
        })
    }
}
