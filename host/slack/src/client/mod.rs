//! Slack's Web API: <https://docs.slack.dev/apis/web-api/>.
//!
//! Every call keeps to what Slack asks for: after a 429 all calls of that method wait together until `Retry-After` is
//! over, an hour at most, and then go one by one until one succeeds. What may be repeated is tried again when the connection fails or
//! Slack has trouble. What may not (a post) is sent again only where the first try cannot have arrived. The numbers
//! stand at the head of `attempts.rs`.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use myao_slack::{client::{PostMessage, SLACK_API, SlackClient}, token::Token};
//!
//! let slack = SlackClient::new(SLACK_API, Token::new("xoxb-…")?)?;
//! let ts = slack
//!     .post_message(&PostMessage {
//!         channel: "C0123456789".to_owned(),
//!         text: "*hello*".to_owned(),
//!         ..PostMessage::default()
//!     })
//!     .await?;
//! # Ok(())
//! # }
//! ```

mod answer;
mod attempts;
mod directory;
mod messages;
mod method;
mod pages;
mod posting;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{
    Url,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Map, Value, json};

use crate::{backoff::Backoff, error::SlackError, form, token::Token};
use answer::Answer;
use attempts::Gates;
use method::Body;

pub use directory::{AuthTest, BotInfo, Channel, Profile, User};
pub use messages::{HistoryRequest, Page};
pub use method::Method;
pub use posting::{Metadata, PostMessage};

/// The address of Slack's own Web API.
pub const SLACK_API: &str = "https://slack.com/api/";

/// The longest time to make a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time of one try of a call, connection and answer included.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A client with the bot's token. Clones share connections, and what they know of limits.
#[derive(Clone)]
pub struct SlackClient {
    shared: Arc<Shared>,
}

struct Shared {
    http: reqwest::Client,
    api_url: Url,
    token: Token,
    gates: Gates,
    /// Between tries of a call that failed.
    waits: Backoff,
}

impl SlackClient {
    /// A client of the Web API at an address, which is [`SLACK_API`] but in tests.
    ///
    /// # Errors
    /// [`SlackError::BadAddress`] where that is no HTTP address; [`SlackError::Unreachable`] where the system's TLS
    /// cannot be set up.
    pub fn new(api_url: &str, bot_token: Token) -> Result<Self, SlackError> {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            // A redirect would carry tokens and texts elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| answer::broken("the client", &error))?;
        let shared = Shared {
            http,
            api_url: base(api_url)?,
            token: bot_token,
            gates: Gates::default(),
            waits: attempts::WAITS,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Tries again at once: tests with real connections do not wait.
    #[cfg(test)]
    pub(crate) fn without_waits(mut self) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.waits.cap = Duration::ZERO;
        }
        self
    }

    /// Calls a method that has no function of its own here. `params` is an object; what is null in it is not sent in a form.
    ///
    /// # Errors
    /// See [`SlackError`].
    pub async fn call(&self, method: Method, params: &Value) -> Result<Value, SlackError> {
        let answer = self.exchange(method, params, &self.shared.token).await?;
        Ok(answer.body)
    }

    /// A new address for Socket Mode (`apps.connections.open`). It holds a secret, works once, and for a short time only.
    ///
    /// # Errors
    /// See [`SlackError`]; the app token needs the scope `connections:write`.
    pub async fn open_connection(&self, app_token: &Token) -> Result<Url, SlackError> {
        const METHOD: Method = Method::read("apps.connections.open");
        let mut answer = self.exchange(METHOD, &json!({}), app_token).await?;
        let url: String = answer::take(METHOD, &mut answer.body, "url")?;
        let url = url.parse::<Url>().ok();
        let is_secure = self.shared.api_url.scheme() == "https";
        url.filter(|url| url.scheme() == "wss" || (url.scheme() == "ws" && !is_secure))
            .ok_or_else(|| SlackError::BadAddress {
                what: "the address for Socket Mode",
                detail: "it does not begin with wss://".to_owned(),
            })
    }

    /// The methods of which Slack wants no call for now (429), in order of their names, and for how long. Each wait
    /// ends within an hour, whatever Slack said.
    #[must_use]
    pub fn waits(&self) -> Vec<(&'static str, Duration)> {
        self.shared.gates.waits()
    }

    async fn exchange(
        &self,
        method: Method,
        params: &Value,
        token: &Token,
    ) -> Result<Answer, SlackError> {
        let none = Map::new();
        let params = params.as_object().unwrap_or(&none);
        let gate = self.shared.gates.of(method);
        let result = attempts::run(method, &gate, self.shared.waits, || {
            self.send(method, params, token)
        })
        .await;
        if let Err(error) = &result {
            tracing::debug!(%error, "a call of Slack failed");
        }
        result
    }

    /// One try.
    async fn send(
        &self,
        method: Method,
        params: &Map<String, Value>,
        token: &Token,
    ) -> Result<Answer, SlackError> {
        let url =
            self.shared
                .api_url
                .join(method.name())
                .map_err(|error| SlackError::BadAddress {
                    what: "a method of the Web API",
                    detail: error.to_string(),
                })?;
        let (content_type, body) = match method.body() {
            Body::Form => ("application/x-www-form-urlencoded", form::encode(params)),
            Body::Json => ("application/json; charset=utf-8", json!(params).to_string()),
        };
        let response = self
            .shared
            .http
            .post(url)
            .header(AUTHORIZATION, token.header())
            .header(CONTENT_TYPE, content_type)
            .body(body)
            .send()
            .await
            .map_err(|error| answer::broken(method.name(), &error))?;
        answer::read(method, response, token).await
    }
}

impl fmt::Debug for SlackClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlackClient")
            .field(
                "api_url",
                &self.shared.api_url.origin().ascii_serialization(),
            )
            .finish_non_exhaustive()
    }
}

/// The address that methods' names are appended to.
fn base(api_url: &str) -> Result<Url, SlackError> {
    let bad = |detail: String| SlackError::BadAddress {
        what: "the address of Slack's API",
        detail: format!("{detail}; Slack's own is {SLACK_API}"),
    };
    let mut url: Url = api_url.parse().map_err(|error| bad(format!("{error}")))?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err(bad("it does not begin with https://".to_owned()));
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}
