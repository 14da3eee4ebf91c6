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
    /// The form names no action.
    Form,
    /// Somebody does not belong to the workspace, or not any more.
    Stranger,
    /// The rights of the visitor are not known now.
    NotKnown(String),
    /// Somebody could not be signed in.
    SignIn(String),
    /// Somebody asked too many questions.
    TooMany {
        seconds: i64,
    },
    /// A question or a search is too long.
    TooLong,
    /// The store failed.
    Store(String),
    /// The budget of the day is used up.
    Spent,
    /// The model cannot be reached now, or its answer cannot be shown.
    NoAnswer(String),
    /// The component failed.
    Call(String),
}

impl From<getrandom::Error> for Failure {
    fn from(error: getrandom::Error) -> Self {
        Self::Store(format!(
            "the operating system gives no random bytes: {error}"
        ))
    }
}

impl Failure {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Closed => StatusCode::UNAUTHORIZED,
            Self::Used | Self::Elsewhere | Self::Stranger | Self::SignIn(_) => {
                StatusCode::FORBIDDEN
            }
            Self::NotKnown(_) | Self::Spent | Self::NoAnswer(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::NoPage => StatusCode::NOT_FOUND,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Form | Self::TooLong => StatusCode::BAD_REQUEST,
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
            Self::Stranger => "not-of-this-workspace",
            Self::NotKnown(_) => "not-known-now",
            Self::SignIn(_) => "not-signed-in",
            Self::TooMany { .. } => "too-many-questions",
            Self::TooLong => "question-too-long",
            Self::Store(_) => "store-failed",
            Self::Spent => "budget-used-up",
            Self::NoAnswer(_) => "no-answer-now",
            Self::Call(_) => "call-failed",
        };
        json!({ "error": error })
    }
}
