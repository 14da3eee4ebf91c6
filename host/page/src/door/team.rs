//! The door of a team: everybody signs in with Slack, and then sees what they may see there.
//!
//! Whoever wants to sign in is sent to Slack with two secrets, which only a cookie keeps: nothing is stored for a sign-in that
//! was begun, so that no number of them ends those of others. One secret comes back in the address, so that nobody can be signed
//! in as somebody else by a link; the other comes back in Slack's ID token, so that no other token can be put in its place. Only then does a session begin, with a secret that nobody had before. The cookie of a session goes to no request
//! that another site makes, and Slack's is the last of these: the page that follows is asked for by this site's own.

use std::sync::Arc;

use axum::http::HeaderMap;
use myao_bot::people::{People, Person, PersonError};
use myao_slack::client::{SignIn, SignInError};
use subtle::ConstantTimeEq as _;

use super::cookie;
use super::public_url::PublicUrl;
use super::sessions::Sessions;
use crate::failure::Failure;
use crate::route::{Route, page_of};
use crate::secret::Secret;
use crate::visitor::{Visit, Visitor};

const SESSION: &str = "myao";
const SIGN_IN: &str = "myao-sign-in";
/// Browsers keep no cookie above 4,096 bytes; a longer address of a page is not kept.
const MAX_ADDRESS: usize = 2_000;
/// How long somebody has to sign in at Slack, in seconds.
const PATIENCE: i64 = 600;

/// Who signs in, and how.
pub struct Team {
    /// Slack's side.
    pub sign_in: SignIn,
    /// The rights of people.
    pub people: Arc<People>,
    /// Where their browsers reach the page.
    pub url: PublicUrl,
}

/// The door of a team.
pub(crate) struct TeamDoor {
    team: Team,
    sessions: Sessions,
}

impl TeamDoor {
    pub(crate) fn new(team: Team) -> Self {
        Self {
            team,
            sessions: Sessions::default(),
        }
    }

    pub(crate) fn url(&self) -> &PublicUrl {
        &self.team.url
    }

    /// Who makes a request.
    pub(crate) async fn visit(&self, headers: &HeaderMap, now: i64) -> Result<Visit, Failure> {
        let name = self.team.url.cookie_name(SESSION);
        let session =
            cookie::values(headers, &name).find_map(|secret| self.sessions.find(secret, now));
        let session = session.ok_or(Failure::Closed)?;
        let person = self.person(&session.user_id).await?;
        if person.closed_at != session.closed_at {
            self.sessions.end_all_of(&session.user_id);
            return Err(Failure::Closed);
        }
        Ok(Visit {
            visitor: Visitor::Person(person),
            form_token: session.form.text().to_owned(),
        })
    }

    /// Somebody as they are in Slack now.
    pub(crate) async fn person(&self, user_id: &str) -> Result<Person, Failure> {
        self.team
            .people
            .person(user_id)
            .await
            .map_err(|error| match error {
                PersonError::Stranger => {
                    self.sessions.end_all_of(user_id);
                    Failure::Stranger
                }
                error => Failure::NotKnown(error.to_string()),
            })
    }

    /// The rights of people.
    pub(crate) fn people(&self) -> &People {
        &self.team.people
    }

    /// Sends somebody to Slack who wants to see a page: the address, and the cookie with which they come back.
    pub(crate) fn begin(&self, to: &Route) -> Result<(String, String), Failure> {
        let (state, nonce) = (Secret::random()?, Secret::random()?);
        let address = self.team.sign_in.address(state.text(), nonce.text());
        let address = address.map_err(|error| Failure::SignIn(error.to_string()))?;
        let more = format!("Max-Age={PATIENCE}; SameSite=Lax");
        let to = Some(to.address()).filter(|to| to.len() <= MAX_ADDRESS);
        let to = to.unwrap_or_default();
        let kept = format!("{}.{}.{to}", state.text(), nonce.text());
        Ok((address, self.team.url.cookie(SIGN_IN, &kept, &more)))
    }

    /// Signs somebody in whom Slack sent back: their id, the cookies, and the page that they want to see.
    pub(crate) async fn finish(
        &self,
        headers: &HeaderMap,
        (code, state): (&str, &str),
        now: i64,
    ) -> Result<(String, [String; 2], Route), Failure> {
        let name = self.team.url.cookie_name(SIGN_IN);
        let begun = cookie::values(headers, &name)
            .filter_map(|begun| begun.split_once('.'))
            .find(|(begun, _)| begun.as_bytes().ct_eq(state.as_bytes()).into())
            .and_then(|(_, kept)| kept.split_once('.'));
        let (nonce, to) =
            begun.ok_or_else(|| Failure::SignIn("it was not begun in this browser".to_owned()))?;
        if code.is_empty() {
            return Err(Failure::SignIn("Slack sent no code".to_owned()));
        }
        let user_id = match self.team.sign_in.user(code, nonce, now).await {
            Ok(user_id) => user_id,
            Err(SignInError::OtherWorkspace) => return Err(Failure::Stranger),
            Err(error) => return Err(Failure::SignIn(error.to_string())),
        };
        let person = self.person(&user_id).await?;
        // An earlier session of this browser ends.
        self.end(headers);
        let secret = self
            .sessions
            .begin(person.id.clone(), person.closed_at, now)?;
        let session = self
            .team
            .url
            .cookie(SESSION, secret.text(), "SameSite=Strict");
        let to = page_of(to).unwrap_or(Route::START);
        Ok((person.id, [session, self.without(SIGN_IN)], to))
    }

    /// Ends a session: the cookie that takes its cookie away.
    pub(crate) fn end(&self, headers: &HeaderMap) -> String {
        for secret in cookie::values(headers, &self.team.url.cookie_name(SESSION)) {
            self.sessions.end(secret);
        }
        self.without(SESSION)
    }

    fn without(&self, name: &str) -> String {
        self.team.url.cookie(name, "", "Max-Age=0; SameSite=Strict")
    }
}
