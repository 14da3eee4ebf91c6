//! The order in which parallel channels save memories that are merged into the workspace's.
//!
//! The workspace's memory names the newest memory that it has merged (`merged-through`). This is the memory of the
//! channel that was saved last. To make that channel always the same one, the last channel of a run waits until the
//! others have ended before it saves what is merged into the workspace's memory: its long-term memory and, if the
//! retired workspace short-term memory is made, also its versions.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};

/// Held by a step until it ends.
pub(crate) type Under = mpsc::Sender<Infallible>;

/// With this, the last step waits for the others.
#[derive(Clone)]
pub(crate) struct Turn {
    others: Arc<Mutex<mpsc::Receiver<Infallible>>>,
    longest: Duration,
}

impl Turn {
    /// Returns what the other steps hold, and the turn of the last step. The turn comes after `longest` at the latest,
    /// so a channel that hangs does not block another one forever. The order only makes the result look the same each
    /// time.
    pub(crate) fn after_others(longest: Duration) -> (Under, Self) {
        let (under, others) = mpsc::channel(1);
        let others = Arc::new(Mutex::new(others));
        (under, Self { others, longest })
    }

    /// Waits until all other steps have ended. Later calls return at once.
    pub(crate) async fn come(&self) {
        let others = async { self.others.lock().await.recv().await };
        // Nothing is ever sent; this ends when nobody holds the sender any more.
        let _: Result<Option<Infallible>, _> = tokio::time::timeout(self.longest, others).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_turn_comes_when_all_others_have_ended() {
        let (under, turn) = Turn::after_others(Duration::from_secs(300));
        let other = under.clone();
        drop(under);
        let waiting = tokio::spawn(async move { turn.come().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(other);
        let began = tokio::time::Instant::now();
        waiting.await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_hangs_holds_the_last_one_up_for_a_while_only() {
        let (_under, turn) = Turn::after_others(Duration::from_secs(300));
        let began = tokio::time::Instant::now();
        turn.come().await;
        assert_eq!(began.elapsed(), Duration::from_secs(300));
    }
}
