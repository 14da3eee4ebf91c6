#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;
use crate::installation::Addressee;
use crate::testing::{MemoryInbox, sign};

const NOW: u64 = 1_700_000_000;

fn secret() -> Token {
    Token::new("signing-secret").unwrap()
}

/// The router on loopback, its inbox, and a client.
struct Bot {
    address: String,
    inbox: Arc<MemoryInbox>,
    http: reqwest::Client,
}

impl Bot {
    async fn start(inbox: MemoryInbox) -> Self {
        let inbox = Arc::new(inbox);
        let router = router(inbox.clone(), secret(), || NOW);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}{PATH}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            inbox,
            http: reqwest::Client::new(),
        }
    }

    /// All requests go to one address; the content type tells a form from an event.
    fn request(&self, kind: &str, body: &str) -> reqwest::RequestBuilder {
        let content_type = match kind {
            "event" => "application/json",
            _ => "application/x-www-form-urlencoded",
        };
        self.http
            .post(&self.address)
            .header("content-type", content_type)
            .body(body.to_owned())
    }

    /// A genuine request: the status and text of the answer.
    async fn send(&self, kind: &str, body: &str) -> (u16, String) {
        let request = self
            .request(kind, body)
            .header("x-slack-request-timestamp", NOW)
            .header("x-slack-signature", sign(&secret(), NOW, body));
        response(request).await
    }
}

async fn response(request: reqwest::RequestBuilder) -> (u16, String) {
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn an_event_is_kept_as_it_came_and_then_answered() {
    let bot = Bot::start(MemoryInbox::default()).await;
    let body =
        r#"{ "type":"event_callback", "event_id":"Ev1", "event":{"ts":"1.10", "big": 1e400} }"#;
    let body = body.replace("1e400", "12345678901234567890123");
    assert_eq!(bot.send("event", &body).await, (200, String::new()));
    let expected = Delivery {
        id: "Ev1".to_owned(),
        kind: DeliveryKind::Events,
        time: None,
        payload: body,
        addressee: Addressee::default(),
    };
    assert_eq!(bot.inbox.kept(), [expected]);
}

#[tokio::test]
async fn an_event_with_half_a_surrogate_pair_or_a_deep_nesting_is_kept_as_it_came() {
    let bot = Bot::start(MemoryInbox::default()).await;
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for odd in [r#""\ud83d""#, &deep] {
        let body = format!(r#"{{"type":"event_callback","event":{{"text":{odd}}}}}"#);
        assert_eq!(bot.send("event", &body).await.0, 200);
        assert_eq!(bot.inbox.kept().last().unwrap().payload, body);
    }
}

#[tokio::test]
async fn what_the_inbox_did_not_keep_is_not_acknowledged() {
    let bot = Bot::start(MemoryInbox::failing(1)).await;
    let body = r#"{"type":"event_callback","event_id":"Ev1"}"#;
    assert_eq!(bot.send("event", body).await.0, 503);
    assert_eq!(bot.inbox.kept(), []);
    assert_eq!(bot.send("event", body).await.0, 200, "Slack sends it again");
    assert_eq!(bot.inbox.kept().len(), 1);
}

#[tokio::test]
async fn the_answer_comes_after_the_inbox_and_not_before() {
    let bot = Bot::start(MemoryInbox::holding()).await;
    let send = bot.send("event", r#"{"event_id":"Ev1"}"#);
    let release = async {
        bot.inbox.asked().await;
        bot.inbox.release(1);
    };
    let (answer, ()) = tokio::join!(send, release);
    assert_eq!((answer.0, bot.inbox.kept().len()), (200, 1));
}

#[tokio::test]
async fn what_slack_did_not_sign_reaches_no_inbox() {
    let bot = Bot::start(MemoryInbox::default()).await;
    let body = r#"{"type":"url_verification","challenge":"c"}"#;
    let genuine = sign(&secret(), NOW, body);
    let old = sign(&secret(), NOW - 301, body);
    let forged = sign(&Token::new("another-secret").unwrap(), NOW, body);
    for kind in ["event", "form"] {
        let unsigned = bot.request(kind, body);
        assert_eq!(
            response(unsigned).await,
            (401, "not signed by Slack".to_owned())
        );
        for (time, signature) in [(NOW, &forged), (NOW - 301, &old), (NOW - 1, &genuine)] {
            let request = bot
                .request(kind, body)
                .header("x-slack-request-timestamp", time)
                .header("x-slack-signature", signature);
            assert_eq!(response(request).await.0, 401);
        }
    }
    assert_eq!(bot.inbox.kept(), []);
}

#[tokio::test]
async fn the_challenge_is_answered_and_not_kept() {
    let bot = Bot::start(MemoryInbox::default()).await;
    let answer = bot
        .send("event", r#"{"type":"url_verification","challenge":"abc"}"#)
        .await;
    assert_eq!(answer, (200, r#"{"challenge":"abc"}"#.to_owned()));
    assert_eq!(bot.inbox.kept(), []);
}

#[tokio::test]
async fn a_command_comes_as_socket_mode_gives_it_and_is_answered() {
    let reply = json!({"text": "これを覚えています"});
    let bot = Bot::start(MemoryInbox::answering(reply.clone())).await;
    let form = "command=%2Fmemory&text=a+b&user_id=U1&is_enterprise_install=false&trigger_id=1.2.3";
    let (status, text) = bot.send("form", form).await;
    assert_eq!(
        (status, serde_json::from_str::<Value>(&text).unwrap()),
        (200, reply)
    );
    let kept = bot.inbox.kept();
    assert_eq!(
        (kept[0].id.as_str(), kept[0].kind),
        ("1.2.3", DeliveryKind::SlashCommand)
    );
    assert_eq!(
        serde_json::from_str::<Value>(&kept[0].payload).unwrap(),
        json!({"command": "/memory", "text": "a b", "user_id": "U1", "is_enterprise_install": "false", "trigger_id": "1.2.3"})
    );
    assert_eq!(
        bot.send("form", "ssl_check=1&token=x").await,
        (200, String::new())
    );
    assert_eq!(bot.inbox.kept().len(), 1);
}

#[tokio::test]
async fn a_click_is_taken_out_of_its_form() {
    let bot = Bot::start(MemoryInbox::default()).await;
    let form = "payload=%7B%22type%22%3A+%22block_actions%22%2C%22trigger_id%22%3A%229.9%22%7D";
    assert_eq!(bot.send("form", form).await.0, 200);
    let kept = bot.inbox.kept();
    assert_eq!(
        kept[0].payload,
        r#"{"type": "block_actions","trigger_id":"9.9"}"#
    );
    assert_eq!(
        (kept[0].id.as_str(), kept[0].kind),
        ("9.9", DeliveryKind::Interactive)
    );
}

#[tokio::test]
async fn what_has_no_id_is_known_by_its_content() {
    let bot = Bot::start(MemoryInbox::default()).await;
    for minute in [1, 1, 2] {
        let body = format!(r#"{{"type":"app_rate_limited","minute_rate_limited":{minute}}}"#);
        assert_eq!(bot.send("event", &body).await.0, 200);
    }
    let ids: Vec<_> = bot
        .inbox
        .kept()
        .into_iter()
        .map(|delivery| delivery.id)
        .collect();
    assert!(ids[0] == ids[1] && ids[1] != ids[2], "{ids:?}");
}

#[tokio::test]
async fn what_cannot_be_read_or_is_too_long_is_refused() {
    let bot = Bot::start(MemoryInbox::default()).await;
    for (path, body) in [
        ("event", "{"),
        ("event", "[]"),
        ("form", "payload=%7B"),
        ("form", "other=1"),
        ("form", "text=%ff"),
    ] {
        assert_eq!(bot.send(path, body).await.0, 400, "{path} {body}");
    }
    let longest = format!(
        r#"{{"event_id":"Ev1","text":"{}"}}"#,
        "a".repeat((1 << 20) - 28)
    );
    assert_eq!(longest.len(), 1 << 20);
    assert_eq!(bot.send("event", &longest).await.0, 200);
    assert_eq!(bot.send("event", &format!("{longest} ")).await.0, 413);
    assert_eq!(bot.inbox.kept().len(), 1);
}
