//! Shared by tests: a small HTTP server in place of Slack, and signatures.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse as _, Response},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value};
use sha2::Sha256;
use tokio::{
    sync::{Semaphore, watch},
    time::timeout,
};

use crate::{
    client::SlackClient,
    delivery::{Delivery, Inbox, InboxError},
    form,
    token::Token,
};

/// The token of [`Server::client`].
pub(crate) const TOKEN: &str = "xoxb-1-secret";

/// The longest wait of a test: only a failing test waits so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A call as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// `/api/chat.postMessage`
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    /// The fields of a form are texts.
    pub(crate) params: Value,
}

impl Call {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// A server on loopback.
pub(crate) struct Server {
    /// `http://127.0.0.1:PORT`
    pub(crate) address: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Server {
    /// A server; `answer` gets a call and its number, counted from 0.
    pub(crate) async fn start(
        answer: impl Fn(&Call, usize) -> Response + Clone + Send + Sync + 'static,
    ) -> Self {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&calls);
        let handler = async move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let call = Call {
                path: uri.path().to_owned(),
                params: params(&headers, &body),
                headers,
            };
            let number = log.lock().unwrap().len();
            log.lock().unwrap().push(call.clone());
            answer(&call, number)
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(handler)).await });
        Self { address, calls }
    }

    /// A client of this server, which does not wait between attempts.
    pub(crate) fn client(&self) -> SlackClient {
        client(&self.address)
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

/// A client of a server, which does not wait between attempts.
pub(crate) fn client(address: &str) -> SlackClient {
    SlackClient::new(&format!("{address}/api"), Token::new(TOKEN).unwrap())
        .unwrap()
        .without_waits()
}

fn params(headers: &HeaderMap, body: &[u8]) -> Value {
    let content_type = headers
        .get("content-type")
        .map_or("", |value| value.to_str().unwrap());
    if content_type.starts_with("application/json") {
        return serde_json::from_slice(body).unwrap();
    }
    let fields = form::decode(body).unwrap().into_iter();
    Value::Object(
        fields
            .map(|(name, value)| (name, Value::String(value)))
            .collect::<Map<_, _>>(),
    )
}

/// An answer of the Web API.
pub(crate) fn json(value: &Value) -> Response {
    value.to_string().into_response()
}

/// An answer with a status, headers and a body.
pub(crate) fn answer(
    status: u16,
    headers: &[(&'static str, &'static str)],
    body: &str,
) -> Response {
    let mut response = (StatusCode::from_u16(status).unwrap(), body.to_owned()).into_response();
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }
    response
}

/// The header `X-Slack-Signature` of a genuine request.
pub(crate) fn sign(secret: &Token, time: u64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).unwrap();
    mac.update(format!("v0:{time}:{body}").as_bytes());
    let tag = mac.finalize().into_bytes();
    let digits: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v0={digits}")
}

/// An inbox that keeps everything, or fails, or waits.
#[derive(Default)]
pub(crate) struct MemoryInbox {
    kept: Mutex<Vec<Delivery>>,
    answer: Option<Value>,
    /// How many of the first deliveries fail.
    failures: AtomicUsize,
    /// If set, each delivery takes a permit before it is kept.
    gate: Option<Semaphore>,
    asked: watch::Sender<usize>,
}

impl MemoryInbox {
    pub(crate) fn failing(failures: usize) -> Self {
        Self {
            failures: AtomicUsize::new(failures),
            ..Self::default()
        }
    }

    pub(crate) fn answering(answer: Value) -> Self {
        Self {
            answer: Some(answer),
            ..Self::default()
        }
    }

    /// An inbox that keeps nothing before it is released.
    pub(crate) fn holding() -> Self {
        Self {
            gate: Some(Semaphore::new(0)),
            ..Self::default()
        }
    }

    /// Releases so many deliveries.
    pub(crate) fn release(&self, deliveries: usize) {
        self.gate.as_ref().unwrap().add_permits(deliveries);
    }

    /// Waits until there is a delivery.
    pub(crate) async fn asked(&self) {
        self.asked_times(1).await;
    }

    /// Waits until there are so many deliveries.
    pub(crate) async fn asked_times(&self, times: usize) {
        let mut asked = self.asked.subscribe();
        let waited = asked.wait_for(|asked| *asked >= times);
        timeout(PATIENCE, waited)
            .await
            .expect("the inbox was not asked")
            .unwrap();
    }

    /// How many deliveries there were.
    pub(crate) fn times_asked(&self) -> usize {
        *self.asked.borrow()
    }

    pub(crate) fn kept(&self) -> Vec<Delivery> {
        self.kept.lock().unwrap().clone()
    }
}

#[async_trait]
impl Inbox for MemoryInbox {
    async fn accept(&self, delivery: Delivery) -> Result<Option<Value>, InboxError> {
        self.asked.send_modify(|asked| *asked += 1);
        if let Some(gate) = &self.gate {
            gate.acquire().await.unwrap().forget();
        }
        let one_less = |failures: usize| failures.checked_sub(1);
        if self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
            .is_ok()
        {
            return Err(InboxError::new("the disk is full"));
        }
        self.kept.lock().unwrap().push(delivery);
        Ok(self.answer.clone())
    }
}
