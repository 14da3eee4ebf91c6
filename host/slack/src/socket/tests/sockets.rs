//! Over real connections on loopback.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;
use crate::{
    socket::{SocketMode, dial::connect},
    testing::{Server as HttpServer, json as answer_json},
    token::Token,
};

#[tokio::test]
async fn an_event_travels_from_slack_to_the_inbox_and_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let api = HttpServer::start(move |_, _| {
        answer_json(&json!({"ok": true, "url": format!("ws://{address}/link/?ticket=1")}))
    })
    .await;
    let inbox = Arc::new(MemoryInbox::default());
    let socket_mode = SocketMode::new(
        api.client(),
        Token::new("xapp-1-secret").unwrap(),
        inbox.clone(),
    );
    let mut state = socket_mode.state();
    let (stop, shutdown) = watch::channel(false);
    let running = tokio::spawn(socket_mode.run(shutdown));

    let (stream, _) = listener.accept().await.unwrap();
    let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
    socket
        .send(Message::text(r#"{"type":"hello"}"#))
        .await
        .unwrap();
    state
        .wait_for(|state| matches!(state, ConnectionState::Connected { .. }))
        .await
        .unwrap();
    socket
        .send(Message::text(event("e1").to_string()))
        .await
        .unwrap();
    assert_eq!(
        socket.next().await.unwrap().unwrap(),
        Message::text(r#"{"envelope_id":"e1"}"#)
    );
    assert_eq!(inbox.kept()[0].payload, r#"{"event_id":"Ev-e1"}"#);
    stop.send(true).unwrap();
    assert!(matches!(socket.next().await, Some(Ok(Message::Close(_)))));
    drop(socket);
    assert_eq!(running.await.unwrap(), Ok(()));
    assert_eq!(
        api.calls()[0].header("authorization"),
        "Bearer xapp-1-secret"
    );
}

/// Answers the bot's first message; returns that message, and the bot's error.
async fn refusal(scheme: &str, answer: &'static [u8]) -> (Vec<u8>, ClientError) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "{scheme}://{}/link/?ticket=secret",
        listener.local_addr().unwrap()
    );
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut first = vec![0; 4096];
        let length = stream.read(&mut first).await.unwrap();
        stream.write_all(answer).await.unwrap();
        first.truncate(length);
        first
    };
    let url = url.parse().unwrap();
    let (first, connected) = tokio::join!(serve, connect(&url));
    (first, connected.unwrap_err())
}

#[tokio::test]
async fn a_secure_address_is_spoken_to_in_tls() {
    let (first, error) = refusal("wss", b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    assert_eq!(first[0], 0x16, "a handshake of TLS");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("ticket"), "{error}");
}

#[tokio::test]
async fn a_server_that_refuses_the_connection_is_told_with_its_status() {
    let (_, error) = refusal(
        "ws",
        b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n",
    )
    .await;
    assert!(
        matches!(error, ClientError::Status { status: 408, .. }),
        "{error}"
    );
    assert!(error.is_transient());
}
