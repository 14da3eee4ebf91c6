//! The bot's requests, and the results it left.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::server::FakeSlack;

/// Whose token a request showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// The bot's.
    Bot,
    /// The app's.
    App,
    /// One that Slack does not know.
    Unknown,
    /// None.
    Missing,
}

/// A call of the Web API.
#[derive(Debug, Clone)]
pub struct Request {
    /// `chat.postMessage` …
    pub method: String,
    /// The arguments; all strings unless they came as JSON.
    pub params: Map<String, Value>,
    /// Whose token.
    pub token: TokenKind,
    /// The credentials of HTTP's basic authentication, as they were sent.
    pub basic: Option<String>,
    /// When it came in, by tokio's clock.
    pub at: Instant,
}

/// A message that the bot posted.
#[derive(Debug, Clone, PartialEq)]
pub struct BotPost {
    /// Where.
    pub channel: String,
    /// Its id.
    pub ts: String,
    /// In which thread.
    pub thread_ts: Option<String>,
    /// What.
    pub text: String,
    /// Block Kit.
    pub blocks: Option<Value>,
    /// `event_type` and `event_payload`.
    pub metadata: Option<Value>,
}

/// A text that was posted to the `response_url` of a slash command.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The address.
    pub response_url: String,
    /// The body.
    pub body: Value,
}

/// The bot's requests, and the results it left.
#[derive(Debug, Default)]
pub(crate) struct Bot {
    pub(crate) requests: Vec<Request>,
    pub(crate) posts: Vec<BotPost>,
    pub(crate) responses: Vec<Response>,
    /// The last view for each user.
    pub(crate) views: BTreeMap<String, Value>,
    /// Windows that were opened, each with its user.
    pub(crate) modals: Vec<(String, Value)>,
    /// The triggers that open a window, once, and for whom.
    pub(crate) triggers: BTreeMap<String, String>,
    /// Of sockets that were not opened yet.
    pub(crate) tickets: BTreeSet<String>,
    pub(crate) tickets_given: u64,
    /// The response addresses that were given out, and how often each was used.
    pub(crate) response_urls: BTreeMap<String, usize>,
}

impl FakeSlack {
    /// Every call of the Web API so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.inner().read(|state| state.bot.requests.clone())
    }

    /// Every call of one method.
    #[must_use]
    pub fn requests_of(&self, method: &str) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.method == method);
        requests
    }

    /// Every message that the bot posted, in order.
    #[must_use]
    pub fn posts(&self) -> Vec<BotPost> {
        self.inner().read(|state| state.bot.posts.clone())
    }

    /// Everything that was posted to the `response_url`s of slash commands.
    #[must_use]
    pub fn responses(&self) -> Vec<Response> {
        self.inner().read(|state| state.bot.responses.clone())
    }

    /// The App Home that was last published for a user.
    #[must_use]
    pub fn home(&self, user: &str) -> Option<Value> {
        self.inner()
            .read(|state| state.bot.views.get(user).cloned())
    }

    /// The windows that were opened so far, each with the user who sees it.
    #[must_use]
    pub fn modals(&self) -> Vec<(String, Value)> {
        self.inner().read(|state| state.bot.modals.clone())
    }

    /// Takes a scope from the bot's token.
    pub fn remove_scope(&self, scope: &str) {
        let known = self.inner().change(|state| state.scopes.remove(scope));
        assert!(known, "the token has no scope `{scope}`");
    }

    /// From now on the app's manifest subscribes to metadata of this `event_type`. Without that Slack keeps the
    /// `event_payload` back, in events and in histories, unless `include_all_metadata` asks for it.
    pub fn subscribe_to_metadata(&self, event_type: &str) {
        self.inner()
            .change(|state| state.metadata_subscriptions.insert(event_type.to_owned()));
    }
}
