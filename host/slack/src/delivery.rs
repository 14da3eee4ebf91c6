//! What Slack hands over, and the inbox that keeps it.
//!
//! **Invariant: Slack is told that something arrived only after the inbox has kept it.** What is not acknowledged comes
//! again, so an inbox sees some deliveries twice; it knows them by [`Delivery::id`].

use async_trait::async_trait;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// One thing that Slack hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same each time it is delivered. An event has its `event_id`; a command or click its `trigger_id`, else
    /// its `envelope_id`; what has none of these has a digest of its payload.
    pub id: String,
    /// What it is.
    pub kind: DeliveryKind,
    /// The payload as JSON. Of an event and a click, it is the text that Slack sent, byte for byte; a command over HTTP
    /// is a form, and comes here as the same object of texts that Socket Mode has.
    pub payload: String,
    /// Which way it came.
    pub received: Transport,
}

/// What is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryKind {
    /// The Events API: the outer object, with the event in `event`. `app_rate_limited` comes here, too.
    Events,
    /// A slash command: <https://docs.slack.dev/interactivity/implementing-slash-commands>.
    SlashCommand,
    /// A click, a submitted view, a shortcut.
    Interactive,
}

/// Which way something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Socket Mode.
    Socket,
    /// A signed HTTP request.
    Http,
}

/// Why a delivery was not kept. Its text is logged, so it holds nothing of the payload.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InboxError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl InboxError {
    /// An error with its cause.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// Keeps what Slack hands over.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps a delivery; returns only after it is durable. One that is known already is no error.
    ///
    /// The value goes back to Slack with the acknowledgement: the answer to a slash command (a message with `text` or
    /// `blocks`), or to a submitted view. Many calls run at once. Slack waits three seconds.
    ///
    /// # Errors
    /// Where it was not kept: it is not acknowledged, and Slack delivers it again.
    async fn accept(&self, delivery: Delivery) -> Result<Option<Value>, InboxError>;
}

impl Delivery {
    /// A delivery with the id that its payload has, else with `fallback`, else with the payload's digest.
    pub(crate) fn new(
        kind: DeliveryKind,
        payload: String,
        fallback: Option<String>,
        received: Transport,
    ) -> Result<Self, serde_json::Error> {
        #[derive(serde::Deserialize)]
        struct Ids {
            event_id: Option<Value>,
            trigger_id: Option<Value>,
        }
        let ids: Ids = serde_json::from_str(&payload)?;
        let own = match kind {
            DeliveryKind::Events => ids.event_id,
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
            payload,
            received,
        })
    }
}

fn digest(payload: &str) -> String {
    let digest = Sha256::digest(payload.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
