//! Who may come in: whoever opened the one-time link, or everybody who signs in with Slack.

mod cookie;
mod link;
mod link_file;
mod public_url;
mod sessions;
mod team;

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::http::HeaderMap;
use myao_plugin::Place;

use super::failure::Failure;
use super::visitor::{Visit, Visitor};
use link::Access;
use link_file::LinkFile;
pub use public_url::{PublicUrl, PublicUrlError};
pub use team::Team;
pub(crate) use team::TeamDoor;

/// Who may come in.
pub(crate) enum Door {
    Link(LinkDoor),
    Team(TeamDoor),
}

/// The way to come in.
#[derive(Debug, Clone)]
pub(crate) enum WayIn {
    /// This command shows a new link.
    Command(String),
    SignIn,
}

impl Door {
    /// Returns true if a request is for this page by a name that nobody else can direct here.
    pub(crate) fn is_own_host(&self, headers: &HeaderMap) -> bool {
        match self {
            Self::Link(door) => door.access.is_own_host(headers),
            Self::Team(door) => door.url().is_host_of(headers),
        }
    }

    /// Who makes a request, at a time in Unix seconds.
    pub(crate) async fn visit(&self, headers: &HeaderMap, now: i64) -> Result<Visit, Failure> {
        match self {
            Self::Link(door) if door.access.is_open(headers) => Ok(Visit {
                visitor: Visitor::Owner(door.place.clone()),
                form_token: door.access.form_token().to_owned(),
            }),
            Self::Link(_) => Err(Failure::Closed),
            Self::Team(door) => door.visit(headers, now).await,
        }
    }

    pub(crate) fn way_in(&self) -> WayIn {
        match self {
            Self::Link(door) => WayIn::Command(door.again.clone()),
            Self::Team(_) => WayIn::SignIn,
        }
    }
}

/// The door of the operator.
pub(crate) struct LinkDoor {
    /// The place whose texts everybody with the link sees.
    place: Place,
    access: Access,
    file: Option<LinkFile>,
    /// The command that shows a new link.
    again: String,
}

impl LinkDoor {
    /// A new link, for a listener at this port.
    pub(crate) fn new(place: Place, port: u16, again: String) -> Result<Self, getrandom::Error> {
        Ok(Self {
            place,
            access: Access::random(port)?,
            file: None,
            again,
        })
    }

    /// Keeps the link in a file, and puts another one there after each use.
    pub(crate) fn keep(&mut self, address: SocketAddr, path: PathBuf) -> std::io::Result<()> {
        let file = LinkFile::new(path, address);
        file.write(&self.access.link().unwrap_or_default())?;
        self.file = Some(file);
        Ok(())
    }

    /// The link that opens the page, once.
    pub(crate) fn link(&self, address: SocketAddr) -> String {
        link_file::link(address, &self.access.link().unwrap_or_default())
    }

    /// The cookie for whoever has the link's secret, the first time.
    pub(crate) fn exchange(&self, secret: &str) -> Option<String> {
        let cookie = self.access.exchange(secret)?;
        self.renew();
        Some(cookie)
    }

    /// Returns true if a request has the cookie.
    pub(crate) fn is_open(&self, headers: &HeaderMap) -> bool {
        self.access.is_open(headers)
    }

    /// Puts another link into the file, if there is one.
    fn renew(&self) {
        let Some(file) = &self.file else {
            return;
        };
        let renewed = self.access.renew().map_err(|error| error.to_string());
        let secret = renewed.map(|()| self.access.link().unwrap_or_default());
        let written = secret.and_then(|secret| file.write(&secret).map_err(|e| e.to_string()));
        if let Err(error) = written {
            tracing::warn!(
                "there is no new link to the page: {error}; start the program again for one"
            );
        }
    }
}

/// Returns true if the browser says that another site, or another port of this machine, made the request.
pub(crate) fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site != "same-origin" && site != "none")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::is_from_elsewhere;

    #[test]
    fn requests_that_other_sites_make_are_told_apart() {
        for (site, is_elsewhere) in [
            ("same-origin", false),
            ("none", false),
            ("same-site", true),
            ("cross-site", true),
        ] {
            let name = HeaderName::from_static("sec-fetch-site");
            let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(site))]);
            assert_eq!(is_from_elsewhere(&headers), is_elsewhere);
        }
        assert!(!is_from_elsewhere(&HeaderMap::new()));
    }
}
