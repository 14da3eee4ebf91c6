//! The events of what people do.

use myao_fake_slack::BOT_USER;
use serde_json::{Value, json};

use crate::support::{ALICE, BOB, GENERAL, Socket, call, workspace};

/// The given fields of an event.
fn pick(event: &Value, keys: &[&str]) -> Value {
    keys.iter()
        .map(|key| event.pointer(key).cloned().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn a_message_comes_in_an_event_callback() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    let ts = slack.post(ALICE, GENERAL, "hello", None);
    let envelope = socket.envelope().await;
    assert_eq!(envelope["type"], "events_api");
    assert_eq!(
        (&envelope["retry_attempt"], &envelope["retry_reason"]),
        (&json!(0), &json!(""))
    );
    let payload = &envelope["payload"];
    assert_eq!(payload["type"], "event_callback");
    assert_eq!(
        pick(payload, &["/team_id", "/api_app_id"]),
        json!(["T0TEAM0001", "A0APP00001"])
    );
    assert!(payload["event_id"].as_str().unwrap().starts_with("Ev"));
    let expected = json!(["message", ALICE, "hello", ts, GENERAL, "channel", ts, null]);
    let keys = [
        "/type",
        "/user",
        "/text",
        "/ts",
        "/channel",
        "/channel_type",
        "/event_ts",
        "/subtype",
    ];
    assert_eq!(pick(&payload["event"], &keys), expected);
}

#[tokio::test]
async fn a_mention_comes_as_a_message_and_as_an_app_mention() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    let parent = slack.post(BOB, GENERAL, "parent", None);
    let ts = slack.mention(ALICE, GENERAL, "are you there?", Some(&parent));
    socket.event().await;
    let (message, mention) = (socket.event().await, socket.event().await);
    assert_eq!(pick(&message, &["/type", "/ts"]), json!(["message", ts]));
    let expected = json!([
        "app_mention",
        ts,
        parent,
        format!("<@{BOT_USER}> are you there?"),
        GENERAL
    ]);
    assert_eq!(
        pick(
            &mention,
            &["/type", "/ts", "/thread_ts", "/text", "/channel"]
        ),
        expected
    );
    assert_eq!(mention.get("channel_type"), None);
}

#[tokio::test]
async fn the_subtypes_of_messages_look_as_slacks() {
    let slack = workspace().await;
    slack.add_bot("U0OTHER001", "Other");
    let mut socket = Socket::open(&slack).await;
    let parent = slack.post(ALICE, GENERAL, "parent", None);
    slack.broadcast(BOB, GENERAL, "broadcast", &parent);
    slack.share_file(BOB, GENERAL, "see", "plan.pdf", None);
    slack.me(BOB, GENERAL, "waves");
    slack.post_as_integration("Build", GENERAL, "green", None);
    slack.post_as_app("U0OTHER001", GENERAL, "beep", None);
    socket.event().await;
    let keys = [
        "/subtype",
        "/user",
        "/bot_id",
        "/username",
        "/files/0/name",
        "/root/ts",
    ];
    let expected = [
        json!(["thread_broadcast", BOB, null, null, null, parent]),
        json!(["file_share", BOB, null, null, "plan.pdf", null]),
        json!(["me_message", BOB, null, null, null, null]),
        json!(["bot_message", null, "B0INTEGR01", "Build", null, null]),
        json!([null, "U0OTHER001", "B0OTHER001", null, null, null]),
    ];
    for expected in expected {
        assert_eq!(pick(&socket.event().await, &keys), expected);
    }
}

#[tokio::test]
async fn an_edit_shows_the_message_before_and_after() {
    let slack = workspace().await;
    let ts = slack.post(ALICE, GENERAL, "helo", None);
    let mut socket = Socket::open(&slack).await;
    slack.edit(GENERAL, &ts, "hello");
    let event = socket.event().await;
    let keys = [
        "/subtype",
        "/hidden",
        "/message/text",
        "/message/ts",
        "/previous_message/text",
        "/channel",
    ];
    assert_eq!(
        pick(&event, &keys),
        json!(["message_changed", true, "hello", ts, "helo", GENERAL])
    );
    assert_eq!(event["message"]["edited"]["user"], ALICE);
    assert_ne!(event["event_ts"], ts.as_str());
    assert_eq!(
        slack.world().channels[GENERAL]
            .messages
            .values()
            .next()
            .unwrap()
            .text,
        "hello"
    );
}

#[tokio::test]
async fn a_deleted_reply_is_gone() {
    let slack = workspace().await;
    let parent = slack.post(ALICE, GENERAL, "parent", None);
    let reply = slack.post(BOB, GENERAL, "reply", Some(&parent));
    let mut socket = Socket::open(&slack).await;
    slack.delete(GENERAL, &reply);
    let keys = [
        "/subtype",
        "/deleted_ts",
        "/previous_message/text",
        "/previous_message/thread_ts",
    ];
    assert_eq!(
        pick(&socket.event().await, &keys),
        json!(["message_deleted", reply, "reply", parent])
    );
    assert_eq!(slack.world().channels[GENERAL].messages.len(), 1);
}

#[tokio::test]
async fn a_deleted_parent_is_a_tombstone_until_its_last_reply_goes() {
    let slack = workspace().await;
    let parent = slack.post(ALICE, GENERAL, "parent", None);
    let reply = slack.post(BOB, GENERAL, "reply", Some(&parent));
    let mut socket = Socket::open(&slack).await;
    slack.delete(GENERAL, &parent);
    let keys = [
        "/subtype",
        "/message/subtype",
        "/message/user",
        "/message/ts",
        "/previous_message/text",
    ];
    let expected = json!([
        "message_changed",
        "tombstone",
        "USLACKBOT",
        parent,
        "parent"
    ]);
    assert_eq!(pick(&socket.event().await, &keys), expected);
    slack.delete(GENERAL, &reply);
    let keys = ["/subtype", "/deleted_ts", "/previous_message/subtype"];
    assert_eq!(
        pick(&socket.event().await, &keys),
        json!(["message_deleted", reply, null])
    );
    assert_eq!(
        pick(&socket.event().await, &keys),
        json!(["message_deleted", parent, "tombstone"])
    );
    assert!(slack.world().channels[GENERAL].messages.is_empty());
}

#[tokio::test]
async fn the_bots_own_post_comes_back() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    let metadata = json!({ "event_type": "answered", "event_payload": { "part": 1 } });
    let post = json!({ "channel": GENERAL, "text": "hi", "metadata": metadata });
    let answer = call(&slack, "chat.postMessage", post.clone()).await;
    let keys = [
        "/type",
        "/subtype",
        "/user",
        "/bot_id",
        "/app_id",
        "/ts",
        "/metadata",
    ];
    let of_bot = |metadata: Value| {
        json!([
            "message",
            null,
            BOT_USER,
            "B0BOT00001",
            "A0APP00001",
            answer["ts"],
            metadata
        ])
    };
    assert_eq!(
        pick(&socket.event().await, &keys),
        of_bot(json!({ "event_type": "answered" }))
    );
    slack.subscribe_to_metadata("answered");
    call(&slack, "chat.postMessage", post).await;
    assert_eq!(socket.event().await["metadata"], metadata);
}

#[tokio::test]
async fn the_bot_hears_nothing_of_channels_that_it_is_not_in() {
    let slack = workspace().await;
    slack.add_channel_without_bot("C0ELSE0001", "elsewhere");
    let mut socket = Socket::open(&slack).await;
    slack.mention(ALICE, "C0ELSE0001", "hello?", None);
    slack.join(BOT_USER, "C0ELSE0001");
    slack.leave(BOT_USER, "C0ELSE0001");
    slack.post(ALICE, "C0ELSE0001", "gone", None);
    slack.post(ALICE, GENERAL, "end", None);
    let mut seen = Vec::new();
    while seen.last() != Some(&json!(["message", null])) {
        seen.push(pick(&socket.event().await, &["/type", "/subtype"]));
    }
    let expected = json!([
        ["member_joined_channel", null],
        ["message", "channel_join"],
        ["member_left_channel", null],
        ["channel_left", null],
        ["message", null],
    ]);
    assert_eq!(Value::from(seen), expected);
}

#[tokio::test]
async fn a_direct_message_is_no_mention() {
    let slack = workspace().await;
    slack.add_direct_channel("D0ALICE001", ALICE);
    let mut socket = Socket::open(&slack).await;
    slack.mention(ALICE, "D0ALICE001", "hello", None);
    slack.post(ALICE, GENERAL, "end", None);
    let keys = ["/type", "/channel_type"];
    assert_eq!(pick(&socket.event().await, &keys), json!(["message", "im"]));
    assert_eq!(
        pick(&socket.event().await, &keys),
        json!(["message", "channel"])
    );
}

#[tokio::test]
async fn changes_of_channels_and_people_are_told() {
    let slack = workspace().await;
    slack.add_private_channel("C0SECRET01", "secret");
    let ts = slack.post(ALICE, GENERAL, "hello", None);
    let mut socket = Socket::open(&slack).await;
    slack.create_user("U0CAROL001", "Carol");
    slack.rename_user(BOB, "Robert");
    slack.create_channel("C0NEW00001", "new", ALICE);
    slack.rename_channel("C0NEW00001", "newer");
    slack.rename_channel("C0SECRET01", "hidden");
    slack.archive_channel("C0NEW00001");
    slack.unarchive_channel("C0NEW00001");
    slack.delete_channel("C0NEW00001");
    slack.react(BOB, GENERAL, &ts, "eyes");
    slack.open_home(ALICE);
    let keys = [
        "/type",
        "/user/profile/display_name",
        "/channel/name",
        "/item/ts",
        "/tab",
    ];
    let expected = [
        json!(["team_join", "Carol", null, null, null]),
        json!(["user_change", "Robert", null, null, null]),
        json!(["channel_created", null, "new", null, null]),
        json!(["channel_rename", null, "newer", null, null]),
        json!(["group_rename", null, "hidden", null, null]),
        json!(["message", null, null, null, null]),
        json!(["channel_archive", null, null, null, null]),
        json!(["channel_unarchive", null, null, null, null]),
        json!(["channel_deleted", null, null, null, null]),
        json!(["reaction_added", null, null, ts, null]),
        json!(["app_home_opened", null, null, null, "home"]),
    ];
    let mut last = String::new();
    for expected in expected {
        let event = socket.event().await;
        assert_eq!(pick(&event, &keys), expected, "{event}");
        let time = event["event_ts"].as_str().unwrap().to_owned();
        assert!(time > last, "{time} is not later than {last}");
        last = time;
    }
    assert!(!slack.world().channels.contains_key("C0NEW00001"));
}
