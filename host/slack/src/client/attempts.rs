//! Retries a call if that can help and does no harm.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::method::{Method, NAMES};
use crate::{backoff::Backoff, error::ClientError};

/// How many 429s a call may get before it gives up.
const MAX_LIMITED: u32 = 5;
/// The longest time that a call waits for limits, all waits together. `conversations.history` allows some apps one call a
/// minute.
const MAX_LIMITED_WAIT: Duration = Duration::from_secs(180);
/// The longest wait that Slack can ask for; usually it asks for some minutes at most. A server or proxy that asks for more
/// by mistake must not silence the bot: after this time one call is tried again.
const MAX_LIMIT: Duration = Duration::from_secs(3600);
/// How often a call may fail, because of the connection or trouble at Slack, before it gives up.
const MAX_FAILURES: u32 = 3;
/// The waits after such failures, and after a 429 without a time.
pub(super) const WAITS: Backoff = Backoff {
    first: Duration::from_millis(500),
    cap: Duration::from_secs(10),
};

/// The gates of all methods.
#[derive(Default)]
pub(super) struct Gates(Mutex<HashMap<&'static str, Arc<Gate>>>);

impl Gates {
    pub(super) fn of(&self, method: Method) -> Arc<Gate> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(method.name()).or_default())
    }

    /// Limits a method of this name, if there is one.
    pub(super) fn limit(&self, method: &str, wait: Duration) {
        let Some(name) = NAMES.iter().find(|name| **name == method) else {
            return;
        };
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(name).or_default().limit(wait);
    }

    /// The methods that are limited now, sorted by name, and for how long.
    pub(super) fn waits(&self) -> Vec<(&'static str, Duration)> {
        let gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = gates.iter().map(|(name, gate)| (*name, gate.remaining()));
        let mut waits: Vec<_> = waits.filter(|(_, wait)| !wait.is_zero()).collect();
        waits.sort_unstable();
        waits
    }
}

/// Holds back the calls of one method while Slack wants none.
#[derive(Default)]
pub(super) struct Gate {
    /// Set by a 429, and removed by the first call that succeeds after that time. Until then calls go one by one.
    limited_until: Mutex<Option<Instant>>,
    /// Whose turn it is, first come, first served.
    turn: tokio::sync::Mutex<()>,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.limited_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn limited_until(&self) -> Option<Instant> {
        *self.lock()
    }

    fn limit(&self, wait: Duration) {
        let until = Instant::now() + wait.min(MAX_LIMIT);
        let mut limited_until = self.lock();
        *limited_until = (*limited_until).max(Some(until));
    }

    /// A call succeeded. If the limit is not over, the call began before it and says nothing about it.
    fn succeeded(&self) {
        self.lock().take_if(|until| *until <= Instant::now());
    }

    /// How long the limit still lasts; zero if there is none.
    fn remaining(&self) -> Duration {
        self.limited_until().map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    /// Waits until the limit is over.
    ///
    /// # Errors
    /// At once, if that is after the deadline: the time that the limit still lasts.
    async fn pass(&self, deadline: Instant) -> Result<(), Duration> {
        while let Some(until) = self.limited_until().filter(|until| *until > Instant::now()) {
            if until > deadline {
                return Err(self.remaining());
            }
            sleep_until(until).await;
        }
        Ok(())
    }
}

/// Makes attempts until one succeeds, a retry would do harm or not help, or the bounds above are reached.
pub(super) async fn run<T, A>(
    method: Method,
    gate: &Gate,
    waits: Backoff,
    mut attempt: impl FnMut() -> A,
) -> Result<T, ClientError>
where
    A: Future<Output = Result<T, ClientError>>,
{
    let deadline = Instant::now() + MAX_LIMITED_WAIT;
    let limited = |wait: Duration| ClientError::RateLimited {
        method: method.name(),
        retry_after: (!wait.is_zero()).then_some(wait),
    };
    let (mut failures, mut limits) = (0, 0);
    let mut turn = None;
    loop {
        if turn.is_none() && gate.limited_until().is_some() {
            let taken = timeout_at(deadline, gate.turn.lock()).await;
            turn = Some(taken.map_err(|_| limited(gate.remaining()))?);
        }
        gate.pass(deadline).await.map_err(limited)?;
        let error = match attempt().await {
            Ok(answer) => {
                gate.succeeded();
                return Ok(answer);
            }
            Err(error) => error,
        };
        match &error {
            ClientError::RateLimited { retry_after, .. } => {
                limits += 1;
                gate.limit(retry_after.unwrap_or_else(|| waits.wait(limits)));
                if limits >= MAX_LIMITED {
                    return Err(limited(gate.remaining()));
                }
                tracing::debug!(method = method.name(), wait = ?gate.remaining(), "Slack wants fewer calls");
            }
            other if may_repeat(method, other) => {
                failures += 1;
                if failures >= MAX_FAILURES {
                    return Err(error);
                }
                tracing::debug!(%error, "retrying");
                sleep(waits.wait(failures)).await;
            }
            _ => return Err(error),
        }
    }
}

/// Returns true if a retry does no harm and may help.
fn may_repeat(method: Method, error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable {
            may_have_arrived: false,
            ..
        } => true,
        ClientError::Unreachable { .. } | ClientError::TimedOut { .. } => method.is_repeatable(),
        ClientError::Status { .. } | ClientError::Refused { .. } => {
            method.is_repeatable() && error.may_have_arrived()
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "tests/attempts.rs"]
mod tests;
