//! The wish to stop, shared by all that runs.

use std::time::Duration;

use tokio::sync::watch;

/// Tells whether the bot is to stop.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// A wish that is not made yet; sending `true` makes it.
    #[must_use]
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    /// Whether it is made.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is made, or nobody is left to make it.
    pub async fn requested(&mut self) {
        // An error means that the sender is gone, which ends everything too.
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    /// Waits for a time, or until it is made.
    pub async fn sleep(&mut self, time: Duration) {
        let _ = tokio::time::timeout(time, self.requested()).await;
    }

    /// The channel itself, for those who know channels only.
    #[must_use]
    pub fn channel(&self) -> watch::Receiver<bool> {
        self.0.clone()
    }
}
