//! Against emulate, whose Slack has pages, scopes and error codes: everybody and every channel is read, and what
//! Slack refuses becomes a message that says what to do.
//!
//! It has the Web API only: no Socket Mode, and it sends no events. So the bot listens over HTTP, and what would
//! come from Slack comes from the tests.

use std::net::SocketAddr;
use std::process::Command;

use myao_tests::peer::{Peer, exchange, free_address, peer_file};
use myao_tests::program::{Program, Ran};
use myao_tests::project_file;
use serde_json::{Value, json};
use tempfile::TempDir;

use myao_tests::bot::{Bot, Said, Signed, now, piped, read_log, refusal, said, said_by, send};

const TOKEN: &str = "xoxb-emulate-0123456789";
/// May read people, and nothing else.
const POOR_TOKEN: &str = "xoxb-emulate-poor-0123456789";
/// Of a user who is not there.
const STALE_TOKEN: &str = "xoxb-emulate-stale-0123456789";
/// The last of all people.
const LAST_TOKEN: &str = "xoxp-emulate-last-0123456789";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const BOT: &str = "U0MYAO";
/// More than its pages hold at most, which is 1,000.
const MANY: usize = 1_050;
/// More than one page of a channel's messages.
const MISSED: usize = 250;

/// A running emulate, with the folder of its seed.
struct Emulate {
    peer: Peer,
    _folder: TempDir,
}

/// So many people and channels. All people are in all channels; the bot is in none.
fn start(count: usize) -> Emulate {
    let users = (1..=count).map(|n| {
        let (handle, name) = (format!("user{n}"), format!("人{n}"));
        json!({ "name": handle, "real_name": name, "profile": {
            "display_name": name, "real_name": name, "email": format!("{handle}@example.com"),
            "image_48": "", "image_192": "",
        } })
    });
    let channels = (1..=count).map(|n| json!({ "name": format!("channel{n}") }));
    let bot = |token: &str, user: &str| json!({ "token": token, "type": "bot", "user": user });
    let mut poor = bot(POOR_TOKEN, BOT);
    poor["scopes"] = json!(["users:read"]);
    let app = json!({
        "client_id": "1.2", "client_secret": "s", "app_id": "A0MYAO", "name": "Myao", "bot_name": "myao",
        "bot_id": "B0MYAO", "bot_user_id": BOT, "redirect_uris": [], "scopes": [],
    });
    let seed = json!({ "slack": {
        "team": { "name": "Harbour", "domain": "harbour" },
        "users": users.collect::<Vec<_>>(),
        "channels": channels.collect::<Vec<_>>(),
        "oauth_apps": [app],
        "tokens": [
            bot(TOKEN, BOT), poor, bot(STALE_TOKEN, "U0GONE"), bot(LAST_TOKEN, &format!("user{count}")),
        ],
        "strict_scopes": true,
    } });
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("seed.json");
    std::fs::write(&path, seed.to_string()).unwrap();
    let mut command = Command::new("node");
    command.arg(peer_file("emulate/node_modules/emulate/dist/index.js"));
    command
        .args(["start", "--service", "slack", "--seed"])
        .arg(path);
    Emulate {
        peer: Peer::start(&mut command, "--port", "/"),
        _folder: folder,
    }
}

impl Emulate {
    /// What it answers to somebody.
    #[track_caller]
    fn call(&self, token: &str, method: &str, arguments: &Value) -> Value {
        let key = format!("authorization: Bearer {token}");
        let headers = [key.as_str(), "content-type: application/json"];
        let target = format!("POST /api/{method}");
        let answer = exchange(
            self.peer.address(),
            &target,
            &headers,
            &arguments.to_string(),
        );
        let answer = answer.unwrap().json();
        assert_eq!(answer["ok"], true, "{method} {arguments}: {answer}");
        answer
    }

    /// The id of a channel that the bot is in from now on.
    fn join(&self, name: &str) -> String {
        let page = json!({ "limit": 1_000, "cursor": "" });
        let mut page = self.call(TOKEN, "conversations.list", &page);
        loop {
            let channels = page["channels"].as_array().unwrap();
            if let Some(channel) = channels.iter().find(|channel| channel["name"] == name) {
                self.call(
                    TOKEN,
                    "conversations.join",
                    &json!({ "channel": channel["id"] }),
                );
                return channel["id"].as_str().unwrap().to_owned();
            }
            let cursor = page["response_metadata"]["next_cursor"].clone();
            assert_ne!(cursor, "", "no channel {name}");
            let next = json!({ "limit": 1_000, "cursor": cursor });
            page = self.call(TOKEN, "conversations.list", &next);
        }
    }

    /// The last of all people posts, in a thread or at the top level; the id of the post.
    fn post(&self, channel: &str, thread: Option<&str>, text: &str) -> String {
        let post = json!({ "channel": channel, "thread_ts": thread, "text": text });
        let answer = self.call(LAST_TOKEN, "chat.postMessage", &post);
        answer["ts"].as_str().unwrap().to_owned()
    }

    /// The bot's configuration, with more keys of `slack`.
    fn config(&self, token: &str, more: &str) -> String {
        let api_url = self.peer.url("/api/");
        format!("slack: {{ bot_token: {token}, api_url: '{api_url}', {more} }}\n")
    }

    /// The same for a bot that listens.
    fn listening(&self, token: &str, at: SocketAddr) -> String {
        self.config(
            token,
            &format!("signing_secret: '{SECRET}', listen: '{at}'"),
        )
    }

    /// The bot in a folder; nobody sends it events.
    fn bot(&self, program: Program) -> Bot {
        Bot::start(program, &self.listening(TOKEN, free_address()))
    }

    /// The folder of a bot that ran until nothing was to be read.
    fn stopped_bot(&self) -> Program {
        let mut bot = self.bot(Program::default());
        bot.caught_up();
        bot.stop()
    }

    /// What the doctor says of a configuration that is not well.
    #[track_caller]
    fn diagnosis(config: &str) -> String {
        let Ran {
            code,
            stdout,
            stderr,
            ..
        } = Program::with_config(config).run(&["doctor"]);
        assert_eq!(code, Some(1), "{stdout}{stderr}");
        stdout + &stderr
    }
}

/// Slack tells the bot of an event.
fn tell(bot: SocketAddr, number: u32, event: &Value) {
    let body = json!({
        "type": "event_callback", "team_id": "T000000001", "api_app_id": "A0MYAO",
        "event_id": format!("Ev{number:08}"), "event_time": now(), "event": event,
    });
    let (body, timestamp) = (body.to_string(), now());
    let mut sign = Command::new("node");
    sign.arg(project_file("tests/peers/sign.js"));
    sign.args([SECRET, &timestamp.to_string()]);
    let request = Signed {
        content_type: "application/json",
        timestamp,
        signature: &piped(&mut sign, &body),
        body: &body,
    };
    let answer = send(bot, "/slack/events", &request);
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A mention of the bot, as the two events that Slack makes of it.
fn mention(user: &str, channel: &str, ts: &str, thread: &str) -> [Value; 2] {
    ["message", "app_mention"].map(|kind| {
        json!({
            "type": kind, "user": user, "text": "<@U0MYAO> 会場は？", "ts": ts, "thread_ts": thread,
            "channel": channel, "channel_type": "channel", "event_ts": ts,
        })
    })
}

#[track_caller]
fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

/// A bot that reads one page only does not know the author, or the channel.
#[test]
#[ignore = "needs emulate: make test-peers"]
fn people_and_channels_of_all_pages_are_known() {
    let slack = start(MANY);
    let channels = [1, MANY / 2, MANY].map(|n| slack.join(&format!("channel{n}")));
    let program = slack.stopped_bot();
    let posts = channels
        .each_ref()
        .map(|channel| slack.post(channel, None, "会場は箱根です。"));
    let mut bot = slack.bot(program);
    let author = format!("人{MANY}");
    for (channel, ts) in channels.iter().zip(&posts) {
        assert_eq!(
            bot.messages(channel, 1),
            [said_by(&author, ts, None, "会場は箱根です。")]
        );
    }
    bot.stop();
}

#[test]
#[ignore = "needs emulate: make test-peers"]
fn all_pages_of_what_it_missed_are_read() {
    let slack = start(2);
    let channel = slack.join("channel1");
    let program = slack.stopped_bot();
    let mut expected: Vec<Said> = (0..MISSED)
        .map(|n| {
            let text = format!("項目{n}");
            said_by("人2", &slack.post(&channel, None, &text), None, &text)
        })
        .collect();
    // A thread on the last page, and one on the first.
    for parent in [0, MISSED - 1] {
        let thread = expected[parent].ts.clone();
        let ts = slack.post(&channel, Some(&thread), "了解です。");
        expected.push(said_by("人2", &ts, Some(&thread), "了解です。"));
    }
    let mut bot = slack.bot(program);
    assert_eq!(bot.messages(&channel, expected.len()), expected);
    bot.stop();
}

/// The answer says in its metadata what it answers.
#[test]
#[ignore = "needs emulate: make test-peers"]
fn a_mention_is_answered_once_in_its_thread() {
    let slack = start(2);
    let channel = slack.join("channel1");
    let thread = slack.post(&channel, None, "会場は箱根です。");
    let ts = slack.post(&channel, Some(&thread), "<@U0MYAO> 会場は？");
    let question = json!({ "channel": channel, "ts": thread });
    let replies = || slack.call(TOKEN, "conversations.replies", &question);
    let user = replies()["messages"][1]["user"].clone();
    let address = free_address();
    let mut bot = Bot::start(Program::default(), &slack.listening(TOKEN, address));
    for (number, event) in (1..).zip(mention(user.as_str().unwrap(), &channel, &ts, &thread)) {
        tell(address, number, &event);
        tell(address, number, &event);
    }
    let answers = || -> Vec<Value> {
        let page = replies();
        let messages = page["messages"].as_array().unwrap().iter();
        messages
            .filter(|message| message["user"] == BOT)
            .cloned()
            .collect()
    };
    let answer = bot.until("an answer", |_| answers().pop());
    let metadata = &answer["metadata"];
    assert_eq!(metadata["event_type"], "myao_reply", "{answer}");
    assert_eq!(metadata["event_payload"]["answers"], ts, "{answer}");
    let posted = answer["ts"].as_str().unwrap();
    bot.until("its own post in the database", |program| {
        let stored = said(program, &channel);
        stored
            .into_iter()
            .find(|message| message.ts == posted && message.author == "myao")
    });
    bot.stop();
    assert_eq!(answers().len(), 1);
}

/// What cannot be answered is given up, and does not keep the next from being answered.
#[test]
#[ignore = "needs emulate: make test-peers"]
fn a_mention_where_the_bot_may_not_post_holds_up_nobody() {
    let slack = start(2);
    let user = slack.call(LAST_TOKEN, "auth.test", &json!({}))["user_id"].clone();
    let user = user.as_str().unwrap();
    let secret = json!({ "name": "secret", "is_private": true });
    let secret = slack.call(LAST_TOKEN, "conversations.create", &secret);
    let secret = secret["channel"]["id"].as_str().unwrap();
    let channel = slack.join("channel1");
    let address = free_address();
    let mut bot = Bot::start(Program::default(), &slack.listening(TOKEN, address));
    for (n, place) in (0..).zip([secret, channel.as_str()]) {
        let thread = slack.post(place, None, "会場は箱根です。");
        let ts = slack.post(place, Some(&thread), "<@U0MYAO> 会場は？");
        for (number, event) in (n * 2..).zip(mention(user, place, &ts, &thread)) {
            tell(address, number, &event);
        }
    }
    bot.until("an answer", |_| {
        let page = slack.call(
            TOKEN,
            "conversations.history",
            &json!({ "channel": channel }),
        );
        let parent = page["messages"][0]["reply_users"].as_array()?.clone();
        parent.contains(&json!(BOT)).then_some(())
    });
    bot.until("why not in the other", |program| {
        let log = read_log(program);
        (log.contains("not_in_channel") && log.contains(secret)).then_some(())
    });
    bot.stop();
}

#[test]
#[ignore = "needs emulate: make test-peers"]
fn the_doctor_finds_nothing_wrong_with_a_good_token() {
    let slack = start(2);
    let config = slack.listening(TOKEN, free_address());
    let ran = Program::with_config(&config).run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert_says(&ran.stdout, &["Harbour", "myao"]);
    assert!(!ran.stdout.contains(TOKEN), "{ran:#?}");
}

#[test]
#[ignore = "needs emulate: make test-peers"]
fn a_refused_token_is_named_and_ends_the_run() {
    let slack = start(2);
    let config = slack.listening(STALE_TOKEN, free_address());
    let words = ["invalid_auth", "slack.bot_token"];
    let said = Emulate::diagnosis(&config);
    assert_says(&said, &words);
    assert!(!said.contains(STALE_TOKEN), "{said}");
    let (code, said) = refusal(&Program::default(), &config);
    assert_eq!(code, Some(1), "{said}");
    assert_says(&said, &words);
    assert!(!said.contains(STALE_TOKEN), "{said}");
}

#[test]
#[ignore = "needs emulate: make test-peers"]
fn a_missing_scope_is_named() {
    let slack = start(2);
    let config = slack.listening(POOR_TOKEN, free_address());
    assert_says(
        &Emulate::diagnosis(&config),
        &["missing_scope", "channels:read"],
    );
}

/// Its answer to what it does not know is no answer of Slack's.
#[test]
#[ignore = "needs emulate: make test-peers"]
fn an_address_that_is_not_slacks_is_told_by_its_status() {
    let slack = start(2);
    let config = slack.config(TOKEN, "app_token: xapp-emulate-0123456789");
    assert_says(
        &Emulate::diagnosis(&config),
        &["apps.connections.open", "404"],
    );
}
