//! Connections in memory, with a clock that the tests move; one test over real ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod envelopes;
mod reconnects;
mod sockets;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::DuplexStream,
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use super::{ConnectionState, Established, dial::Dial, supervisor::Supervisor};
use crate::{
    error::ClientError,
    testing::{MemoryInbox, PATIENCE},
};

/// Slack's side of a connection.
struct Server {
    socket: WebSocketStream<DuplexStream>,
    /// When the bot asked for it, since the start.
    dialled: Duration,
}

impl Server {
    async fn send(&mut self, frame: Value) {
        self.socket
            .send(Message::text(frame.to_string()))
            .await
            .unwrap();
    }

    async fn hello(&mut self) {
        self.send(json!({"type": "hello", "num_connections": 1}))
            .await;
    }

    async fn disconnect(&mut self, reason: &str) {
        self.send(json!({"type": "disconnect", "reason": reason}))
            .await;
    }

    async fn event(&mut self, id: &str) {
        self.send(event(id)).await;
    }

    /// The next acknowledgement; `None` after the bot closed the connection.
    async fn acknowledgement(&mut self) -> Option<Value> {
        timeout(PATIENCE, self.text()).await.expect("nothing came")
    }

    async fn text(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Asserts that an event is kept and acknowledged.
    async fn serves(&mut self, id: &str) {
        self.event(id).await;
        assert_eq!(
            self.acknowledgement().await,
            Some(json!({"envelope_id": id}))
        );
    }

    /// Asserts that nothing is acknowledged for this time; answers pings.
    async fn hears_nothing_for(&mut self, seconds: u64) {
        let heard = timeout(Duration::from_secs(seconds), self.text()).await;
        assert!(heard.is_err(), "{heard:?}");
    }
}

fn event(id: &str) -> Value {
    json!({"type": "events_api", "envelope_id": id, "payload": {"event_id": format!("Ev-{id}")}})
}

/// Opens connections in memory, after some errors.
struct FakeDial {
    errors: Mutex<VecDeque<ClientError>>,
    /// When the bot asked, since the start.
    dialled: Arc<Mutex<Vec<Duration>>>,
    servers: mpsc::UnboundedSender<Server>,
    start: Instant,
}

#[async_trait]
impl Dial for FakeDial {
    type Io = DuplexStream;

    async fn dial(&self) -> Result<WebSocketStream<DuplexStream>, ClientError> {
        let dialled = self.start.elapsed();
        self.dialled.lock().unwrap().push(dialled);
        if let Some(error) = self.errors.lock().unwrap().pop_front() {
            return Err(error);
        }
        let (bot, slack) = tokio::io::duplex(1 << 20);
        let socket = WebSocketStream::from_raw_socket(slack, Role::Server, None).await;
        self.servers.send(Server { socket, dialled }).unwrap();
        Ok(WebSocketStream::from_raw_socket(bot, Role::Client, None).await)
    }
}

/// A running bot.
struct Bot {
    inbox: Arc<MemoryInbox>,
    servers: mpsc::UnboundedReceiver<Server>,
    dialled: Arc<Mutex<Vec<Duration>>>,
    state: watch::Receiver<ConnectionState>,
    established: Arc<Mutex<Vec<Established>>>,
    stop: watch::Sender<bool>,
    running: JoinHandle<Result<(), ClientError>>,
}

impl Bot {
    fn start(inbox: MemoryInbox) -> Self {
        Self::start_with(inbox, [])
    }

    /// A bot whose first attempts fail with these errors.
    fn start_with(inbox: MemoryInbox, errors: impl IntoIterator<Item = ClientError>) -> Self {
        let inbox = Arc::new(inbox);
        let (servers, receiver) = mpsc::unbounded_channel();
        let dialled = Arc::new(Mutex::new(Vec::new()));
        let dial = FakeDial {
            errors: Mutex::new(errors.into_iter().collect()),
            dialled: Arc::clone(&dialled),
            servers,
            start: Instant::now(),
        };
        let (sender, state) = watch::channel(ConnectionState::Connecting);
        let established = Arc::new(Mutex::new(Vec::new()));
        let (log, kept_in) = (Arc::clone(&established), Arc::clone(&inbox));
        let (stop, shutdown) = watch::channel(false);
        let running = tokio::spawn(async move {
            let notify = move |established| log.lock().unwrap().push(established);
            Supervisor::new(&dial, &*kept_in, &sender, &notify)
                .run(shutdown)
                .await
        });
        Self {
            inbox,
            servers: receiver,
            dialled,
            state,
            established,
            stop,
            running,
        }
    }

    /// The next connection that the bot opens, before Slack's greeting.
    async fn dialled(&mut self) -> Server {
        timeout(PATIENCE, self.servers.recv())
            .await
            .expect("no connection was opened")
            .unwrap()
    }

    /// The next connection that the bot opens, after Slack's greeting.
    async fn connected(&mut self) -> Server {
        let mut server = self.dialled().await;
        server.hello().await;
        self.reaches(|state| matches!(state, ConnectionState::Connected { .. }))
            .await;
        server
    }

    async fn reaches(&mut self, wanted: impl FnMut(&ConnectionState) -> bool) -> ConnectionState {
        let reached = timeout(PATIENCE, self.state.wait_for(wanted)).await;
        reached
            .expect("the state is never reached")
            .unwrap()
            .clone()
    }

    fn established(&self) -> Vec<Established> {
        self.established.lock().unwrap().clone()
    }

    fn kept(&self) -> Vec<String> {
        self.inbox
            .kept()
            .into_iter()
            .map(|delivery| delivery.id)
            .collect()
    }
}
