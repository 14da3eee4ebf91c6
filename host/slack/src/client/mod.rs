//! Slack's Web API: <https://docs.slack.dev/apis/web-api/>.
//!
//! Calls keep to Slack's limits: after a 429 all calls of that method wait until `Retry-After` is over, an hour at most,
//! and then go one by one until one succeeds. If the connection fails or Slack has trouble, a call is retried if
//! repeating it does no harm; a post only if the first attempt cannot have arrived. The numbers are at the top of
//! `attempts.rs`.
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
mod server_time;
mod sign_in;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use myao_plugin::system_clock;
use reqwest::{
    Url,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Map, Value, json};

use crate::{backoff::Backoff, error::ClientError, form, token::Token};
use answer::Answer;
use attempts::Gates;
use method::{Body, Method};
use server_time::ServerTime;

pub use directory::{AuthTest, BotInfo, Channel, Profile, User};
pub use messages::{HistoryRequest, Page};
pub use posting::{Metadata, PostMessage};
pub use sign_in::{SignIn, SignInError};

/// The address of Slack's own Web API.
pub const SLACK_API: &str = "https://slack.com/api/";

/// This machine's clock is wrong if it differs from Slack's by more, in seconds: what commands beside a bot write has wrong times.
pub const MOST_SKEW: i64 = 30;

/// The longest time to open a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time of one attempt, connection and answer included.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A client with the bot's token. Clones share connections and limits.
#[derive(Clone)]
pub struct SlackClient {
    shared: Arc<Shared>,
}

struct Shared {
    http: reqwest::Client,
    api_url: Url,
    token: Token,
    gates: Gates,
    server_time: ServerTime,
    /// The waits between attempts.
    waits: Backoff,
}

impl SlackClient {
    /// A client of the Web API at an address, which is [`SLACK_API`] except in tests.
    ///
    /// # Errors
    /// [`ClientError::BadAddress`] if it is not an HTTP address; [`ClientError::Unreachable`] if the system's TLS cannot
    /// be set up.
    pub fn new(api_url: &str, bot_token: Token) -> Result<Self, ClientError> {
        Self::with_clock(api_url, bot_token, || {
            let since_1970 = system_clock::now().duration_since(UNIX_EPOCH);
            since_1970.unwrap_or_default()
        })
    }

    /// The same with another clock of this machine, which returns the time since 1970.
    ///
    /// # Errors
    /// As those of [`SlackClient::new`].
    pub fn with_clock(
        api_url: &str,
        bot_token: Token,
        machine: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Result<Self, ClientError> {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            // A redirect would send tokens and texts to another server.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| answer::connection_error("the client", &error))?;
        let shared = Shared {
            http,
            api_url: base(api_url)?,
            token: bot_token,
            gates: Gates::default(),
            server_time: ServerTime::by(machine),
            waits: attempts::WAITS,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Retries at once: tests with real connections do not wait.
    #[cfg(test)]
    pub(crate) fn without_waits(mut self) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.waits.cap = Duration::ZERO;
        }
        self
    }

    /// Calls a method. `params` is an object; its nulls are not sent in a form.
    async fn call(&self, method: Method, params: &Value) -> Result<Value, ClientError> {
        let answer = self.exchange(method, params, &self.shared.token).await?;
        Ok(answer.body)
    }

    /// A new address for Socket Mode (`apps.connections.open`). It holds a secret, and works once, for a short time.
    ///
    /// # Errors
    /// See [`ClientError`]; the app token needs the scope `connections:write`.
    pub async fn open_connection(&self, app_token: &Token) -> Result<Url, ClientError> {
        const METHOD: Method = Method::read("apps.connections.open");
        let mut answer = self.exchange(METHOD, &json!({}), app_token).await?;
        let url: String = answer::take(METHOD, &mut answer.body, "url")?;
        let url = url.parse::<Url>().ok();
        let is_secure = self.shared.api_url.scheme() == "https";
        url.filter(|url| url.scheme() == "wss" || (url.scheme() == "ws" && !is_secure))
            .ok_or_else(|| ClientError::BadAddress {
                what: "the address for Socket Mode",
                detail: "it does not begin with wss://".to_owned(),
            })
    }

    /// The methods that Slack limits now (429), sorted by name, and for how long. Each wait ends within an hour, whatever
    /// Slack said.
    #[must_use]
    pub fn waits(&self) -> Vec<(&'static str, Duration)> {
        self.shared.gates.waits()
    }

    /// Makes no calls of a method for this long: Slack has asked another process for that.
    pub fn limit(&self, method: &str, wait: Duration) {
        self.shared.gates.limit(method, wait);
    }

    /// The time since 1970 by Slack's clock, as its answers show it; by this machine's until there is one.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.server_time()
            .unwrap_or_else(|| (self.shared.server_time.machine)())
    }

    /// The time since 1970 by Slack's clock; `None` if no answer has shown it yet.
    #[must_use]
    pub fn server_time(&self) -> Option<Duration> {
        self.shared.server_time.now()
    }

    /// Learns the time at Slack if it is not known, as after this machine's clock was set, with a call of `auth.test`.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn learn_time(&self) -> Result<(), ClientError> {
        if self.server_time().is_none() {
            self.auth_test().await?;
        }
        Ok(())
    }

    /// By how many seconds this machine's clock is ahead of Slack's, if that is known; below zero if it is behind.
    #[must_use]
    pub fn machine_ahead(&self) -> Option<i64> {
        self.shared.server_time.machine_ahead()
    }

    async fn exchange(
        &self,
        method: Method,
        params: &Value,
        token: &Token,
    ) -> Result<Answer, ClientError> {
        let none = Map::new();
        let params = params.as_object().unwrap_or(&none);
        let gate = self.shared.gates.of(method);
        let result = attempts::run(method, &gate, self.shared.waits, || {
            self.send(method, params, token)
        })
        .await;
        if let Err(error) = &result {
            tracing::debug!(%error, "a call to Slack failed");
        }
        result
    }

    /// An address, relative to the Web API's.
    fn at(&self, path: &str) -> Result<Url, ClientError> {
        let joined = self.shared.api_url.join(path);
        joined.map_err(|error| ClientError::BadAddress {
            what: "a method of the Web API",
            detail: error.to_string(),
        })
    }

    /// One attempt.
    async fn send(
        &self,
        method: Method,
        params: &Map<String, Value>,
        token: &Token,
    ) -> Result<Answer, ClientError> {
        let url = self.at(method.name())?;
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
            .map_err(|error| answer::connection_error(method.name(), &error))?;
        self.shared.server_time.note(&response);
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

/// The address to which the names of methods are appended.
fn base(api_url: &str) -> Result<Url, ClientError> {
    let bad = |detail: String| ClientError::BadAddress {
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
