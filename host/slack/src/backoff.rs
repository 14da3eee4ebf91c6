//! Waits that grow.

use std::time::Duration;

/// How much of its longest length a wait has at least; more than half, as the lengths double.
const LEAST_SHARE: f64 = 0.75;

/// Waits that double up to a longest one. Each is shortened by up to a quarter, at random: callers that failed together do
/// not come back together, and still the waits grow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backoff {
    /// The longest first wait.
    pub(crate) first: Duration,
    /// The longest wait of all.
    pub(crate) cap: Duration,
}

impl Backoff {
    /// The wait after so many failures, counted from 1.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        self.share(failures, fastrand::f64())
    }

    /// The wait for a random number from 0 to 1.
    fn share(&self, failures: u32, dice: f64) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let longest = self.first.saturating_mul(doubled).min(self.cap);
        longest.mul_f64(LEAST_SHARE + (1.0 - LEAST_SHARE) * dice)
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
        let seconds = |dice| [1, 2, 3, 6, 99].map(|n| backoff.share(n, dice).as_secs_f64());
        assert_eq!(seconds(1.0), [1.0, 2.0, 4.0, 30.0, 30.0]);
        assert_eq!(seconds(0.0), [0.75, 1.5, 3.0, 22.5, 22.5]);
    }
}
