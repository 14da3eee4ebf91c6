//! The configuration and the component in use, which can be exchanged while the bot runs: calls under way end on what they
//! began with.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use tokio::sync::mpsc;

use super::stop::Stop;
use crate::config::Config;
use crate::plugin::MemoryPlugin;

/// How often the component's file is looked at. A look costs one system call, and sees every way of exchanging a
/// file, also on network drives.
const LOOK: Duration = Duration::from_secs(2);

/// Makes both anew, from the configuration file and the component's file as they are now.
pub type Load =
    Arc<dyn Fn() -> BoxFuture<'static, Result<(Config, MemoryPlugin), String>> + Send + Sync>;

/// What is in use now.
#[derive(Clone)]
pub struct Current {
    state: Arc<RwLock<State>>,
    load: Load,
}

#[derive(Clone)]
struct State {
    config: Arc<Config>,
    plugin: MemoryPlugin,
}

impl Current {
    /// Loads both for the first time.
    ///
    /// # Errors
    /// What `load` says.
    pub async fn load(load: Load) -> Result<Self, String> {
        let (config, plugin) = load().await?;
        let config = Arc::new(config);
        let state = Arc::new(RwLock::new(State { config, plugin }));
        Ok(Self { state, load })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.state().config
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

    /// Loads both again. Where that fails, what was in use stays.
    async fn reload(&self, why: &str) {
        let before = self.config();
        match (self.load)().await {
            Ok((config, plugin)) => {
                let config = Arc::new(config);
                for key in needs_restart(&before, &config) {
                    tracing::warn!(
                        "{key} has changed; that takes effect when the bot is started again"
                    );
                }
                let digest = plugin.component_digest().to_owned();
                let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
                *state = State { config, plugin };
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

    /// Loads again whenever `asked` says so or the component's file changes, until asked to stop.
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
                    // While it is being exchanged it may not be there.
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

/// What tells one content of a file from another.
fn stamp(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// The keys that are read only once, at the start.
fn needs_restart(before: &Config, after: &Config) -> Vec<&'static str> {
    let keys = [
        ("slack", before.slack == after.slack),
        ("health_check", before.health_check == after.health_check),
        ("workspace", before.workspace == after.workspace),
        ("timezone", before.timezone == after.timezone),
        (
            "memory.database_path",
            before.memory.database_path == after.memory.database_path,
        ),
        ("logging", before.logging == after.logging),
    ];
    let changed = keys.iter().filter(|(_, same)| !same);
    changed.map(|(key, _)| *key).collect()
}
