//! The models that a plugin asks.

use std::sync::Arc;
use std::time::Duration;

use super::MemoryPlugin;
use crate::llm::{Allowance, Llm};

impl MemoryPlugin {
    /// Returns the same plugin; `allowance` decides before each call of a model if it is made.
    #[must_use]
    pub fn with_allowance(mut self, allowance: Arc<dyn Allowance>) -> Self {
        self.capabilities.allowance = Some(allowance);
        self
    }

    /// Returns the same plugin, which answers and summarises with quotes, whatever the settings say: no model is asked.
    #[must_use]
    pub fn quoting(mut self) -> Self {
        let settings = Arc::make_mut(&mut self.capabilities.settings);
        settings.set("engines.memory", "extractive");
        settings.set("engines.response", "extractive");
        self
    }

    /// Tells the journal which model makes the memories of a run.
    pub(crate) async fn begin_run(&self) {
        let Some(journal) = &self.capabilities.journal else {
            return;
        };
        if let Some(identity) = self.capabilities.agents.memory.identity()
            && let Err(error) = journal.begin_run(identity).await
        {
            // The run reports this too.
            tracing::warn!(
                "deferrals of an earlier model do not end: {}",
                crate::explain::explain_storage(&error)
            );
        }
    }

    /// The agents whose providers accept no calls for now, by their keys in the configuration, and for how long.
    #[must_use]
    pub fn paused_models(&self) -> Vec<(&'static str, Duration)> {
        let paused = self.models().into_iter();
        paused
            .filter_map(|(agent, llm)| Some((agent, llm.paused_for()?)))
            .collect()
    }

    /// Makes no calls of an agent's model for this long: its provider has asked another process for that.
    pub fn pause_model(&self, agent: &str, wait: Duration) {
        for (name, llm) in self.models() {
            if name == agent {
                llm.pause(wait);
            }
        }
    }

    /// Keeps to an equal part of the models' limits per minute, as so many processes call them.
    pub fn share_models_with(&self, processes: u32) {
        for (_, llm) in self.models() {
            llm.share_with(processes);
        }
    }

    fn models(&self) -> [(&'static str, &Arc<dyn Llm>); 3] {
        let agents = &self.capabilities.agents;
        [
            ("memory", &agents.memory),
            ("response", &agents.response),
            ("judgment", &agents.judgment),
        ]
    }
}
