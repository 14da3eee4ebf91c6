//! Where the program listens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use myao_page::PublicUrl;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{ip_address, public_url, socket_address};

/// `page`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PageConfig {
    /// Address and port (`127.0.0.1:8040`) at which `myao run` serves the web page; see [page.md](page.md). Without it there is
    /// no page beside the bot.
    #[serde(deserialize_with = "socket_address")]
    #[schemars(with = "Option<String>")]
    pub listen: Option<SocketAddr>,
    /// Where the team's browsers reach this page (`https://memory.example.org`): everybody then signs in with Slack, and sees
    /// what they may see there. Needs `slack.client_id` and `slack.client_secret`; see [page.md](page.md#for-a-team).
    #[serde(deserialize_with = "public_url")]
    #[schemars(with = "Option<String>")]
    pub public_url: Option<PublicUrl>,
}

/// `health_check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HealthCheck {
    /// Where `/live`, `/ready`, `/health/answers` and `/metrics` are: an IP address or `localhost`; the default is this machine
    /// only. Default `127.0.0.1`.
    #[serde(deserialize_with = "ip_address")]
    #[schemars(with = "String")]
    pub address: IpAddr,
    /// The port there. Default `8080`.
    pub port: u16,
}

impl Default for HealthCheck {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 8080,
        }
    }
}
