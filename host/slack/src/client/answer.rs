//! Reads Slack's answers, and turns everything that goes wrong into a [`ClientError`].

use std::{error::Error as _, time::Duration};

use reqwest::{
    Response,
    header::{DATE, HeaderMap, RETRY_AFTER},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Method;
use crate::{error::ClientError, json, token::Token};

/// The longest answer that is read; a page of 200 messages has some megabytes at most.
const MAX_ANSWER_BYTES: usize = 32 << 20;
/// The longest code of Slack's that goes into an error; the scopes of a token are one.
const MAX_CODE_BYTES: usize = 1000;
/// Takes the place of a longer code, or of a text that is not a code.
const NO_CODE: &str = "(no code)";

/// An answer with `ok: true`.
pub(super) struct Answer {
    pub(super) body: Value,
    /// The token's scopes (`x-oauth-scopes`), if the answer has them.
    pub(super) scopes: Option<Vec<String>>,
    /// The time at Slack (`date`), if the answer has it.
    pub(super) date: Option<String>,
}

/// Reads an answer of the Web API.
pub(super) async fn read(
    method: Method,
    mut response: Response,
    token: &Token,
) -> Result<Answer, ClientError> {
    let method = method.name();
    let (status, is_success) = (response.status().as_u16(), response.status().is_success());
    let bad_status = || ClientError::Status { method, status };
    if status == 429 {
        return Err(limited(method, response.headers()));
    }
    if status >= 500 {
        return Err(bad_status());
    }
    let scopes = scopes(response.headers());
    let date = response.headers().get(DATE);
    let date = date.and_then(|date| Some(date.to_str().ok()?.to_owned()));
    let body = body(method, &mut response).await?;
    let body: Value = match json::read(&String::from_utf8_lossy(&body)) {
        Ok(body) => body,
        // A page of a proxy, for example.
        Err(_) if !is_success => return Err(bad_status()),
        Err(error) => return Err(bad(method, json::describe(&error))),
    };
    match body.get("ok").and_then(Value::as_bool) {
        Some(true) if is_success => Ok(Answer { body, scopes, date }),
        Some(false) => Err(refusal(method, &body, response.headers(), token)),
        _ if !is_success => Err(bad_status()),
        _ => Err(bad(method, "it has no `ok`".to_owned())),
    }
}

/// Takes a field out of an answer.
pub(super) fn take<T: DeserializeOwned>(
    method: Method,
    body: &mut Value,
    field: &str,
) -> Result<T, ClientError> {
    let value = body.get_mut(field).map(Value::take);
    let value = value.ok_or_else(|| bad(method.name(), format!("it has no `{field}`")))?;
    let not_as_documented = |_| format!("`{field}` does not have the shape that Slack documents");
    serde_json::from_value(value).map_err(|error| bad(method.name(), not_as_documented(error)))
}

/// An entry of a list. One that cannot be read is logged with its id and left out (`None`), and does not hide the others.
pub(super) fn entry<T: DeserializeOwned>(
    method: Method,
    field: &str,
    mut value: Value,
) -> Result<Option<T>, ClientError> {
    let is_whole = !json::take_unreadable(&mut value);
    let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
    let Some(id) = id else {
        let detail = format!("an entry of `{field}` has no `id`");
        return Err(bad(method.name(), detail));
    };
    let entry = serde_json::from_value(value).ok().filter(|_| is_whole);
    if entry.is_none() {
        let id = code_of(&id);
        tracing::warn!("{}: {id} is left out: it cannot be read", method.name());
    }
    Ok(entry)
}

pub(super) fn bad(method: &'static str, detail: String) -> ClientError {
    ClientError::BadAnswer { method, detail }
}

/// The connection was not made, or broke. reqwest's own text has no causes, and they say why. Neither names the address,
/// which may hold a secret.
pub(super) fn connection_error(method: &'static str, error: &reqwest::Error) -> ClientError {
    if error.is_timeout() && !error.is_connect() {
        return ClientError::TimedOut { method };
    }
    let mut detail = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        detail.push(error.to_string());
        cause = error.source();
    }
    if detail.is_empty() {
        detail.push("the connection failed".to_owned());
    }
    ClientError::Unreachable {
        method,
        detail: detail.join(": "),
        may_have_arrived: !(error.is_connect() || error.is_builder()),
    }
}

fn limited(method: &'static str, headers: &HeaderMap) -> ClientError {
    let seconds = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    ClientError::RateLimited {
        method,
        retry_after: seconds
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs),
    }
}

fn refusal(method: &'static str, body: &Value, headers: &HeaderMap, token: &Token) -> ClientError {
    let code = |field: &str| {
        let text = body.get(field).and_then(Value::as_str);
        text.map(|text| code_of(&token.redact(text)))
    };
    match code("error") {
        Some(code) if matches!(code.as_str(), "ratelimited" | "rate_limited") => {
            limited(method, headers)
        }
        Some(error) => ClientError::Refused {
            method,
            code: error,
            needed: code("needed"),
            provided: code("provided"),
        },
        None => bad(method, "it says no without an `error`".to_owned()),
    }
}

/// A server's code, or codes separated by commas. A text of another form may be anything, and is not passed on.
fn code_of(text: &str) -> String {
    let is_code = |c: char| c.is_ascii_alphanumeric() || "_-.:,[]".contains(c);
    match text.len() <= MAX_CODE_BYTES && text.chars().all(is_code) {
        true => text.to_owned(),
        false => NO_CODE.to_owned(),
    }
}

fn scopes(headers: &HeaderMap) -> Option<Vec<String>> {
    let scopes = headers.get("x-oauth-scopes")?.to_str().ok()?;
    let scopes = scopes
        .split(',')
        .map(str::trim)
        .filter(|scope| !scope.is_empty());
    Some(scopes.map(str::to_owned).collect())
}

async fn body(method: &'static str, response: &mut Response) -> Result<Vec<u8>, ClientError> {
    let mut body = Vec::new();
    while let Some(bytes) = response
        .chunk()
        .await
        .map_err(|error| connection_error(method, &error))?
    {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ANSWER_BYTES {
            return Err(bad(
                method,
                format!("it is longer than {MAX_ANSWER_BYTES} bytes"),
            ));
        }
    }
    Ok(body)
}
