//! Tokens, scopes, lists, and what the bot posts.

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, TokenKind};
use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{ALICE, BOB, GENERAL, call, respond, workspace};

#[tokio::test]
async fn a_token_is_checked_and_its_scopes_are_told() {
    let slack = workspace().await;
    let response = respond(&slack, "auth.test", &json!({})).await.unwrap();
    let scopes = response.headers()["x-oauth-scopes"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        scopes.contains("channels:history,channels:read"),
        "{scopes}"
    );
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["user_id"], "U0BOT00001");

    let url = format!("{}auth.test", slack.api_url());
    let with = async |token: &str| -> Value {
        let request = Client::new().post(&url).bearer_auth(token);
        request.send().await.unwrap().json().await.unwrap()
    };
    assert_eq!(with("xoxb-other").await["error"], "invalid_auth");
    assert_eq!(with(APP_TOKEN).await["error"], "not_allowed_token_type");
    let none: Value = Client::new()
        .get(&url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(none["error"], "not_authed");
    let tokens: Vec<TokenKind> = slack
        .requests()
        .iter()
        .map(|request| request.token)
        .collect();
    assert_eq!(
        tokens,
        [
            TokenKind::Bot,
            TokenKind::Unknown,
            TokenKind::App,
            TokenKind::Missing
        ]
    );
    assert_eq!(
        call(&slack, "apps.connections.open", json!({})).await["error"],
        "not_allowed_token_type"
    );
    assert_eq!(
        call(&slack, "nothing.here", json!({})).await["error"],
        "unknown_method"
    );
}

#[tokio::test]
async fn a_scope_that_was_taken_is_missed() {
    let slack = workspace().await;
    slack.remove_scope("channels:history");
    let answer = call(
        &slack,
        "conversations.history",
        json!({ "channel": GENERAL }),
    )
    .await;
    assert_eq!(answer["error"], "missing_scope");
    assert_eq!(answer["needed"], "channels:history");
    assert!(
        !answer["provided"]
            .as_str()
            .unwrap()
            .contains("channels:history")
    );
}

#[tokio::test]
async fn arguments_come_as_form_as_json_or_in_the_query() {
    let slack = workspace().await;
    let url = format!("{}users.info", slack.api_url());
    let client = Client::new();
    let json = client
        .post(&url)
        .bearer_auth(BOT_TOKEN)
        .json(&json!({ "user": ALICE }));
    let query = client
        .get(format!("{url}?user={ALICE}"))
        .bearer_auth(BOT_TOKEN);
    for request in [json, query] {
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["user"]["profile"]["display_name"], "Alice Smith");
    }
    assert_eq!(
        call(&slack, "users.info", json!({ "user": BOB })).await["user"]["name"],
        "bob"
    );
    assert_eq!(
        call(&slack, "users.info", json!({ "user": "U0NOBODY" })).await["error"],
        "user_not_found"
    );
    assert_eq!(slack.requests_of("users.info")[0].text("user"), Some(ALICE));
}

#[tokio::test]
async fn channels_come_in_pages_and_archived_ones_leave_gaps() {
    let slack = workspace().await;
    for number in 0..5 {
        slack.add_channel(&format!("C0PAGE000{number}"), &format!("page-{number}"));
    }
    slack.add_channel_without_bot("C0ELSE0001", "elsewhere");
    slack.add_private_channel("C0SECRET01", "secret");
    slack.add_direct_channel("D0ALICE001", ALICE);
    slack.archive_channel("C0ELSE0001");
    slack.archive_channel(GENERAL);
    let mut cursor = String::new();
    let mut pages = Vec::new();
    loop {
        let params = json!({ "limit": 2, "cursor": cursor, "exclude_archived": true });
        let answer = call(&slack, "conversations.list", params).await;
        pages.push(answer["channels"].as_array().unwrap().len());
        cursor = answer["response_metadata"]["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        if cursor.is_empty() {
            break;
        }
    }
    // Both of the first page are archived.
    assert_eq!(pages, [0, 2, 2, 1]);
    let params = json!({ "types": "public_channel,private_channel,im" });
    let answer = call(&slack, "conversations.list", params).await;
    let channels = answer["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 9);
    let elsewhere = channels
        .iter()
        .find(|channel| channel["id"] == "C0ELSE0001")
        .unwrap();
    assert_eq!(
        (&elsewhere["is_member"], &elsewhere["is_archived"]),
        (&json!(false), &json!(true))
    );
    let bad = call(
        &slack,
        "conversations.list",
        json!({ "cursor": "nonsense" }),
    )
    .await;
    assert_eq!(bad["error"], "invalid_cursor");
}

#[tokio::test]
async fn users_come_in_pages_and_slackbot_is_no_bot() {
    let slack = workspace().await;
    let first = call(&slack, "users.list", json!({ "limit": 3 })).await;
    assert_eq!(first["members"].as_array().unwrap().len(), 3);
    let cursor = &first["response_metadata"]["next_cursor"];
    let second = call(
        &slack,
        "users.list",
        json!({ "limit": 3, "cursor": cursor }),
    )
    .await;
    assert_eq!(second["members"][0]["id"], "USLACKBOT");
    assert_eq!(second["members"][0]["is_bot"], false);
    assert_eq!(second["response_metadata"]["next_cursor"], "");
}

#[tokio::test]
async fn a_post_is_kept_with_its_metadata() {
    let slack = workspace().await;
    let question = slack.post(ALICE, GENERAL, "why?", None);
    let metadata = json!({ "event_type": "answered", "event_payload": { "answers": question } });
    let params = json!({ "channel": GENERAL, "text": "because", "thread_ts": question, "metadata": metadata });
    let answer = call(&slack, "chat.postMessage", params).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let post = &slack.posts()[0];
    assert_eq!(
        (post.text.as_str(), post.thread_ts.as_ref()),
        ("because", Some(&question))
    );
    assert_eq!(answer["ts"], post.ts.as_str());
    // Slack shows the payload to who asks for all metadata.
    let thread = async |all: bool| {
        let params = json!({ "channel": GENERAL, "ts": question, "include_all_metadata": all });
        call(&slack, "conversations.replies", params).await["messages"][1].clone()
    };
    assert_eq!(thread(true).await["metadata"], metadata);
    assert_eq!(
        thread(false).await["metadata"],
        json!({ "event_type": "answered" })
    );
    slack.subscribe_to_metadata("answered");
    assert_eq!(thread(false).await["metadata"], metadata);
    assert_eq!(thread(true).await["bot_id"], "B0BOT00001");
}

#[tokio::test]
async fn posts_are_refused_with_slacks_codes() {
    let slack = workspace().await;
    slack.add_channel_without_bot("C0ELSE0001", "elsewhere");
    slack.add_channel("C0OLD00001", "old");
    slack.archive_channel("C0OLD00001");
    let refused =
        async |params: Value| call(&slack, "chat.postMessage", params).await["error"].clone();
    assert_eq!(
        refused(json!({ "channel": "C0NOWHERE1", "text": "x" })).await,
        "channel_not_found"
    );
    assert_eq!(
        refused(json!({ "channel": "C0ELSE0001", "text": "x" })).await,
        "not_in_channel"
    );
    assert_eq!(
        refused(json!({ "channel": "C0OLD00001", "text": "x" })).await,
        "is_archived"
    );
    assert_eq!(
        refused(json!({ "channel": GENERAL, "text": " " })).await,
        "no_text"
    );
    assert_eq!(
        refused(json!({ "channel": GENERAL, "text": "あ".repeat(40_001) })).await,
        "msg_too_long"
    );
    assert_eq!(
        refused(json!({ "channel": GENERAL, "text": "x", "thread_ts": "1.5" })).await,
        "thread_not_found"
    );
    assert_eq!(
        refused(json!({ "channel": GENERAL, "text": "x", "thread_ts": "x" })).await,
        "invalid_thread_ts"
    );
    let long =
        json!([{ "type": "section", "text": { "type": "mrkdwn", "text": "x".repeat(3001) } }]);
    assert_eq!(
        refused(json!({ "channel": GENERAL, "blocks": long })).await,
        "invalid_blocks"
    );
    assert!(slack.posts().is_empty());
}

#[tokio::test]
async fn a_permalink_names_the_thread() {
    let slack = workspace().await;
    let parent = slack.post_at("1767225700.000100", ALICE, GENERAL, "parent", None);
    let reply = slack.post_at("1767225701.000200", BOB, GENERAL, "reply", Some(&parent));
    let params = json!({ "channel": GENERAL, "message_ts": reply });
    let link = call(&slack, "chat.getPermalink", params).await["permalink"].clone();
    let path = "archives/C0GENERAL1/p1767225701000200?thread_ts=1767225700.000100&cid=C0GENERAL1";
    assert_eq!(link, format!("https://fake.slack.com/{path}"));
    let params = json!({ "channel": GENERAL, "message_ts": "1.000000" });
    assert_eq!(
        call(&slack, "chat.getPermalink", params).await["error"],
        "message_not_found"
    );
}

#[tokio::test]
async fn a_home_is_kept() {
    let slack = workspace().await;
    let view = json!({ "type": "home", "blocks": [{ "type": "divider" }] });
    let published = call(
        &slack,
        "views.publish",
        json!({ "user_id": ALICE, "view": view }),
    )
    .await;
    assert_eq!(published["ok"], true, "{published}");
    assert_eq!(slack.home(ALICE).unwrap()["blocks"], view["blocks"]);
    assert_eq!(slack.home(BOB), None);
    let many = json!({ "type": "home", "blocks": vec![json!({ "type": "divider" }); 101] });
    let refused = call(
        &slack,
        "views.publish",
        json!({ "user_id": ALICE, "view": many }),
    )
    .await;
    assert_eq!(refused["error"], "invalid_arguments");
}
