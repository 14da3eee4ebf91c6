//! The parts that commands share: configuration, store, component.

mod local_model;
mod opening;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use myao::config::{Config, checked};
use myao_bot::budget::Budget;
use myao_bot::clock::Clock;
use myao_bot::embedding::Accounted;
use myao_llm::{configured_embedder, configured_models};
use myao_plugin::embedder::Embedder;
use myao_plugin::explain::{explain_settings, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::storage::StorageError;
use myao_plugin::{
    BUNDLED_COMPONENT, LoadError, LoadedComponent, MemoryPlugin, MemoryPluginBuilder, Timestamp,
};

pub(crate) use local_model::{LocalModel, model_file};

use super::args::{Cli, Command, MomentArg};
use super::logging::start_logging;
use super::server_words::ServerWords;
use super::traces::Traces;

#[derive(Clone)]
pub(crate) struct App {
    /// That of the workspace, or of the process if the command is about none.
    pub(crate) config: Config,
    /// The workspace that was chosen of several.
    pub(crate) workspace: Option<String>,
    /// The workspaces that the configuration lists.
    pub(crate) listed: Vec<String>,
    pub(crate) json: bool,
    pub(crate) component: Option<PathBuf>,
    pub(crate) config_path: Option<PathBuf>,
    legacy_workspace_short_term: bool,
    traces: Option<Traces>,
    pub(crate) servers: Arc<ServerWords>,
    loaded: Arc<Mutex<Option<Loaded>>>,
    pub(crate) local: LocalModel,
}

/// The bytes of a component, and the component, which the workspaces share.
type Loaded = (Cow<'static, [u8]>, LoadedComponent);

impl App {
    pub(crate) fn new(arguments: &Cli) -> anyhow::Result<Self> {
        let (path, legacy) = (
            arguments.config.as_deref(),
            arguments.legacy_workspace_short_term,
        );
        // A file that the command is about to write cannot be read yet.
        let is_to_come = matches!(arguments.command, Command::Init(_));
        let loaded = Arc::default();
        let component = arguments.component.as_deref();
        let path = path.filter(|_| !is_to_come);
        let config = read_config(path, legacy, component, &loaded)?;
        let listed = listed(&config);
        let config = match &arguments.workspace {
            None if !arguments.command.needs_workspace() => config,
            workspace => of_workspace(&config, workspace.as_deref())?,
        };
        let traces = Traces::from_environment();
        let is_server = matches!(arguments.command, Command::Run | Command::Serve(_));
        start_logging(
            config.logging,
            is_server,
            traces.as_ref().ok().and_then(Option::as_ref),
        );
        for retired in &config.retired {
            tracing::warn!("configuration: {retired}");
        }
        // If traces cannot be sent, the command runs all the same.
        let traces = traces.unwrap_or_else(|error| {
            tracing::warn!("{error}");
            None
        });
        Ok(Self {
            config,
            workspace: arguments.workspace.clone(),
            listed,
            json: arguments.json,
            component: arguments.component.clone(),
            config_path: arguments.config.clone(),
            legacy_workspace_short_term: legacy,
            traces,
            servers: Arc::default(),
            loaded,
            local: LocalModel::default(),
        })
    }

    /// The same, with the configuration file as it is now.
    pub(crate) fn reloaded(&self) -> anyhow::Result<Self> {
        let config = read_config(
            self.config_path.as_deref(),
            self.legacy_workspace_short_term,
            self.component.as_deref(),
            &self.loaded,
        )?;
        Ok(Self {
            listed: listed(&config),
            config: of_workspace(&config, self.workspace.as_deref())?,
            ..self.clone()
        })
    }

    /// One for each workspace.
    pub(crate) fn of_each_workspace(&self) -> Vec<Self> {
        let listed = self.config.workspaces.iter();
        let each: Vec<Self> = listed
            .map(|config| Self {
                config: config.clone(),
                workspace: Some(config.workspace.clone()),
                ..self.clone()
            })
            .collect();
        match each.is_empty() {
            true => vec![self.clone()],
            false => each,
        }
    }

    /// The text to type for another command with the same options as this one.
    pub(crate) fn command(&self, arguments: &str) -> String {
        let mut command = "myao".to_owned();
        for (option, file) in [
            ("--config", &self.config_path),
            ("--component", &self.component),
        ] {
            if let Some(file) = file {
                command.push_str(&format!(" {option} {}", quoted(file)));
            }
        }
        if let Some(name) = &self.workspace {
            command.push_str(&format!(" --workspace {}", quoted(Path::new(name))));
        }
        if self.legacy_workspace_short_term {
            command.push_str(" --legacy-workspace-short-term");
        }
        format!("{command} {arguments}")
    }

    /// Sends the traces that were not sent yet.
    pub(crate) fn end(&self) {
        if let Some(traces) = &self.traces {
            traces.end();
        }
    }

    /// Loads the component, unless it is loaded already, and checks that it fits this program.
    pub(crate) fn load_component(&self) -> Result<LoadedComponent, LoadError> {
        load_component(self.component.as_deref(), &self.loaded)
    }

    /// The component with the configured model, not yet bound to a store.
    pub(crate) fn plugin(&self) -> anyhow::Result<MemoryPluginBuilder> {
        let plugin = MemoryPlugin::builder()
            .component(self.load_component()?)
            .llm(configured_models(&self.config.agents)?)
            .call_observer(self.servers.clone())
            .settings(self.config.settings()?);
        let traces = self.traces.as_ref();
        Ok(plugin.capture_content(traces.is_some_and(|traces| traces.captures_content)))
    }

    /// The same, bound to a workspace of the database, which keeps the journal of the model's calls, and within the
    /// budget.
    pub(crate) async fn plugin_over(
        &self,
        workspace: &Arc<dyn Workspace>,
    ) -> anyhow::Result<MemoryPlugin> {
        let budget = self.budget(workspace)?;
        self.bind(self.plugin()?, workspace, Some(budget)).await
    }

    /// The budget of a workspace.
    pub(crate) fn budget(&self, workspace: &Arc<dyn Workspace>) -> anyhow::Result<Arc<Budget>> {
        let terms = self.config.budget_terms()?;
        Ok(Arc::new(Budget::new(
            workspace.clone(),
            self.clock(),
            terms,
        )))
    }

    /// The search by meaning of a workspace; `None` without a model. A server's calls are within a budget; those of a model in
    /// the process cost nothing.
    pub(crate) fn embedder(
        &self,
        workspace: &Arc<dyn Workspace>,
        budget: Option<Arc<Budget>>,
    ) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
        let embeddings = &self.config.recall.embeddings;
        let Some(embedder) = configured_embedder(embeddings)? else {
            let local = self.local.of(embeddings)?;
            return Ok(local.map(|local| local as Arc<dyn Embedder>));
        };
        let embedder = Accounted::new(Arc::new(embedder), workspace.clone(), budget);
        Ok(Some(Arc::new(embedder)))
    }

    /// Binds a plugin to a workspace of the database, within a budget.
    pub(crate) async fn bind(
        &self,
        mut plugin: MemoryPluginBuilder,
        workspace: &Arc<dyn Workspace>,
        budget: Option<Arc<Budget>>,
    ) -> anyhow::Result<MemoryPlugin> {
        plugin = plugin.storage(workspace.clone());
        if let Some(embedder) = self.embedder(workspace, budget.clone())? {
            plugin = plugin.embedder(embedder);
        }
        if self.config.memory.recording {
            plugin = plugin.recordings(workspace.clone());
        }
        let plugin = plugin.build()?;
        let faults = plugin.component().check(&plugin.settings().pairs())?;
        anyhow::ensure!(faults.is_empty(), "{}", explain_settings(&faults));
        let plugin = plugin.with_journal(workspace.clone());
        Ok(match budget {
            Some(budget) => plugin.with_allowance(budget),
            None => plugin,
        })
    }

    /// The given time, the end of the given day, or now, in the configured time zone.
    pub(crate) fn time(&self, moment: Option<MomentArg>) -> Timestamp {
        match moment {
            Some(moment) => self.local_time(moment.last_second(self.config.timezone)),
            None => self.clock().now(),
        }
    }

    /// A point in time with the offset of the configured time zone.
    pub(crate) fn local_time(&self, unix_seconds: i64) -> Timestamp {
        self.clock().local(unix_seconds)
    }

    pub(crate) fn clock(&self) -> Clock {
        Clock::system(self.config.timezone)
    }
}

/// A path, quoted for a shell.
pub(super) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Where compiled components are kept: `$XDG_CACHE_HOME/myao` or `~/.cache/myao`.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("myao"))
}

/// Loads a component, or the built-in one, unless it is loaded already.
fn load_component(
    path: Option<&Path>,
    loaded: &Mutex<Option<Loaded>>,
) -> Result<LoadedComponent, LoadError> {
    let cache = cache_folder();
    let (name, bytes) = match path {
        Some(path) => {
            let read = std::fs::read(path);
            let bytes = read.map_err(|source| LoadError::Unreadable {
                path: path.to_owned(),
                source,
            })?;
            (path.display().to_string(), Cow::Owned(bytes))
        }
        None => (
            "the built-in component".to_owned(),
            Cow::Borrowed(BUNDLED_COMPONENT),
        ),
    };
    let mut kept = loaded.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((same, component)) = &*kept
        && *same == bytes
    {
        return Ok(component.clone());
    }
    let component = LoadedComponent::from_bytes(&name, &bytes, cache.as_deref())?.with_bot()?;
    *kept = Some((bytes, component.clone()));
    Ok(component)
}

/// Reads the configuration file. If it has settings of the component, that is loaded to check them.
fn read_config(
    path: Option<&Path>,
    legacy_workspace_short_term: bool,
    component: Option<&Path>,
    loaded: &Mutex<Option<Loaded>>,
) -> anyhow::Result<Config> {
    let check = |settings: &[(String, String)]| {
        let component = load_component(component, loaded).map_err(|error| error.to_string())?;
        checked(&component, settings)
    };
    let mut config = match path {
        Some(path) => Config::read(path, &check)?,
        None => Config::default(),
    };
    if legacy_workspace_short_term {
        config.keep_retired();
    }
    Ok(config)
}

/// The names of the workspaces that a configuration lists.
fn listed(config: &Config) -> Vec<String> {
    let listed = config.workspaces.iter();
    listed.map(|config| config.workspace.clone()).collect()
}

/// The configuration of a workspace, with the retired keys of the whole file.
fn of_workspace(config: &Config, name: Option<&str>) -> anyhow::Result<Config> {
    Ok(Config {
        retired: config.retired.clone(),
        ..config.of_workspace(name)?
    })
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read_input(path: &Path) -> anyhow::Result<String> {
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(path),
    };
    text.with_context(|| format!("cannot read {}", input_name(path)))
}

/// The name of an input in errors.
pub(crate) fn input_name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Makes the store's errors readable.
pub(crate) trait Explained<T> {
    /// The value, or the error in one line.
    fn explained(self) -> anyhow::Result<T>;
}

impl<T> Explained<T> for Result<T, StorageError> {
    fn explained(self) -> anyhow::Result<T> {
        self.map_err(|error| anyhow::anyhow!(explain_storage(&error)))
    }
}
