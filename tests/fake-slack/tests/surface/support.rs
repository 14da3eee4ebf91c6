//! A plain client.

use std::sync::{Arc, Mutex};

use futures::{SinkExt as _, StreamExt as _};
use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub(crate) const ALICE: &str = "U0ALICE001";
pub(crate) const BOB: &str = "U0BOB00001";
pub(crate) const GENERAL: &str = "C0GENERAL1";

/// A workspace with two people and a channel that the bot is in.
pub(crate) async fn workspace() -> FakeSlack {
    let slack = FakeSlack::start().await;
    slack.add_user(ALICE, "Alice Smith");
    slack.add_user(BOB, "Bob");
    slack.add_channel(GENERAL, "general");
    slack
}

/// A call as form, with the bot's token; the whole response.
pub(crate) async fn respond(
    slack: &FakeSlack,
    method: &str,
    params: &Value,
) -> reqwest::Result<Response> {
    let url = format!("{}{method}", slack.api_url());
    let fields = params.as_object().unwrap().iter().map(|(key, value)| {
        (
            key.as_str(),
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    });
    let mut form = reqwest::Url::parse("http://form/").unwrap();
    form.query_pairs_mut().extend_pairs(fields);
    let body = form.query().unwrap_or_default().to_owned();
    let request = Client::new().post(url).bearer_auth(BOT_TOKEN);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.body(body).send().await
}

/// A call as form, with the bot's token; its answer.
pub(crate) async fn call(slack: &FakeSlack, method: &str, params: Value) -> Value {
    respond(slack, method, &params)
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// The texts of an answer's messages.
pub(crate) fn texts(answer: &Value) -> Vec<&str> {
    let messages = answer["messages"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    messages
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect()
}

/// An open socket.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a socket and reads the `hello`.
    pub(crate) async fn open(slack: &FakeSlack) -> Self {
        let url = Self::url(slack).await;
        let mut socket = Self(connect_async(url).await.unwrap().0);
        let hello = socket.next().await.unwrap();
        assert_eq!(hello["type"], "hello");
        socket
    }

    /// The address of a new socket.
    pub(crate) async fn url(slack: &FakeSlack) -> String {
        let url = format!("{}apps.connections.open", slack.api_url());
        let answer = Client::new()
            .post(url)
            .bearer_auth(APP_TOKEN)
            .send()
            .await
            .unwrap();
        let answer: Value = answer.json().await.unwrap();
        answer["url"].as_str().unwrap().to_owned()
    }

    /// The next message in JSON; none when the socket is closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            match self.0.next().await? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next frame, pings included.
    pub(crate) async fn frame(&mut self) -> Message {
        self.0.next().await.unwrap().unwrap()
    }

    /// The next envelope, not acknowledged.
    pub(crate) async fn envelope(&mut self) -> Value {
        let envelope = self.next().await.unwrap();
        assert!(envelope["envelope_id"].is_string(), "{envelope}");
        envelope
    }

    /// The next event, acknowledged.
    pub(crate) async fn event(&mut self) -> Value {
        let envelope = self.envelope().await;
        self.acknowledge(&envelope, None).await;
        envelope["payload"]["event"].clone()
    }

    /// Acknowledges an envelope.
    pub(crate) async fn acknowledge(&mut self, envelope: &Value, payload: Option<Value>) {
        let mut answer = json!({ "envelope_id": envelope["envelope_id"] });
        if let Some(payload) = payload {
            answer["payload"] = payload;
        }
        self.0
            .send(Message::text(answer.to_string()))
            .await
            .unwrap();
    }
}

/// Opens sockets for ever, acknowledges everything, and keeps the payloads in the order in which they came.
pub(crate) fn listen(slack: &FakeSlack) -> Arc<Mutex<Vec<Value>>> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (slack, kept) = (slack.clone(), heard.clone());
    tokio::spawn(async move {
        loop {
            let mut socket = Socket::open(&slack).await;
            while let Some(message) = socket.next().await {
                kept.lock().unwrap().push(message["payload"].clone());
                let answer = json!({ "envelope_id": message["envelope_id"] });
                if socket
                    .0
                    .send(Message::text(answer.to_string()))
                    .await
                    .is_err()
                {
                    break;
                }
            }
        }
    });
    heard
}
