//! Sign in with Slack (OpenID Connect): <https://docs.slack.dev/authentication/sign-in-with-slack/>.
//!
//! A person is sent to Slack, which sends them back with a code. Slack exchanges the code for an ID token, which says who
//! they are. It comes from Slack itself over TLS, which vouches for it as well as its signature does (OpenID Connect Core
//! 1.0, section 3.1.3.7, number 6).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Url;
use serde::Deserialize;
use serde_json::json;

use super::{Method, SlackClient, answer};
use crate::error::ClientError;
use crate::token::{Token, TokenError};

const METHOD: Method = Method::once("openid.connect.token");

/// An app with which people of one workspace sign in.
#[derive(Clone)]
pub struct SignIn {
    client: SlackClient,
    client_id: String,
    /// The app's id and secret, as HTTP's basic authentication has them.
    app: Token,
    return_to: String,
    team_id: String,
}

/// Why somebody is not signed in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// Slack did not exchange the code.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// Slack's ID token is not for this sign-in.
    #[error("the ID token of Slack is refused: {0}")]
    BadToken(&'static str),
    /// The person belongs to another workspace.
    #[error("they belong to another workspace")]
    OtherWorkspace,
}

/// The claims of an ID token: <https://docs.slack.dev/authentication/sign-in-with-slack/#response>.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    exp: i64,
    #[serde(default)]
    nonce: String,
    #[serde(rename = "https://slack.com/team_id")]
    team_id: String,
    #[serde(rename = "https://slack.com/user_id")]
    user_id: String,
}

impl SignIn {
    /// The app with this id and secret. Slack sends people back to `return_to`, an address that the app's settings have as a
    /// redirect URL. People of the workspace `team_id` alone may sign in.
    ///
    /// # Errors
    /// If an HTTP header cannot carry id and secret.
    pub fn new(
        client: SlackClient,
        (client_id, client_secret): (&str, &str),
        return_to: String,
        team_id: String,
    ) -> Result<Self, TokenError> {
        // Slack's ids and secrets have no characters that the standard would have escaped (RFC 6749, section 2.3.1).
        let both = STANDARD.encode(format!("{client_id}:{client_secret}"));
        Ok(Self {
            client,
            client_id: client_id.to_owned(),
            app: Token::basic(client_secret, &both)?,
            return_to,
            team_id,
        })
    }

    /// Where to send a person. `state` comes back with them, and `nonce` within the ID token.
    ///
    /// # Errors
    /// If the Web API's address has no server.
    pub fn address(&self, state: &str, nonce: &str) -> Result<String, ClientError> {
        let mut address = self.at("/openid/connect/authorize")?;
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("scope", "openid")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &self.return_to)
            .append_pair("team", &self.team_id)
            .append_pair("state", state)
            .append_pair("nonce", nonce);
        Ok(address.into())
    }

    /// Who came back with this code: the id of a user. `now` is in Unix seconds.
    ///
    /// # Errors
    /// [`SignInError`].
    pub async fn user(&self, code: &str, nonce: &str, now: i64) -> Result<String, SignInError> {
        let params = json!({
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.return_to,
        });
        let mut answer = self.client.exchange(METHOD, &params, &self.app).await?;
        let token: String = answer::take(METHOD, &mut answer.body, "id_token")?;
        let claims = claims(&token).ok_or(SignInError::BadToken("it cannot be read"))?;
        let issuer = self.at("/")?.origin().ascii_serialization();
        if claims.iss.trim_end_matches('/') != issuer {
            return Err(SignInError::BadToken("another server issued it"));
        }
        if claims.aud != self.client_id {
            return Err(SignInError::BadToken("it is for another app"));
        }
        if claims.nonce != nonce {
            return Err(SignInError::BadToken("it is for another sign-in"));
        }
        if claims.exp <= now {
            return Err(SignInError::BadToken(
                "it has expired (is this machine's clock right?)",
            ));
        }
        if claims.team_id != self.team_id {
            return Err(SignInError::OtherWorkspace);
        }
        Ok(claims.user_id)
    }

    /// An address on the Web API's server.
    fn at(&self, path: &str) -> Result<Url, ClientError> {
        self.client.at(path)
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIn")
            .field("client_id", &self.client_id)
            .field("return_to", &self.return_to)
            .field("team_id", &self.team_id)
            .finish_non_exhaustive()
    }
}

/// The claims of a token; `None` if it cannot be read.
fn claims(token: &str) -> Option<Claims> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}
