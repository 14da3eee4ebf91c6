//! Deliveries of Slack, and the inbox that keeps them.
//!
//! **Invariant: a delivery is acknowledged only after the inbox has kept it.** Slack delivers again what is not
//! acknowledged, so an inbox sees some deliveries twice; it recognises them by [`Delivery::id`].

use async_trait::async_trait;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::installation::Addressee;

/// One delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same each time it is delivered: the `event_id` of an event, the `trigger_id` of a command or click, else the
    /// `envelope_id`, else a digest of the payload.
    pub id: String,
    /// Its kind, with the payload.
    pub kind: DeliveryKind,
    /// Since when Slack has what it tells, in Unix seconds: the `event_time` of an event, the minute of
    /// [`DeliveryKind::RateLimited`].
    pub time: Option<i64>,
    /// Whom it is for.
    pub addressee: Addressee,
    /// The payload as JSON. For events and clicks this is the text that Slack sent, byte for byte; a command over HTTP
    /// is a form, and becomes the same object of texts that Socket Mode has.
    pub payload: String,
}

/// A kind of delivery.
///
/// Exhaustive on purpose: an inbox must answer each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryKind {
    /// The Events API: the outer object, with the event in `event`.
    Events,
    /// `app_rate_limited`: Slack leaves out events of a minute
    /// (<https://docs.slack.dev/reference/events/app_rate_limited>).
    RateLimited,
    /// A slash command: <https://docs.slack.dev/interactivity/implementing-slash-commands>.
    SlashCommand,
    /// A click, a submitted view, a shortcut.
    Interactive,
}

/// Why a delivery was not kept. Its text is logged, so it must hold nothing of the payload.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InboxError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl InboxError {
    /// An error with its cause.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// Keeps deliveries of Slack.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps a delivery; returns only after it is durable. A delivery that is already known is not an error.
    ///
    /// The value goes back to Slack with the acknowledgement: the answer to a slash command (a message with `text` or
    /// `blocks`), or to a submitted view. Many calls run at once. Slack waits three seconds.
    ///
    /// # Errors
    /// If it was not kept: it is not acknowledged, and Slack delivers it again.
    async fn accept(&self, delivery: Delivery) -> Result<Option<Value>, InboxError>;
}

impl Delivery {
    /// A delivery with the id that its payload has, else with `fallback`, else with the payload's digest.
    pub(crate) fn new(
        mut kind: DeliveryKind,
        payload: String,
        fallback: Option<String>,
    ) -> Result<Self, serde_json::Error> {
        #[derive(serde::Deserialize)]
        struct Ids {
            event_id: Option<Value>,
            trigger_id: Option<Value>,
            event_time: Option<Value>,
            minute_rate_limited: Option<Value>,
        }
        let ids: Ids = serde_json::from_str(&payload)?;
        if kind == DeliveryKind::Events && ids.minute_rate_limited.is_some() {
            kind = DeliveryKind::RateLimited;
        }
        let time = ids.minute_rate_limited.or(ids.event_time);
        let own = match kind {
            DeliveryKind::Events | DeliveryKind::RateLimited => ids.event_id,
            DeliveryKind::SlashCommand | DeliveryKind::Interactive => ids.trigger_id,
        };
        let own = own
            .as_ref()
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty());
        let id = own
            .map(str::to_owned)
            .or(fallback)
            .unwrap_or_else(|| digest(&payload));
        Ok(Self {
            id,
            kind,
            time: time.as_ref().and_then(Value::as_i64),
            addressee: serde_json::from_str(&payload).unwrap_or_default(),
            payload,
        })
    }
}

fn digest(payload: &str) -> String {
    let digest = Sha256::digest(payload.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
