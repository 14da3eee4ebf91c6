//! `slack`: the connection to Slack.

use std::fmt;
use std::net::SocketAddr;

use myao_bot::schedule::{DigestConfig, digests};
use myao_bot::settings::{ExternalChannels, PIN_EMOJI};
use myao_llm::expand::{expanded, optional_expanded};
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::socket_address;

/// `slack`: needed to run against Slack, and for nothing else.
#[derive(Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Slack {
    /// `xoxb-…`; `myao run` needs it; see [running.md](running.md).
    #[serde(deserialize_with = "optional_expanded")]
    pub bot_token: Option<String>,
    /// `xapp-…`, for Socket Mode.
    #[serde(deserialize_with = "optional_expanded")]
    pub app_token: Option<String>,
    /// Checks what comes over HTTP.
    #[serde(deserialize_with = "optional_expanded")]
    pub signing_secret: Option<String>,
    /// The app's client id, for Sign in with Slack; see [page.md](page.md#for-a-team).
    #[serde(deserialize_with = "optional_expanded")]
    pub client_id: Option<String>,
    /// The app's client secret, for the same.
    #[serde(deserialize_with = "optional_expanded")]
    pub client_secret: Option<String>,
    /// Address and port (`127.0.0.1:3000`) at which events are received over HTTP, instead of Socket Mode.
    #[serde(deserialize_with = "socket_address")]
    #[schemars(with = "Option<String>")]
    pub listen: Option<SocketAddr>,
    /// The emoji with which people pin a message for the bot, without colons; empty for none. Default `pushpin`.
    pub pin_emoji: String,
    /// Digests of what was decided, done and left open, by schedule, for channels and people; see
    /// [slack.md](slack.md#digests). Default: none.
    #[serde(deserialize_with = "digests")]
    pub digests: Vec<DigestConfig>,
    /// The treatment of channels that are shared with others: with `ignore` nothing of them is stored, and the bot says so once
    /// in each. Default `remember`.
    pub external_channels: ExternalChannels,
    /// With `true`, messages that Slack's own retention removed go here, too. Default `false`.
    pub follow_retention: bool,
    /// Where the Web API is. Default `https://slack.com/api/`.
    #[serde(deserialize_with = "expanded")]
    pub api_url: String,
}

impl Default for Slack {
    fn default() -> Self {
        Self {
            bot_token: None,
            app_token: None,
            signing_secret: None,
            client_id: None,
            client_secret: None,
            listen: None,
            pin_emoji: PIN_EMOJI.to_owned(),
            digests: Vec::new(),
            external_channels: ExternalChannels::Remember,
            follow_retention: false,
            api_url: "https://slack.com/api/".to_owned(),
        }
    }
}

/// Without tokens and secret.
impl fmt::Debug for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slack")
            .field("listen", &self.listen)
            .field("api_url", &self.api_url)
            .finish_non_exhaustive()
    }
}
