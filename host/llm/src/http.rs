//! One attempt over HTTP: sends a request, reads the streamed answer, and makes a fault of whatever goes wrong.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use myao_plugin::llm::{FinishReason, Request};
use reqwest::Response;
use reqwest::header::{HeaderMap, HeaderValue};
use tokio::time::{Instant, timeout, timeout_at};

use super::fault::{Fault, Hints};
use super::lines::Lines;
use super::secret::ApiKey;
use super::timeouts::Timeouts;
use super::wire::{Answer, Progress, Wire};

/// The longest text of an answer. The longest that is asked for has a tenth of this; whoever says more does not come to an end.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The longest name by which a model calls itself, in characters.
const MAX_MODEL_CHARS: usize = 100;
/// Where providers put the id of a request: OpenAI and most, Anthropic, Azure.
const REQUEST_IDS: [&str; 3] = ["x-request-id", "request-id", "apim-request-id"];
/// The longest error that is read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The connection to a provider.
pub(super) struct Http {
    client: reqwest::Client,
    key: Option<ApiKey>,
    timeouts: Timeouts,
}

impl Http {
    /// # Errors
    /// Where the system's TLS cannot be set up.
    pub(super) fn new(key: Option<ApiKey>, timeouts: Timeouts) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .connect_timeout(timeouts.connect)
            // A redirect would carry the prompt, and some headers' keys, elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            client,
            key,
            timeouts,
        })
    }

    /// One attempt.
    pub(super) async fn ask(&self, wire: &dyn Wire, request: &Request) -> Result<Answer, Fault> {
        let key = self.key.as_ref();
        let clean = |text: String| key.map_or(text.clone(), |key| key.redact(&text));
        match self.ask_unredacted(wire, request).await {
            Ok(answer) => Ok(Answer {
                text: clean(answer.text.into_string()).into(),
                model: answer
                    .model
                    .map(|model| clean(model).chars().take(MAX_MODEL_CHARS).collect()),
                ..answer
            }),
            Err(fault) => Err(fault.redacted(key)),
        }
    }

    async fn ask_unredacted(&self, wire: &dyn Wire, request: &Request) -> Result<Answer, Fault> {
        let first_token_due = Instant::now() + self.timeouts.first_token;
        let call = self
            .client
            .post(wire.url().clone())
            .headers(self.headers(wire)?)
            .json(&wire.body(request));
        let mut response = timeout_at(first_token_due, call.send())
            .await
            .map_err(|_| self.silent())?
            .map_err(|error| broken(error, wire))?;
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let hints = hints(response.headers(), SystemTime::now().into());
            let body = timeout(self.timeouts.stall, error_body(&mut response)).await;
            return Err(Fault::of_status(status, &hints, &body.unwrap_or_default()));
        }
        self.read(wire, &mut response, first_token_due).await
    }

    fn headers(&self, wire: &dyn Wire) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        for (name, value) in wire.headers(self.key.as_ref().map(ApiKey::expose)) {
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                Fault::invalid("the key has characters that no HTTP header can hold")
            })?;
            // Keeps it out of `Debug`.
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Reads the events to the end of the answer.
    async fn read(
        &self,
        wire: &dyn Wire,
        response: &mut Response,
        first_token_due: Instant,
    ) -> Result<Answer, Fault> {
        let mut incoming = Incoming::default();
        while !incoming.has_ended() {
            let chunk = if incoming.lines.has_events() {
                timeout(self.timeouts.stall, response.chunk())
                    .await
                    .map_err(|_| self.stalled())
            } else {
                timeout_at(first_token_due, response.chunk())
                    .await
                    .map_err(|_| self.silent())
            };
            let chunk = chunk?.map_err(|error| broken(error, wire))?;
            incoming.take(wire, chunk.as_deref())?;
            if chunk.is_none() {
                return incoming.whole();
            }
        }
        // The connection can be used again once its stream is read to the end.
        let _ = timeout(self.timeouts.linger, response.chunk()).await;
        incoming.whole()
    }

    fn silent(&self) -> Fault {
        Fault::timed_out(format!(
            "no answer began within {:?} (first_token_timeout)",
            self.timeouts.first_token
        ))
    }

    fn stalled(&self) -> Fault {
        Fault::timed_out(format!(
            "the answer stalled for {:?} (stall_timeout)",
            self.timeouts.stall
        ))
    }
}

/// The answer in a stream, cut into pieces as a network may cut it.
pub(super) fn read_pieces<'a>(
    wire: &dyn Wire,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Answer, Fault> {
    let mut incoming = Incoming::default();
    for piece in pieces {
        incoming.take(wire, Some(piece))?;
    }
    if !incoming.has_ended() {
        incoming.take(wire, None)?;
    }
    incoming.whole()
}

/// An answer that comes in.
#[derive(Default)]
struct Incoming {
    lines: Lines,
    answer: Answer,
}

impl Incoming {
    /// Nothing that follows belongs to the answer.
    fn has_ended(&self) -> bool {
        self.answer.progress == Progress::Ended
    }

    /// Takes the next bytes in; `None` is the end of the stream.
    fn take(&mut self, wire: &dyn Wire, bytes: Option<&[u8]>) -> Result<(), Fault> {
        match bytes {
            Some(bytes) => self.lines.push(bytes)?,
            None => self.lines.end(),
        }
        while !self.has_ended()
            && let Some(event) = self.lines.next_event(wire.is_server_sent())?
        {
            let is_whole = self.answer.progress == Progress::Finished;
            match wire.read(&event, &mut self.answer) {
                // Counts may follow a whole text. It stands, whatever is wrong with them.
                Err(_) if is_whole => {}
                read => read?,
            }
            if self.answer.text.len() + self.answer.refusal.len() > MAX_TEXT_BYTES {
                return Err(Fault::endless("text", MAX_TEXT_BYTES));
            }
        }
        Ok(())
    }

    /// The answer, unless it was cut off or the model declined.
    fn whole(self) -> Result<Answer, Fault> {
        let Self { lines, mut answer } = self;
        if answer.progress == Progress::Unfinished {
            return Err(if lines.has_events() {
                Fault::unavailable("the answer ended without its end: it was cut off")
            } else {
                Fault::garbled("the answer holds no events", lines.beginning())
            });
        }
        if !answer.refusal.is_empty() {
            return Err(Fault::refused(
                "with a refusal for its answer",
                answer.refusal,
            ));
        }
        answer.finish_reason.get_or_insert(FinishReason::Other);
        Ok(answer)
    }
}

/// What an error's body holds, as far as it can be read.
async fn error_body(response: &mut Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// The connection was not made, or broke. reqwest's own text ends at the first level; the cause says why.
fn broken(error: reqwest::Error, wire: &dyn Wire) -> Fault {
    // The rest of the address may hold a password.
    let server = wire.url().origin().ascii_serialization();
    let error = error.without_url();
    let mut detail = format!("{server}: {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        detail = format!("{detail}: {error}");
        cause = error.source();
    }
    if error.is_timeout() {
        return Fault::timed_out(detail);
    }
    Fault::unavailable(detail)
}

/// When to come back (RFC 9110, section 10.2.3, and OpenAI's and Anthropic's headers beside it).
pub(super) fn hints(headers: &HeaderMap, now: DateTime<Utc>) -> Hints {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |text: &str| {
        let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0)?;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let date = |text: &str| {
        DateTime::parse_from_rfc2822(text)
            .ok()
            .map(DateTime::<Utc>::from)
    };
    // Against the server's own clock, if it tells.
    let now = text("date").and_then(date).unwrap_or(now);
    let until = |text: &str| date(text).map(|then| (then - now).to_std().unwrap_or_default());
    Hints {
        after: text("retry-after-ms")
            .and_then(seconds)
            .map(|thousandfold| thousandfold / 1000)
            .or_else(|| text("retry-after").and_then(|text| seconds(text).or_else(|| until(text)))),
        should_retry: match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        },
        request_id: REQUEST_IDS
            .iter()
            .find_map(|name| text(name))
            .map(str::to_owned),
    }
}
