//! The client against a small server on loopback.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod faults;
mod posting;
mod reading;
mod sign_in;

use serde_json::json;

use myao_fake_slack::{BOT_TOKEN, FakeSlack};

use super::{Metadata, PostMessage, SlackClient};
use crate::token::Token;

/// A client of a whole Slack.
fn slack_client(slack: &FakeSlack) -> SlackClient {
    let token = Token::new(BOT_TOKEN).unwrap();
    SlackClient::new(&slack.api_url(), token)
        .unwrap()
        .without_waits()
}

fn message() -> PostMessage {
    PostMessage {
        channel: "C1".to_owned(),
        thread_ts: Some("1700000000.000100".to_owned()),
        text: "*日本* & <@U1>".to_owned(),
        metadata: Some(Metadata {
            event_type: "answer".to_owned(),
            event_payload: json!({"part": 1}),
        }),
    }
}
