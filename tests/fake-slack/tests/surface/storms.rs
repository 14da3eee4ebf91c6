//! Storms.

use std::collections::BTreeSet;

use myao_fake_slack::{EventState, StormPlan};

use crate::support::{ALICE, GENERAL, call, listen, workspace};

fn plan() -> StormPlan {
    StormPlan {
        events: 400,
        per_second: 2000,
        mentions_ratio: 0.05,
        duplicates_ratio: 0.1,
        reorder_window: 8,
        drops_at: vec![100, 300],
        ..StormPlan::default()
    }
}

#[tokio::test]
async fn a_storm_ends_in_the_same_world_as_its_clean_sequence() {
    let (stormy, calm) = (workspace().await, workspace().await);
    let _heard = (listen(&stormy), listen(&calm));
    stormy.keep_while_away(true);
    stormy.wait_connected().await;
    calm.wait_connected().await;
    // The bot's own messages do not count.
    call(
        &stormy,
        "chat.postMessage",
        serde_json::json!({ "channel": GENERAL, "text": "hi" }),
    )
    .await;
    let report = stormy.storm(&plan()).await;
    let clean = calm.storm_clean(&plan()).await;
    // Not `assert_eq`: it would print both worlds.
    assert!(stormy.world().without_bot_posts() == calm.world());
    assert!(
        calm.world()
            .channels
            .values()
            .map(|channel| channel.messages.len())
            .sum::<usize>()
            > 200
    );
    assert_eq!(clean.deliveries, clean.events);
    assert_eq!(report.events, clean.events);
    assert!(report.deliveries > report.events, "{report:?}");
}

#[tokio::test]
async fn every_event_of_a_storm_arrives_and_some_twice_and_out_of_order() {
    let slack = workspace().await;
    slack.keep_while_away(true);
    let heard = listen(&slack);
    slack.wait_connected().await;
    let report = slack.storm(&plan()).await;
    assert!(
        slack
            .events()
            .iter()
            .all(|event| event.state == EventState::Acknowledged)
    );
    let heard = heard.lock().unwrap();
    let ids: Vec<&str> = heard
        .iter()
        .map(|payload| payload["event_id"].as_str().unwrap())
        .collect();
    let distinct: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), report.events);
    assert!(ids.len() > report.events);
    assert!(!ids.is_sorted());
    assert!(report.latencies.len() >= report.events);
}

#[tokio::test]
async fn a_storm_has_everything_in_it() {
    let slack = workspace().await;
    slack.keep_while_away(true);
    let heard = listen(&slack);
    slack.post(ALICE, GENERAL, "before", None);
    slack.storm_clean(&plan()).await;
    let heard = heard.lock().unwrap();
    let kinds: BTreeSet<String> = heard
        .iter()
        .map(|payload| &payload["event"])
        .map(|event| {
            format!(
                "{}/{}",
                event["type"].as_str().unwrap(),
                event["subtype"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let expected = [
        "app_mention/",
        "channel_rename/",
        "message/",
        "message/channel_name",
        "message/message_changed",
        "message/message_deleted",
        "message/thread_broadcast",
        "reaction_added/",
        "user_change/",
    ];
    assert_eq!(
        kinds.iter().map(String::as_str).collect::<Vec<_>>(),
        expected
    );
    let tombstones = heard
        .iter()
        .filter(|payload| payload["event"]["message"]["subtype"] == "tombstone");
    assert!(tombstones.count() > 0);
}
