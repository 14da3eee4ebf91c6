//! Against local-slack, which is a Slack with Socket Mode and signed events over HTTP: what people do there reaches
//! the database, and whoever mentions the bot is answered.
//!
//! It checks no token, knows no limits or pages, forgets the metadata of messages, and drops what happens while
//! nobody is connected.

use std::net::SocketAddr;
use std::process::Command;

use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::{Peer, free_address, peer_file};
use myao_tests::program::Program;
use serde_json::{Value, json};
use tempfile::TempDir;

use myao_tests::bot::{Bot, said, said_by};

const BOT_TOKEN: &str = "xoxb-local-slack-0123456789";
const APP_TOKEN: &str = "xapp-local-slack-0123456789";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const BOT: &str = "U0MYAO";
const AKARI: &str = "U0AKARI";
const EMIKO: &str = "U0EMIKO";
const CAMP: &str = "C0CAMP";

/// A running local-slack, with the folder of its configuration.
struct LocalSlack {
    peer: Peer,
    _folder: TempDir,
}

impl LocalSlack {
    fn over_sockets() -> Self {
        Self::start(SECRET, "mode: socket")
    }

    /// It sends everything to one path of an address of the bot.
    fn over_http(secret: &str, to: SocketAddr, path: &str) -> Self {
        Self::start(
            secret,
            &format!("mode: events, requestUrl: 'http://{to}{path}'"),
        )
    }

    fn start(secret: &str, delivery: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("config.yaml");
        let text = format!(
            "workspace: {{ name: Harbour, domain: harbour, teamId: T0HARBOUR }}\n\
             apps:\n  - {{ appId: A0MYAO, botUserId: {BOT}, botName: myao, botToken: {BOT_TOKEN}, \
             appToken: {APP_TOKEN}, signingSecret: '{secret}', {delivery} }}\n\
             users:\n  - {{ id: {AKARI}, name: akari, real_name: 佐藤 灯 }}\n  \
             - {{ id: {EMIKO}, name: emiko, real_name: 田中 恵美子 }}\n\
             channels:\n  - {{ id: {CAMP}, name: 合宿, members: [{AKARI}, {EMIKO}, {BOT}] }}\n"
        );
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new(peer_file(
            "local-slack/node_modules/local-slack-linux-x64/bin/local-slack",
        ));
        command.arg("--config").arg(config);
        command.arg("--files-dir").arg(folder.path().join("files"));
        command.args(["--base-host", "127.0.0.1"]);
        Self {
            peer: Peer::start(&mut command, "--port", "/_control/state"),
            _folder: folder,
        }
    }

    /// Does something there, as a person would. It returns when the bot has acknowledged the events.
    fn act(&self, action: &str, arguments: &Value) -> Value {
        let answer = self.peer.post(&format!("/_control/{action}"), arguments);
        assert_eq!(answer["ok"], true, "{action}: {answer}");
        answer
    }

    /// Somebody posts, in a thread or at the top level; the id of the post.
    fn post(&self, user: &str, thread: Option<&str>, text: &str) -> String {
        let post = json!({ "channel": CAMP, "user": user, "text": text, "thread_ts": thread });
        let answer = self.act("message", &post);
        answer["message"]["ts"].as_str().unwrap().to_owned()
    }

    /// What the bot has posted: to all, or to somebody alone.
    fn posts_of_bot(&self, to_one: bool) -> Vec<Value> {
        let page = self.peer.get(&format!("/_control/messages/{CAMP}"));
        let messages = page["messages"].as_array().unwrap().iter();
        let is_ephemeral = |message: &Value| message["subtype"] == "ephemeral";
        messages
            .filter(|message| message["user"] == BOT && is_ephemeral(message) == to_one)
            .cloned()
            .collect()
    }

    /// What went to and fro, with this summary.
    fn traffic(&self, summary: &str) -> Vec<Value> {
        let page = self.peer.get("/_control/log");
        let entries = page["log"].as_array().unwrap().iter();
        let has = |entry: &Value| {
            let found = entry["summary"].as_str();
            found.is_some_and(|found| found.starts_with(summary))
        };
        entries.filter(|entry| has(entry)).cloned().collect()
    }

    /// The bot in a folder, connected over a socket.
    fn connect(&self, program: Program, more: &str) -> Bot {
        let hello = "socket connected";
        let before = self.traffic(hello).len();
        let api_url = self.peer.url("/api/");
        let config = format!(
            "slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{api_url}' }}\n{more}"
        );
        let mut bot = Bot::start(program, &config);
        bot.until("a socket", |_| {
            (self.traffic(hello).len() > before).then_some(())
        });
        bot
    }

    /// The bot, listening for events.
    fn listen(&self, at: SocketAddr) -> Bot {
        let api_url = self.peer.url("/api/");
        let config = format!(
            "slack: {{ bot_token: {BOT_TOKEN}, signing_secret: '{SECRET}', listen: '{at}', \
             api_url: '{api_url}' }}\n"
        );
        Bot::start(Program::default(), &config)
    }

    /// What the bot has posted to all, once there are so many.
    #[track_caller]
    fn answers(&self, bot: &mut Bot, count: usize) -> Vec<Value> {
        bot.until(&format!("{count} answers"), |_| {
            let posts = self.posts_of_bot(false);
            (posts.len() >= count).then_some(posts)
        })
    }

    /// What the bot has posted to one person.
    #[track_caller]
    fn whisper(&self, bot: &mut Bot) -> Value {
        let posts = bot.until("an answer to one person", |_| {
            let posts = self.posts_of_bot(true);
            (!posts.is_empty()).then_some(posts)
        });
        assert_eq!(posts.len(), 1, "{posts:?}");
        posts[0].clone()
    }
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn posts_land_with_names_and_in_their_threads() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    let first = slack.post(AKARI, None, "3月4日に Harbour 2.4 を公開します。🏯");
    let question = slack.post(
        EMIKO,
        None,
        "<@U0AKARI> 予算は？ &lt;仮&gt; &amp; <#C0CAMP>",
    );
    let reply = slack.post(AKARI, Some(&question), "45,000円です。");
    assert_eq!(
        bot.messages(CAMP, 3),
        [
            said_by(
                "akari",
                &first,
                None,
                "3月4日に Harbour 2.4 を公開します。🏯"
            ),
            said_by("emiko", &question, None, "@akari 予算は？ <仮> & #合宿"),
            said_by("akari", &reply, Some(&question), "45,000円です。"),
        ]
    );
    bot.stop();
}

/// The mention comes as two events, a message and a mention.
#[test]
#[ignore = "needs local-slack: make test-peers"]
fn a_mention_in_a_thread_is_answered_there_once() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    let mut threads = Vec::new();
    for (budget, asked) in [("合宿の予算は45,000円です。", 1), ("会場は箱根です。", 2)]
    {
        let thread = slack.post(AKARI, None, budget);
        slack.post(EMIKO, Some(&thread), "<@U0MYAO> もう一度教えて。");
        slack.answers(&mut bot, asked);
        threads.push(thread);
    }
    let answers = slack.answers(&mut bot, 2);
    let found: Vec<&Value> = answers.iter().map(|answer| &answer["thread_ts"]).collect();
    assert_eq!(found, threads.iter().collect::<Vec<_>>(), "{answers:?}");
    // What it posted is in the database under the ids that Slack gave.
    let messages = bot.messages(CAMP, 6);
    for (answer, thread) in answers.iter().zip(&threads) {
        let ts = answer["ts"].as_str().unwrap();
        let stored = messages.iter().find(|message| message.ts == ts);
        let stored = stored.unwrap_or_else(|| panic!("{ts} is not in {messages:?}"));
        assert_eq!(stored.author, "myao");
        assert_eq!(stored.thread.as_deref(), Some(thread.as_str()));
        assert!(!stored.text.is_empty());
    }
    let log = bot.log();
    for secret in ["45,000円", BOT_TOKEN, APP_TOKEN] {
        assert!(!log.contains(secret), "{secret} is in the log: {log}");
    }
    bot.stop();
    assert_eq!(slack.posts_of_bot(false).len(), 2);
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn a_mention_at_the_top_level_is_answered_there() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    slack.post(EMIKO, None, "<@U0MYAO> 予算はいくらですか？");
    let answers = slack.answers(&mut bot, 1);
    assert_eq!(answers[0]["thread_ts"], Value::Null, "{answers:?}");
    bot.stop();
    assert_eq!(slack.posts_of_bot(false).len(), 1);
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn a_model_sees_the_thread_with_names_and_its_answer_rings_nobody() {
    let llm = LlmServer::start(|_| answer("会場は **箱根** です。<!channel> <@U0AKARI>"));
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), &llm.config());
    let thread = slack.post(AKARI, None, "会場は箱根に決まりました。");
    slack.post(EMIKO, None, "話は変わりますが、予算は45,000円です。");
    slack.post(EMIKO, Some(&thread), "<@U0MYAO> 会場は？");
    let answers = slack.answers(&mut bot, 1);
    let text = answers[0]["text"].as_str().unwrap();
    assert!(text.contains("*箱根*") && !text.contains("**"), "{text}");
    assert!(!text.contains("<!channel>"), "{text}");
    bot.stop();
    let target = format!("### 返信対象スレッド: {thread}");
    let prompts = llm.prompts();
    let asked: Vec<&String> = prompts
        .iter()
        .filter(|prompt| prompt.contains(&target))
        .collect();
    assert_eq!(asked.len(), 1, "{prompts:?}");
    for part in [
        "会場は箱根に決まりました。",
        "akari",
        "emiko",
        "#合宿",
        "@myao 会場は？",
    ] {
        assert!(asked[0].contains(part), "no {part} in {}", asked[0]);
    }
    for id in ["<@", BOT, AKARI, EMIKO] {
        assert!(!asked[0].contains(id), "{id} is in {}", asked[0]);
    }
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn an_edit_and_a_deletion_reach_the_database() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    let edited = slack.post(AKARI, None, "予算は40,000円です。");
    let deleted = slack.post(AKARI, None, "間違えました。");
    bot.messages(CAMP, 2);
    let change =
        json!({ "channel": CAMP, "user": AKARI, "ts": edited, "text": "予算は45,000円です。" });
    slack.act("edit-message", &change);
    slack.act(
        "delete-message",
        &json!({ "channel": CAMP, "user": AKARI, "ts": deleted }),
    );
    let expected = [said_by("akari", &edited, None, "予算は45,000円です。")];
    bot.until("the edit and the deletion", |program| {
        (said(program, CAMP) == expected).then_some(())
    });
    bot.stop();
}

/// The events are lost; the bot asks for what it missed. This peer answers with everything that there is.
#[test]
#[ignore = "needs local-slack: make test-peers"]
fn what_was_said_while_it_was_away_is_caught_up() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    let before = slack.post(AKARI, None, "会場はどこですか？");
    bot.messages(CAMP, 1);
    bot.caught_up();
    let program = bot.stop();
    let reply = slack.post(EMIKO, Some(&before), "箱根です。");
    let after = slack.post(EMIKO, None, "予算は45,000円です。");
    let mut bot = slack.connect(program, "");
    assert_eq!(
        bot.messages(CAMP, 3),
        [
            said_by("akari", &before, None, "会場はどこですか？"),
            said_by("emiko", &reply, Some(&before), "箱根です。"),
            said_by("emiko", &after, None, "予算は45,000円です。"),
        ]
    );
    bot.stop();
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn the_slash_command_is_answered_to_the_one_who_asks() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    let command = json!({ "channel": CAMP, "user": AKARI, "command": "/memory", "text": "" });
    slack.act("command", &command);
    let shown = slack.whisper(&mut bot);
    assert_eq!(shown["ephemeral_to"], AKARI, "{shown}");
    assert_ne!(
        (&shown["text"], &shown["blocks"]),
        (&json!(""), &Value::Null)
    );
    bot.stop();
    assert!(slack.posts_of_bot(false).is_empty());
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn the_home_tab_is_published_to_who_opens_it() {
    let slack = LocalSlack::over_sockets();
    let mut bot = slack.connect(Program::default(), "");
    slack.act("open-home", &json!({ "user": AKARI }));
    let published = bot.until("a home tab", |_| slack.traffic("views.publish").pop());
    let view = &published["detail"];
    assert_eq!(view["user_id"], AKARI, "{view}");
    assert_eq!(view["view"]["type"], "home", "{view}");
    assert!(!view["view"]["blocks"].as_array().unwrap().is_empty());
    bot.stop();
    let failed = slack.traffic("views.publish ->");
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn signed_events_over_http_are_taken_and_answered() {
    let address = free_address();
    let slack = LocalSlack::over_http(SECRET, address, "/slack/events");
    let mut bot = slack.listen(address);
    let thread = slack.post(AKARI, None, "会場は箱根です。");
    let asked = slack.post(EMIKO, Some(&thread), "<@U0MYAO> 会場は？");
    let answers = slack.answers(&mut bot, 1);
    assert_eq!(answers[0]["thread_ts"], thread, "{answers:?}");
    let messages = bot.messages(CAMP, 3);
    assert_eq!(
        messages[..2],
        [
            said_by("akari", &thread, None, "会場は箱根です。"),
            said_by("emiko", &asked, Some(&thread), "@myao 会場は？"),
        ]
    );
    bot.stop();
    assert_eq!(slack.posts_of_bot(false).len(), 1);
    assert_eq!(
        slack.traffic("HTTP 200").len(),
        3,
        "message, message, mention"
    );
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn a_signed_slash_command_over_http_is_answered() {
    let address = free_address();
    let slack = LocalSlack::over_http(SECRET, address, "/slack/events");
    let mut bot = slack.listen(address);
    let command =
        json!({ "channel": CAMP, "user": EMIKO, "command": "/memory", "text": "history" });
    slack.act("command", &command);
    let shown = slack.whisper(&mut bot);
    assert_eq!(shown["ephemeral_to"], EMIKO, "{shown}");
    bot.stop();
}

#[test]
#[ignore = "needs local-slack: make test-peers"]
fn events_signed_with_another_secret_are_refused() {
    let address = free_address();
    let slack = LocalSlack::over_http("another-secret", address, "/slack/events");
    let mut bot = slack.listen(address);
    // Later it reads nothing by itself.
    bot.caught_up();
    slack.post(AKARI, None, "<@U0MYAO> 会場は箱根です。");
    bot.until("message and mention refused", |_| {
        // It may be delivered again meanwhile.
        (slack.traffic("HTTP 401").len() >= 2).then_some(())
    });
    let program = bot.stop();
    assert_eq!(said(&program, CAMP), []);
    assert!(slack.posts_of_bot(false).is_empty());
}
