//! The Web API: reads a call, applies faults, answers.

mod call;
mod chat;
mod conversations;
mod history;
mod page;
mod people;
mod reactions;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Path, Request as HttpRequest, State as Shared};
use axum::http::StatusCode;
use axum::http::header::DATE;
use axum::response::Response;
use serde_json::{Value, json};

use crate::bot::{self, Request, TokenKind};
use crate::faults::Fault;
use crate::journal::Entry;
use crate::line::Cutter;
use crate::sign_in;
use crate::state::{Inner, State};
use crate::{APP_ID, BOT_ID, BOT_USER, TEAM_ID};

pub(crate) use call::{json_answer, read_body, text_answer};

/// Why a call was refused.
pub(crate) enum Refusal {
    /// One of Slack's error codes.
    Error(&'static str),
    /// The token lacks this scope.
    MissingScope(&'static str),
    /// The arguments break a rule: what and why.
    Invalid(&'static str, String),
}

impl From<&'static str> for Refusal {
    fn from(code: &'static str) -> Self {
        Self::Error(code)
    }
}

/// The answer of a method, without `ok`.
pub(crate) type Answer = Result<Value, Refusal>;

/// A call of any method.
pub(crate) async fn call(
    Shared(inner): Shared<Arc<Inner>>,
    ConnectInfo(line): ConnectInfo<Cutter>,
    Path(method): Path<String>,
    http: HttpRequest,
) -> Response {
    let request = call::read(method, http).await;
    let mut response = taken(&inner, &line, &request).await;
    if let Some(date) = inner.read(|state| state.script.date.clone()) {
        response.headers_mut().insert(DATE, date.header());
    }
    response
}

async fn taken(inner: &Arc<Inner>, line: &Cutter, request: &Request) -> Response {
    let fault = inner.change(|state| {
        state.bot.requests.push(request.clone());
        state.journal.push(Entry::Called {
            method: request.method.clone(),
        });
        state.script.take(&request.method)
    });
    match &fault {
        Some(Fault::RateLimited(seconds)) => return rate_limited(*seconds),
        Some(Fault::Status(status)) => return failed(*status),
        Some(Fault::Error(code)) => {
            return json_answer(&refused(inner, Refusal::Error(code)), None);
        }
        Some(Fault::HangUp) => {
            line.cut();
            return Response::default();
        }
        Some(Fault::HoldCall) => hold(inner).await,
        Some(Fault::LoseAnswer | Fault::HoldAnswer) | None => {}
    }
    let answer = inner.change(|state| answer(state, inner, request));
    match fault {
        Some(Fault::LoseAnswer) => line.cut(),
        Some(Fault::HoldAnswer) => hold(inner).await,
        _ => {}
    }
    let answer = answer.map_or_else(
        |refusal| refused(inner, refusal),
        |mut answer| {
            answer["ok"] = true.into();
            answer
        },
    );
    let scopes = (request.token == TokenKind::Bot).then(|| inner.read(scopes));
    let answer = inner.read(|state| state.script.rewritten(answer.to_string()));
    text_answer(answer, scopes)
}

fn answer(state: &mut State, inner: &Inner, request: &Request) -> Answer {
    if request.method == "openid.connect.token" {
        return sign_in::token(state, inner, request);
    }
    match request.token {
        TokenKind::Missing => return Err("not_authed".into()),
        TokenKind::Unknown => return Err("invalid_auth".into()),
        TokenKind::Bot | TokenKind::App => {}
    }
    let app_method = request.method == "apps.connections.open";
    if app_method != (request.token == TokenKind::App) {
        return Err("not_allowed_token_type".into());
    }
    match request.method.as_str() {
        "apps.connections.open" => Ok(open_connection(state, inner)),
        "auth.test" => Ok(auth_test(state)),
        "bots.info" => Ok(json!({ "bot": {
            "id": BOT_ID, "app_id": APP_ID, "user_id": BOT_USER, "name": "myao", "deleted": false,
        } })),
        "chat.getPermalink" => chat::permalink(state, request),
        "chat.postEphemeral" => chat::post_ephemeral(state, request),
        "chat.postMessage" => chat::post_message(state, request),
        "chat.update" => chat::update(state, request),
        "conversations.history" => history::history(state, request),
        "conversations.info" => conversations::info(state, request),
        "conversations.list" => conversations::list(state, request),
        "conversations.members" => conversations::members(state, request),
        "conversations.replies" => history::replies(state, request),
        "reactions.add" => reactions::add(state, request),
        "reactions.remove" => reactions::remove(state, request),
        "users.conversations" => conversations::of_user(state, request),
        "users.info" => people::info(state, request),
        "users.list" => people::list(state, request),
        "views.open" => people::open(state, request),
        "views.publish" => people::publish(state, request),
        _ => Err("unknown_method".into()),
    }
}

fn open_connection(state: &mut State, inner: &Inner) -> Value {
    state.bot.tickets_given += 1;
    let ticket = format!("ticket-{}", state.bot.tickets_given);
    let url = format!(
        "ws://{}/link/?ticket={ticket}&app_id={APP_ID}",
        inner.address
    );
    state.bot.tickets.insert(ticket);
    json!({ "url": url })
}

fn auth_test(state: &State) -> Value {
    let team = &state.world.team;
    json!({
        "url": format!("https://{}.slack.com/", team.domain), "team": team.name, "team_id": TEAM_ID,
        "user": state.world.users[BOT_USER].name, "user_id": BOT_USER, "bot_id": BOT_ID,
        "is_enterprise_install": false,
    })
}

fn refused(inner: &Inner, refusal: Refusal) -> Value {
    match refusal {
        Refusal::Error(code) => json!({ "ok": false, "error": code }),
        Refusal::MissingScope(needed) => {
            json!({ "ok": false, "error": "missing_scope", "needed": needed, "provided": inner.read(scopes) })
        }
        Refusal::Invalid(code, why) => {
            json!({ "ok": false, "error": code, "errors": [why], "response_metadata": { "messages": [why] } })
        }
    }
}

fn scopes(state: &State) -> String {
    let scopes: Vec<&str> = state.scopes.iter().map(String::as_str).collect();
    scopes.join(",")
}

/// Refuses unless the bot's token has the scope.
pub(crate) fn require(state: &State, scope: &'static str) -> Result<(), Refusal> {
    if state.scopes.contains(scope) {
        return Ok(());
    }
    Err(Refusal::MissingScope(scope))
}

fn rate_limited(seconds: u32) -> Response {
    let mut response = json_answer(&json!({ "ok": false, "error": "ratelimited" }), None);
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    response.headers_mut().insert("retry-after", seconds.into());
    response
}

fn failed(status: u16) -> Response {
    let mut response = Response::new(Body::from("<html>Something went wrong</html>"));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// Waits for the next release.
async fn hold(inner: &Inner) {
    /// Counts the waiting call, also when its caller gives up.
    struct Held<'inner>(&'inner Inner);
    impl Drop for Held<'_> {
        fn drop(&mut self) {
            self.0.change(|state| state.script.held -= 1);
        }
    }
    let mut changes = inner.changes();
    let before = inner.change(|state| {
        state.script.held += 1;
        state.script.releases
    });
    let _held = Held(inner);
    while inner.read(|state| state.script.releases == before) {
        changes.changed().await.unwrap();
    }
}

/// Receives posts to the `response_url` of a slash command: at most five each.
pub(crate) async fn respond(Shared(inner): Shared<Arc<Inner>>, http: HttpRequest) -> Response {
    let response_url = format!("http://{}{}", inner.address, http.uri().path());
    let body = read_body(http).await;
    let error = inner.change(|state| {
        let Some(uses) = state.bot.response_urls.get_mut(&response_url) else {
            return Some("invalid_url");
        };
        *uses += 1;
        if *uses > 5 {
            return Some("used_url");
        }
        let Ok(body) = serde_json::from_slice(&body) else {
            return Some("invalid_payload");
        };
        state
            .bot
            .responses
            .push(bot::Response { response_url, body });
        None
    });
    match error {
        None => Response::new(Body::from("ok")),
        Some(error) => {
            let mut response = json_answer(&json!({ "ok": false, "error": error }), None);
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    }
}
