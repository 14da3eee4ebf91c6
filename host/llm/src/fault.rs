//! Why an attempt failed, and if a retry can help.
//!
//! A server's message may quote the prompt, and so what people wrote. The error that goes to the component, reports, logs
//! and the database therefore holds the status, the code and the id of the request only. The message goes to the log at
//! DEBUG, and to the observer of calls, which shows it to an operator at a terminal.

use std::time::Duration;

use myao_plugin::OtherReason;
use myao_plugin::llm::LlmError;
use serde_json::Value;

use super::secret::ApiKey;
use super::too_long;

/// The longest wait that a server can ask for: after this time one call is tried again. A server or proxy that asks for
/// more by mistake must not stop the memories for longer.
pub(super) const MAX_SERVER_WAIT: Duration = Duration::from_secs(3600);
/// How much of a server's message is passed on, in characters.
const MAX_DETAIL_CHARS: usize = 300;
/// The longest code, or id of a request. Anything longer may be a text.
const MAX_CODE_CHARS: usize = 64;

/// The earliest useful time of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// No.
    Never,
    /// After a wait.
    Later,
    /// After this wait, which the server asked for.
    After(Duration),
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// The error for the component.
    pub(super) error: LlmError,
    /// The same as a text, without the server's message.
    pub(super) detail: String,
    /// The message of the server or the model; empty if there is none.
    pub(super) message: String,
    /// The earliest useful time of a retry.
    pub(super) retry: Retry,
}

/// The headers of an error that concern retries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RetryHeaders {
    /// `Retry-After`, `retry-after-ms`.
    pub(super) retry_after: Option<Duration>,
    /// `x-should-retry`.
    pub(super) should_retry: Option<bool>,
    /// The provider's id of the request.
    pub(super) request_id: Option<String>,
}

impl Fault {
    /// The server cannot be reached, or the connection broke.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Unavailable(detail.clone()),
            detail,
            message: String::new(),
            retry: Retry::Later,
        }
    }

    /// No answer in time.
    pub(super) fn timed_out(detail: impl Into<String>) -> Self {
        Self {
            error: LlmError::TimedOut,
            detail: detail.into(),
            message: String::new(),
            retry: Retry::Later,
        }
    }

    /// The answer does not fit the API; `message` quotes it.
    pub(super) fn unreadable(detail: impl Into<String>, message: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Other(OtherReason::new("unreadable-answer", detail.as_str())),
            detail,
            message: message.into(),
            retry: Retry::Later,
        }
    }

    /// The answer is longer than any useful one. The next would be too, and each is paid for.
    pub(super) fn oversized(what: &str, max_bytes: usize) -> Self {
        Self {
            retry: Retry::Never,
            ..Self::unreadable(
                format!("the answer's {what} is longer than {max_bytes} bytes"),
                "",
            )
        }
    }

    /// The model declined, with this message.
    pub(super) fn refused(detail: impl Into<String>, message: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Refused(detail.clone()),
            detail,
            message: message.into(),
            retry: Retry::Never,
        }
    }

    /// The request is wrong.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::InvalidRequest(detail.clone()),
            detail,
            message: String::new(),
            retry: Retry::Never,
        }
    }

    /// The agent's own limits allow this call only after its deadline.
    pub(super) fn no_time_left(wait: Duration) -> Self {
        Self {
            error: LlmError::RateLimited(Some(whole_seconds(wait))),
            detail: format!(
                "the limits of the agent allow no call for {} s, which is after the call's deadline",
                whole_seconds(wait)
            ),
            message: String::new(),
            retry: Retry::Never,
        }
    }

    /// An answer with the status of an error.
    pub(super) fn of_status(status: u16, headers: &RetryHeaders, body: &str) -> Self {
        let error_body = ErrorBody::of(body);
        let mut detail = format!("status {status}");
        if let Some(code) = error_body.code.as_deref().and_then(code) {
            detail = format!("{detail}, code {code}");
        }
        if let Some(id) = headers.request_id.as_deref().and_then(code) {
            detail = format!("{detail}, request {id}");
        }
        let (error, retry) = classify(status, headers, body, &detail);
        Self {
            error,
            detail,
            message: error_body.message,
            retry,
        }
    }

    /// The detail with the server's message, for the log at DEBUG.
    pub(super) fn log_text(&self) -> String {
        match self.message.as_str() {
            "" => self.detail.clone(),
            message => format!("{}: {message}", self.detail),
        }
    }

    /// The fault without the key in any of its texts, which are cut to the length of a log line. They are cut last: half
    /// a key would not be found.
    pub(super) fn redacted(self, key: Option<&ApiKey>) -> Self {
        let clean = |text: String| shortened(&key.map_or(text.clone(), |key| key.redact(&text)));
        let error = match self.error {
            LlmError::Unavailable(detail) => LlmError::Unavailable(clean(detail)),
            LlmError::Refused(detail) => LlmError::Refused(clean(detail)),
            LlmError::InvalidRequest(detail) => LlmError::InvalidRequest(clean(detail)),
            LlmError::Other(other) => LlmError::Other(OtherReason {
                text: clean(other.text),
                ..other
            }),
            error @ (LlmError::RateLimited(_)
            | LlmError::ContextTooLong(_)
            | LlmError::TimedOut) => error,
        };
        Self {
            error,
            detail: clean(self.detail),
            message: clean(self.message),
            retry: self.retry,
        }
    }

    /// An error in the middle of a stream: the field `error` that all APIs use there.
    pub(super) fn in_stream(error: &Value) -> Self {
        let kind = ["code", "type", "status"]
            .iter()
            .find_map(|key| error.get(key).and_then(status_of_kind));
        let body = error.to_string();
        Self::of_status(kind.unwrap_or(500), &RetryHeaders::default(), &body)
    }
}

fn classify(status: u16, headers: &RetryHeaders, body: &str, detail: &str) -> (LlmError, Retry) {
    let text = body.to_lowercase();
    let detail = detail.to_owned();
    let after = headers.retry_after.map(|after| after.min(MAX_SERVER_WAIT));
    let mut retry = match after {
        Some(after) => Retry::After(after),
        None => Retry::Later,
    };
    if headers.should_retry == Some(false) {
        retry = Retry::Never;
    }
    if !matches!(status, 401 | 403 | 404)
        && let Some(limit) = too_long::limit(status, &text)
    {
        return (LlmError::ContextTooLong(limit), Retry::Never);
    }
    match status {
        // The account is empty: no wait helps.
        429 if text.contains("insufficient_quota") || text.contains("billing_not_active") => {
            (LlmError::InvalidRequest(detail), Retry::Never)
        }
        429 => (LlmError::RateLimited(after.map(whole_seconds)), retry),
        400 | 422 if is_filtered(&text) => (LlmError::Refused(detail), Retry::Never),
        408 | 504 => (LlmError::TimedOut, retry),
        // OpenAI: a lock timed out; the same call may succeed.
        409 => (LlmError::Unavailable(detail), retry),
        400..=499 if headers.should_retry == Some(true) => (LlmError::Unavailable(detail), retry),
        400..=499 => (LlmError::InvalidRequest(detail), Retry::Never),
        500..=599 => (LlmError::Unavailable(detail), retry),
        _ => {
            let code = format!("http-{status}");
            (
                LlmError::Other(OtherReason::new(code, detail)),
                Retry::Never,
            )
        }
    }
}

/// Returns true if a content filter of the provider (Azure, OpenAI) refused the prompt.
fn is_filtered(text: &str) -> bool {
    [
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// The HTTP status for the code or type of an error in a stream: a number, or a name of OpenAI, Anthropic or Google.
fn status_of_kind(kind: &Value) -> Option<u16> {
    if let Some(status) = kind.as_u64() {
        return u16::try_from(status).ok().filter(|status| *status >= 400);
    }
    let status = match kind.as_str()?.to_lowercase().as_str() {
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "resource_exhausted"
        | "insufficient_quota" => 429,
        "overloaded_error" | "unavailable" => 503,
        "timeout_error" | "deadline_exceeded" => 504,
        "invalid_request_error"
        | "invalid_argument"
        | "failed_precondition"
        | "exceed_context_size_error"
        | "context_length_exceeded"
        | "content_filter" => 400,
        "authentication_error" | "unauthenticated" | "invalid_api_key" => 401,
        "permission_error" | "permission_denied" => 403,
        "not_found_error" | "not_found" => 404,
        _ => return None,
    };
    Some(status)
}

/// Code and message of an error, wherever the APIs put them.
struct ErrorBody {
    code: Option<String>,
    message: String,
}

impl ErrorBody {
    fn of(body: &str) -> Self {
        let whole = || Self {
            code: None,
            message: body.to_owned(),
        };
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            return whole();
        };
        // Google sends its errors in an array.
        let value = value.get(0).unwrap_or(&value);
        let error = value.get("error").unwrap_or(value);
        let named = ["code", "type", "status"]
            .iter()
            .find_map(|key| error.get(key).and_then(Value::as_str));
        let message = error.get("message").unwrap_or(error).as_str();
        Self {
            code: named.map(str::to_owned),
            message: message.map_or_else(|| body.to_owned(), str::to_owned),
        }
    }
}

/// A provider's code or the id of a request; `None` if it has another form, and so may be a text.
pub(super) fn code(text: &str) -> Option<&str> {
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_short = (1..=MAX_CODE_CHARS).contains(&text.len());
    (is_short && text.chars().all(is_code)).then_some(text)
}

/// A server's message in one line, cut to the length of a log line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_DETAIL_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Seconds, rounded up.
fn whole_seconds(wait: Duration) -> u32 {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
