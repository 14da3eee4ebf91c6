//! Sign in with Slack (OpenID Connect): the page on which a person allows an app to know them, and the exchange of the code
//! that the app gets: <https://docs.slack.dev/authentication/sign-in-with-slack/>.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::State as Shared;
use axum::http::{StatusCode, Uri, header};
use axum::response::{Html, IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Url;
use serde_json::{Map, Value, json};

use crate::bot::Request;
use crate::server::FakeSlack;
use crate::state::{Inner, State};
use crate::web::Answer;
use crate::{CLIENT_ID, CLIENT_SECRET, TEAM_ID};

/// How long an ID token holds, in seconds.
const HOLDS: u64 = 300;

/// The consents of people, and the claims that ID tokens have besides.
#[derive(Debug, Default)]
pub(crate) struct SignIns {
    /// By code; each is of use once.
    allowed: BTreeMap<String, Allowed>,
    codes_given: u64,
    /// Claims in place of the right ones.
    claims: Map<String, Value>,
}

#[derive(Debug)]
struct Allowed {
    user: String,
    nonce: String,
    return_to: String,
}

/// `/openid/connect/authorize`: the page on which somebody allows it. Who is not known here, so there is a link for each.
pub(crate) async fn authorize(Shared(inner): Shared<Arc<Inner>>, uri: Uri) -> Response {
    let query = pairs(&uri);
    let of = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let is_right = of("response_type") == "code"
        && of("scope").split(' ').any(|scope| scope == "openid")
        && of("client_id") == CLIENT_ID
        && of("redirect_uri").parse::<Url>().is_ok();
    if !is_right {
        return (StatusCode::BAD_REQUEST, "invalid_request").into_response();
    }
    let people = inner.read(|state| {
        let people = state.world.users.values().filter(|user| !user.is_bot);
        people
            .map(|user| (user.id.clone(), user.real_name.clone()))
            .collect::<Vec<_>>()
    });
    let links = people.into_iter().map(|(id, name)| {
        let mut address = Url::parse("http://slack/openid/connect/allow").unwrap();
        address
            .query_pairs_mut()
            .append_pair("user", &id)
            .extend_pairs(&query);
        let query = address.query().unwrap_or_default().replace('&', "&amp;");
        format!("<p><a href=\"/openid/connect/allow?{query}\">{name}</a></p>")
    });
    let links: String = links.collect();
    Html(format!("<!DOCTYPE html><title>Sign in</title>{links}")).into_response()
}

/// Somebody allows it: they are sent back with a code.
pub(crate) async fn allow(Shared(inner): Shared<Arc<Inner>>, uri: Uri) -> Response {
    let query = pairs(&uri);
    let of = |name: &str| query.get(name).cloned().unwrap_or_default();
    let allowed = Allowed {
        user: of("user"),
        nonce: of("nonce"),
        return_to: of("redirect_uri"),
    };
    let mut back: Url = allowed.return_to.parse().unwrap();
    let code = inner.change(|state| {
        let sign_ins = &mut state.sign_ins;
        sign_ins.codes_given += 1;
        let code = format!("code-{}", sign_ins.codes_given);
        sign_ins.allowed.insert(code.clone(), allowed);
        code
    });
    back.query_pairs_mut()
        .append_pair("code", &code)
        .append_pair("state", &of("state"));
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::FOUND;
    let back = back.as_str().parse().unwrap();
    answer.headers_mut().insert(header::LOCATION, back);
    answer
}

fn pairs(uri: &Uri) -> BTreeMap<String, String> {
    let query = uri.query().unwrap_or_default();
    let url = Url::parse(&format!("http://slack/?{query}")).unwrap();
    url.query_pairs().into_owned().collect()
}

/// `openid.connect.token`: exchanges a code.
pub(crate) fn token(state: &mut State, inner: &Inner, request: &Request) -> Answer {
    let credentials = STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"));
    if request.basic.as_deref() != Some(&credentials) {
        return Err("bad_client_secret".into());
    }
    if request.text("grant_type") != Some("authorization_code") {
        return Err("invalid_grant_type".into());
    }
    let code = request.text("code").ok_or("invalid_code")?;
    let allowed = state.sign_ins.allowed.remove(code).ok_or("invalid_code")?;
    if request.text("redirect_uri") != Some(&allowed.return_to) {
        return Err("bad_redirect_uri".into());
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let mut claims = json!({
        "iss": format!("http://{}", inner.address),
        "sub": allowed.user,
        "aud": CLIENT_ID,
        "exp": now + HOLDS,
        "iat": now,
        "auth_time": now,
        "nonce": allowed.nonce,
        "at_hash": "",
        "https://slack.com/team_id": TEAM_ID,
        "https://slack.com/user_id": allowed.user,
    });
    if let Some(claims) = claims.as_object_mut() {
        claims.extend(state.sign_ins.claims.clone());
    }
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let head = part("{\"typ\":\"JWT\",\"alg\":\"RS256\"}");
    let id_token = format!("{head}.{}.{}", part(&claims.to_string()), part("signature"));
    Ok(json!({ "access_token": "xoxp-fake", "token_type": "Bearer", "id_token": id_token }))
}

impl FakeSlack {
    /// From now on ID tokens say this, whatever is right.
    pub fn set_claim(&self, name: &str, value: Value) {
        self.inner()
            .change(|state| state.sign_ins.claims.insert(name.to_owned(), value));
    }

    /// Where the pages of Sign in with Slack are: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.inner().address)
    }
}
