//! Agents: they ask over HTTP, each with a token that a person made here, and see what that person may see now.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use myao_bot::people::Person;
use myao_plugin::digest::sha256;
use myao_plugin::state::agent_tokens::AgentToken;
use serde_json::json;

use super::door::Door;
use super::failure::Failure;
use super::reader::Reader;
use super::secret::Secret;
use super::server::Server;

/// The maximum number of a person's tokens.
pub(crate) const MOST: usize = 20;
/// The maximum length of a token's name, in characters.
const MAX_NAME: usize = 100;
/// How a token begins, so that people and scanners recognise one.
const PREFIX: &str = "myao_";

/// Answers agents: the Model Context Protocol over HTTP.
#[async_trait::async_trait]
pub trait Agents: Send + Sync {
    /// Answers a request of somebody's agent, with what this person may see.
    async fn answer(&self, person: Person, request: Request) -> Response;
}

/// Makes a token for whoever looks at the page. Only its hash is kept.
pub(crate) async fn issue(reader: &Reader, name: &str) -> Result<(String, AgentToken), Failure> {
    let person = reader.visitor().person().ok_or(Failure::NoPage)?;
    let workspace = &reader.site.workspace;
    let is_named = !name.is_empty() && name.chars().count() <= MAX_NAME;
    if reader.site.agents.is_none() || !is_named {
        return Err(Failure::Form);
    }
    if workspace.agent_tokens(&person.id).await?.len() >= MOST {
        return Err(Failure::Form);
    }
    let secret = Secret::random().map_err(|error| {
        Failure::Store(format!(
            "the operating system gives no random bytes: {error}"
        ))
    })?;
    let token = format!("{PREFIX}{}", secret.text());
    let hash = sha256(&token);
    let now = reader.site.clock.seconds();
    let kept = workspace
        .add_agent_token(&person.id, name, hash, now)
        .await?;
    Ok((token, kept))
}

impl Server {
    /// Answers a request of an agent.
    pub(crate) async fn answer_agent(&self, request: Request) -> Response {
        let Some(agents) = &self.agents else {
            return refused(&Failure::NoPage);
        };
        match self.person_of(request.headers()).await {
            Ok(person) => agents.answer(person, request).await,
            Err(failure) => refused(&failure),
        }
    }

    /// Whose agent makes a request.
    async fn person_of(&self, headers: &HeaderMap) -> Result<Person, Failure> {
        let Door::Team(door) = &self.door else {
            return Err(Failure::NoPage);
        };
        if !self.door.is_own_host(headers) {
            return Err(Failure::Host);
        }
        // Agents are no pages: what names an origin comes from a page of another site.
        if headers.contains_key(header::ORIGIN) {
            return Err(Failure::Elsewhere);
        }
        let token = headers.get(header::AUTHORIZATION);
        let token = token.and_then(|value| value.to_str().ok()?.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let (_, token) = token.ok_or(Failure::Closed)?;
        let workspace = &self.site.workspace;
        let hash = sha256(token.trim());
        let found = workspace
            .use_agent_token(hash, self.site.clock.seconds())
            .await?;
        door.person(&found.ok_or(Failure::Closed)?.user_id).await
    }
}

fn refused(failure: &Failure) -> Response {
    if let Failure::Store(error) | Failure::NotKnown(error) = failure {
        tracing::warn!("an agent is not answered: {error}");
    }
    let mut error = failure.json();
    if matches!(failure, Failure::Closed) {
        error = json!({ "error": "no-such-token" });
    }
    let mut answer = Response::new(Body::from(format!("{error}\n")));
    *answer.status_mut() = failure.status();
    let headers = answer.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    if failure.status() == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}
