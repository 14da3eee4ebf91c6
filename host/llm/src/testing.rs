//! A scripted HTTP server: it answers each request with its next reply, and keeps the requests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// One thing that the server does after reading a request.
#[derive(Clone)]
pub(super) enum Step {
    /// Sends bytes as they are.
    Send(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Sends nothing more, and keeps the connection open.
    Hang,
}

/// The steps for one request; after them it closes the connection.
pub(super) type Reply = Vec<Step>;

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Received {
    /// `POST /v1/chat/completions`
    pub(super) line: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

pub(super) struct Server {
    /// `http://127.0.0.1:PORT`
    pub(super) address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// A server with these replies; the last one is repeated.
    pub(super) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<VecDeque<_>>()));
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&replies), Arc::clone(&log)));
            }
        });
        Self { address, received }
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The only request.
    pub(super) fn only(&self) -> Received {
        let received = self.received();
        assert_eq!(received.len(), 1, "{received:?}");
        received[0].clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    log: Arc<Mutex<Vec<Received>>>,
) {
    let Some(request) = read_request(&mut stream).await else {
        return;
    };
    log.lock().unwrap().push(request);
    let reply = {
        let mut replies = replies.lock().unwrap();
        if replies.len() > 1 {
            replies.pop_front().unwrap()
        } else {
            replies[0].clone()
        }
    };
    for step in reply {
        match step {
            Step::Send(bytes) => {
                let _ = stream.write_all(&bytes).await;
            }
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Hang => std::future::pending().await,
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let line = lines
        .next()
        .unwrap()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers["content-length"].parse().unwrap();
    while bytes.len() < head_end + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    let body = serde_json::from_slice(&bytes[head_end..]).unwrap();
    Some(Received {
        line,
        headers,
        body,
    })
}

/// A whole reply whose body ends with the connection, as HTTP allows.
pub(super) fn reply(status: u16, headers: &str, body: &str) -> Reply {
    vec![head(status, headers), Step::Send(body.into())]
}

/// Status line and headers (`name: value\r\n` each) of a reply whose body follows.
pub(super) fn head(status: u16, headers: &str) -> Step {
    Step::Send(format!("HTTP/1.1 {status} -\r\nconnection: close\r\n{headers}\r\n").into())
}

/// Server-sent events with this data.
pub(super) fn events(data: &[&str]) -> String {
    data.iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect()
}

/// An answer in OpenAI's format.
pub(super) fn openai(text: &str) -> Reply {
    reply(
        200,
        "",
        &events(&openai_events(text).each_ref().map(String::as_str)),
    )
}

/// The events of an answer in OpenAI's format.
pub(super) fn openai_events(text: &str) -> [String; 4] {
    let text = serde_json::json!(text);
    [
        format!(r#"{{"model":"m-1","choices":[{{"index":0,"delta":{{"role":"assistant","content":{text}}},"finish_reason":null}}]}}"#),
        r#"{"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned(),
        r#"{"model":"m-1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}}"#.to_owned(),
        "[DONE]".to_owned(),
    ]
}
