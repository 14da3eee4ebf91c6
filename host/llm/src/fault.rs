//! Why one attempt has no answer, and whether another one can help.
//!
//! A server's words may hold what it was sent: the prompt, and so what people wrote. The error that goes on into the
//! component, reports, logs and the database holds the server's status, its code and the request's id instead; the words
//! go to the log at DEBUG, and to the observer of calls, which shows them to an operator at a terminal.

use std::time::Duration;

use myao_plugin::llm::LlmError;
use serde_json::Value;

use super::secret::ApiKey;
use super::too_long;

/// The longest wait that a server can ask for. More would keep the memories away for a slip of a server or a proxy:
/// after this time one call tries again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// How much of what a server says is passed on, in characters.
const MAX_DETAIL_CHARS: usize = 300;
/// A longer code or id of a request is none.
const MAX_CODE_CHARS: usize = 64;

/// Whether another attempt can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// No.
    Never,
    /// After a wait.
    Later,
    /// After this wait: the server said so.
    After(Duration),
}

/// Why an attempt has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// What the component is told.
    pub(super) error: LlmError,
    /// The same in words of ours.
    pub(super) detail: String,
    /// What the server or the model said; empty where that is nothing.
    pub(super) words: String,
    /// Whether another attempt can help.
    pub(super) again: Again,
}

/// What a server's headers say about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hints {
    /// `Retry-After`, `retry-after-ms`.
    pub(super) after: Option<Duration>,
    /// `x-should-retry`.
    pub(super) should_retry: Option<bool>,
    /// The id by which the provider finds the request.
    pub(super) request_id: Option<String>,
}

impl Fault {
    /// The server cannot be reached, or broke off.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Unavailable(detail.clone()),
            detail,
            words: String::new(),
            again: Again::Later,
        }
    }

    /// No answer in time.
    pub(super) fn timed_out(detail: impl Into<String>) -> Self {
        Self {
            error: LlmError::TimedOut,
            detail: detail.into(),
            words: String::new(),
            again: Again::Later,
        }
    }

    /// The answer is none that the wire knows; `words` quotes it.
    pub(super) fn garbled(detail: impl Into<String>, words: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Other(detail.clone()),
            detail,
            words: words.into(),
            again: Again::Later,
        }
    }

    /// The answer does not end where any that can be meant would; the next one would not either, and each is paid for.
    pub(super) fn endless(what: &str, max_bytes: usize) -> Self {
        Self {
            again: Again::Never,
            ..Self::garbled(
                format!("the answer's {what} is longer than {max_bytes} bytes"),
                "",
            )
        }
    }

    /// The model declined, with these words.
    pub(super) fn refused(detail: impl Into<String>, words: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::Refused(detail.clone()),
            detail,
            words: words.into(),
            again: Again::Never,
        }
    }

    /// The call is wrong.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            error: LlmError::InvalidRequest(detail.clone()),
            detail,
            words: String::new(),
            again: Again::Never,
        }
    }

    /// The agent's own limits leave no time for this call before its deadline.
    pub(super) fn no_time_left(wait: Duration) -> Self {
        Self {
            error: LlmError::RateLimited(Some(whole_seconds(wait))),
            detail: format!(
                "the limits of the agent allow no call for {} s, which is after the call's deadline",
                whole_seconds(wait)
            ),
            words: String::new(),
            again: Again::Never,
        }
    }

    /// An answer that is an error: its status and body.
    pub(super) fn of_status(status: u16, hints: &Hints, body: &str) -> Self {
        let said = Said::of(body);
        let mut detail = format!("status {status}");
        if let Some(code) = said.code.as_deref().and_then(code) {
            detail = format!("{detail}, code {code}");
        }
        if let Some(id) = hints.request_id.as_deref().and_then(code) {
            detail = format!("{detail}, request {id}");
        }
        let (error, again) = classify(status, hints, body, &detail);
        Self {
            error,
            detail,
            words: said.words,
            again,
        }
    }

    /// All that is known, for the log at DEBUG.
    pub(super) fn told(&self) -> String {
        match self.words.as_str() {
            "" => self.detail.clone(),
            words => format!("{}: {words}", self.detail),
        }
    }

    /// The same without the key in any of its words, cut to what a log line holds; in this order, for half a
    /// key would not be found.
    pub(super) fn redacted(self, key: Option<&ApiKey>) -> Self {
        let clean = |text: String| shortened(&key.map_or(text.clone(), |key| key.redact(&text)));
        let error = match self.error {
            LlmError::Unavailable(detail) => LlmError::Unavailable(clean(detail)),
            LlmError::Refused(detail) => LlmError::Refused(clean(detail)),
            LlmError::InvalidRequest(detail) => LlmError::InvalidRequest(clean(detail)),
            LlmError::Other(detail) => LlmError::Other(clean(detail)),
            error @ (LlmError::RateLimited(_)
            | LlmError::ContextTooLong(_)
            | LlmError::TimedOut) => error,
        };
        Self {
            error,
            detail: clean(self.detail),
            words: clean(self.words),
            again: self.again,
        }
    }

    /// An error in the middle of a stream: the `error` that all wires put there.
    pub(super) fn in_stream(error: &Value) -> Self {
        let kind = ["code", "type", "status"]
            .iter()
            .find_map(|key| error.get(key).and_then(status_of_kind));
        let body = error.to_string();
        Self::of_status(kind.unwrap_or(500), &Hints::default(), &body)
    }
}

fn classify(status: u16, hints: &Hints, body: &str, detail: &str) -> (LlmError, Again) {
    let text = body.to_lowercase();
    let detail = detail.to_owned();
    let after = hints.after.map(|after| after.min(LONGEST_WAIT));
    let mut again = match after {
        Some(after) => Again::After(after),
        None => Again::Later,
    };
    if hints.should_retry == Some(false) {
        again = Again::Never;
    }
    if !matches!(status, 401 | 403 | 404)
        && let Some(limit) = too_long::limit(status, &text)
    {
        return (LlmError::ContextTooLong(limit), Again::Never);
    }
    match status {
        // The account is empty: no wait mends that.
        429 if text.contains("insufficient_quota") || text.contains("billing_not_active") => {
            (LlmError::InvalidRequest(detail), Again::Never)
        }
        429 => (LlmError::RateLimited(after.map(whole_seconds)), again),
        400 | 422 if is_filtered(&text) => (LlmError::Refused(detail), Again::Never),
        408 | 504 => (LlmError::TimedOut, again),
        // A lock timed out, says OpenAI; the same call may succeed.
        409 => (LlmError::Unavailable(detail), again),
        400..=499 if hints.should_retry == Some(true) => (LlmError::Unavailable(detail), again),
        400..=499 => (LlmError::InvalidRequest(detail), Again::Never),
        500..=599 => (LlmError::Unavailable(detail), again),
        _ => (LlmError::Other(detail), Again::Never),
    }
}

/// A filter of the provider took the prompt: Azure, OpenAI.
fn is_filtered(text: &str) -> bool {
    [
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// The status that an error's code or type stands for: numbers as they are; the words of OpenAI,
/// Anthropic and Google.
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

/// What an error's body says, wherever the wires put it.
struct Said {
    code: Option<String>,
    words: String,
}

impl Said {
    fn of(body: &str) -> Self {
        let whole = || Self {
            code: None,
            words: body.to_owned(),
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
            words: message.map_or_else(|| body.to_owned(), str::to_owned),
        }
    }
}

/// A provider's code or the id of a request; none where it is of another form, and so may be a text.
pub(super) fn code(text: &str) -> Option<&str> {
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_short = (1..=MAX_CODE_CHARS).contains(&text.len());
    (is_short && text.chars().all(is_code)).then_some(text)
}

/// A server's words in one line, cut to what a log holds.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_DETAIL_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Seconds, rounded up: who waits so long has waited enough.
fn whole_seconds(wait: Duration) -> u32 {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
