//! Events over HTTP.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;

use crate::support::{ALICE, GENERAL, workspace};

const SECRET: &str = "signing-secret";

/// An endpoint that answers with the statuses in turn, then with 200; it keeps what came.
#[derive(Clone, Default)]
struct Endpoint {
    statuses: Arc<Mutex<Vec<u16>>>,
    seen: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

impl Endpoint {
    async fn start(statuses: &[u16]) -> (Self, String) {
        let endpoint = Self::default();
        endpoint.statuses.lock().unwrap().extend(statuses);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/slack/events", listener.local_addr().unwrap());
        let router = Router::new().fallback(take).with_state(endpoint.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (endpoint, url)
    }
}

async fn take(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let headers = request.headers().clone();
    let body = to_bytes(request.into_body(), 1 << 20).await.unwrap();
    endpoint.seen.lock().unwrap().push((headers, body.clone()));
    if let Ok(Value::Object(fields)) = serde_json::from_slice(&body)
        && let Some(challenge) = fields.get("challenge").and_then(Value::as_str)
    {
        return challenge.to_owned().into_response();
    }
    let mut statuses = endpoint.statuses.lock().unwrap();
    let status = if statuses.is_empty() {
        200
    } else {
        statuses.remove(0)
    };
    (StatusCode::from_u16(status).unwrap(), r#"{"text": "done"}"#).into_response()
}

#[tokio::test]
async fn events_are_signed_and_come_again_when_they_failed() {
    let slack = workspace().await;
    let (endpoint, url) = Endpoint::start(&[500]).await;
    slack.send_events_to(&url, SECRET).await.unwrap();
    slack.post(ALICE, GENERAL, "hello", None);
    slack
        .wait_until("a status came back", |slack| {
            slack.deliveries()[0].status.is_some()
        })
        .await;
    assert!(!slack.is_settled());
    slack.retry_unacknowledged();
    slack.wait_settled().await;
    let statuses: Vec<Option<u16>> = slack
        .deliveries()
        .iter()
        .map(|delivery| delivery.status)
        .collect();
    assert_eq!(statuses, [Some(500), Some(200)]);

    let seen = endpoint.seen.lock().unwrap();
    let [_, first, second] = seen.as_slice() else {
        panic!("{seen:?}")
    };
    assert_eq!(first.1, second.1);
    assert_eq!(first.0.get("x-slack-retry-num"), None);
    assert_eq!(second.0["x-slack-retry-num"], "1");
    for (headers, body) in seen.iter() {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(b"v0:");
        mac.update(headers["x-slack-request-timestamp"].as_bytes());
        mac.update(b":");
        mac.update(body);
        let digest = mac.finalize().into_bytes();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(headers["x-slack-signature"], format!("v0={hex}"));
    }
}

#[tokio::test]
async fn a_slash_command_is_a_form() {
    let slack = workspace().await;
    let (endpoint, url) = Endpoint::start(&[]).await;
    slack.send_events_to(&url, SECRET).await.unwrap();
    let answer = slack
        .slash_command(ALICE, GENERAL, "/memory", "a & b")
        .await;
    assert_eq!(answer.payload, Some(json!({ "text": "done" })));
    let seen = endpoint.seen.lock().unwrap();
    assert_eq!(
        seen[1].0["content-type"],
        "application/x-www-form-urlencoded"
    );
    let body = String::from_utf8(seen[1].1.to_vec()).unwrap();
    assert!(body.contains("&command=%2Fmemory&text=a+%26+b&"), "{body}");
}

#[tokio::test]
async fn an_address_that_does_not_answer_the_challenge_is_refused() {
    let slack = workspace().await;
    let url = format!("{}auth.test", slack.api_url());
    let error = slack.send_events_to(&url, SECRET).await.unwrap_err();
    assert!(error.contains("challenge not answered"), "{error}");
}
