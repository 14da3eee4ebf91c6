//! The web page of a running bot: the operator's, or a team's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use myao::config::Config;
use myao_bot::clock::Clock;
use myao_bot::current::Current;
use myao_bot::people::People;
use myao_bot::slack::live::{Asking, LiveSlack};
use myao_page::{AGENTS, Page, PublicUrl, SIGNED_IN, Team};
use myao_plugin::Place;
use myao_plugin::state::Workspace;
use myao_slack::client::SignIn;
use tokio::net::TcpListener;

use crate::cli::app::{App, quoted};
use crate::cli::commands::mcp::HttpAgents;
use crate::cli::commands::serve::{self, reachable, warning};
use crate::cli::database::Where;

/// With which app people sign in, and where.
pub(super) struct TeamKeys {
    url: PublicUrl,
    client_id: String,
    client_secret: String,
}

impl TeamKeys {
    /// Reads them; `None` if the page is the operator's.
    pub(super) fn of(config: &Config) -> anyhow::Result<Option<Self>> {
        let Some(url) = &config.page.public_url else {
            return Ok(None);
        };
        anyhow::ensure!(
            config.page.listen.is_some(),
            "page.listen is not set: page.public_url is where browsers reach the page that listens there"
        );
        let needed = |value: &Option<String>, key: &str| {
            let value = value.as_deref().map(str::trim);
            let value = value.filter(|value| !value.is_empty()).map(str::to_owned);
            value.with_context(|| {
                format!(
                    "{key} is not set: with page.public_url people sign in with Slack; it is under Basic Information of the app at \
                     https://api.slack.com/apps"
                )
            })
        };
        Ok(Some(Self {
            url: url.clone(),
            client_id: needed(&config.slack.client_id, "slack.client_id")?,
            client_secret: needed(&config.slack.client_secret, "slack.client_secret")?,
        }))
    }

    /// Where people ask.
    pub(super) fn asking(&self) -> Asking {
        let url = self.url.clone();
        Arc::new(move |question| url.asking(question))
    }
}

/// The bot that the page is beside.
pub(super) struct RunningBot<'a> {
    pub(super) workspace: &'a Arc<dyn Workspace>,
    pub(super) slack: &'a Arc<LiveSlack>,
    pub(super) team_id: &'a str,
    pub(super) current: &'a Current,
    pub(super) clock: &'a Clock,
}

/// The page, as the configuration has it.
pub(super) async fn page(
    app: &App,
    bot: &RunningBot<'_>,
    listener: &TcpListener,
    team: Option<TeamKeys>,
) -> anyhow::Result<Page> {
    match team {
        Some(keys) => for_team(app, bot, listener, &keys).await,
        None => for_operator(app, bot, listener).await,
    }
}

/// The page whose link is in a file next to the database.
async fn for_operator(
    app: &App,
    bot: &RunningBot<'_>,
    listener: &TcpListener,
) -> anyhow::Result<Page> {
    let address = listener.local_addr()?;
    if let Some(warning) = warning(address) {
        tracing::warn!("page.listen: {warning}");
    }
    let file = link_file(app);
    let again = format!("cat {}", quoted(&file));
    let site = serve::site(app, bot.workspace.clone(), bot.current.clone()).await?;
    let reachable = reachable(address);
    let page = Page::with_link_in_file(site, Place::Operator, reachable, again, file.clone())?;
    tracing::info!(
        "the page is at http://{reachable}/; the link that opens it is in {}",
        file.display()
    );
    Ok(page)
}

/// Where the link is: beside the database, or in the folder that the bot runs in, by the name of its configuration. A workspace
/// that was chosen of several has one of its own.
fn link_file(app: &App) -> PathBuf {
    let beside = match app.database().place {
        Where::File(path) => path,
        Where::Server(_) => {
            let configuration = app.config_path.as_deref().and_then(Path::file_stem);
            Path::new(configuration.unwrap_or("myao".as_ref()))
        }
    };
    let mut file = beside.as_os_str().to_owned();
    if let Some(name) = &app.workspace {
        file.push(format!("-{}", in_file_name(name)));
    }
    file.push(".page-link");
    file.into()
}

/// A workspace's name as a part of a file's name. Different names stay different.
fn in_file_name(name: &str) -> String {
    let encoded = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    });
    encoded.collect()
}

/// The page of a team.
async fn for_team(
    app: &App,
    bot: &RunningBot<'_>,
    listener: &TcpListener,
    keys: &TeamKeys,
) -> anyhow::Result<Page> {
    let url = &keys.url;
    let return_to = url.at(SIGNED_IN);
    let sign_in = SignIn::new(
        bot.slack.client().clone(),
        (&keys.client_id, &keys.client_secret),
        return_to.clone(),
        bot.team_id.to_owned(),
    );
    let people = Arc::new(People::new(
        bot.workspace.clone(),
        bot.slack.clone(),
        bot.clock.clone(),
        bot.team_id.to_owned(),
    ));
    let team = Team {
        sign_in: sign_in.context("slack.client_id or slack.client_secret is of no use")?,
        people: people.clone(),
        url: url.clone(),
    };
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(
            "page.listen: other machines reach {address} without encryption, beside the proxy of {}: let it listen on this machine alone",
            url.at("")
        );
    }
    let mut site = serve::site(app, bot.workspace.clone(), bot.current.clone()).await?;
    site.agents = Some(url.at(AGENTS));
    let agents = HttpAgents {
        app: app.clone(),
        workspace: bot.workspace.clone(),
        current: bot.current.clone(),
        people,
        address: site.address.clone(),
    };
    tracing::info!(
        "the page is at {}; people sign in with Slack, whose app needs the redirect URL {return_to}",
        url.at("/")
    );
    Ok(Page::for_team(site, team, Arc::new(agents)))
}
