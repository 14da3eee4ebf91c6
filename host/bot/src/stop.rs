//! The shutdown signal, shared by everything that runs.

use std::time::Duration;

use tokio::sync::watch;

/// Receives the shutdown signal.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Creates the shutdown signal; send `true` to request shutdown.
    #[must_use]
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    /// Returns true if shutdown is requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until shutdown is requested, or until the sender is gone.
    pub async fn requested(&mut self) {
        // An error means that the sender is gone, which ends everything too.
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    /// Waits for `time`, or until shutdown is requested.
    pub async fn sleep(&mut self, time: Duration) {
        let _ = tokio::time::timeout(time, self.requested()).await;
    }

    /// The receiver itself, for code that only takes a channel.
    #[must_use]
    pub fn channel(&self) -> watch::Receiver<bool> {
        self.0.clone()
    }
}
