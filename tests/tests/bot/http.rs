//! Events and commands over HTTP instead of a socket.

use std::net::SocketAddr;

use chrono::DateTime;
use myao_fake_slack::{APP_ID, BOT_TOKEN, FakeSlack, Fault, TEAM_ID, sign};
use myao_tests::bot::{Bot, Signed, now, said, send};
use myao_tests::peer::{exchange, free_address};
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, ANSWER, CAMP, EMIKO, block_on, model, number, posts, replies_of, workspace,
};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const PATH: &str = "/slack/events";

fn listen(slack: &FakeSlack, at: SocketAddr, more: &str) -> Bot {
    let api_url = slack.api_url();
    let config = format!(
        "slack: {{ bot_token: {BOT_TOKEN}, signing_secret: '{SECRET}', listen: '{at}', api_url: '{api_url}' }}\n{more}"
    );
    Bot::start(Program::of_bot(), &config)
}

fn subscribe(slack: &FakeSlack, at: SocketAddr, secret: &str) -> Result<(), String> {
    block_on(slack.send_events_to(&format!("http://{at}{PATH}"), secret))
}

#[test]
fn a_mention_over_http_is_answered_once() {
    let (slack, llm, address) = (workspace(), model(), free_address());
    let mut bot = listen(&slack, address, &replies_of(&llm));
    subscribe(&slack, address, SECRET).unwrap();
    slack.faults().duplicate_every(1);
    let thread = slack.post(AKARI, CAMP, "会場は箱根です。", None);
    slack.mention(EMIKO, CAMP, "会場は？", Some(&thread));
    posts(&slack, &mut bot, 1);
    bot.until("every event acknowledged", |_| {
        slack.is_settled().then_some(())
    });
    bot.stop();
    let posts = slack.posts();
    assert_eq!((posts.len(), llm.calls().len()), (1, 1), "{posts:?}");
    assert_eq!(
        (posts[0].thread_ts.as_ref(), posts[0].text.as_str()),
        (Some(&thread), ANSWER)
    );
    let refused = slack
        .deliveries()
        .into_iter()
        .filter(|delivery| delivery.status != Some(200));
    assert_eq!(refused.count(), 0);
    assert_eq!(slack.connections(), 0);
}

#[test]
fn a_bot_that_listens_counts_as_connected() {
    let slack = workspace();
    let mut bot = listen(&slack, free_address(), "");
    let health = bot.health();
    bot.until("the metric", |_| {
        let metrics = exchange(health, "GET /metrics", &[], "").ok()?.body;
        metrics.contains("\nmyao_connected 1\n").then_some(())
    });
    bot.stop();
}

#[test]
fn a_channel_that_slack_did_not_know_waits_for_an_hour_at_most_and_shows() {
    let slack = workspace();
    let unknown = Fault::Error("channel_not_found");
    slack.faults().next("conversations.members", unknown);
    let mut bot = listen(&slack, free_address(), "");
    let health = bot.health();
    let wait = bot.until("a wait in /ready", |_| {
        let ready = exchange(health, "GET /ready", &[], "").ok()?.json();
        let waits = ready["waits"].as_array()?;
        waits
            .iter()
            .find(|wait| wait["kind"] == "audience")
            .cloned()
    });
    assert_eq!(wait["what"], format!("asking who reads {CAMP}"));
    let until = DateTime::parse_from_rfc3339(wait["until"].as_str().unwrap()).unwrap();
    let left = until.timestamp() - i64::try_from(now()).unwrap();
    assert!((3480..=3600).contains(&left), "{wait}");
    let metrics = exchange(health, "GET /metrics", &[], "").unwrap().body;
    let sample = "myao_waits{kind=\"audience\",name=\"\"} 1\n";
    assert!(metrics.contains(sample), "{metrics}");
    bot.stop();
}

#[test]
fn a_command_over_http_is_answered() {
    let (slack, address) = (workspace(), free_address());
    let bot = listen(&slack, address, "");
    subscribe(&slack, address, SECRET).unwrap();
    let answer = block_on(slack.slash_command(AKARI, CAMP, "/memory", "ヘルプ"));
    bot.stop();
    let payload = answer.payload.unwrap();
    assert_eq!(payload["response_type"], "ephemeral", "{payload}");
    assert!(payload.to_string().contains("/memory 履歴"), "{payload}");
}

#[test]
fn odd_events_over_http_stop_no_other_event() {
    let (slack, address) = (workspace(), free_address());
    let mut bot = listen(&slack, address, "");
    subscribe(&slack, address, SECRET).unwrap();
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    slack.faults().rewrite("\"HALF-A-PAIR\"", r#""\ud83d""#);
    slack.faults().rewrite("\"DEEP\"", &deep);
    for text in ["one", "HALF-A-PAIR", "DEEP", "two"] {
        slack.post(AKARI, CAMP, text, None);
    }
    bot.messages(CAMP, 2);
    bot.until("every event acknowledged", |_| {
        slack.is_settled().then_some(())
    });
    let program = bot.stop();
    let texts: Vec<_> = said(&program, CAMP)
        .into_iter()
        .map(|message| message.text)
        .collect();
    assert_eq!(texts, ["one", "two"]);
}

#[test]
fn events_and_commands_of_another_workspace_or_app_are_refused() {
    let (slack, address) = (workspace(), free_address());
    let mut bot = listen(&slack, address, "");
    subscribe(&slack, address, SECRET).unwrap();
    slack.post(AKARI, CAMP, "会場は箱根です。", None);
    bot.messages(CAMP, 1);
    let event = slack.events().remove(0).payload.to_string();
    let signed = |content_type: &str, body: &str| {
        let timestamp = now();
        let request = Signed {
            content_type,
            timestamp,
            signature: &sign(SECRET, timestamp, body),
            body,
        };
        send(address, PATH, &request)
    };
    for (from, to) in [(TEAM_ID, "T9OTHER"), (APP_ID, "A9OTHER")] {
        let body = event.replace("Ev000000000", to).replace(from, to);
        // Slack would send again what is not acknowledged.
        assert_eq!(signed("application/json", &body).status, 200);
    }
    let command =
        "command=%2Fmemory&text=&user_id=U1&channel_id=C0CAMP&team_id=T9OTHER&trigger_id=1.2";
    let answer = signed("application/x-www-form-urlencoded", command);
    assert!(answer.body.contains("another workspace"), "{}", answer.body);
    // In a channel that workspaces share, others speak too.
    let shared = event
        .replace("Ev000000000", "Ev9SHARED")
        .replacen(TEAM_ID, "T9OTHER", 1)
        .replace("箱根", "熱海");
    let key = slack.world().channels[CAMP]
        .messages
        .keys()
        .next()
        .unwrap()
        .to_string();
    let shared = shared.replace(&key, &format!("{}.000100", now()));
    assert_eq!(signed("application/json", &shared).status, 200);
    bot.messages(CAMP, 2);
    let health = bot.health();
    let metrics = exchange(health, "GET /metrics", &[], "").unwrap().body;
    assert!(
        metrics.contains("myao_deliveries_total{kind=\"foreign\"} 3\n"),
        "{metrics}"
    );
    let program = bot.stop();
    assert_eq!(number(&program, "SELECT COUNT(*) FROM events"), 2);
}

#[test]
fn requests_with_wrong_signatures_are_refused_and_change_nothing() {
    let (slack, address) = (workspace(), free_address());
    let mut bot = listen(&slack, address, "");
    let refused = subscribe(&slack, address, "another-secret").unwrap_err();
    assert!(refused.contains("401"), "{refused}");
    subscribe(&slack, address, SECRET).unwrap();
    slack.post(AKARI, CAMP, "会場は箱根です。", None);
    bot.messages(CAMP, 1);
    // The same as before but for its id, as somebody would send it who has no secret.
    let event = slack.events().remove(0).payload.to_string();
    let body = event
        .replace("Ev000000000", "Ev999999999")
        .replace("箱根", "熱海");
    assert_ne!(body, event);
    for (timestamp, signature) in [
        (now(), ""),
        (now(), "v0=00"),
        (now(), &*format!("v0={}", "0".repeat(64))),
        (now() - 3600, &*format!("v0={}", "0".repeat(64))),
    ] {
        for content_type in ["application/json", "application/x-www-form-urlencoded"] {
            let request = Signed {
                content_type,
                timestamp,
                signature,
                body: &body,
            };
            assert_eq!(send(address, PATH, &request).status, 401, "{signature}");
        }
    }
    slack.post(EMIKO, CAMP, "予算は？", None);
    bot.messages(CAMP, 2);
    let metrics = exchange(bot.health(), "GET /metrics", &[], "").unwrap();
    let refused = "myao_deliveries_total{kind=\"unsigned\"} 9\n";
    assert!(metrics.body.contains(refused), "{}", metrics.body);
    let told = bot.program().run(&["doctor"]).stdout;
    let words = "9 deliveries were refused, as they are not signed by Slack";
    assert!(told.contains(words), "{told}");
    let program = bot.stop();
    let texts: Vec<_> = said(&program, CAMP)
        .into_iter()
        .map(|message| message.text)
        .collect();
    assert_eq!(texts, ["会場は箱根です。", "予算は？"]);
    assert_eq!(number(&program, "SELECT COUNT(*) FROM events"), 2);
}
