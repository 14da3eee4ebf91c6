//! The web page: what is remembered, where it comes from, search and questions.
//!
//! Everything is rendered here, without scripts. A request goes through these steps:
//!
//! 1. `server` checks who asks (`access`), and finds the page (`route`);
//! 2. `pages` reads what it shows through a `reader`, which sees what may be seen in one [`Place`];
//! 3. it is written as HTML (`html`, in the language that the browser asks for, `texts`) or as JSON;
//! 4. `headers` are added to every answer.
//!
//! A question costs calls of a model, within the budget. What is changed comes as a form with a secret (`actions`).

mod access;
mod actions;
mod changes;
mod failure;
mod headers;
mod html;
mod language;
mod link_file;
mod pages;
mod reader;
mod route;
mod server;
mod texts;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use access::Access;
use axum::Router;
use link_file::LinkFile;
use myao_bot::clock::Clock;
use myao_bot::current::Current;
use myao_bot::metrics::Metrics;
use myao_bot::serve::{ClientLimits, serve};
use myao_bot::stop::Stop;
use myao_plugin::Place;
use myao_plugin::journal::CallsOfMemory;
use myao_plugin::state::Workspace;
use serde_json::Value;
use tokio::net::TcpListener;

/// A browser asks for a few things at once. An answer of a model may take minutes.
const LIMITS: ClientLimits = ClientLimits::new(32, Duration::from_secs(300));

/// Says what calls took; `None` if there are none.
pub type Costs = dyn Fn(&CallsOfMemory) -> Option<Taken> + Send + Sync;

/// What the page shows, and to whom.
pub struct Site {
    /// The store.
    pub workspace: Arc<dyn Workspace>,
    /// The component, which searches and answers.
    pub current: Current,
    /// Whoever opened the link sees what may be seen here.
    pub place: Place,
    /// Whether they may pin, correct and forget, too.
    pub can_change: bool,
    /// Now.
    pub clock: Clock,
    /// The workspace's address in Slack, for links to messages; `None` if not known.
    pub address: Option<String>,
    /// The command that makes memories, for pages that have nothing to show yet.
    pub next: String,
    /// The command that shows a new link.
    pub again: String,
    /// What the calls for a memory took; `None` if no model was asked.
    pub taken: Arc<Costs>,
}

/// What a memory took, in words.
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
    access: Arc<Access>,
    link_file: Option<LinkFile>,
}

impl Page {
    /// A page with a new link, for a listener at this port.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn new(site: Site, port: u16) -> Result<Self, PageError> {
        Ok(Self {
            site: Arc::new(site),
            access: Arc::new(Access::random(port).map_err(PageError::NoRandomness)?),
            link_file: None,
        })
    }

    /// Keeps the link in a file that its owner alone may read, and puts another one there after each use.
    ///
    /// # Errors
    /// [`PageError::LinkFile`].
    pub fn keeping_link(mut self, address: SocketAddr, path: PathBuf) -> Result<Self, PageError> {
        let file = LinkFile::new(path.clone(), address);
        let secret = self.access.link().unwrap_or_default();
        file.write(&secret)
            .map_err(|source| PageError::LinkFile { path, source })?;
        self.link_file = Some(file);
        Ok(self)
    }

    /// The link that opens the page, once.
    #[must_use]
    pub fn link(&self, address: SocketAddr) -> String {
        link_file::link(address, &self.access.link().unwrap_or_default())
    }

    /// Serves until asked to stop.
    pub async fn serve(self, listener: TcpListener, stop: Stop) {
        let server = server::Server {
            site: self.site,
            access: self.access,
            link_file: self.link_file,
        };
        let router = Router::new()
            .fallback(server::answer)
            .with_state(Arc::new(server));
        serve(listener, router, LIMITS, Arc::new(Metrics::default()), stop).await;
    }
}
