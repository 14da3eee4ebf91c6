//! The client, Socket Mode and signed events against a server that was written apart from them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, BOT_USER, Disconnect, FakeSlack, Fault, StormPlan};
use myao_slack::{
    client::{HistoryRequest, Metadata, PostMessage, SlackClient},
    delivery::{Delivery, Inbox, InboxError},
    error::{ClientError, RefusalKind},
    http::router,
    socket::{Established, SocketMode},
    token::Token,
};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};

/// Keeps every delivery by its id.
#[derive(Default)]
struct MapInbox(Mutex<BTreeMap<String, Value>>);

impl MapInbox {
    fn kept(&self) -> BTreeMap<String, Value> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl Inbox for MapInbox {
    async fn accept(&self, delivery: Delivery) -> Result<Option<Value>, InboxError> {
        let payload = serde_json::from_str(&delivery.payload).map_err(InboxError::new)?;
        self.0.lock().unwrap().insert(delivery.id, payload);
        Ok(Some(json!({"text": "kept"})))
    }
}

/// A bot that listens through Socket Mode.
struct Listener {
    inbox: Arc<MapInbox>,
    established: watch::Receiver<Vec<Established>>,
    stop: watch::Sender<bool>,
    running: JoinHandle<Result<(), ClientError>>,
}

impl Listener {
    async fn start(slack: &FakeSlack) -> Self {
        let inbox = Arc::new(MapInbox::default());
        let (log, established) = watch::channel(Vec::new());
        let socket_mode =
            SocketMode::new(client(slack), Token::new(APP_TOKEN).unwrap(), inbox.clone())
                .on_established(move |how| log.send_modify(|all: &mut Vec<_>| all.push(how)));
        let (stop, shutdown) = watch::channel(false);
        let running = tokio::spawn(socket_mode.run(shutdown));
        slack.wait_connected().await;
        Self {
            inbox,
            established,
            stop,
            running,
        }
    }

    async fn stop(self) {
        self.stop.send(true).unwrap();
        assert_eq!(self.running.await.unwrap(), Ok(()));
    }
}

fn client(slack: &FakeSlack) -> SlackClient {
    SlackClient::new(&slack.api_url(), Token::new(BOT_TOKEN).unwrap()).unwrap()
}

/// The payloads of all events so far, by id.
fn sent(slack: &FakeSlack) -> BTreeMap<String, Value> {
    let events = slack.events().into_iter();
    events
        .map(|event| (event.event_id, event.payload))
        .collect()
}

fn message(text: &str) -> PostMessage {
    PostMessage {
        channel: "C1".to_owned(),
        text: text.to_owned(),
        ..PostMessage::default()
    }
}

#[tokio::test]
async fn everybody_and_every_channel_is_listed_however_small_the_pages_are() {
    let slack = FakeSlack::start().await;
    slack.faults().cap_pages(3);
    for number in 0..10 {
        slack.add_user(&format!("U{number}"), &format!("user-{number}"));
        slack.add_channel(&format!("C{number}"), &format!("channel-{number}"));
    }
    slack.archive_channel("C4");
    let client = client(&slack);
    let auth = client.auth_test().await.unwrap();
    assert_eq!(auth.user_id, BOT_USER);
    assert!(auth.scopes.unwrap().contains(&"chat:write".to_owned()));
    let channels = client.channels().await.unwrap();
    assert_eq!(channels.len(), 10);
    let archived = channels
        .iter()
        .filter(|channel| channel.is_archived == Some(true));
    assert_eq!(
        archived
            .map(|channel| channel.id.as_str())
            .collect::<Vec<_>>(),
        ["C4"]
    );
    let world = slack.world();
    assert_eq!(client.users().await.unwrap().len(), world.users.len());
    let user = client.user_info("U7").await.unwrap();
    assert_eq!(user.record().name, "user-7");
    assert_eq!(
        client.channel_info("C7").await.unwrap().name.as_deref(),
        Some("channel-7")
    );
    let error = client.channel_info("C99").await.unwrap_err();
    assert_eq!(error.refusal(), Some(RefusalKind::NotFound), "{error}");
}

#[tokio::test]
async fn a_post_whose_answer_is_lost_stands_once_and_is_found_by_its_metadata() {
    let slack = FakeSlack::start().await;
    slack.add_channel("C1", "general");
    slack.faults().next("chat.postMessage", Fault::LoseAnswer);
    let client = client(&slack);
    let metadata = Metadata {
        event_type: "answer".to_owned(),
        event_payload: json!({"part": 1}),
    };
    let post = PostMessage {
        metadata: Some(metadata),
        ..message("*once*")
    };
    let error = client.post_message(&post).await.unwrap_err();
    assert!(error.may_have_arrived(), "{error}");
    assert_eq!(slack.posts().len(), 1);
    let request = HistoryRequest {
        channel: "C1".to_owned(),
        ..HistoryRequest::default()
    };
    let page = client.history(&request).await.unwrap();
    assert_eq!(
        page.messages[0]["metadata"]["event_payload"],
        json!({"part": 1})
    );
    assert_eq!(page.messages[0]["ts"], json!(slack.posts()[0].ts));
    assert!(!page.has_more);
}

#[tokio::test]
async fn limits_and_hang_ups_lose_no_post_and_double_none() {
    let slack = FakeSlack::start().await;
    slack.add_channel("C1", "general");
    slack.add_user("U1", "ann");
    let client = client(&slack);
    slack
        .faults()
        .next("chat.postMessage", Fault::RateLimited(0));
    let ts = client.post_message(&message("one")).await.unwrap();
    slack.faults().next("chat.postMessage", Fault::HangUp);
    assert!(client.post_message(&message("two")).await.is_err());
    slack.faults().next("users.info", Fault::HangUp);
    client.user_info("U1").await.unwrap();
    let posts: Vec<_> = slack.posts().into_iter().map(|post| post.ts).collect();
    assert_eq!(posts, [ts]);
    slack.remove_scope("chat:write");
    let error = client.post_message(&message("three")).await.unwrap_err();
    assert!(error.to_string().contains("`chat:write`"), "{error}");
}

#[tokio::test]
async fn every_event_of_a_storm_arrives_through_dropped_and_renewed_sockets() {
    let slack = FakeSlack::start().await;
    slack.keep_while_away(true);
    let listener = Listener::start(&slack).await;
    let plan = StormPlan {
        events: 600,
        per_second: 2_000,
        duplicates_ratio: 0.1,
        reorder_window: 5,
        drops_at: vec![200, 500],
        ..StormPlan::default()
    };
    slack.storm(&plan).await;
    slack.faults().disconnect(Disconnect::RefreshRequested);
    slack.wait_connected().await;
    slack.storm_clean(&StormPlan { seed: 2, ..plan }).await;
    assert_eq!(listener.inbox.kept(), sent(&slack));
    let established = listener.established.borrow().clone();
    assert_eq!(established[0], Established::First);
    assert!(established.len() >= 3, "{established:?}");
    listener.stop().await;
}

#[tokio::test]
async fn a_warned_socket_is_replaced_without_a_gap() {
    let slack = FakeSlack::start().await;
    let mut listener = Listener::start(&slack).await;
    slack.faults().disconnect(Disconnect::Warning);
    let renewed = listener.established.wait_for(|all| all.len() == 2).await;
    assert_eq!(
        *renewed.unwrap(),
        [Established::First, Established::Seamless]
    );
    slack.storm_clean(&StormPlan::default()).await;
    assert_eq!(listener.inbox.kept(), sent(&slack));
    slack.faults().disconnect(Disconnect::LinkDisabled);
    assert_eq!(
        listener.running.await.unwrap(),
        Err(ClientError::LinkDisabled)
    );
}

#[tokio::test]
async fn a_command_is_answered_with_its_acknowledgement() {
    let slack = FakeSlack::start().await;
    slack.add_channel("C1", "general");
    slack.add_user("U1", "ann");
    let listener = Listener::start(&slack).await;
    let answer = slack.slash_command("U1", "C1", "/memory", "history").await;
    assert_eq!(answer.payload, Some(json!({"text": "kept"})));
    let payload = listener.inbox.kept().into_values().next().unwrap();
    assert_eq!(
        (&payload["command"], &payload["text"]),
        (&json!("/memory"), &json!("history"))
    );
    listener.stop().await;
}

#[tokio::test]
async fn signed_events_arrive_over_http() {
    let slack = FakeSlack::start().await;
    let inbox = Arc::new(MapInbox::default());
    let now = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let router = router(inbox.clone(), Token::new("signing-secret").unwrap(), now);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/slack/events", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    assert!(slack.send_events_to(&url, "another-secret").await.is_err());
    slack.send_events_to(&url, "signing-secret").await.unwrap();
    slack.storm_clean(&StormPlan::default()).await;
    assert_eq!(inbox.kept(), sent(&slack));
}
