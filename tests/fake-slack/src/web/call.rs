//! Reads a call: its token and its arguments, in whatever form they came.

use axum::body::{Body, to_bytes};
use axum::extract::Request as HttpRequest;
use axum::http::HeaderMap;
use axum::response::Response;
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::bot::{Request, TokenKind};
use crate::ts::Ts;
use crate::{APP_TOKEN, BOT_TOKEN};

/// The largest body that is read.
const MOST_BYTES: usize = 4 << 20;

/// Reads a call of `method`.
pub(crate) async fn read(method: String, http: HttpRequest) -> Request {
    let mut params = Map::new();
    add_form(&mut params, http.uri().query().unwrap_or_default());
    let json = text_header(http.headers(), "content-type").starts_with("application/json");
    let authorization = text_header(http.headers(), "authorization");
    let bearer = authorization.strip_prefix("Bearer ").map(str::to_owned);
    let basic = authorization.strip_prefix("Basic ").map(str::to_owned);
    let body = read_body(http).await;
    if json {
        if let Ok(Value::Object(fields)) = serde_json::from_slice(&body) {
            params.extend(fields);
        }
    } else {
        add_form(&mut params, &String::from_utf8_lossy(&body));
    }
    // A token may be an argument too; it is not kept there.
    let token = params
        .shift_remove("token")
        .and_then(|token| token.as_str().map(str::to_owned));
    let token = match bearer.or(token).as_deref() {
        Some(BOT_TOKEN) => TokenKind::Bot,
        Some(APP_TOKEN) => TokenKind::App,
        Some(_) => TokenKind::Unknown,
        None => TokenKind::Missing,
    };
    Request {
        method,
        params,
        token,
        basic,
        at: Instant::now(),
    }
}

/// The whole body.
pub(crate) async fn read_body(http: HttpRequest) -> Vec<u8> {
    let body = to_bytes(http.into_body(), MOST_BYTES).await;
    body.map(|body| body.to_vec()).unwrap_or_default()
}

fn text_header(headers: &HeaderMap, name: &str) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

fn add_form(params: &mut Map<String, Value>, form: &str) {
    let url = Url::parse(&format!("http://form/?{form}")).unwrap();
    for (key, value) in url.query_pairs() {
        params.insert(key.into_owned(), value.into_owned().into());
    }
}

/// A JSON body; with the token's scopes in the header where Slack names them.
pub(crate) fn json_answer(answer: &Value, scopes: Option<String>) -> Response {
    text_answer(answer.to_string(), scopes)
}

/// A body that should be JSON.
pub(crate) fn text_answer(answer: String, scopes: Option<String>) -> Response {
    let mut response = Response::new(Body::from(answer));
    let headers = response.headers_mut();
    headers.insert(
        "content-type",
        "application/json; charset=utf-8".parse().unwrap(),
    );
    if let Some(scopes) = scopes {
        headers.insert("x-oauth-scopes", scopes.parse().unwrap());
    }
    response
}

impl Request {
    /// A text argument that is there and not empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.params
            .get(name)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    /// Returns true if an argument is `true` or `1`.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        match self.params.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => text == "true" || text == "1",
            Some(number) => number == 1,
            None => false,
        }
    }

    /// A structured argument; in a form it is JSON in a string.
    #[must_use]
    pub fn json(&self, name: &str) -> Option<Value> {
        match self.params.get(name)? {
            Value::String(text) => serde_json::from_str(text).ok(),
            value => Some(value.clone()),
        }
    }

    /// A whole number; `Err` if it is none.
    pub(crate) fn number(&self, name: &str) -> Result<Option<usize>, &'static str> {
        match self.params.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => text.parse().map(Some).map_err(|_| "invalid_arguments"),
            Some(value) => {
                let number = value
                    .as_u64()
                    .and_then(|number| usize::try_from(number).ok());
                number.map(Some).ok_or("invalid_arguments")
            }
        }
    }

    /// A time; `Err` with `code` if it is none.
    pub(crate) fn ts(&self, name: &str, code: &'static str) -> Result<Option<Ts>, &'static str> {
        let text = match self.params.get(name) {
            Some(Value::Number(number)) => number.to_string(),
            _ => self.text(name).unwrap_or_default().to_owned(),
        };
        if text.is_empty() {
            return Ok(None);
        }
        Ts::parse(&text).map(Some).ok_or(code)
    }
}
