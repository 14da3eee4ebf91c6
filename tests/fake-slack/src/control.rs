//! `/control/…`: the actions of people for other processes and for curl. Bodies and answers are JSON.

use std::sync::Arc;

use axum::extract::{Path, Request as HttpRequest, State as Shared};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::BOT_USER;
use crate::post::NewMessage;
use crate::state::{Inner, State};
use crate::ts::Ts;
use crate::web::{json_answer, read_body};
use crate::world::Author;

/// The parameters of an action; each action uses some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Body {
    user: String,
    channel: String,
    text: String,
    ts: String,
    thread_ts: Option<String>,
    command: Option<String>,
}

/// Carries out an action: `post`, `mention`, `edit`, `delete`, `command`; `posts` and `responses` return the bot's
/// texts.
pub(crate) async fn act(
    Shared(inner): Shared<Arc<Inner>>,
    Path(action): Path<String>,
    http: HttpRequest,
) -> Response {
    let bytes = read_body(http).await;
    let body = if bytes.is_empty() {
        Ok(Body::default())
    } else {
        serde_json::from_slice(&bytes)
    };
    let done = match body {
        Ok(body) => perform(&inner, &action, &body),
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(answer) => json_answer(&answer, None),
        Err(error) => {
            let mut response = json_answer(&json!({ "error": error }), None);
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    }
}

fn perform(inner: &Inner, action: &str, body: &Body) -> Result<Value, String> {
    let ts = || parse(&body.ts);
    match action {
        "post" => inner.change(|state| post(state, body, body.text.clone())),
        "mention" => inner.change(|state| post(state, body, format!("<@{BOT_USER}> {}", body.text))),
        "edit" => {
            let ts = ts()?;
            inner.change(|state| state.edit(&body.channel, ts, &body.text))?;
            Ok(json!({}))
        }
        "delete" => {
            let ts = ts()?;
            inner.change(|state| state.delete(&body.channel, ts))?;
            Ok(json!({}))
        }
        "command" => {
            let command = body.command.as_deref().unwrap_or("/memory");
            let (_, response_url) = inner.send_command(&body.user, &body.channel, command, &body.text);
            Ok(json!({ "response_url": response_url }))
        }
        "posts" => Ok(inner.read(|state| {
            let posts = state.bot.posts.iter().map(|post| {
                json!({ "channel": post.channel, "ts": post.ts, "thread_ts": post.thread_ts, "text": post.text })
            });
            posts.collect()
        })),
        "responses" => Ok(inner.read(|state| state.bot.responses.iter().map(|response| response.body.clone()).collect())),
        _ => Err(format!("no action `{action}`: post, mention, edit, delete, command, posts, responses")),
    }
}

fn post(state: &mut State, body: &Body, text: String) -> Result<Value, String> {
    let thread = body.thread_ts.as_deref().map(parse).transpose()?;
    let author = Author::User(body.user.clone());
    let ts = state.post(NewMessage::new(&body.channel, author, &text, thread))?;
    Ok(json!({ "ts": ts.to_string() }))
}

fn parse(ts: &str) -> Result<Ts, String> {
    Ts::parse(ts).ok_or_else(|| format!("`{ts}` is no ts"))
}
