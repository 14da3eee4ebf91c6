//! Against Slack's own SDK: what it signs is taken, and nothing else.

use std::net::SocketAddr;
use std::process::Command;

use myao_fake_slack::FakeSlack;
use myao_tests::llm_server::{Call, LlmServer, Reply};
use myao_tests::peer::{Answer, Peer, free_address, peer_file};
use myao_tests::program::Program;
use myao_tests::project_file;
use serde_json::{Value, json};

use myao_tests::bot::{Bot, Signed, now, piped, said, said_by, send};

const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const CAMP: &str = "C0CAMP";
/// How old a request may be, and how far ahead, in seconds: as the SDK has it.
const TOLERANCE: u64 = 300;
/// What the clock may move on while a test runs.
const SLACK: u64 = 30;

/// As much of the Web API as a bot needs to start: one person, one channel.
fn web_api() -> LlmServer {
    LlmServer::start(|call| {
        let answer = answer(call).to_string();
        Reply::Http(200, "content-type: application/json", answer)
    })
}

fn answer(call: &Call) -> Value {
    let method = call.target.rsplit('/').next().unwrap_or_default();
    let last = json!({ "next_cursor": "" });
    let channel = json!({ "id": CAMP, "name": "合宿", "is_channel": true, "is_member": true });
    let user = json!({ "id": "U0AKARI", "name": "akari", "profile": { "display_name": "灯" } });
    match method.split('?').next().unwrap_or_default() {
        "auth.test" => json!({
            "ok": true, "team": "Harbour", "team_id": "T0HARBOUR", "user": "myao", "user_id": "U0MYAO",
            "bot_id": "B0MYAO",
        }),
        "conversations.list" => {
            json!({ "ok": true, "channels": [channel], "response_metadata": last })
        }
        "conversations.info" => json!({ "ok": true, "channel": channel }),
        "users.list" => json!({ "ok": true, "members": [user], "response_metadata": last }),
        "users.info" => json!({ "ok": true, "user": user }),
        "conversations.history" | "conversations.replies" => {
            json!({ "ok": true, "messages": [], "has_more": false, "response_metadata": last })
        }
        _ => json!({ "ok": false, "error": "unknown_method" }),
    }
}

/// A bot that listens, and its Slack.
struct Listening {
    _web_api: LlmServer,
    address: SocketAddr,
    bot: Bot,
}

impl Listening {
    fn start() -> Self {
        let (web_api, address) = (web_api(), free_address());
        let api_url = web_api.base_url();
        let config = format!(
            "slack: {{ bot_token: xoxb-0123456789, signing_secret: {SECRET}, listen: '{address}', \
             api_url: '{api_url}/' }}\n"
        );
        Self {
            _web_api: web_api,
            address,
            bot: Bot::start(Program::default(), &config),
        }
    }

    /// Sends what the SDK signs now.
    fn send(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let timestamp = now();
        let signature = signature(SECRET, timestamp, body);
        let request = Signed {
            content_type,
            timestamp,
            signature: &signature,
            body,
        };
        send(self.address, path, &request)
    }
}

/// The signature that the SDK gives a body.
fn signature(secret: &str, timestamp: u64, body: &str) -> String {
    piped(sdk().args([secret, &timestamp.to_string()]), body)
}

fn sdk() -> Command {
    let mut command = Command::new(peer_file("slack-sdk/bin/python"));
    command.arg(project_file("tests/peers/signatures.py"));
    command
}

/// Somebody's post, as Slack tells of it.
fn post(event_id: &str, ts: &str, text: &str) -> String {
    let event = json!({
        "type": "message", "channel": CAMP, "channel_type": "channel", "user": "U0AKARI", "text": text,
        "ts": ts, "event_ts": ts,
    });
    let callback = json!({
        "type": "event_callback", "team_id": "T0HARBOUR", "api_app_id": "A0MYAO", "event_id": event_id,
        "event_time": now(), "event": event,
    });
    callback.to_string()
}

#[test]
#[ignore = "needs slack-sdk: make test-peers"]
fn what_the_sdk_signs_is_taken() {
    let mut listening = Listening::start();
    let challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
    let handshake = json!({ "type": "url_verification", "token": "t", "challenge": challenge });
    let answer = listening.send("/slack/events", JSON, &handshake.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains(challenge), "{answer:?}");

    let ts = format!("{}.000100", now());
    let event = post("Ev1", &ts, "会場は「箱根🏯」です。");
    // Slack sends it again if it did not see the answer.
    for _ in 0..2 {
        let answer = listening.send("/slack/events", JSON, &event);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let expected = [said_by("灯", &ts, None, "会場は「箱根🏯」です。")];
    assert_eq!(listening.bot.messages(CAMP, 1), expected);

    let command = "token=t&team_id=T0HARBOUR&channel_id=C0CAMP&channel_name=%E5%90%88%E5%AE%BF&user_id=U0AKARI\
                   &user_name=akari&command=%2Fmemory&text=&api_app_id=A0MYAO\
                   &response_url=http%3A%2F%2F127.0.0.1%3A9%2F&trigger_id=1.2.3";
    let answer = listening.send("/slack/events", FORM, command);
    assert_eq!(answer.status, 200, "{answer:?}");
    let program = listening.bot.stop();
    assert_eq!(said(&program, CAMP), expected);
}

/// What may be wrong with a request.
struct Forgery {
    what: &'static str,
    secret: &'static str,
    signed_at: u64,
    /// What the header says.
    sent_at: u64,
    /// Signed, but for what is added.
    added: &'static str,
    is_signed: bool,
}

fn forgeries() -> Vec<Forgery> {
    let now = now();
    let genuine = || Forgery {
        what: "",
        secret: SECRET,
        signed_at: now,
        sent_at: now,
        added: "",
        is_signed: true,
    };
    let at = |what, time| Forgery {
        what,
        signed_at: time,
        sent_at: time,
        ..genuine()
    };
    vec![
        Forgery {
            what: "another secret",
            secret: "another-secret",
            ..genuine()
        },
        Forgery {
            what: "another time than the signed one",
            sent_at: now - 1,
            ..genuine()
        },
        Forgery {
            what: "a changed body",
            added: " ",
            ..genuine()
        },
        Forgery {
            what: "no signature",
            is_signed: false,
            ..genuine()
        },
        at("a recorded request", now - TOLERANCE - SLACK),
        at("a request of the future", now + TOLERANCE + SLACK),
    ]
}

#[test]
#[ignore = "needs slack-sdk: make test-peers"]
fn what_the_sdk_would_refuse_is_refused() {
    let listening = Listening::start();
    let paths = [("/slack/events", JSON), ("/slack/events", FORM)];
    for forgery in forgeries() {
        let what = forgery.what;
        let ts = format!("{}.000100", now());
        let body = post("Ev1", &ts, "会場は熱海です。");
        let made = signature(forgery.secret, forgery.signed_at, &body);
        let signature = if forgery.is_signed { made.as_str() } else { "" };
        let sent = body + forgery.added;
        let time = forgery.sent_at.to_string();
        let verdict = piped(sdk().args([SECRET, &time, signature]), &sent);
        assert_eq!(verdict, "False", "{what}");
        for (path, content_type) in paths {
            let request = Signed {
                content_type,
                timestamp: forgery.sent_at,
                signature,
                body: &sent,
            };
            let answer = send(listening.address, path, &request);
            assert_eq!(answer.status, 401, "{what} at {path}: {answer:?}");
        }
    }
    let program = listening.bot.stop();
    assert_eq!(said(&program, CAMP), []);
}

/// On either side of the limit, with some seconds to spare.
#[test]
#[ignore = "needs slack-sdk: make test-peers"]
fn a_request_within_the_tolerance_is_taken() {
    let listening = Listening::start();
    let handshake =
        json!({ "type": "url_verification", "token": "t", "challenge": "c" }).to_string();
    for timestamp in [now() - TOLERANCE + SLACK, now() + TOLERANCE - SLACK] {
        let signature = signature(SECRET, timestamp, &handshake);
        let request = Signed {
            content_type: JSON,
            timestamp,
            signature: &signature,
            body: &handshake,
        };
        let answer = send(listening.address, "/slack/events", &request);
        assert_eq!(answer.status, 200, "{timestamp}: {answer:?}");
    }
    listening.bot.stop();
}

/// The fake Slack of the other tests signs as Slack does: otherwise those would show nothing.
#[tokio::test]
#[ignore = "needs slack-sdk: make test-peers"]
async fn what_the_fake_slack_signs_is_taken_by_the_sdk() {
    let mut command = Command::new(peer_file("slack-sdk/bin/python"));
    command
        .arg(project_file("tests/peers/receiver.py"))
        .arg(SECRET);
    let receiver = Peer::start(&mut command, "--port", "/");
    let slack = FakeSlack::start().await;
    let url = receiver.url("/slack/events");
    assert_eq!(slack.send_events_to(&url, SECRET).await, Ok(()));
    assert!(slack.send_events_to(&url, "another-secret").await.is_err());
}
