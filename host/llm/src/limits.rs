//! Limits of the calls to a provider: calls in flight, requests and tokens per minute.
//!
//! Each attempt acquires a permit of its own: a call that waits before its next attempt holds none. Permits are given in
//! the order of asking. "Per minute" means any 60 seconds: no more begins within them than the limit, so that no burst
//! is too much for a provider, in whatever way it counts.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::llm::CALLS_IN_FLIGHT;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::fault::{Fault, MAX_SERVER_WAIT};

const MINUTE: Duration = Duration::from_secs(60);

/// `agents.NAME.limits`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Requests in flight at once. Default: 16.
    pub calls_in_flight: Option<NonZeroU32>,
    /// Requests that may begin within any 60 seconds, each attempt counted. Default: no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens of the requests that may begin within any 60 seconds: those of the prompt and of the longest answer, as
    /// providers count them. A single call with more counts as this many. Default: no limit.
    pub tokens_per_minute: Option<NonZeroU32>,
}

impl Limits {
    /// Returns these limits with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Requests in flight at once.
    pub(super) fn calls_in_flight(&self) -> usize {
        self.calls_in_flight
            .and_then(|calls| usize::try_from(calls.get()).ok())
            .unwrap_or(CALLS_IN_FLIGHT)
    }
}

/// The limits that all calls of an agent share.
pub(super) struct Limiter {
    in_flight: Arc<Semaphore>,
    rates: Mutex<Rates>,
}

struct Rates {
    requests: Window,
    tokens: Window,
    /// The provider asked for no requests before this time.
    paused_until: Option<Instant>,
}

impl Limiter {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            in_flight: Arc::new(Semaphore::new(limits.calls_in_flight())),
            rates: Mutex::new(Rates {
                requests: Window::new(limits.requests_per_minute),
                tokens: Window::new(limits.tokens_per_minute),
                paused_until: None,
            }),
        }
    }

    /// Waits until a request with so many tokens may begin; it counts as in flight until the permit is dropped.
    ///
    /// # Errors
    /// A fault, at once, if the request cannot begin before the deadline.
    pub(super) async fn acquire(
        &self,
        tokens: u32,
        deadline: Instant,
    ) -> Result<OwnedSemaphorePermit, Fault> {
        let permit = Arc::clone(&self.in_flight).acquire_owned().await;
        let permit = permit.map_err(|error| Fault::unavailable(error.to_string()))?;
        loop {
            let start = self.reserve(tokens, Instant::now(), deadline)?;
            tokio::time::sleep_until(start).await;
            // The provider may have asked another call for a pause in the meantime.
            if !self.is_paused(Instant::now()) {
                return Ok(permit);
            }
        }
    }

    /// Lets no request begin before `wait` is over, as the provider asked; an hour at most.
    pub(super) fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait.min(MAX_SERVER_WAIT);
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        rates.paused_until = rates.paused_until.max(Some(until));
    }

    /// How long the pause still takes that the provider asked for; `None` if there is none.
    pub(super) fn paused_for(&self) -> Option<Duration> {
        let rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let left = rates
            .paused_until?
            .saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Lets begin in a minute only an equal part of the limits, as so many processes share them.
    pub(super) fn share_with(&self, processes: u32) {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        rates.requests.processes = processes.max(1);
        rates.tokens.processes = processes.max(1);
    }

    fn is_paused(&self, now: Instant) -> bool {
        let rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        rates.paused_until.is_some_and(|until| now < until)
    }

    /// Reserves a place for a request with so many tokens; returns when it may begin.
    fn reserve(&self, tokens: u32, now: Instant, deadline: Instant) -> Result<Instant, Fault> {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = rates.paused_until.map_or(now, |until| until.max(now));
        // Each window may delay calls that the other allows.
        let mut start = earliest;
        loop {
            let next = rates.requests.earliest(1, start);
            let next = rates.tokens.earliest(tokens, next);
            if next == start {
                break;
            }
            start = next;
        }
        if start > now && start >= deadline {
            return Err(Fault::no_time_left(start - now));
        }
        rates.requests.take(1, start);
        rates.tokens.take(tokens, start);
        Ok(start)
    }
}

/// Requests, or their tokens, that began within the last minute.
struct Window {
    limit: Option<u64>,
    /// How many processes share the limit.
    processes: u32,
    /// When how much began, in order of time; reservations for later included.
    taken: VecDeque<(Instant, u64)>,
}

impl Window {
    fn new(limit: Option<NonZeroU32>) -> Self {
        Self {
            limit: limit.map(|limit| u64::from(limit.get())),
            processes: 1,
            taken: VecDeque::new(),
        }
    }

    /// The number of calls or tokens that this process may begin in a minute.
    fn limit(&self) -> Option<u64> {
        Some((self.limit? / u64::from(self.processes)).max(1))
    }

    /// The earliest time from `from` on at which `amount` more may begin.
    fn earliest(&self, amount: u32, from: Instant) -> Instant {
        let Some(limit) = self.limit() else {
            return from;
        };
        let amount = u64::from(amount).min(limit);
        // First come, first served.
        let mut start = self.taken.back().map_or(from, |(last, _)| from.max(*last));
        let mut used: u64 = self.taken.iter().map(|(_, taken)| taken).sum();
        for (time, taken) in &self.taken {
            if used + amount > limit || *time + MINUTE <= start {
                start = start.max(*time + MINUTE);
                used -= taken;
            }
        }
        start
    }

    fn take(&mut self, amount: u32, start: Instant) {
        let Some(limit) = self.limit() else {
            return;
        };
        while self
            .taken
            .front()
            .is_some_and(|(time, _)| *time + MINUTE <= start)
        {
            self.taken.pop_front();
        }
        self.taken.push_back((start, u64::from(amount).min(limit)));
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )]

    use futures::future::join_all;
    use myao_plugin::llm::LlmError;

    use super::*;

    fn limits(calls: u32, requests: Option<u32>, tokens: Option<u32>) -> Limits {
        Limits {
            calls_in_flight: NonZeroU32::new(calls),
            requests_per_minute: requests.and_then(NonZeroU32::new),
            tokens_per_minute: tokens.and_then(NonZeroU32::new),
        }
    }

    /// When requests begin that take a second each, in seconds.
    async fn starts(limits: Limits, tokens: &[u32]) -> Vec<u64> {
        let limiter = Limiter::new(limits);
        let start = Instant::now();
        let deadline = start + Duration::from_secs(3600);
        let calls = tokens.iter().map(async |tokens| {
            let _permit = limiter.acquire(*tokens, deadline).await.unwrap();
            let begun = start.elapsed().as_secs();
            tokio::time::sleep(Duration::from_secs(1)).await;
            begun
        });
        join_all(calls).await
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_calls_are_in_flight_than_allowed() {
        assert_eq!(
            starts(limits(2, None, None), &[1; 6]).await,
            [0, 0, 1, 1, 2, 2]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_requests_begin_in_a_minute_than_allowed() {
        assert_eq!(
            starts(limits(9, Some(2), None), &[1; 5]).await,
            [0, 0, 60, 60, 120]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_tokens_begin_in_a_minute_than_allowed() {
        let tokens = [60, 50, 40, 10, 500, 1];
        assert_eq!(
            starts(limits(9, None, Some(100)), &tokens).await,
            [0, 60, 60, 60, 120, 180],
            "one larger than the limit goes alone"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn any_sixty_seconds_keep_both_limits() {
        for seed in 0..50 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (requests, tokens) = (random.u32(1..10), random.u32(1..1000));
            let limiter = Limiter::new(limits(100, Some(requests), Some(tokens)));
            let far = Instant::now() + Duration::from_secs(1_000_000);
            let mut now = Instant::now();
            let mut begun = Vec::new();
            for _ in 0..100 {
                now += Duration::from_millis(random.u64(0..20_000));
                let amount = random.u32(1..=tokens);
                begun.push((limiter.reserve(amount, now, far).unwrap(), amount));
            }
            for (first, _) in &begun {
                let window = begun
                    .iter()
                    .filter(|(time, _)| (*first..*first + MINUTE).contains(time));
                let (count, sum) = window.fold((0, 0), |(count, sum), (_, amount)| {
                    (count + 1, sum + amount)
                });
                assert!(count <= requests && sum <= tokens, "seed {seed}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_deadline_is_refused_at_once_and_takes_nothing() {
        let limiter = Limiter::new(limits(9, Some(1), None));
        let start = Instant::now();
        let soon = start + Duration::from_secs(30);
        drop(limiter.acquire(1, soon).await.unwrap());
        let fault = limiter.acquire(1, soon).await.unwrap_err();
        assert_eq!(fault.error, LlmError::RateLimited(Some(60)));
        assert_eq!(start.elapsed(), Duration::ZERO);
        let later = start + Duration::from_secs(100);
        drop(limiter.acquire(1, later).await.unwrap());
        assert_eq!(
            start.elapsed(),
            Duration::from_secs(60),
            "the refused request reserved nothing"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn processes_share_what_is_allowed_in_a_minute() {
        let limiter = Limiter::new(limits(9, Some(4), None));
        let (now, far) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        let start = || (limiter.reserve(1, now, far).unwrap() - now).as_secs();
        limiter.share_with(2);
        assert_eq!([start(), start(), start()], [0, 0, 60]);
        limiter.share_with(1);
        assert_eq!([start(), start(), start(), start()], [60, 60, 60, 120]);
        // However many they are, each one goes on.
        limiter.share_with(100);
        assert_eq!([start(), start()], [180, 240]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_back_all_calls() {
        let limiter = Limiter::new(Limits::default());
        let start = Instant::now();
        limiter.pause(Duration::from_secs(7));
        limiter.pause(Duration::from_secs(3));
        let later = start + Duration::from_secs(60);
        drop(limiter.acquire(1, later).await.unwrap());
        assert_eq!(start.elapsed(), Duration::from_secs(7));
        assert_eq!(limiter.paused_for(), None);
        limiter.pause(Duration::from_secs(100));
        assert_eq!(limiter.paused_for(), Some(Duration::from_secs(100)));
        let fault = limiter
            .acquire(1, start + Duration::from_secs(60))
            .await
            .unwrap_err();
        assert_eq!(fault.error, LlmError::RateLimited(Some(100)));
    }

    #[tokio::test(start_paused = true)]
    async fn no_pause_is_longer_than_an_hour_whatever_the_provider_says() {
        for wait in [Duration::from_secs(4_294_967_295), Duration::MAX] {
            let limiter = Limiter::new(Limits::default());
            let start = Instant::now();
            limiter.pause(wait);
            assert_eq!(limiter.paused_for(), Some(MAX_SERVER_WAIT));
            let deadline = start + MAX_SERVER_WAIT + MINUTE;
            drop(limiter.acquire(1, deadline).await.unwrap());
            assert_eq!(start.elapsed(), MAX_SERVER_WAIT);
        }
    }
}
