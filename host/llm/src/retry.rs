//! Retries a call if that can help, and never beyond its deadline.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::fault::{Fault, Retry};

/// The shortest wait, as a share of the longest; more than half, so that each wait is longer than the one before.
const LEAST_SHARE: f64 = 0.75;

/// How often a call is retried, and after which waits.
#[derive(Clone)]
pub(super) struct RetryPolicy {
    /// All attempts of one call, the first included. Default 4.
    pub(super) max_attempts: u32,
    /// The longest wait before the second attempt; it doubles with each further one. Default 1 s.
    pub(super) first_wait: Duration,
    /// The longest wait before any attempt, unless the server asks for more. Default 30 s.
    pub(super) max_wait: Duration,
    /// A random number from 0 to 1 for each wait, which is then between three quarters of its longest length and all of
    /// it: calls that failed together do not retry together, and the waits still grow.
    pub(super) jitter: Arc<dyn Fn() -> f64 + Send + Sync>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            first_wait: Duration::from_secs(1),
            max_wait: Duration::from_secs(30),
            jitter: Arc::new(fastrand::f64),
        }
    }
}

impl RetryPolicy {
    /// The wait after an attempt, counted from 1; `None` if there is no retry. The wait that a server asks for is a
    /// minimum.
    fn wait(&self, attempt: u32, retry: Retry) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.first_wait.saturating_mul(doubled).min(self.max_wait);
        let random = || (self.jitter)().clamp(0.0, 1.0);
        match retry {
            Retry::Never => None,
            Retry::Later => Some(longest.mul_f64(LEAST_SHARE + (1.0 - LEAST_SHARE) * random())),
            Retry::After(least) => Some(least.saturating_add(self.first_wait.mul_f64(random()))),
        }
    }

    /// Makes attempts until one succeeds, a retry cannot help, or there is no time for one. If the next wait would go
    /// beyond the deadline, the last fault is returned at once.
    pub(super) async fn run<T, A: Future<Output = Result<T, Fault>>>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> A,
    ) -> Result<T, Fault> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let result = tokio::time::timeout_at(deadline, attempt()).await;
            let fault = match result {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(fault)) => fault,
                Err(_) => return Err(Fault::timed_out("the deadline of the call has passed")),
            };
            let Some(wait) = self.wait(attempts, fault.retry) else {
                return Err(fault);
            };
            let in_time = Instant::now()
                .checked_add(wait)
                .is_some_and(|then| then < deadline);
            if attempts >= self.max_attempts || !in_time {
                return Err(fault);
            }
            tracing::debug!(attempts, ?wait, "retrying: {}", fault.log_text());
            tokio::time::sleep(wait).await;
        }
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

    use std::cell::{Cell, RefCell};

    use myao_plugin::llm::LlmError;

    use super::*;

    fn retries(share: f64) -> RetryPolicy {
        RetryPolicy {
            jitter: Arc::new(move || share),
            ..RetryPolicy::default()
        }
    }

    fn fault(retry: Retry) -> Fault {
        Fault {
            error: LlmError::Unavailable("down".to_owned()),
            detail: "down".to_owned(),
            message: String::new(),
            retry,
        }
    }

    /// When the attempts began, in milliseconds, of a call that always fails so.
    async fn attempts_of(retries: &RetryPolicy, deadline: u64, retry: Retry) -> Vec<u128> {
        let start = Instant::now();
        let begun = RefCell::new(Vec::new());
        let result = retries
            .run(start + Duration::from_secs(deadline), || async {
                begun.borrow_mut().push(start.elapsed().as_millis());
                Err::<(), _>(fault(retry))
            })
            .await;
        assert_eq!(result.unwrap_err(), fault(retry));
        begun.into_inner()
    }

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_the_longest_and_attempts_end() {
        let all = RetryPolicy {
            max_attempts: 8,
            ..retries(1.0)
        };
        assert_eq!(
            attempts_of(&all, 600, Retry::Later).await,
            [0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]
        );
        assert_eq!(
            attempts_of(&retries(0.0), 600, Retry::Later).await,
            [0, 750, 2250, 5250]
        );
    }

    /// A server in trouble gets less load each time.
    #[tokio::test(start_paused = true)]
    async fn every_wait_is_longer_than_the_one_before() {
        let random = std::sync::Mutex::new(fastrand::Rng::with_seed(7));
        let retries = RetryPolicy {
            jitter: Arc::new(move || random.lock().unwrap().f64()),
            ..RetryPolicy::default()
        };
        for _ in 0..200 {
            let begun = attempts_of(&retries, 600, Retry::Later).await;
            let waits: Vec<u128> = begun.windows(2).map(|two| two[1] - two[0]).collect();
            assert!(waits.windows(2).all(|two| two[1] > two[0]), "{waits:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_servers_wait_is_the_least_wait() {
        let after = Retry::After(Duration::from_secs(20));
        assert_eq!(
            attempts_of(&retries(0.0), 600, after).await,
            [0, 20_000, 40_000, 60_000]
        );
        assert_eq!(
            attempts_of(&retries(1.0), 600, after).await,
            [0, 21_000, 42_000, 63_000]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_deadline_ends_the_call_at_once() {
        let start = Instant::now();
        let after = Retry::After(Duration::from_secs(20));
        assert_eq!(attempts_of(&retries(0.0), 30, after).await, [0, 20_000]);
        assert_eq!(start.elapsed(), Duration::from_secs(20));
        let forever = Retry::After(Duration::MAX);
        assert_eq!(attempts_of(&retries(1.0), 30, forever).await, [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_succeed_is_not_retried() {
        assert_eq!(attempts_of(&retries(0.0), 600, Retry::Never).await, [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_attempt_that_succeeds_is_the_answer() {
        let attempts = Cell::new(0);
        let result = retries(1.0)
            .run(Instant::now() + Duration::from_secs(600), || async {
                attempts.set(attempts.get() + 1);
                if attempts.get() < 3 {
                    Err(fault(Retry::Later))
                } else {
                    Ok("answer")
                }
            })
            .await;
        assert_eq!((result, attempts.get()), (Ok("answer"), 3));
    }

    /// With random durations, waits of the server, and jitter.
    #[tokio::test(start_paused = true)]
    async fn no_call_outlives_its_deadline() {
        for seed in 0..500 {
            let mut random = fastrand::Rng::with_seed(seed);
            let jitter = std::sync::Mutex::new(random.fork());
            let retries = RetryPolicy {
                max_attempts: random.u32(1..10),
                first_wait: Duration::from_millis(random.u64(0..20_000)),
                max_wait: Duration::from_millis(random.u64(0..60_000)),
                jitter: Arc::new(move || jitter.lock().unwrap().f64()),
            };
            let start = Instant::now();
            let limit = Duration::from_millis(random.u64(0..120_000));
            let result = retries
                .run(start + limit, || {
                    let time = Duration::from_millis(random.u64(0..40_000));
                    let retry = match random.u8(0..3) {
                        0 => Retry::After(Duration::from_millis(random.u64(0..90_000))),
                        _ => Retry::Later,
                    };
                    async move {
                        tokio::time::sleep(time).await;
                        Err::<(), _>(fault(retry))
                    }
                })
                .await;
            assert!(result.is_err());
            // tokio's timers tick in milliseconds.
            let most = limit + Duration::from_millis(1);
            assert!(
                start.elapsed() <= most,
                "seed {seed}: {:?} > {limit:?}",
                start.elapsed()
            );
        }
    }
}
