//! Socket Mode: Slack's events over a connection that the bot opens, so that it needs no public address.
//!
//! - An envelope is acknowledged only after the inbox has kept it. What is not acknowledged, Slack delivers again.
//! - Many envelopes are with the inbox at once, so that it can keep them together; their number is bounded.
//! - When Slack wants a connection renewed, the new one is open before the old one is let go.
//! - A connection that shows no sign of life is given up, and every one that ends is replaced.
//!
//! The address comes from `apps.connections.open`; the connection itself goes straight to Slack, through no HTTP proxy.

mod dial;
mod envelope;
mod link;
mod supervisor;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};

use crate::{client::SlackClient, delivery::Inbox, error::SlackError, token::Token};
use dial::SlackDial;
use supervisor::Supervisor;

/// Stands for a method's name in errors.
const NAME: &str = "Socket Mode";

/// Whether events can arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// No connection was tried yet, or the first is under way.
    Connecting,
    /// Events arrive.
    Connected {
        /// Since when this connection is open. A renewed one begins anew.
        since: Instant,
    },
    /// There is no connection; another is tried.
    Disconnected {
        /// Since when.
        since: Instant,
        /// Why, for people.
        reason: String,
    },
}

/// How a new connection follows on what was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Established {
    /// The first: what was said before it began has to be looked up.
    First,
    /// The one before was still open: nothing was missed.
    Seamless,
    /// There was none for so long: what was said then may have been missed.
    AfterGap(Duration),
}

/// A connection to Slack that is kept up.
pub struct SocketMode {
    client: SlackClient,
    app_token: Token,
    inbox: Arc<dyn Inbox>,
    state: watch::Sender<ConnectionState>,
    on_established: Box<dyn Fn(Established) + Send + Sync>,
}

impl SocketMode {
    /// A connection that is not open yet. The app token (`xapp-…`) needs the scope `connections:write`.
    #[must_use]
    pub fn new(client: SlackClient, app_token: Token, inbox: Arc<dyn Inbox>) -> Self {
        Self {
            client,
            app_token,
            inbox,
            state: watch::Sender::new(ConnectionState::Connecting),
            on_established: Box::new(|_| {}),
        }
    }

    /// Calls a function each time that a connection was made, so that what was missed can be looked up. It must return
    /// at once.
    #[must_use]
    pub fn on_established(mut self, notify: impl Fn(Established) + Send + Sync + 'static) -> Self {
        self.on_established = Box::new(notify);
        self
    }

    /// Whether events can arrive, now and later.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        self.state.subscribe()
    }

    /// Receives until `shutdown` becomes true, or its sender is gone. Then it reads no more, lets the inbox finish,
    /// acknowledges what was kept, and closes.
    ///
    /// # Errors
    /// What waiting cannot mend: a token that is not valid or lacks its scope, or Socket Mode switched off. Everything
    /// else is tried again, for ever.
    pub async fn run(self, shutdown: watch::Receiver<bool>) -> Result<(), SlackError> {
        let dial = SlackDial {
            client: self.client,
            app_token: self.app_token,
        };
        Supervisor::new(&dial, &*self.inbox, &self.state, &*self.on_established)
            .run(shutdown)
            .await
    }
}

impl fmt::Debug for SocketMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketMode")
            .field("client", &self.client)
            .field("state", &*self.state.borrow())
            .finish_non_exhaustive()
    }
}
