//! Keeps a connection open: opens one, replaces it when it ends or is about to end, and waits longer after each failure.

use std::{collections::BTreeMap, future::Future, pin::Pin, time::Duration};

use futures::{StreamExt as _, stream::FuturesUnordered};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep},
};
use tokio_tungstenite::{WebSocketStream, tungstenite::Utf8Bytes};

use super::{
    ConnectionState, Established,
    connection::{Connection, End, Notice, Order},
    dial::{Dial, greeting},
};
use crate::{backoff::Backoff, delivery::Inbox, error::ClientError};

/// The waits before the next attempt to open a connection.
const WAITS: Backoff = Backoff {
    first: Duration::from_millis(500),
    cap: Duration::from_secs(30),
};
/// After a connection that lasted this long, waits begin anew. A shorter one counts as a failure, even if it ended in good
/// order: a server that always closes at once is not called without a pause.
const STEADY: Duration = Duration::from_secs(10);

type Opened<S> = Result<(WebSocketStream<S>, Utf8Bytes), ClientError>;
type Running<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Keeps a connection open.
pub(super) struct Supervisor<'a, D: Dial> {
    dial: &'a D,
    inbox: &'a dyn Inbox,
    state: &'a watch::Sender<ConnectionState>,
    on_established: &'a (dyn Fn(Established) + Send + Sync),
    connections: FuturesUnordered<Running<'a, ()>>,
    /// The orders to each connection that is still read.
    orders: BTreeMap<u64, watch::Sender<Order>>,
    notices: mpsc::UnboundedSender<Notice>,
    opening: Option<Running<'a, Opened<D::Io>>>,
    current: Option<Current>,
    /// When the last connection was lost; `None` if there is one, or was none yet.
    lost: Option<Instant>,
    opened: u64,
    /// In a row.
    failures: u32,
    /// How many attempts failed since there was a connection.
    refused: u32,
}

/// The connection in use.
struct Current {
    id: u64,
    since: Instant,
}

impl<'a, D: Dial> Supervisor<'a, D> {
    pub(super) fn new(
        dial: &'a D,
        inbox: &'a dyn Inbox,
        state: &'a watch::Sender<ConnectionState>,
        on_established: &'a (dyn Fn(Established) + Send + Sync),
    ) -> Self {
        Self {
            dial,
            inbox,
            state,
            on_established,
            connections: FuturesUnordered::new(),
            orders: BTreeMap::new(),
            // Replaced when it runs.
            notices: mpsc::unbounded_channel().0,
            opening: None,
            current: None,
            lost: None,
            opened: 0,
            failures: 0,
            refused: 0,
        }
    }

    pub(super) async fn run(
        mut self,
        mut shutdown: watch::Receiver<bool>,
    ) -> Result<(), ClientError> {
        let (notices, mut inbound) = mpsc::unbounded_channel();
        self.notices = notices;
        self.open_after(Duration::ZERO);
        let result = loop {
            let step = tokio::select! {
                // Also if the sender is dropped: nobody could stop it later.
                _ = shutdown.wait_for(|stop| *stop) => break Ok(()),
                opened = ready(&mut self.opening) => self.opened(opened),
                Some(notice) = inbound.recv() => self.noticed(notice),
                Some(()) = self.connections.next() => Ok(()),
            };
            if let Err(error) = step {
                break Err(error);
            }
        };
        let reason = result
            .as_ref()
            .err()
            .map_or_else(|| "stopped".to_owned(), ToString::to_string);
        for orders in self.orders.values() {
            orders.send_replace(Order::Stop);
        }
        while self.connections.next().await.is_some() {}
        self.disconnected(reason);
        result
    }

    /// Opens a new connection, unless one is being opened.
    fn open_after(&mut self, wait: Duration) {
        if self.opening.is_some() {
            return;
        }
        let dial = self.dial;
        self.opening = Some(Box::pin(async move {
            sleep(wait).await;
            let mut socket = dial.dial().await?;
            let first = greeting(&mut socket).await?;
            Ok((socket, first))
        }));
    }

    /// Handles the result of opening a connection.
    fn opened(&mut self, opened: Opened<D::Io>) -> Result<(), ClientError> {
        self.opening = None;
        match opened {
            Ok((socket, first)) => self.establish(socket, first),
            Err(error) if !error.is_transient() => return Err(error),
            Err(error) => {
                self.failures += 1;
                let wait = WAITS.wait(self.failures);
                self.refused += 1;
                if self.refused == 1 {
                    tracing::warn!(%error, ?wait, "no connection to Slack; it is tried again");
                } else {
                    tracing::debug!(%error, attempts = self.refused, ?wait, "no connection to Slack");
                }
                if self.current.is_none() {
                    self.disconnected(error.to_string());
                }
                self.open_after(wait);
            }
        }
        Ok(())
    }

    /// Takes a new connection into use, in place of the old one.
    fn establish(&mut self, socket: WebSocketStream<D::Io>, first: Utf8Bytes) {
        self.opened += 1;
        let (id, now) = (self.opened, Instant::now());
        let established = match (
            self.current.replace(Current { id, since: now }),
            self.lost.take(),
        ) {
            (Some(old), _) => {
                if let Some(orders) = self.orders.get(&old.id) {
                    orders.send_replace(Order::Retire);
                }
                Established::Seamless
            }
            (None, Some(lost)) if id > 1 => {
                Established::AfterGap(now.saturating_duration_since(lost))
            }
            (None, _) => Established::First,
        };
        let (orders, receiver) = watch::channel(Order::Serve);
        self.orders.insert(id, orders);
        let connection = Connection {
            id,
            socket,
            inbox: self.inbox,
            orders: receiver,
            notices: self.notices.clone(),
        };
        self.connections.push(Box::pin(connection.serve(first)));
        let refused = std::mem::take(&mut self.refused);
        tracing::info!(id, ?established, refused, "connected to Slack");
        self.state
            .send_replace(ConnectionState::Connected { since: now });
        (self.on_established)(established);
    }

    /// Handles a notice of a connection.
    fn noticed(&mut self, notice: Notice) -> Result<(), ClientError> {
        let (id, end, has_ended) = match notice {
            Notice::Leaving { id, end } => (id, end, false),
            Notice::Ended { id, end } => (id, end, true),
        };
        if end == End::LinkDisabled {
            return Err(ClientError::LinkDisabled);
        }
        if has_ended {
            self.orders.remove(&id);
        }
        let Some(since) = self
            .current
            .as_ref()
            .filter(|current| current.id == id)
            .map(|current| current.since)
        else {
            return Ok(());
        };
        if has_ended {
            self.current = None;
            self.disconnected(match &end {
                End::Broken(reason) => reason.clone(),
                _ => "Slack closed the connection".to_owned(),
            });
        }
        if self.opening.is_none() {
            let wait = self.wait(since, &end);
            tracing::info!(id, ?end, ?wait, "the connection to Slack is replaced");
            self.open_after(wait);
        }
        Ok(())
    }

    /// The wait before the next attempt, after a connection that was opened at `since`.
    fn wait(&mut self, since: Instant, end: &End) -> Duration {
        if since.elapsed() >= STEADY {
            self.failures = 0;
        }
        let is_first = self.failures == 0;
        self.failures += 1;
        if is_first && *end == End::Clean {
            return Duration::ZERO;
        }
        WAITS.wait(self.failures)
    }

    fn disconnected(&mut self, reason: String) {
        let since = *self.lost.get_or_insert_with(Instant::now);
        self.state
            .send_replace(ConnectionState::Disconnected { since, reason });
    }
}

/// The result of a future; waits without end if there is none.
async fn ready<T>(future: &mut Option<Running<'_, T>>) -> T {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
