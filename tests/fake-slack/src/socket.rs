//! Socket Mode: <https://docs.slack.dev/apis/events-api/using-socket-mode>.

use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::interval;

use crate::APP_ID;
use crate::faults::Disconnect;
use crate::state::Inner;

/// A command to a socket.
pub(crate) enum ToSocket {
    /// Send an envelope.
    Envelope {
        /// Its delivery.
        delivery: usize,
        /// The envelope.
        text: String,
    },
    /// Say that it will not last.
    Disconnect(Disconnect),
    /// Do nothing any more.
    Freeze,
    /// Close the connection without a word.
    Drop,
}

/// Opens a socket for whoever has a ticket. A ticket is good for one socket.
pub(crate) async fn open(
    State(inner): State<Arc<Inner>>,
    RawQuery(query): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = query.unwrap_or_default();
    let ticket = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("ticket="));
    let valid = inner.change(|state| ticket.is_some_and(|ticket| state.bot.tickets.remove(ticket)));
    if !valid {
        return (
            StatusCode::UNAUTHORIZED,
            "the ticket is unknown or was used",
        )
            .into_response();
    }
    upgrade.on_upgrade(|socket| serve(inner, socket))
}

async fn serve(inner: Arc<Inner>, mut socket: WebSocket) {
    let others = inner.read(|state| state.outbound.sockets.len());
    let hello = json!({
        "type": "hello", "num_connections": others + 1,
        "debug_info": { "host": "applink-fake", "build_number": 1, "approximate_connection_time": 18060 },
        "connection_info": { "app_id": APP_ID },
    });
    if socket.send(Message::text(hello.to_string())).await.is_err() {
        return;
    }
    let (sender, inbox) = unbounded_channel();
    let connection = inner.change(|state| state.connected(sender));
    talk(&inner, &mut socket, inbox).await;
    // Closed before the state says so: who waits for that finds it done.
    drop(socket);
    inner.change(|state| state.disconnected(connection));
}

/// Sends and reads until the socket ends.
async fn talk(inner: &Inner, socket: &mut WebSocket, mut inbox: UnboundedReceiver<ToSocket>) {
    let mut pings = interval(inner.read(|state| state.script.ping_every));
    pings.reset();
    loop {
        let alive = tokio::select! {
            order = inbox.recv() => match order {
                Some(ToSocket::Freeze) => return frozen(inbox).await,
                Some(order) => obey(inner, socket, order).await,
                None => false,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    acknowledge(inner, &text);
                    true
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => false,
                Some(Ok(_)) => true,
            },
            _ = pings.tick() => {
                let silent = inner.read(|state| state.script.silent);
                silent || socket.send(Message::Ping("Ping from applink-fake".into())).await.is_ok()
            }
        };
        if !alive {
            return;
        }
    }
}

/// Carries out a command; returns true if the socket goes on.
async fn obey(inner: &Inner, socket: &mut WebSocket, order: ToSocket) -> bool {
    match order {
        ToSocket::Envelope { delivery, text } => {
            let text = inner.change(|state| {
                state.sent(delivery);
                state.script.rewritten(text)
            });
            socket.send(Message::text(text)).await.is_ok()
        }
        ToSocket::Disconnect(reason) => {
            let message = json!({
                "type": "disconnect", "reason": reason.reason(), "debug_info": { "host": "applink-fake" },
            });
            let sent = socket
                .send(Message::text(message.to_string()))
                .await
                .is_ok();
            if reason == Disconnect::Warning {
                return sent;
            }
            let goodbye = CloseFrame {
                code: 1000,
                reason: "".into(),
            };
            let _ = socket.send(Message::Close(Some(goodbye))).await;
            false
        }
        ToSocket::Freeze | ToSocket::Drop => false,
    }
}

/// Neither sends nor reads until the connection is dropped.
async fn frozen(mut inbox: UnboundedReceiver<ToSocket>) {
    while let Some(order) = inbox.recv().await {
        if matches!(order, ToSocket::Drop) {
            return;
        }
    }
}

fn acknowledge(inner: &Inner, text: &str) {
    let Ok(Value::Object(message)) = serde_json::from_str(text) else {
        return;
    };
    if let Some(envelope_id) = message.get("envelope_id").and_then(Value::as_str) {
        let answer = message.get("payload").cloned();
        inner.change(|state| state.acknowledged_envelope(envelope_id, answer));
    }
}
