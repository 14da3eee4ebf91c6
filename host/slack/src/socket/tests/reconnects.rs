use super::*;

fn refused(code: &str) -> ClientError {
    ClientError::Refused {
        method: "apps.connections.open",
        code: code.to_owned(),
        needed: None,
        provided: None,
    }
}

fn down() -> ClientError {
    ClientError::Status {
        method: "apps.connections.open",
        status: 503,
    }
}

/// Returns true if a wait is one of so many seconds, shortened by jitter.
fn is_wait_of(seconds: f64, wait: Duration) -> bool {
    (seconds * 0.75..=seconds + 0.01).contains(&wait.as_secs_f64())
}

#[tokio::test(start_paused = true)]
async fn a_renewed_connection_is_open_before_the_old_one_is_let_go() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut old = bot.connected().await;
    let first = bot.state.borrow_and_update().clone();
    old.disconnect("warning").await;
    let mut new = bot.dialled().await;
    old.serves("before").await;
    assert_eq!(*bot.state.borrow(), first, "the new one is not open yet");
    new.hello().await;
    bot.state.changed().await.unwrap();
    assert!(
        matches!(
            *bot.state.borrow_and_update(),
            ConnectionState::Connected { .. }
        ),
        "no gap"
    );
    new.serves("new").await;
    old.serves("late").await;
    old.disconnect("refresh_requested").await;
    old.hears_nothing_for(10).await;
    assert_eq!(
        timeout(Duration::from_secs(10), old.acknowledgement()).await,
        Ok(None),
        "it is let go at last"
    );
    new.serves("newer").await;
    assert_eq!(
        bot.established(),
        [Established::First, Established::Seamless]
    );
    assert_eq!(bot.dialled.lock().unwrap().len(), 2);
    assert!(!bot.state.has_changed().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_slack_closes_is_replaced_at_once() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut old = bot.connected().await;
    old.disconnect("refresh_requested").await;
    old.socket.close(None).await.unwrap();
    let mut new = bot.connected().await;
    assert_eq!(new.dialled, Duration::ZERO);
    new.serves("e1").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_up_at_once_is_not_called_without_a_pause() {
    let mut bot = Bot::start(MemoryInbox::default());
    for _ in 0..5 {
        let mut server = bot.dialled().await;
        server.hello().await;
        server.socket.close(None).await.unwrap();
        drop(server);
    }
    let dialled = bot.dialled.lock().unwrap().clone();
    assert_eq!(dialled[1], dialled[0]);
    for (wait, pair) in [1.0, 2.0, 4.0].into_iter().zip(dialled[1..].windows(2)) {
        assert!(is_wait_of(wait, pair[1] - pair[0]), "{dialled:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_replaced_and_the_gap_is_told() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut old = bot.connected().await;
    old.hears_nothing_for(100).await;
    drop(old);
    let state = bot
        .reaches(|state| matches!(state, ConnectionState::Disconnected { .. }))
        .await;
    assert!(
        matches!(&state, ConnectionState::Disconnected { reason, .. } if !reason.is_empty()),
        "{state:?}"
    );
    let mut new = bot.dialled().await;
    assert!(
        is_wait_of(0.5, new.dialled - Duration::from_secs(100)),
        "{:?}",
        new.dialled
    );
    tokio::time::sleep(Duration::from_secs(5)).await;
    new.hello().await;
    new.serves("e1").await;
    let gap = match bot.established()[..] {
        [Established::First, Established::AfterGap(gap)] => gap,
        ref other => panic!("{other:?}"),
    };
    assert!(is_wait_of(0.5, gap - Duration::from_secs(5)), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_renewed_too_late_leaves_a_gap() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut old = bot.connected().await;
    old.disconnect("warning").await;
    let mut new = bot.dialled().await;
    drop(old);
    bot.reaches(|state| matches!(state, ConnectionState::Disconnected { .. }))
        .await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    new.hello().await;
    new.serves("e1").await;
    assert_eq!(
        bot.established(),
        [
            Established::First,
            Established::AfterGap(Duration::from_secs(2))
        ]
    );
    assert_eq!(
        bot.dialled.lock().unwrap().len(),
        2,
        "the one under way is enough"
    );
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_sign_of_life_is_given_up_after_thirty_seconds() {
    let mut bot = Bot::start(MemoryInbox::default());
    // Kept open, but nobody reads it: no pongs.
    let _dead = bot.connected().await;
    let state = bot
        .reaches(|state| matches!(state, ConnectionState::Disconnected { .. }))
        .await;
    let ConnectionState::Disconnected { since, reason } = state else {
        panic!("{state:?}");
    };
    assert_eq!(reason, "no sign of life for 30 s");
    assert_eq!(since, Instant::now());
    bot.connected().await.serves("e1").await;
}

#[tokio::test(start_paused = true)]
async fn a_quiet_connection_that_answers_pings_lives_on() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut server = bot.connected().await;
    server.hears_nothing_for(3600).await;
    server.serves("e1").await;
    assert_eq!(bot.established(), [Established::First]);
}

#[tokio::test(start_paused = true)]
async fn slacks_pings_are_answered() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut server = bot.connected().await;
    let ping = Vec::from("Ping from applink");
    server
        .socket
        .send(Message::Ping(ping.clone().into()))
        .await
        .unwrap();
    assert_eq!(
        server.socket.next().await.unwrap().unwrap(),
        Message::Pong(ping.into())
    );
}

#[tokio::test(start_paused = true)]
async fn waits_grow_to_half_a_minute_and_begin_anew_after_a_good_connection() {
    let mut bot = Bot::start_with(MemoryInbox::default(), vec![down(); 9]);
    let state = bot
        .reaches(|state| matches!(state, ConnectionState::Disconnected { .. }))
        .await;
    assert!(
        matches!(&state, ConnectionState::Disconnected { reason, .. } if reason.contains("503")),
        "{state:?}"
    );
    let mut server = bot.connected().await;
    let dialled = bot.dialled.lock().unwrap().clone();
    assert_eq!(dialled.len(), 10);
    let waits = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0];
    for (wait, pair) in waits.into_iter().zip(dialled.windows(2)) {
        assert!(is_wait_of(wait, pair[1] - pair[0]), "{dialled:?}");
    }
    assert_eq!(bot.established(), [Established::First]);
    server.hears_nothing_for(20).await;
    let ended = Instant::now();
    drop(server);
    bot.dialled().await;
    assert!(is_wait_of(0.5, ended.elapsed()), "{:?}", ended.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_called_again() {
    let mut bot = Bot::start(MemoryInbox::default());
    let _silent = bot.dialled().await;
    let mut server = bot.connected().await;
    assert!(
        is_wait_of(0.5, server.dialled - Duration::from_secs(10)),
        "{:?}",
        server.dialled
    );
    server.serves("e1").await;
}

#[tokio::test(start_paused = true)]
async fn socket_mode_that_is_switched_off_ends_the_run_and_says_what_to_do() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut server = bot.connected().await;
    server.disconnect("link_disabled").await;
    let error = bot.running.await.unwrap().unwrap_err();
    assert_eq!(error, ClientError::LinkDisabled);
    assert!(error.to_string().contains("turn it on"), "{error}");
    assert!(
        matches!(&*bot.state.borrow(), ConnectionState::Disconnected { reason, .. } if *reason == error.to_string())
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_not_valid_ends_the_run_and_trouble_of_slack_does_not() {
    for code in [
        "invalid_auth",
        "token_revoked",
        "not_allowed_token_type",
        "missing_scope",
    ] {
        let bot = Bot::start_with(MemoryInbox::default(), [down(), refused(code)]);
        assert_eq!(bot.running.await.unwrap(), Err(refused(code)));
        assert_eq!(bot.dialled.lock().unwrap().len(), 2);
    }
    let limited = ClientError::RateLimited {
        method: "apps.connections.open",
        retry_after: None,
    };
    let mut bot = Bot::start_with(MemoryInbox::default(), [refused("internal_error"), limited]);
    bot.connected().await.serves("e1").await;
}

#[tokio::test(start_paused = true)]
async fn too_many_connections_are_tried_again_after_a_pause() {
    let mut bot = Bot::start(MemoryInbox::default());
    let mut server = bot.dialled().await;
    server.disconnect("too_many_websockets").await;
    let mut next = bot.dialled().await;
    assert!(is_wait_of(0.5, next.dialled), "{:?}", next.dialled);
    next.hello().await;
    next.serves("e1").await;
}
