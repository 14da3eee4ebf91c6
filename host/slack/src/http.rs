//! Events, commands and clicks as signed HTTP requests: <https://docs.slack.dev/apis/events-api/using-http-request-urls>.
//!
//! A request is answered with 200 only after the inbox has kept it, with 401 if Slack did not sign it, and with 503 if the
//! inbox failed: Slack then sends it again.

use std::{string::FromUtf8Error, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    delivery::{Delivery, DeliveryKind, Inbox},
    form,
    signature::{SignatureError, verify},
    token::Token,
};

/// The path of all requests: an app has one request URL.
const PATH: &str = "/slack/events";

/// The largest request; Slack's have some kilobytes. Larger ones are answered with 413.
const MAX_BODY_BYTES: usize = 1 << 20;

struct Receiver {
    inbox: Arc<dyn Inbox>,
    signing_secret: Token,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// The fields that tell Slack's check of the address from an event.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    #[serde(rename = "type")]
    kind: Value,
    challenge: Value,
}

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Signature(#[from] SignatureError),
    // serde's own text would quote the payload.
    #[error("the body is not a JSON object of Slack's (line {}, column {})", .0.line(), .0.column())]
    Json(#[from] serde_json::Error),
    #[error("the form holds bytes that are not UTF-8")]
    Form(#[from] FromUtf8Error),
    #[error("the form has neither a field `command` nor `payload`")]
    NoPayload,
    #[error("not kept; send it again")]
    NotKept,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Signature(_) => StatusCode::UNAUTHORIZED,
            Self::Json(_) | Self::Form(_) | Self::NoPayload => StatusCode::BAD_REQUEST,
            Self::NotKept => StatusCode::SERVICE_UNAVAILABLE,
        };
        if !matches!(self, Self::NotKept) {
            tracing::warn!(%status, "a request to Slack's address was refused: {self}");
        }
        // A stranger is not told what is wrong with a signature.
        let text = match &self {
            Self::Signature(_) => "not signed by Slack".to_owned(),
            other => other.to_string(),
        };
        (status, text).into_response()
    }
}

/// Takes events, commands and clicks at `/slack/events`. `clock` returns the time in Unix seconds.
pub fn router(
    inbox: Arc<dyn Inbox>,
    signing_secret: Token,
    clock: impl Fn() -> u64 + Send + Sync + 'static,
) -> Router {
    let receiver = Receiver {
        inbox,
        signing_secret,
        clock: Box::new(clock),
    };
    Router::new()
        .route(PATH, post(take))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(Arc::new(receiver))
}

async fn take(
    State(receiver): State<Arc<Receiver>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    receiver.verify(&headers, &body)?;
    if is_form(&headers) {
        receiver.form(&body).await
    } else {
        receiver.event(String::from_utf8(body.into())?).await
    }
}

/// Commands and clicks come as forms, events as JSON.
fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
}

impl Receiver {
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), SignatureError> {
        let header = |name: &'static str| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.ok_or(SignatureError::Missing(name))
        };
        let timestamp = header("x-slack-request-timestamp")?;
        let signature = header("x-slack-signature")?;
        verify(
            &self.signing_secret,
            timestamp,
            body,
            signature,
            (self.clock)(),
        )
    }

    async fn event(&self, payload: String) -> Result<Response, Refusal> {
        // The inbox keeps the rest as it is, whatever its shape.
        let head: Head = serde_json::from_str(&payload)?;
        if head.kind.as_str() == Some("url_verification") {
            return Ok(answer(&json!({"challenge": head.challenge})));
        }
        self.accept(DeliveryKind::Events, payload).await
    }

    async fn form(&self, body: &[u8]) -> Result<Response, Refusal> {
        let fields = form::decode(body)?;
        let has = |wanted: &str| fields.iter().any(|(name, _)| name == wanted);
        // Slack checks the certificate from time to time.
        if has("ssl_check") {
            return Ok(StatusCode::OK.into_response());
        }
        if let Some((_, payload)) = fields.iter().find(|(name, _)| name == "payload") {
            return self
                .accept(DeliveryKind::Interactive, payload.clone())
                .await;
        }
        if !has("command") {
            return Err(Refusal::NoPayload);
        }
        let payload: Map<_, _> = fields
            .into_iter()
            .map(|(name, text)| (name, Value::String(text)))
            .collect();
        self.accept(DeliveryKind::SlashCommand, json!(payload).to_string())
            .await
    }

    async fn accept(&self, kind: DeliveryKind, payload: String) -> Result<Response, Refusal> {
        let delivery = Delivery::new(kind, payload, None)?;
        let id = delivery.id.clone();
        match self.inbox.accept(delivery).await {
            Ok(Some(value)) => Ok(answer(&value)),
            Ok(None) => Ok(StatusCode::OK.into_response()),
            Err(error) => {
                // The inbox tells of an outage once.
                tracing::debug!(id, ?kind, %error, "not kept; Slack will send it again");
                Err(Refusal::NotKept)
            }
        }
    }
}

fn answer(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

#[cfg(test)]
mod tests;
