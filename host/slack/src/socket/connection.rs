//! One connection: reads envelopes, gives them to the inbox, acknowledges them, and checks for signs of life.

use std::{future::Future, pin::Pin, time::Duration};

use futures::{SinkExt as _, StreamExt as _, stream::FuturesUnordered};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, Utf8Bytes},
};

use super::{
    dial::{Io, describe},
    envelope::{Frame, Reason, acknowledgement, read},
};
use crate::delivery::{Delivery, Inbox};

/// How many envelopes the inbox gets at once. Beyond that, nothing is read until one of them is kept.
pub(super) const MAX_IN_FLIGHT: usize = 256;
/// After this time without a frame, a ping asks for a sign of life. Slack itself pings more often.
const PING_AFTER: Duration = Duration::from_secs(10);
/// After this many pings without a frame, the connection is dead: 30 s after the last frame.
const MAX_PINGS: u32 = 2;
/// The longest time to send one frame.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a replaced connection is still read: Slack may have sent something on it.
const RETIREMENT: Duration = Duration::from_secs(15);
/// How long the inbox may take to finish after the end of a connection.
const FINISH_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the other side may take to close the connection. Slack never does.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// An order to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Serve,
    /// A new connection has taken its place.
    Retire,
    /// Read no more.
    Stop,
}

/// A message from a connection.
#[derive(Debug)]
pub(super) enum Notice {
    /// It ends soon: a new connection has to take its place.
    Leaving { id: u64, end: End },
    /// It has ended: nothing more is read from it.
    Ended { id: u64, end: End },
}

/// Why a connection ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// By order.
    Ordered,
    /// Slack closed it in good order.
    Clean,
    /// It broke, or Slack refused it.
    Broken(String),
    /// Socket Mode is switched off.
    LinkDisabled,
}

type Handling<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>>>;

/// One connection.
pub(super) struct Connection<'a, S> {
    pub(super) id: u64,
    pub(super) socket: WebSocketStream<S>,
    pub(super) inbox: &'a dyn Inbox,
    pub(super) orders: watch::Receiver<Order>,
    pub(super) notices: mpsc::UnboundedSender<Notice>,
}

impl<'a, S: Io> Connection<'a, S> {
    /// Serves the connection until it ends. `greeting` is the first frame.
    pub(super) async fn serve(mut self, greeting: Utf8Bytes) {
        let mut handling = Handling::new();
        let end = match self.take(&greeting, &mut handling) {
            Some(end) => end,
            None => self.read(&mut handling).await,
        };
        let id = self.id;
        tracing::debug!(id, ?end, in_flight = handling.len(), "a connection ends");
        // Fails only if nobody reads notices any more.
        let _ = self.notices.send(Notice::Ended { id, end });
        self.finish(handling).await;
    }

    /// Reads and acknowledges until the connection ends.
    async fn read(&mut self, handling: &mut Handling<'a>) -> End {
        let mut heard = Instant::now();
        let mut pings = 0;
        let mut retired_until = None;
        loop {
            let may_read = handling.len() < MAX_IN_FLIGHT;
            let patience = heard + PING_AFTER * (pings + 1);
            tokio::select! {
                biased;
                Some(acknowledgement) = handling.next() => {
                    if let Err(end) = self.acknowledge(acknowledgement).await {
                        return end;
                    }
                    if !may_read {
                        // There was no frame because nothing was read.
                        (heard, pings) = (Instant::now(), 0);
                    }
                }
                order = next_order(&mut self.orders) => match order {
                    Order::Serve => {}
                    Order::Retire => retired_until = Some(Instant::now() + RETIREMENT),
                    Order::Stop => return End::Ordered,
                },
                () = sleep_until(retired_until.unwrap_or(heard)), if retired_until.is_some() => return End::Ordered,
                frame = self.socket.next(), if may_read => {
                    (heard, pings) = (Instant::now(), 0);
                    if let Some(end) = self.hear(frame, handling) {
                        return end;
                    }
                }
                () = sleep_until(patience), if may_read => {
                    if pings == MAX_PINGS {
                        return End::Broken(format!("no sign of life for {} s", heard.elapsed().as_secs()));
                    }
                    pings += 1;
                    if let Err(end) = self.send(Message::Ping(Vec::new().into())).await {
                        return end;
                    }
                }
            }
        }
    }

    /// Handles a frame. The WebSocket library answers pings.
    fn hear(
        &self,
        frame: Option<Result<Message, Error>>,
        handling: &mut Handling<'a>,
    ) -> Option<End> {
        match frame {
            Some(Ok(Message::Text(text))) => self.take(&text, handling),
            Some(Ok(Message::Close(_))) | None => Some(End::Clean),
            Some(Ok(_)) => None,
            Some(Err(error)) => Some(End::Broken(describe(&error))),
        }
    }

    /// Handles a text frame.
    fn take(&self, text: &str, handling: &mut Handling<'a>) -> Option<End> {
        match read(text) {
            Ok(Frame::Deliver {
                envelope_id,
                delivery,
            }) => {
                handling.push(Box::pin(keep(self.inbox, envelope_id, delivery)));
            }
            Ok(Frame::Unknown { envelope_id, kind }) => {
                tracing::debug!(
                    envelope_id,
                    kind,
                    "an envelope of an unknown type, or without a payload"
                );
                handling.push(Box::pin(async move {
                    Some(acknowledgement(&envelope_id, None))
                }));
            }
            Ok(Frame::Disconnect(Reason::LinkDisabled)) => return Some(End::LinkDisabled),
            Ok(Frame::Disconnect(reason)) => {
                tracing::debug!(id = self.id, ?reason, "Slack ends a connection soon");
                let end = match reason {
                    Reason::Other(reason) => End::Broken(format!("Slack says `{reason}`")),
                    Reason::Refresh | Reason::LinkDisabled => End::Clean,
                };
                let _ = self.notices.send(Notice::Leaving { id: self.id, end });
            }
            Ok(Frame::Hello) => {}
            Ok(Frame::Other { kind }) => tracing::debug!(kind, "a frame without an effect"),
            // serde's own text would quote the frame.
            Err(error) => tracing::warn!(
                id = self.id,
                category = ?error.classify(),
                column = error.column(),
                "a frame of Slack cannot be read; it is not acknowledged"
            ),
        }
        None
    }

    async fn acknowledge(&mut self, acknowledgement: Option<String>) -> Result<(), End> {
        match acknowledgement {
            Some(text) => self.send(Message::Text(text.into())).await,
            None => Ok(()),
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_TIMEOUT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            // The other side closed it first.
            Ok(Err(Error::ConnectionClosed | Error::AlreadyClosed)) => Err(End::Clean),
            Ok(Err(error)) => Err(End::Broken(describe(&error))),
            Err(_) => Err(End::Broken("nothing can be sent".to_owned())),
        }
    }

    /// Lets the inbox finish, acknowledges what it kept if that can still be sent, and closes the connection.
    async fn finish(mut self, mut handling: Handling<'a>) {
        let deadline = Instant::now() + FINISH_TIMEOUT;
        let mut is_open = true;
        while let Ok(Some(acknowledgement)) =
            tokio::time::timeout_at(deadline, handling.next()).await
        {
            is_open = is_open && self.acknowledge(acknowledgement).await.is_ok();
        }
        if !handling.is_empty() {
            let left = handling.len();
            tracing::warn!(
                left,
                "the inbox was too slow at the end of a connection; Slack will deliver again"
            );
        }
        let goodbye = async {
            self.socket.close(None).await.ok();
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        timeout(CLOSE_TIMEOUT, goodbye).await.ok();
    }
}

/// Keeps a delivery; returns its acknowledgement, or `None` if it was not kept.
async fn keep(inbox: &dyn Inbox, envelope_id: String, delivery: Delivery) -> Option<String> {
    let (id, kind) = (delivery.id.clone(), delivery.kind);
    match inbox.accept(delivery).await {
        Ok(answer) => {
            tracing::debug!(id, ?kind, "kept");
            Some(acknowledgement(&envelope_id, answer))
        }
        Err(error) => {
            // The inbox tells of an outage once.
            tracing::debug!(id, ?kind, %error, "not kept; Slack will deliver it again");
            None
        }
    }
}

/// The next order; waits without end if there can be none.
async fn next_order(orders: &mut watch::Receiver<Order>) -> Order {
    match orders.changed().await {
        Ok(()) => *orders.borrow_and_update(),
        Err(_) => std::future::pending().await,
    }
}
