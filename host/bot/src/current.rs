//! The configuration and the component in use. Both can be replaced while the bot runs; calls that are already running
//! finish with the ones they started with.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use myao_plugin::MemoryPlugin;
use tokio::sync::mpsc;

use super::settings::BotSettings;
use super::stop::Stop;

/// How often the component's file is checked. A check costs one system call, and notices every way of replacing a file,
/// also on network drives.
const LOOK: Duration = Duration::from_secs(2);

/// Loads both again, from the configuration file and the component's file as they are now.
pub type Load =
    Arc<dyn Fn() -> BoxFuture<'static, Result<(BotSettings, MemoryPlugin), String>> + Send + Sync>;

/// The settings and the plugin in use now.
#[derive(Clone)]
pub struct Current {
    state: Arc<RwLock<State>>,
    load: Load,
}

#[derive(Clone)]
struct State {
    settings: Arc<BotSettings>,
    plugin: MemoryPlugin,
}

impl Current {
    /// Loads both for the first time.
    ///
    /// # Errors
    /// The error message of `load`.
    pub async fn load(load: Load) -> Result<Self, String> {
        let (settings, plugin) = load().await?;
        let settings = Arc::new(settings);
        let state = Arc::new(RwLock::new(State { settings, plugin }));
        Ok(Self { state, load })
    }

    /// Settings and a plugin that never change.
    #[must_use]
    pub fn fixed(settings: BotSettings, plugin: MemoryPlugin) -> Self {
        let state = State {
            settings: Arc::new(settings.clone()),
            plugin: plugin.clone(),
        };
        let load: Load = Arc::new(move || {
            let same = (settings.clone(), plugin.clone());
            Box::pin(async move { Ok(same) })
        });
        let state = Arc::new(RwLock::new(state));
        Self { state, load }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> Arc<BotSettings> {
        self.state().settings
    }

    /// The component, bound to store, models and platform.
    #[must_use]
    pub fn plugin(&self) -> MemoryPlugin {
        self.state().plugin
    }

    fn state(&self) -> State {
        let state = self.state.read();
        state.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads both again. If that fails, the old ones stay in use.
    async fn reload(&self, why: &str) {
        match (self.load)().await {
            Ok((settings, plugin)) => {
                let settings = Arc::new(settings);
                let digest = plugin.component_digest().to_owned();
                let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
                *state = State { settings, plugin };
                drop(state);
                tracing::info!(
                    "{why}: configuration and component are loaded again (component {digest})"
                );
            }
            Err(error) => {
                tracing::error!("{why}: nothing has changed, as it cannot be loaded: {error}")
            }
        }
    }

    /// Reloads whenever `asked` receives a message or the component's file changes, until the bot shuts down.
    pub(super) async fn keep_up(
        self,
        component: Option<PathBuf>,
        mut asked: mpsc::Receiver<()>,
        mut stop: Stop,
    ) {
        let mut seen = component.as_ref().and_then(stamp);
        while !stop.is_requested() {
            let mut stopped = stop.clone();
            tokio::select! {
                Some(()) = asked.recv() => {
                    self.reload("SIGHUP").await;
                    seen = component.as_ref().and_then(stamp);
                }
                () = stopped.sleep(LOOK) => {
                    let now = component.as_ref().and_then(stamp);
                    // The file may be missing while it is being replaced.
                    if now.is_some() && now != seen {
                        seen = now;
                        self.reload("the component's file has changed").await;
                    }
                }
            }
        }
        stop.requested().await;
    }
}

/// The time of change and the size, which differ between two versions of a file.
fn stamp(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
