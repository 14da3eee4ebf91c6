//! Sign in with Slack.

use myao_fake_slack::{CLIENT_ID, CLIENT_SECRET, FakeSlack, TEAM_ID};
use reqwest::Url;
use serde_json::{Value, json};

use super::slack_client;
use crate::client::{SignIn, SignInError};

const RETURN_TO: &str = "https://memory.example.org/sign-in/done";

fn sign_in(slack: &FakeSlack, secret: &str) -> SignIn {
    let app = (CLIENT_ID, secret);
    SignIn::new(
        slack_client(slack),
        app,
        RETURN_TO.to_owned(),
        TEAM_ID.to_owned(),
    )
    .unwrap()
}

/// The parameters with which Slack sends back somebody who allows it.
async fn allowed(sign_in: &SignIn, user: &str) -> (String, String) {
    let address = sign_in.address("the state", "the nonce").unwrap();
    let address = address.replace("/authorize?", &format!("/allow?user={user}&"));
    let http = reqwest::Client::builder();
    let http = http.redirect(reqwest::redirect::Policy::none()).build();
    let answer = http.unwrap().get(address).send().await.unwrap();
    let back: Url = answer.headers()["location"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(back.as_str().starts_with(RETURN_TO), "{back}");
    let of = |name: &str| {
        let mut pairs = back.query_pairs();
        pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
    };
    (of("code"), of("state"))
}

fn now() -> i64 {
    let now = myao_plugin::system_clock::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap().as_secs().try_into().unwrap()
}

#[tokio::test]
async fn whoever_allows_it_is_known_once() {
    let slack = FakeSlack::start().await;
    slack.add_user("U1", "Dana");
    let sign_in = sign_in(&slack, CLIENT_SECRET);
    let (code, state) = allowed(&sign_in, "U1").await;
    assert_eq!(state, "the state");
    let user = sign_in.user(&code, "the nonce", now()).await;
    assert_eq!(user.unwrap(), "U1");
    let again = sign_in.user(&code, "the nonce", now()).await;
    assert!(again.unwrap_err().to_string().contains("invalid_code"));
    let calls = slack.requests_of("openid.connect.token");
    assert!(!format!("{:?}", calls[0].params).contains(CLIENT_SECRET));
}

#[tokio::test]
async fn a_token_for_something_else_is_refused() {
    let past = now() - 1;
    for (claim, value, expected) in [
        ("nonce", json!("another"), "another sign-in"),
        ("aud", json!("another"), "another app"),
        ("iss", json!("https://evil.example"), "another server"),
        ("exp", json!(past), "expired"),
        ("exp", Value::Null, "cannot be read"),
        ("https://slack.com/user_id", Value::Null, "cannot be read"),
        (
            "https://slack.com/team_id",
            json!("T0OTHER"),
            "another workspace",
        ),
    ] {
        let slack = FakeSlack::start().await;
        slack.add_user("U1", "Dana");
        slack.set_claim(claim, value.clone());
        let sign_in = sign_in(&slack, CLIENT_SECRET);
        let (code, _) = allowed(&sign_in, "U1").await;
        let refused = sign_in.user(&code, "the nonce", now()).await.unwrap_err();
        assert!(refused.to_string().contains(expected), "{claim}: {refused}");
        let is_other = matches!(refused, SignInError::OtherWorkspace);
        assert_eq!(is_other, claim.ends_with("team_id"));
    }
}

#[tokio::test]
async fn a_wrong_secret_is_told_without_it() {
    let slack = FakeSlack::start().await;
    slack.add_user("U1", "Dana");
    let sign_in = sign_in(&slack, "wrong-secret");
    let (code, _) = allowed(&sign_in, "U1").await;
    let refused = sign_in.user(&code, "the nonce", now()).await.unwrap_err();
    assert!(
        refused.to_string().contains("bad_client_secret"),
        "{refused}"
    );
    assert!(!format!("{sign_in:?} {refused:?}").contains("wrong-secret"));
}
