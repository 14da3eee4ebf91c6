//! The program, the control endpoints, and the server on a thread of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use myao_fake_slack::FakeSlack;
use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{ALICE, GENERAL, call, workspace};

async fn control(slack: &FakeSlack, action: &str, body: Value) -> (u16, Value) {
    let url = slack.api_url().replace("/api/", "/control/");
    let response = Client::new()
        .post(url + action)
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn people_can_be_moved_from_outside() {
    let slack = workspace().await;
    let post = json!({ "user": ALICE, "channel": GENERAL, "text": "hello" });
    let (status, posted) = control(&slack, "mention", post.clone()).await;
    assert_eq!(status, 200);
    let ts = &posted["ts"];
    let (_, reply) = control(
        &slack,
        "post",
        json!({ "user": ALICE, "channel": GENERAL, "text": "x", "thread_ts": ts }),
    )
    .await;
    control(
        &slack,
        "edit",
        json!({ "channel": GENERAL, "ts": reply["ts"], "text": "y" }),
    )
    .await;
    let texts = |slack: &FakeSlack| -> Vec<String> {
        slack.world().channels[GENERAL]
            .messages
            .values()
            .map(|message| message.text.clone())
            .collect()
    };
    assert_eq!(texts(&slack), ["<@U0BOT00001> hello", "y"]);
    control(
        &slack,
        "delete",
        json!({ "channel": GENERAL, "ts": reply["ts"] }),
    )
    .await;
    assert_eq!(texts(&slack), ["<@U0BOT00001> hello"]);
    call(
        &slack,
        "chat.postMessage",
        json!({ "channel": GENERAL, "text": "hi" }),
    )
    .await;
    assert_eq!(control(&slack, "posts", json!({})).await.1[0]["text"], "hi");

    let (status, error) = control(
        &slack,
        "post",
        json!({ "user": "U0NOBODY", "channel": GENERAL, "text": "x" }),
    )
    .await;
    assert_eq!((status, &error["error"]), (400, &json!("user_not_found")));
    let (status, _) = control(&slack, "post", json!({ "usr": ALICE })).await;
    assert_eq!(status, 400);
}

#[test]
fn a_test_without_a_runtime_can_use_it() {
    let slack = FakeSlack::start_on_own_thread();
    slack.add_user(ALICE, "Alice");
    slack.add_channel(GENERAL, "general");
    let ts = slack.post(ALICE, GENERAL, "hello", None);
    assert_eq!(ts, "1767225601.000000");
    let url = slack.api_url();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        Client::new()
            .get(format!("{url}auth.test"))
            .send()
            .await
            .unwrap()
    });
    runtime.block_on(slack.wait_called("auth.test", 1));
}

#[test]
fn the_program_prints_where_it_is_and_answers() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_myao-fake-slack"));
    let mut program = command
        .args(["--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Kept until the end: the program goes on printing.
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let url = first
        .strip_prefix("Web API    ")
        .unwrap_or_else(|| panic!("{first}"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let answer = runtime.block_on(async {
        let response = Client::new()
            .get(format!("{url}auth.test"))
            .send()
            .await
            .unwrap();
        response.json::<Value>().await.unwrap()
    });
    program.kill().unwrap();
    program.wait().unwrap();
    assert_eq!(answer["error"], "not_authed");
}
