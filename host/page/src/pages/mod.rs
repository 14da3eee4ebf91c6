//! The pages, one file each: what is read, and how it is shown as HTML and as JSON.

mod ask;
mod channel;
mod memory;
mod refusal;
mod search;
mod sourced;
mod timeline;
mod upkeep;
mod workspace;

use axum::http::StatusCode;
use maud::Markup;
use serde_json::{Value, json};

use super::language::Language;
use super::reader::Reader;
use super::route::Route;
pub(crate) use refusal::refused;

/// A page that was read.
pub(crate) trait Shown: Send {
    fn html(&self, language: Language) -> Markup;
    /// Its twin: the same data.
    fn json(&self) -> Value;
}

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request has no cookie.
    Closed,
    /// The link was used already.
    Used,
    /// Another site made the request.
    Elsewhere,
    /// There is no such page, or it may not be seen.
    NoPage,
    Host,
    Method,
    /// The store failed.
    Store(String),
    /// The component or a model failed.
    Call(String),
}

impl Failure {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Closed => StatusCode::UNAUTHORIZED,
            Self::Used | Self::Elsewhere => StatusCode::FORBIDDEN,
            Self::NoPage => StatusCode::NOT_FOUND,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Store(_) | Self::Call(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The twin of a page that is not shown. Details go to the log only.
    pub(crate) fn json(&self) -> Value {
        let error = match self {
            Self::Closed => "not-open",
            Self::Used => "link-used",
            Self::Elsewhere => "from-another-site",
            Self::NoPage => "no-such-page",
            Self::Host => "no-such-host",
            Self::Method => "read-only",
            Self::Store(_) => "store-failed",
            Self::Call(_) => "call-failed",
        };
        json!({ "error": error })
    }
}

/// Reads a page.
pub(crate) async fn show(reader: Reader, route: &Route) -> Result<Box<dyn Shown>, Failure> {
    Ok(match route {
        Route::Workspace { page } => Box::new(workspace::read(&reader, *page).await?),
        Route::Channel { .. } => Box::new(channel::read(&reader, route).await?),
        Route::Memory { id } => Box::new(memory::read(&reader, *id).await?),
        Route::Search(search) => Box::new(search::read(&reader, search).await?),
        Route::Upkeep => Box::new(upkeep::read(&reader).await?),
        Route::Ask { question } => Box::new(ask::read(&reader, question).await?),
    })
}
