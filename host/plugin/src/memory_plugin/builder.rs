//! Builds a plugin.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::MemoryPlugin;
use crate::capabilities::Capabilities;
use crate::chat::Chat;
use crate::component::{LoadError, LoadedComponent};
use crate::embedder::Embedder;
use crate::limits::Limits;
use crate::llm::{Agents, CallObserver};
use crate::recording::Recordings;
use crate::settings::Settings;
use crate::storage::Places;

/// Why a plugin cannot be built.
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

/// Builds a [`MemoryPlugin`]: start with [`MemoryPlugin::builder`], end with [`Self::build`]. Only the component is
/// required. Storage that is not set is empty, a model or a chat that is not set returns an error that says so
/// ([`NoLlm`](crate::llm::NoLlm), [`NoChat`](crate::chat::NoChat)), and all else has its default.
///
/// ```no_run
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use myao_plugin::llm::Llm;
/// use myao_plugin::{BuildError, Limits, MemoryPlugin, Places};
/// use myao_plugin::chat::Chat;
///
/// fn memory(
///     storage: Arc<dyn Places>,
///     llm: Arc<dyn Llm>,
///     chat: Arc<dyn Chat>,
/// ) -> Result<MemoryPlugin, BuildError> {
///     MemoryPlugin::builder()
///         .component_file("myao_bot.wasm")
///         .cache_dir("/var/cache/my-platform/myao")
///         .storage(storage)
///         .llm(llm)
///         .chat(chat)
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
    capabilities: Capabilities,
    settings: Settings,
    limits: Limits,
    recordings: Option<Arc<dyn Recordings>>,
}

enum Source {
    Loaded(Box<LoadedComponent>),
    File(PathBuf),
    Bytes { name: String, bytes: Vec<u8> },
}

impl MemoryPlugin {
    /// Starts to build a plugin.
    pub fn builder() -> MemoryPluginBuilder {
        MemoryPluginBuilder {
            component: None,
            cache_dir: None,
            capabilities: Capabilities::default(),
            settings: Settings::default(),
            limits: Limits::default(),
            recordings: None,
        }
    }
}

impl MemoryPluginBuilder {
    /// Uses the component in a file.
    pub fn component_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.component = Some(Source::File(path.into()));
        self
    }

    /// Uses a component in memory. `name` is used in error texts.
    pub fn component_bytes(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.component = Some(Source::Bytes {
            name: name.into(),
            bytes: bytes.into(),
        });
        self
    }

    /// Uses a component that is already loaded, so that the plugins of many workspaces share its compiled code.
    pub fn component(mut self, component: LoadedComponent) -> Self {
        self.component = Some(Source::Loaded(Box::new(component)));
        self
    }

    /// Where compiled code is stored between starts; see [`LoadedComponent::from_bytes`]. If not set, it is not stored.
    pub fn cache_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache_dir = Some(folder.into());
        self
    }

    /// The messages and memories of the workspace. Each call gets the store as it is seen from its place.
    pub fn storage(mut self, storage: impl Places + 'static) -> Self {
        self.capabilities.places = Arc::new(storage);
        self
    }

    /// The model: one for all agents, or one for each ([`Agents`]).
    pub fn llm(mut self, agents: impl Into<Agents>) -> Self {
        self.capabilities.agents = agents.into();
        self
    }

    /// Finds messages by their meaning, too. Without it they are found by their words.
    pub fn embedder(mut self, embedder: impl Embedder + 'static) -> Self {
        self.capabilities.embedder = Some(Arc::new(embedder));
        self
    }

    /// The chat platform to answer on.
    pub fn chat(mut self, chat: impl Chat + 'static) -> Self {
        self.capabilities.chat = Arc::new(chat);
        self
    }

    /// The component's settings. By default it makes memories without a model.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// How much calls may use.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Receives the cost of each call of a model.
    pub fn call_observer(mut self, calls: impl CallObserver + 'static) -> Self {
        self.capabilities.calls = Arc::new(calls);
        self
    }

    /// Where each call that saves memories is recorded. The recordings belong to the plugin's storage. They contain
    /// messages, prompts and answers in plain text.
    pub fn recordings(mut self, recordings: impl Recordings + 'static) -> Self {
        self.recordings = Some(Arc::new(recordings));
        self
    }

    /// Puts prompts and answers into the spans of model calls ([`spans`](crate::spans)). By default they are left out.
    pub fn capture_content(mut self, captures_content: bool) -> Self {
        self.capabilities.captures_content = captures_content;
        self
    }

    /// Loads the component and binds it. If the component has to be compiled, this takes about a second.
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
        let settings = self.settings.of(component.about().clone());
        Ok(MemoryPlugin {
            component,
            capabilities: Capabilities {
                settings: Arc::new(settings),
                ..self.capabilities
            },
            permits: Arc::new(Semaphore::new(self.limits.concurrent_calls)),
            limits: self.limits,
            recordings: self.recordings,
            leases: None,
        })
    }
}
