//! `agents.NAME.client_args`: address, key, timeouts and retries of a model.

use std::time::Duration;

use reqwest::Url;
use serde_json::{Map, Value};

use super::provider::{Api, Provider};
use super::retry::RetryPolicy;
use super::secret::ApiKey;
use super::timeouts::Timeouts;

/// Longer times are cut to a year: they would only overflow.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// A key of the agent, and the fault of its value.
pub(super) type BadValue = (String, String);

pub(super) fn bad<T>(key: &str, detail: impl Into<String>) -> Result<T, BadValue> {
    Err((key.to_owned(), detail.into()))
}

/// The arguments, read and checked.
#[derive(Default)]
pub(super) struct ClientArgs {
    pub(super) api_key: Option<ApiKey>,
    pub(super) base_url: Option<Url>,
    api_version: Option<String>,
    pub(super) timeouts: Timeouts,
    pub(super) retries: RetryPolicy,
}

impl ClientArgs {
    pub(super) fn read(args: &Map<String, Value>) -> Result<Self, BadValue> {
        let mut read = Self::default();
        for (key, value) in args {
            let name = format!("client_args.{key}");
            match key.as_str() {
                "api_key" => read.api_key = ApiKey::new(text(&name, value)?),
                "base_url" | "api_base" => read.base_url = Some(url(&name, text(&name, value)?)?),
                "api_version" => read.api_version = Some(text(&name, value)?.to_owned()),
                "timeout" => read.timeouts.call = seconds(&name, value)?,
                "first_token_timeout" => read.timeouts.first_token = seconds(&name, value)?,
                "stall_timeout" => read.timeouts.stall = seconds(&name, value)?,
                "max_retries" | "num_retries" => {
                    read.retries.max_attempts = whole_number(&name, value)?.saturating_add(1);
                }
                _ => {
                    return bad(
                        &name,
                        "not known; known are api_key, base_url (or api_base), api_version, timeout, \
                         first_token_timeout, stall_timeout, max_retries (or num_retries)",
                    );
                }
            }
        }
        Ok(read)
    }

    /// The address of a provider.
    fn base(&self, provider: &Provider) -> Result<Url, BadValue> {
        let key = "client_args.base_url";
        match (&self.base_url, provider.base_url) {
            (Some(base), _) => Ok(base.clone()),
            (None, Some(base)) => url(key, base),
            (None, None) => bad(
                key,
                format!("{} has no default address; set it", provider.name),
            ),
        }
    }

    /// A path below the address of a provider.
    pub(super) fn url_of(&self, provider: &Provider, path: &[&str]) -> Result<Url, BadValue> {
        let mut url = self.base(provider)?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        Ok(url)
    }

    /// The address that a provider takes requests for answers at.
    pub(super) fn url(&self, provider: &Provider, model: &str) -> Result<Url, BadValue> {
        let mut url = self.base(provider)?;
        let path = url.path().trim_end_matches('/').to_owned();
        let (segments, query): (Vec<&str>, Option<(&str, &str)>) = match provider.api {
            Api::OpenAi => (vec!["chat", "completions"], None),
            Api::Azure if path.ends_with("/openai/v1") => (vec!["chat", "completions"], None),
            Api::Azure => {
                let Some(version) = &self.api_version else {
                    return bad(
                        "client_args.api_version",
                        "Azure needs it (2024-10-21), unless base_url ends with /openai/v1",
                    );
                };
                let segments = vec!["openai", "deployments", model, "chat", "completions"];
                (segments, Some(("api-version", version.as_str())))
            }
            Api::Anthropic if path.ends_with("/v1") => (vec!["messages"], None),
            Api::Anthropic => (vec!["v1", "messages"], None),
            Api::Gemini if path.is_empty() => (vec!["v1beta", "models"], Some(("alt", "sse"))),
            Api::Gemini => (vec!["models"], Some(("alt", "sse"))),
            Api::Ollama => (vec!["api", "chat"], None),
        };
        let call = format!("{model}:streamGenerateContent");
        let last = (provider.api == Api::Gemini).then_some(call.as_str());
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments).extend(last);
        }
        if let Some((name, value)) = query {
            url.query_pairs_mut().append_pair(name, value);
        }
        Ok(url)
    }
}

fn url(key: &str, text: &str) -> Result<Url, BadValue> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => bad(key, "expected an address such as https://example.com/v1"),
    }
}

fn text<'a>(key: &str, value: &'a Value) -> Result<&'a str, BadValue> {
    let text = value.as_str();
    text.map_or_else(|| bad(key, "expected a text; put it in quotes"), Ok)
}

/// Seconds, also as a decimal; from an environment variable they are a text.
fn seconds(key: &str, value: &Value) -> Result<Duration, BadValue> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    number
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map(|time| time.min(MAX_TIME))
        .map_or_else(|| bad(key, "expected seconds, more than 0"), Ok)
}

pub(super) fn whole_number(key: &str, value: &Value) -> Result<u32, BadValue> {
    let number = value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    number
        .and_then(|number| u32::try_from(number).ok())
        .map_or_else(|| bad(key, "expected a whole number"), Ok)
}
