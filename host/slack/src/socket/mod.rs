//! Socket Mode: Slack's events over a connection that the bot opens, so that it needs no public address.
//!
//! - An envelope is acknowledged only after the inbox has kept it. Slack delivers again what is not acknowledged.
//! - The inbox gets many envelopes at once, so that it can keep them together; their number is bounded.
//! - When Slack asks for a new connection, the new one is open before the old one is closed.
//! - A connection without a sign of life is given up, and every connection that ends is replaced.
//!
//! The address comes from `apps.connections.open`; the connection goes straight to Slack, not through an HTTP proxy.

mod connection;
mod dial;
mod envelope;
mod supervisor;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};

use crate::{client::SlackClient, delivery::Inbox, error::ClientError, token::Token};
use dial::SlackDial;
use supervisor::Supervisor;

/// Takes the place of a method's name in errors.
const NAME: &str = "Socket Mode";

/// The state of the connection: if events can arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionState {
    /// The first connection is being opened.
    Connecting,
    /// Events arrive.
    Connected {
        /// When this connection was opened. A new connection has a new time.
        since: Instant,
    },
    /// There is no connection; a new one is being opened.
    Disconnected {
        /// Since when.
        since: Instant,
        /// Why, as a text.
        reason: String,
    },
}

/// The state before a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Established {
    /// Nothing: it is the first. Earlier messages have to be looked up.
    First,
    /// A connection that was still open: nothing was missed.
    Seamless,
    /// No connection for this long: messages of that time may have been missed.
    AfterGap(Duration),
}

/// Keeps a connection to Slack open.
pub struct SocketMode {
    client: SlackClient,
    app_token: Token,
    inbox: Arc<dyn Inbox>,
    state: watch::Sender<ConnectionState>,
    on_established: Box<dyn Fn(Established) + Send + Sync>,
}

impl SocketMode {
    /// Opens no connection yet. The app token (`xapp-…`) needs the scope `connections:write`.
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

    /// Calls a function for each new connection, so that missed messages can be looked up. It must return at once.
    #[must_use]
    pub fn on_established(mut self, notify: impl Fn(Established) + Send + Sync + 'static) -> Self {
        self.on_established = Box::new(notify);
        self
    }

    /// Watches the state of the connection.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        self.state.subscribe()
    }

    /// Receives until `shutdown` becomes true or its sender is dropped. Then it reads no more, lets the inbox finish,
    /// acknowledges what was kept, and closes the connection.
    ///
    /// # Errors
    /// If waiting cannot help: the token is not valid or lacks its scope, or Socket Mode is switched off. After all other
    /// errors it tries again, without end.
    pub async fn run(self, shutdown: watch::Receiver<bool>) -> Result<(), ClientError> {
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
