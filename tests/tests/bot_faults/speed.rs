//! How fast events are stored and acknowledged. A measurement and no test: it needs a machine with nothing else to do.

use std::thread;
use std::time::{Duration, Instant};

use myao_fake_slack::{FakeSlack, StormPlan, percentile};
use myao_tests::bot::Bot;
use myao_tests::llm_server::answer;
use myao_tests::program::Program;
use rusqlite::Connection;
use tempfile::TempDir;

use super::common::{config, model};
use super::storm::play_to_the_end;

const PER_SECOND: u32 = 100;
const SECONDS: usize = 20;
/// At the 99th percentile, from sending to acknowledgement.
const LIMIT: Duration = Duration::from_millis(10);

#[test]
#[ignore = "measures: make bench"]
fn measures_how_fast_events_are_acknowledged() {
    let plan = StormPlan {
        events: SECONDS * PER_SECOND as usize,
        per_second: PER_SECOND,
        ..StormPlan::default()
    };
    let slack = FakeSlack::start_on_own_thread();
    slack.prepare_storm(&plan);
    let llm = model(|_| answer("Aye, aye."));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    bot.caught_up();
    let before = slack.events().len();
    let report = play_to_the_end(slack.storm(&plan));
    bot.stop();
    let events = slack.events().split_off(before);
    assert_eq!(report.latencies.len(), events.len(), "every event once");
    let payloads: Vec<String> = events
        .iter()
        .map(|event| event.payload.to_string())
        .collect();
    let bare = bare_inserts(&payloads);

    let rate = events.len() as f64 / report.elapsed.as_secs_f64();
    let of =
        |latencies: &[Duration], percent| percentile(latencies, percent).as_secs_f64() * 1000.0;
    let ratio = of(&report.latencies, 99) / of(&bare, 99);
    println!("{} events at {rate:.0}/s", events.len());
    for (what, latencies) in [
        ("sent to acknowledged", &report.latencies),
        ("bare durable insert", &bare),
    ] {
        let (p50, p99) = (of(latencies, 50), of(latencies, 99));
        println!("{what:<22} p50 {p50:7.2} ms   p99 {p99:7.2} ms");
    }
    println!("p99 {ratio:.1} times the bare insert's");
    assert!(
        percentile(&report.latencies, 99) < LIMIT,
        "p99 is not below {LIMIT:?}"
    );
}

/// The same payloads at the same pace into a table like the inbox, each in a transaction of its own that is on the disk
/// when it returns.
fn bare_inserts(payloads: &[String]) -> Vec<Duration> {
    let folder = TempDir::new().unwrap();
    let connection = Connection::open(folder.path().join("bare.db")).unwrap();
    connection
        .execute_batch(include_str!("bare_inbox.sql"))
        .unwrap();
    let began = Instant::now();
    let mut insert = connection.prepare(include_str!("bare_insert.sql")).unwrap();
    let insert = |(number, payload): (usize, &String)| {
        let due = began + Duration::from_secs(1) / PER_SECOND * u32::try_from(number).unwrap();
        // The pace is what is measured with.
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let began = Instant::now();
        insert.execute((number.to_string(), payload)).unwrap();
        began.elapsed()
    };
    payloads.iter().enumerate().map(insert).collect()
}
