//! Waits that grow with each failure.

use std::time::Duration;

/// The shortest wait, as a share of the longest; more than half, so that each wait is longer than the one before.
const LEAST_SHARE: f64 = 0.75;

/// Waits that double up to `cap`. Each is shortened by up to a quarter, at random: callers that failed together do not
/// retry together, and the waits still grow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backoff {
    /// The first wait, before it is shortened.
    pub(crate) first: Duration,
    /// The longest wait.
    pub(crate) cap: Duration,
}

impl Backoff {
    /// The wait after so many failures, counted from 1.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        self.wait_at(failures, fastrand::f64())
    }

    /// The wait for a random number from 0 to 1.
    fn wait_at(&self, failures: u32, random: f64) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let longest = self.first.saturating_mul(doubled).min(self.cap);
        longest.mul_f64(LEAST_SHARE + (1.0 - LEAST_SHARE) * random)
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

    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_and_differ() {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            cap: Duration::from_secs(30),
        };
        let seconds = |random| [1, 2, 3, 6, 99].map(|n| backoff.wait_at(n, random).as_secs_f64());
        assert_eq!(seconds(1.0), [1.0, 2.0, 4.0, 30.0, 30.0]);
        assert_eq!(seconds(0.0), [0.75, 1.5, 3.0, 22.5, 22.5]);
    }
}
