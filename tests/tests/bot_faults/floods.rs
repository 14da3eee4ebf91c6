//! Connections of strangers, more than the program may have files open: the operating system sets that limit.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use myao_fake_slack::{BOT_TOKEN, FakeSlack};
use myao_tests::bot::Bot;
use myao_tests::peer::{exchange, free_address};
use myao_tests::program::Program;

use super::common::{AKARI, CAMP, EMIKO, workspace};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// Fewer files than the connections of a flood.
const FEW_FILES: &str = "ulimit -n 256; exec \"$@\"";
/// Connections of a flood. All floods together fit into the 1,024 files that most systems allow the tests.
const FLOOD: usize = 300;
/// Longer than a silent connection may last; the machine may be busy.
const SECONDS: Duration = Duration::from_secs(40);

/// The bot, with few files, and the address where it takes events.
fn listen(slack: &FakeSlack) -> (Bot, SocketAddr) {
    let (events, api_url) = (free_address(), slack.api_url());
    let config = format!(
        "slack: {{ bot_token: {BOT_TOKEN}, signing_secret: '{SECRET}', listen: '{events}', api_url: '{api_url}' }}\n"
    );
    let bot = Bot::start_in_shell(Program::default(), &config, FEW_FILES);
    (bot, events)
}

fn subscribe(slack: &FakeSlack, events: SocketAddr) {
    let url = format!("http://{events}/slack/events");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let subscribed = runtime
        .unwrap()
        .block_on(slack.send_events_to(&url, SECRET));
    subscribed.unwrap();
}

/// Connections that have said `words` and say no more.
fn flood(at: SocketAddr, words: &[u8]) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect_timeout(&at, SECONDS).unwrap();
        // One that is closed already takes no words.
        let _ = stream.write_all(words);
        stream
    };
    (0..FLOOD).map(connect).collect()
}

#[track_caller]
fn is_alive(health: SocketAddr) {
    let answer = exchange(health, "GET /live", &[], "").unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
}

/// Waits until the other side has closed it.
#[track_caller]
fn is_closed(mut stream: &TcpStream, within: Duration) {
    let deadline = Instant::now() + within;
    let mut buffer = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "it is still open after {within:?}");
        stream.set_read_timeout(Some(left)).unwrap();
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

const HALF_A_HEAD: &[u8] = b"POST /slack/events HTTP/1.1\r\nhost: a\r\n";
const HALF_A_BODY: &[u8] =
    b"POST /slack/events HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{";

#[test]
fn idle_connections_to_the_events_stop_neither_events_nor_live() {
    let slack = workspace();
    let (mut bot, events) = listen(&slack);
    let health = bot.health();
    let idle = flood(events, b"");
    is_alive(health);
    subscribe(&slack, events);
    slack.post(AKARI, CAMP, "the lake", None);
    bot.messages(CAMP, 1);
    // Newcomers come in however many there are.
    let more = flood(events, HALF_A_HEAD);
    slack.post(EMIKO, CAMP, "or the sea", None);
    bot.messages(CAMP, 2);
    is_alive(health);
    for stream in idle.iter().chain(&more) {
        is_closed(stream, SECONDS);
    }
    bot.stop();
}

#[test]
fn idle_connections_to_live_stop_neither_events_nor_live() {
    let slack = workspace();
    let (mut bot, events) = listen(&slack);
    let health = bot.health();
    let idle = flood(health, b"GET /live HTTP/1.1\r\n");
    subscribe(&slack, events);
    slack.post(AKARI, CAMP, "the lake", None);
    bot.messages(CAMP, 1);
    is_alive(health);
    for stream in &idle {
        is_closed(stream, SECONDS);
    }
    bot.stop();
}

#[test]
fn connections_that_send_slowly_are_closed_in_seconds() {
    let slack = workspace();
    let (mut bot, events) = listen(&slack);
    let health = bot.health();
    let mut slow: Vec<TcpStream> = Vec::new();
    for (at, words) in [
        (events, &b""[..]),
        (events, HALF_A_HEAD),
        (events, HALF_A_BODY),
        (health, b""),
        (health, b"GET /live HTTP/1.1\r\nhost: a\r\n"),
        (
            health,
            b"GET /live HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n1",
        ),
    ] {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.write_all(words).unwrap();
        slow.push(stream);
    }
    let began = Instant::now();
    while !slow.is_empty() {
        assert!(began.elapsed() < SECONDS, "{} are still open", slow.len());
        slow.retain_mut(|stream| {
            // One letter now and then keeps no connection open.
            let _ = stream.write_all(b"x");
            stream
                .set_read_timeout(Some(Duration::from_millis(200)))
                .unwrap();
            match stream.read(&mut [0; 1024]) {
                Ok(read) => read > 0,
                Err(error) => error.kind() == ErrorKind::WouldBlock,
            }
        });
    }
    subscribe(&slack, events);
    slack.post(AKARI, CAMP, "the lake", None);
    bot.messages(CAMP, 1);
    is_alive(health);
    bot.stop();
}
