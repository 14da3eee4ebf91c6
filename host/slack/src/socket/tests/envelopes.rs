use super::*;
use crate::socket::connection::MAX_IN_FLIGHT;

#[tokio::test(start_paused = true)]
async fn an_event_is_acknowledged_only_after_it_is_kept() {
    let mut bot = Bot::start(MemoryInbox::holding());
    let mut server = bot.connected().await;
    server.event("e1").await;
    bot.inbox.asked().await;
    server.hears_nothing_for(60).await;
    bot.inbox.release(1);
    assert_eq!(
        server.acknowledgement().await,
        Some(json!({"envelope_id": "e1"}))
    );
    assert_eq!(bot.kept(), ["Ev-e1"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_was_not_kept_is_not_acknowledged_and_stops_nothing() {
    let mut bot = Bot::start(MemoryInbox::failing(1));
    let mut server = bot.connected().await;
    server.event("e1").await;
    server.hears_nothing_for(60).await;
    server.serves("e2").await;
    server.serves("e1").await;
    assert_eq!(bot.kept(), ["Ev-e2", "Ev-e1"]);
}

#[tokio::test(start_paused = true)]
async fn a_command_is_answered_with_its_acknowledgement() {
    let mut bot = Bot::start(MemoryInbox::answering(json!({"text": "記憶"})));
    let mut server = bot.connected().await;
    let payload = json!({"command": "/memory", "trigger_id": "1.2"});
    let command = json!({"type": "slash_commands", "envelope_id": "e1", "payload": payload, "accepts_response_payload": true});
    server.send(command).await;
    let answer = json!({"envelope_id": "e1", "payload": {"text": "記憶"}});
    assert_eq!(server.acknowledgement().await, Some(answer));
    assert_eq!(bot.kept(), ["1.2"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_unknown_is_acknowledged_and_what_cannot_be_read_is_passed_over() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut server = bot.connected().await;
    server
        .send(json!({"type": "brand_new", "envelope_id": "e1", "payload": {}}))
        .await;
    assert_eq!(
        server.acknowledgement().await,
        Some(json!({"envelope_id": "e1"}))
    );
    for text in ["", "{", "[]", r#"{"type": 1}"#] {
        server.socket.send(Message::text(text)).await.unwrap();
    }
    server
        .socket
        .send(Message::binary(vec![0, 255]))
        .await
        .unwrap();
    server.serves("e2").await;
    assert_eq!(bot.kept(), ["Ev-e2"]);
}

#[tokio::test(start_paused = true)]
async fn many_events_are_with_the_inbox_at_once_but_not_all() {
    let mut bot = Bot::start(MemoryInbox::holding());
    let mut server = bot.connected().await;
    for number in 0..MAX_IN_FLIGHT + 10 {
        server.event(&number.to_string()).await;
    }
    bot.inbox.asked_times(MAX_IN_FLIGHT).await;
    server.hears_nothing_for(120).await;
    assert_eq!(bot.inbox.times_asked(), MAX_IN_FLIGHT);
    bot.inbox.release(1);
    bot.inbox.asked_times(MAX_IN_FLIGHT + 1).await;
    bot.inbox.release(MAX_IN_FLIGHT + 10);
    for _ in 0..MAX_IN_FLIGHT + 10 {
        server.acknowledgement().await.unwrap();
    }
    server.serves("after").await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_inbox_is_no_dead_connection() {
    let mut bot = Bot::start(MemoryInbox::holding());
    let mut server = bot.connected().await;
    for number in 0..MAX_IN_FLIGHT {
        server.event(&number.to_string()).await;
    }
    bot.inbox.asked_times(MAX_IN_FLIGHT).await;
    server.hears_nothing_for(120).await;
    bot.inbox.release(1);
    server.acknowledgement().await.unwrap();
    server.hears_nothing_for(120).await;
    bot.inbox.release(1);
    server.acknowledgement().await.unwrap();
    assert_eq!(bot.established(), [Established::First]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_reads_no_more_but_acknowledges_what_is_kept() {
    let mut bot = Bot::start(MemoryInbox::holding());
    let mut server = bot.connected().await;
    server.event("e1").await;
    bot.inbox.asked().await;
    bot.stop.send(true).unwrap();
    server.hears_nothing_for(1).await;
    server.event("e2").await;
    bot.inbox.release(2);
    assert_eq!(
        server.acknowledgement().await,
        Some(json!({"envelope_id": "e1"}))
    );
    assert_eq!(server.acknowledgement().await, None, "then it closes");
    assert_eq!(bot.running.await.unwrap(), Ok(()));
    assert_eq!(bot.inbox.times_asked(), 1);
    assert!(
        matches!(&*bot.state.borrow(), ConnectionState::Disconnected { reason, .. } if reason == "stopped")
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_ever() {
    let mut bot = Bot::start(MemoryInbox::holding());
    let mut server = bot.connected().await;
    server.event("e1").await;
    bot.inbox.asked().await;
    let start = Instant::now();
    drop(bot.stop);
    assert_eq!(bot.running.await.unwrap(), Ok(()));
    assert_eq!(
        start.elapsed().as_secs(),
        11,
        "10 s for the inbox, 1 s for a goodbye"
    );
}
