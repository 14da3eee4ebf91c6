//! Shares rate limits with the other processes that work on the workspace: what Slack and the models have asked one of them to
//! wait, all wait, and each one keeps to its part of what is allowed in a minute.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use myao_plugin::explain::explain_storage;
use myao_plugin::state::leases::{Exchanged, Leases, Pause};

use crate::current::Current;
use crate::slack::live::LiveSlack;
use crate::stop::Stop;
use crate::told::Told;

/// How often the others are asked.
const LOOK: Duration = Duration::from_secs(1);
/// Two times that differ by less are the same pause.
const SAME: Duration = Duration::from_secs(1);
/// The subject of a pause: a method of Slack, or the model of an agent.
const SLACK: &str = "slack";
const MODEL: &str = "model";

/// Shares rate limits.
pub(crate) struct Pacing {
    pub(crate) leases: Arc<dyn Leases>,
    pub(crate) slack: Arc<LiveSlack>,
    pub(crate) current: Current,
}

impl Pacing {
    /// Works until asked to stop; not at all if this process works alone.
    pub(crate) async fn run(self, mut stop: Stop) {
        if self.leases.shared().is_none() {
            return;
        }
        let mut known = Known::default();
        let mut told = Told::default();
        while !stop.is_requested() {
            let new = known.learn(self.pauses());
            match self.leases.exchange(new).await {
                Ok(Exchanged { pauses, processes }) => {
                    if let Some(failures) = told.over() {
                        tracing::info!("rate limits are shared again; {failures} attempts failed");
                    }
                    for pause in known.learn(pauses) {
                        self.keep(&pause);
                    }
                    self.current.plugin().share_models_with(processes);
                }
                Err(error) => {
                    if let Some(why) = told.waits(explain_storage(&error), 1) {
                        tracing::warn!("rate limits are not shared with other hosts: {why}");
                    }
                }
            }
            stop.sleep(LOOK).await;
        }
        self.leases.leave().await;
    }

    /// The waits that this process was asked for.
    fn pauses(&self) -> Vec<Pause> {
        let pause = |kind: &str, name: &str, left| Pause {
            of: format!("{kind}:{name}"),
            left,
        };
        let methods = self.slack.client().waits().into_iter();
        let methods = methods.map(|(method, left)| pause(SLACK, method, left));
        let models = self.current.plugin().paused_models().into_iter();
        let models = models.map(|(agent, left)| pause(MODEL, agent, left));
        methods.chain(models).collect()
    }

    fn keep(&self, pause: &Pause) {
        match pause.of.split_once(':') {
            Some((SLACK, method)) => self.slack.client().limit(method, pause.left),
            Some((MODEL, agent)) => self.current.plugin().pause_model(agent, pause.left),
            _ => {}
        }
    }
}

/// When each pause that is known ends.
#[derive(Default)]
struct Known(HashMap<String, Instant>);

impl Known {
    /// Returns those that are new, or longer than was known.
    fn learn(&mut self, pauses: Vec<Pause>) -> Vec<Pause> {
        let now = Instant::now();
        self.0.retain(|_, until| *until > now);
        let is_new = |pause: &Pause| {
            let until = now + pause.left;
            let known = self.0.get(&pause.of).copied();
            let is_new = known.is_none_or(|known| known + SAME < until);
            if is_new {
                self.0.insert(pause.of.clone(), until);
            }
            is_new
        };
        pauses.into_iter().filter(is_new).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use myao_plugin::state::leases::Pause;

    use super::Known;

    #[test]
    fn pauses_are_learnt_once_and_again_when_they_get_longer() {
        let pause = |seconds| Pause {
            of: "model:memory".to_owned(),
            left: Duration::from_secs(seconds),
        };
        let mut known = Known::default();
        assert_eq!(known.learn(vec![pause(60)]), [pause(60)]);
        assert_eq!(known.learn(vec![pause(60), pause(59)]), []);
        assert_eq!(known.learn(vec![pause(90)]), [pause(90)]);
    }
}
