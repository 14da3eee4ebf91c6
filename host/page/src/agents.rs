//! Agents: they ask over HTTP, each with a token that a person made here, and see what that person may see now.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use myao_bot::people::Person;
use myao_plugin::digest::sha256;
use serde_json::json;

use super::Site;
use super::door::Door;
use super::failure::Failure;

/// Answers agents: the Model Context Protocol over HTTP.
#[async_trait::async_trait]
pub trait Agents: Send + Sync {
    /// Answers a request of somebody's agent, with what this person may see.
    async fn answer(&self, person: Person, request: Request) -> Response;
}

/// The agents that may ask, and the server that answers.
pub(crate) struct Agency<'a> {
    pub(crate) site: &'a Site,
    pub(crate) door: &'a Door,
    /// `None` if agents cannot ask.
    pub(crate) agents: Option<&'a dyn Agents>,
}

impl Agency<'_> {
    /// Answers a request of an agent.
    pub(crate) async fn answer(&self, request: Request) -> Response {
        let Some(agents) = self.agents else {
            return refused(&Failure::NoPage);
        };
        match self.person_of(request.headers()).await {
            Ok(person) => agents.answer(person, request).await,
            Err(failure) => refused(&failure),
        }
    }

    /// Whose agent makes a request.
    async fn person_of(&self, headers: &HeaderMap) -> Result<Person, Failure> {
        let Door::Team(door) = self.door else {
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
