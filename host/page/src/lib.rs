//! The web page: what is remembered, where it comes from, search and questions.
//!
//! Everything is rendered here, without scripts. A request goes through these steps:
//!
//! 1. `server` has the `door` say who asks, a `Visitor`, and finds the page (`route`);
//! 2. `pages` reads what it shows through a `reader`, which sees what this visitor may see;
//! 3. it is written as HTML (`html`, in the language that the browser asks for, `texts`) or as JSON;
//! 4. `headers` are added to every answer.
//!
//! A question costs calls of a model, within the budget. What is changed comes as a form with a secret (`actions`). People's
//! agents ask at an address of their own (`agents`).

mod actions;
mod agents;
mod changes;
mod door;
mod failure;
mod fields;
mod headers;
mod html;
mod language;
mod pages;
mod reader;
mod route;
mod secret;
mod server;
mod texts;
mod tokens;
mod visitor;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use door::{Door, LinkDoor, TeamDoor};
use html::{Look, Nav};
use language::Language;
use myao_bot::clock::Clock;
use myao_bot::current::Current;
use myao_bot::metrics::Metrics;
use myao_bot::people::Person;
use myao_bot::serve::{ClientLimits, serve};
use myao_bot::stop::Stop;
use myao_plugin::Place;
use myao_plugin::journal::CallsOfMemory;
use myao_plugin::state::Workspace;
use reader::Reader;
use route::Wanted;
use serde_json::Value;
use tokio::net::TcpListener;
use visitor::{Visit, Visitor};

pub use agents::Agents;
pub use door::{PublicUrl, PublicUrlError, Team};
pub use route::{AGENTS, SIGNED_IN};

/// A browser asks for a few things at once. An answer of a model may take minutes.
const LIMITS: ClientLimits = ClientLimits::new(32, Duration::from_secs(300));
/// The same for the browsers and agents of a team.
const TEAM_LIMITS: ClientLimits = ClientLimits::new(512, Duration::from_secs(300));

/// Describes the cost of calls; `None` if there are none.
pub type Costs = dyn Fn(&CallsOfMemory) -> Option<Taken> + Send + Sync;

/// The content of the page.
pub struct Site {
    /// The store.
    pub workspace: Arc<dyn Workspace>,
    /// The component, which searches and answers.
    pub current: Current,
    /// Now.
    pub clock: Clock,
    /// The workspace's address in Slack, for links to messages; `None` if not known.
    pub address: Option<String>,
    /// The command that makes memories, for pages that have nothing to show yet.
    pub next: String,
    /// Where people's agents ask; `None` if they cannot.
    pub agents: Option<String>,
    /// The sum of the calls for a memory; `None` if no model was asked.
    pub taken: Arc<Costs>,
}

/// The cost of a memory, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// Calls of models.
    pub calls: u64,
    /// Calls without an answer.
    pub failed: u64,
    /// `provider/model`, each once.
    pub models: Vec<String>,
    /// Tokens of the prompts.
    pub input_tokens: String,
    /// Tokens of the answers.
    pub output_tokens: String,
    /// How long the calls took.
    pub duration: String,
    /// Money.
    pub cost: String,
    /// The same, for the JSON twin.
    pub json: Value,
}

/// The page at an address, and its JSON twin, as somebody who signed in sees them, without a request; `None` if there
/// is nothing for them. Tests compare with it what different people see.
pub async fn shown_to(site: &Arc<Site>, person: &Person, address: &str) -> Option<[String; 2]> {
    let (path, query) = match address.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (address, None),
    };
    let Some(Wanted::Page(route)) = route::parse(path, query) else {
        return None;
    };
    let visitor = Visitor::Person(person.clone());
    let look = Look {
        language: Language::English,
        nav: Nav::of(&visitor),
    };
    let visit = Visit {
        visitor,
        form_token: String::new(),
    };
    let shown = pages::show(Reader::new(site.clone(), visit), &route).await;
    let shown = shown.ok()?;
    Some([shown.html(look).into_string(), shown.json().to_string()])
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The operating system gives no random bytes, so that there is no secret link.
    #[error("the operating system gives no random bytes: {0}")]
    NoRandomness(getrandom::Error),
    /// The file for the link cannot be written.
    #[error("the page's link cannot be written to `{}`: {source}", path.display())]
    LinkFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The web page.
pub struct Page {
    site: Arc<Site>,
    door: Door,
    agents: Option<Arc<dyn Agents>>,
}

impl Page {
    /// A page for the operator, who sees what may be seen in a place, with a new link that opens it once, for a listener at
    /// this port. The command `again` shows another link.
    ///
    /// # Errors
    /// [`PageError::NoRandomness`].
    pub fn for_operator(
        site: Site,
        place: Place,
        port: u16,
        again: String,
    ) -> Result<Self, PageError> {
        let door = LinkDoor::new(place, port, again).map_err(PageError::NoRandomness)?;
        Ok(Self {
            site: Arc::new(site),
            door: Door::Link(door),
            agents: None,
        })
    }

    /// The same, with the link in a file that its owner alone may read. After each use another link is put there.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn with_link_in_file(
        site: Site,
        place: Place,
        address: SocketAddr,
        again: String,
        path: PathBuf,
    ) -> Result<Self, PageError> {
        let mut door =
            LinkDoor::new(place, address.port(), again).map_err(PageError::NoRandomness)?;
        door.keep(address, path.clone())
            .map_err(|source| PageError::LinkFile { path, source })?;
        Ok(Self {
            site: Arc::new(site),
            door: Door::Link(door),
            agents: None,
        })
    }

    /// A page for everybody of a team, and for their agents at [`Site::agents`].
    #[must_use]
    pub fn for_team(site: Site, team: Team, agents: Arc<dyn Agents>) -> Self {
        Self {
            site: Arc::new(site),
            door: Door::Team(TeamDoor::new(team)),
            agents: Some(agents),
        }
    }

    /// The link that opens the page, once; `None` if people sign in.
    #[must_use]
    pub fn link(&self, address: SocketAddr) -> Option<String> {
        match &self.door {
            Door::Link(door) => Some(door.link(address)),
            Door::Team(_) => None,
        }
    }

    /// Serves until asked to stop.
    pub async fn serve(self, listener: TcpListener, stop: Stop) {
        let limits = match self.door {
            Door::Link(_) => LIMITS,
            Door::Team(_) => TEAM_LIMITS,
        };
        let server = server::Server {
            site: self.site,
            door: self.door,
            agents: self.agents,
        };
        let router = Router::new()
            .fallback(server::answer)
            .with_state(Arc::new(server));
        serve(listener, router, limits, Arc::new(Metrics::default()), stop).await;
    }
}
