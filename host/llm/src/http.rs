//! One attempt over HTTP: sends a request and reads the streamed answer.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use myao_plugin::llm::{FinishReason, Request};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Response, Url};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::fault::{Fault, RetryHeaders};
use super::lines::Lines;
use super::secret::ApiKey;
use super::timeouts::Timeouts;
use super::wire::{Answer, ModelApi, Progress, Wire};

/// The longest text of an answer. The longest that is asked for has a tenth of this: a longer one has no end.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The longest model name in an answer, in characters.
const MAX_MODEL_CHARS: usize = 100;
/// The headers with the id of a request: OpenAI and most others, Anthropic, Azure.
const REQUEST_IDS: [&str; 3] = ["x-request-id", "request-id", "apim-request-id"];
/// How much of an error's body is read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The connection to a provider.
pub(super) struct Http {
    client: reqwest::Client,
    key: Option<ApiKey>,
    timeouts: Timeouts,
}

impl Http {
    /// # Errors
    /// If the system's TLS cannot be set up.
    pub(super) fn new(key: Option<ApiKey>, timeouts: Timeouts) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .connect_timeout(timeouts.connect)
            // A redirect would send the prompt, and perhaps the key, to another server.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            client,
            key,
            timeouts,
        })
    }

    /// One attempt to send JSON; returns the body of the answer.
    pub(super) async fn post(
        &self,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: &Value,
        max_bytes: usize,
        now: fn() -> SystemTime,
    ) -> Result<Vec<u8>, Fault> {
        let answer = async {
            let mut response = self.send(url, headers, body, now).await?;
            let mut bytes = Vec::new();
            while let Some(chunk) = timeout(self.timeouts.stall, response.chunk())
                .await
                .map_err(|_| self.stalled())?
                .map_err(|error| connection_fault(error, url))?
            {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > max_bytes {
                    return Err(Fault::oversized("body", max_bytes));
                }
            }
            Ok(bytes)
        };
        let answer = timeout(self.timeouts.first_token, answer).await;
        let answer = answer.unwrap_or_else(|_| Err(self.no_answer()));
        answer.map_err(|fault| fault.redacted(self.key.as_ref()))
    }

    /// Sends JSON; returns the head of the answer, if that is a success.
    async fn send(
        &self,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: &Value,
        now: fn() -> SystemTime,
    ) -> Result<Response, Fault> {
        let call = self.client.post(url.clone());
        let call = call.headers(sensitive(headers)?).json(body);
        let mut response = call
            .send()
            .await
            .map_err(|error| connection_fault(error, url))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let headers = retry_headers(response.headers(), now().into());
        let body = timeout(self.timeouts.stall, error_body(&mut response)).await;
        Err(Fault::of_status(
            status,
            &headers,
            &body.unwrap_or_default(),
        ))
    }

    /// One attempt.
    pub(super) async fn ask(
        &self,
        api: &ModelApi,
        request: &Request,
        now: fn() -> SystemTime,
    ) -> Result<Answer, Fault> {
        let key = self.key.as_ref();
        let clean = |text: String| key.map_or(text.clone(), |key| key.redact(&text));
        match self.ask_unredacted(api, request, now).await {
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

    async fn ask_unredacted(
        &self,
        api: &ModelApi,
        request: &Request,
        now: fn() -> SystemTime,
    ) -> Result<Answer, Fault> {
        let first_token_due = Instant::now() + self.timeouts.first_token;
        let headers = api.wire.headers(self.key.as_ref().map(ApiKey::expose));
        let body = api.body(request);
        let call = self.send(&api.url, headers, &body, now);
        let mut response = timeout_at(first_token_due, call)
            .await
            .map_err(|_| self.no_answer())??;
        self.read(api, &mut response, first_token_due).await
    }

    /// Reads the events to the end of the answer.
    async fn read(
        &self,
        api: &ModelApi,
        response: &mut Response,
        first_token_due: Instant,
    ) -> Result<Answer, Fault> {
        let mut reader = AnswerReader::default();
        while !reader.has_ended() {
            let chunk = if reader.lines.has_events() {
                timeout(self.timeouts.stall, response.chunk())
                    .await
                    .map_err(|_| self.stalled())
            } else {
                timeout_at(first_token_due, response.chunk())
                    .await
                    .map_err(|_| self.no_answer())
            };
            let chunk = chunk?.map_err(|error| connection_fault(error, &api.url))?;
            reader.push(&*api.wire, chunk.as_deref())?;
            if chunk.is_none() {
                return reader.finish();
            }
        }
        // The connection can be used again only after its stream was read to the end.
        let _ = timeout(self.timeouts.linger, response.chunk()).await;
        reader.finish()
    }

    fn no_answer(&self) -> Fault {
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

/// Reads an answer from the pieces of its stream.
pub(super) fn read_pieces<'a>(
    wire: &dyn Wire,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Answer, Fault> {
    let mut reader = AnswerReader::default();
    for piece in pieces {
        reader.push(wire, Some(piece))?;
    }
    if !reader.has_ended() {
        reader.push(wire, None)?;
    }
    reader.finish()
}

/// Reads an answer, piece by piece.
#[derive(Default)]
struct AnswerReader {
    lines: Lines,
    answer: Answer,
}

impl AnswerReader {
    /// Returns true if nothing that follows belongs to the answer.
    fn has_ended(&self) -> bool {
        self.answer.progress == Progress::Ended
    }

    /// Adds the next bytes; `None` is the end of the stream.
    fn push(&mut self, wire: &dyn Wire, bytes: Option<&[u8]>) -> Result<(), Fault> {
        match bytes {
            Some(bytes) => self.lines.push(bytes)?,
            None => self.lines.end(),
        }
        while !self.has_ended()
            && let Some(event) = self.lines.next_event(wire.is_server_sent())?
        {
            let is_whole = self.answer.progress == Progress::Finished;
            match wire.read(&event, &mut self.answer) {
                // Token counts may follow the whole text, which is kept even if they are wrong.
                Err(_) if is_whole => {}
                read => read?,
            }
            if self.answer.text.len() + self.answer.refusal.len() > MAX_TEXT_BYTES {
                return Err(Fault::oversized("text", MAX_TEXT_BYTES));
            }
        }
        Ok(())
    }

    /// The answer.
    ///
    /// # Errors
    /// If it was cut off, or the model declined.
    fn finish(self) -> Result<Answer, Fault> {
        let Self { lines, mut answer } = self;
        if answer.progress == Progress::Unfinished {
            return Err(if lines.has_events() {
                Fault::unavailable("the answer was cut off: it has no end mark")
            } else {
                Fault::unreadable("the answer holds no events", lines.beginning())
            });
        }
        if !answer.refusal.is_empty() {
            return Err(Fault::refused(
                "the model answered with a refusal",
                answer.refusal,
            ));
        }
        answer.finish_reason.get_or_insert(FinishReason::Other);
        Ok(answer)
    }
}

/// Headers that are kept out of `Debug`.
fn sensitive(headers: Vec<(&'static str, String)>) -> Result<HeaderMap, Fault> {
    let mut sensitive = HeaderMap::new();
    for (name, value) in headers {
        let mut value = HeaderValue::from_str(&value).map_err(|_| {
            Fault::invalid("the key has characters that an HTTP header cannot hold")
        })?;
        value.set_sensitive(true);
        sensitive.insert(name, value);
    }
    Ok(sensitive)
}

/// The body of an error, as far as it can be read.
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

/// The connection was not made, or broke. reqwest's own text has no causes, and they say why.
fn connection_fault(error: reqwest::Error, url: &Url) -> Fault {
    // The rest of the address may hold a password.
    let server = url.origin().ascii_serialization();
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

/// Reads from headers if and when to retry (RFC 9110, section 10.2.3, and the headers of OpenAI and Anthropic).
pub(super) fn retry_headers(headers: &HeaderMap, now: DateTime<Utc>) -> RetryHeaders {
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
    // By the server's own clock, if it tells the time.
    let now = text("date").and_then(date).unwrap_or(now);
    let until = |text: &str| date(text).map(|then| (then - now).to_std().unwrap_or_default());
    RetryHeaders {
        retry_after: text("retry-after-ms")
            .and_then(seconds)
            .map(|milliseconds| milliseconds / 1000)
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
