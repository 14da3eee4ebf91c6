//! Why a page is not shown.

use axum::http::StatusCode;
use serde_json::{Value, json};

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request has no cookie.
    Closed,
    /// The link was used already.
    Used,
    /// Another site made the request.
    Elsewhere,
    /// The page does not exist, or may not be seen.
    NoPage,
    Host,
    Method,
    /// The form does not say what to do.
    Form,
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
            Self::Form => StatusCode::BAD_REQUEST,
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
            Self::Form => "bad-form",
            Self::Store(_) => "store-failed",
            Self::Call(_) => "call-failed",
        };
        json!({ "error": error })
    }
}
