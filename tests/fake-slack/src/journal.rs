//! The order of traffic on the wire between Slack and the bot, and the times until acknowledgement.

use std::time::Duration;

use crate::server::FakeSlack;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A socket was opened.
    Connected {
        /// Its number, from 1.
        connection: u64,
    },
    /// A socket is gone.
    Disconnected {
        /// Its number.
        connection: u64,
    },
    /// An event was sent.
    Sent {
        /// `Ev…`, or the number of a slash command.
        event_id: String,
        /// 0 for the first time.
        attempt: u32,
    },
    /// An event was acknowledged, for the first time or again.
    Acknowledged {
        /// Which.
        event_id: String,
    },
    /// A method of the Web API was called.
    Called {
        /// `chat.postMessage` …
        method: String,
    },
}

impl FakeSlack {
    /// Everything that happened so far, in order.
    #[must_use]
    pub fn journal(&self) -> Vec<Entry> {
        self.inner().read(|state| state.journal.clone())
    }

    /// For each acknowledged envelope or request, the time between its sending and its acknowledgement, in the order
    /// of sending. The time is tokio's, so a paused clock shows none.
    #[must_use]
    pub fn ack_latencies(&self) -> Vec<Duration> {
        let deliveries = self.deliveries();
        let latency = |delivery: &crate::Delivery| {
            Some(
                delivery
                    .acknowledged?
                    .saturating_duration_since(delivery.sent?),
            )
        };
        deliveries.iter().filter_map(latency).collect()
    }
}

/// The duration that `percent` of `durations` do not exceed (nearest rank); zero if there are none.
#[must_use]
pub fn percentile(durations: &[Duration], percent: usize) -> Duration {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let durations: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&durations, 99), Duration::from_millis(198));
        assert_eq!(percentile(&durations, 100), Duration::from_millis(200));
        assert_eq!(percentile(&[], 99), Duration::ZERO);
    }
}
