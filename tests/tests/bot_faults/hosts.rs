//! Two hosts that share the work on one workspace of a PostgreSQL database.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use chrono::{DateTime, TimeDelta};
use myao_fake_slack::FakeSlack;
use myao_tests::bot::Bot;
use myao_tests::llm_server::{LlmServer, Reply, answer, answer_with_usage};
use myao_tests::noon;
use myao_tests::peer::exchange;
use myao_tests::postgres::ServerDatabase;

use super::common::{
    self, AKARI, CAMP, EMIKO, Gate, asked, model, posts, reply_calls, says, workspace,
};

/// What `config` says of memory.
const MEMORY: &str = "memory: { long_term_update_interval_seconds: 86400 }\n";

struct Hosts {
    database: ServerDatabase,
    slack: FakeSlack,
    llm: LlmServer,
}

impl Hosts {
    fn new(llm: LlmServer) -> Self {
        Self {
            database: ServerDatabase::default(),
            slack: workspace(),
            llm,
        }
    }

    fn config(&self) -> String {
        let config = common::config(&self.slack, &self.llm);
        assert!(config.contains(MEMORY), "{config}");
        // Short, but longer than a busy machine lets a process wait.
        let memory = format!(
            "memory:\n  database_url: '{}'\n  lease_seconds: 10\n  long_term_update_interval_seconds: 86400\n",
            self.database.url()
        );
        config.replace(MEMORY, &memory)
    }

    fn start(&self) -> Bot {
        Bot::start(self.database.program("", ""), &self.config())
    }

    /// A host that reaches Slack over a way.
    fn start_over(&self, way: &Way) -> Bot {
        let config = self.config().replace(&self.slack.api_url(), &way.url);
        Bot::start(self.database.program("", ""), &config)
    }

    fn leases(&self) -> String {
        self.database.run("SELECT COUNT(*) FROM leases")
    }
}

fn does_upkeep(bot: &Bot) -> bool {
    says_upkeep(bot.health())
}

fn says_upkeep(health: SocketAddr) -> bool {
    let ready = exchange(health, "GET /ready", &[], "").unwrap();
    assert_eq!(ready.status, 200);
    ready.json()["upkeep"].as_bool().unwrap()
}

/// Waits until it does the upkeep: a host may be ready before.
#[track_caller]
fn takes_upkeep(bot: &mut Bot) {
    let health = bot.health();
    bot.until("the upkeep", |_| says_upkeep(health).then_some(()));
}

/// More than one host answers at a time, which is eight.
const MENTIONS: usize = 12;

#[test]
fn hosts_share_the_mentions_and_answer_each_once() {
    let gate = Gate::default();
    let thinking = gate.clone();
    let hosts = Hosts::new(model(move |_| {
        thinking.wait();
        answer("The lake.")
    }));
    let (mut first, second) = (hosts.start(), hosts.start());
    for number in 0..MENTIONS {
        let text = format!("who is number {number}?");
        hosts.slack.mention(EMIKO, CAMP, &text, None);
    }
    asked(&mut first, &hosts.llm, MENTIONS);
    gate.open();
    posts(&mut first, &hosts.slack, MENTIONS);
    first.until("nothing waits", |_| {
        let waiting = hosts
            .database
            .run("SELECT COUNT(*) FROM replies WHERE state = 0");
        (waiting.trim() == "0").then_some(())
    });
    first.stop();
    second.stop();
    assert_eq!(hosts.slack.posts().len(), MENTIONS);
    assert_eq!(reply_calls(&hosts.llm).len(), MENTIONS);
    assert_eq!(hosts.leases().trim(), "0", "all were handed back");
}

#[test]
fn a_channel_is_told_once_an_hour_that_the_budget_is_used_up_whichever_host_it_asks() {
    let hosts = Hosts::new(model(|_| {
        answer_with_usage("The lake.", (19_000, None, 900))
    }));
    let (zone, config) = (noon::timezone(), hosts.config());
    let config = format!("{zone}{config}budget: {{ tokens_per_day: 20000 }}\n");
    let start = || Bot::start(hosts.database.program("", ""), &config);
    let given_up = |bot: &mut Bot, count: &str| {
        let sql = "SELECT COUNT(*) FROM replies WHERE state = 2";
        let look = |_: &_| (hosts.database.run(sql).trim() == count).then_some(());
        bot.until("no answer", look);
    };
    let mut first = start();
    for number in 1..=2 {
        hosts.slack.mention(EMIKO, CAMP, "who is there?", None);
        posts(&mut first, &hosts.slack, number);
    }
    first.stop();
    let mut second = start();
    hosts.slack.mention(AKARI, CAMP, "where is it?", None);
    given_up(&mut second, "1");
    second.stop();
    let posts = hosts.slack.posts();
    assert_eq!(posts.len(), 2, "{posts:?}");
    assert!(posts[1].text.contains("used up my budget"), "{posts:?}");
}

#[test]
fn one_host_does_the_upkeep_and_the_other_goes_on_if_it_is_killed() {
    let hosts = Hosts::new(model(|_| answer("The lake.")));
    let mut first = hosts.start();
    takes_upkeep(&mut first);
    let mut second = hosts.start();
    assert!(!does_upkeep(&second));
    drop(first.kill());
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut second, &hosts.slack, 1);
    takes_upkeep(&mut second);
    second.stop();
}

#[test]
fn host_that_was_connected_all_the_time_takes_over_without_reading_anything_again() {
    let hosts = Hosts::new(model(|_| answer("The lake.")));
    let mut first = hosts.start();
    first.caught_up();
    let mut second = hosts.start();
    assert!(!does_upkeep(&second));
    // As if both had been connected for a minute.
    let _ = hosts
        .database
        .run("UPDATE sync_state SET connected_through = extract(epoch FROM now())::bigint + 60");
    first.stop();
    let lists = || hosts.slack.requests_of("users.list").len();
    let before = lists();
    says(&mut second, "nothing was missed");
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut second, &hosts.slack, 1);
    second.stop();
    assert_eq!(lists(), before);
}

#[test]
fn host_that_loses_slack_leaves_the_upkeep_to_another() {
    let hosts = Hosts::new(model(|_| answer("The lake.")));
    let way = Way::to(&hosts.slack.api_url());
    let mut first = hosts.start_over(&way);
    takes_upkeep(&mut first);
    let mut second = hosts.start();
    way.is_open.store(false, Ordering::SeqCst);
    hosts.slack.faults().drop_sockets();
    says(
        &mut first,
        "the upkeep of the workspace is left to another host",
    );
    says(&mut second, "the upkeep of the workspace is this host's");
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut second, &hosts.slack, 1);
    takes_upkeep(&mut second);
    way.is_open.store(true, Ordering::SeqCst);
    first.stop();
    second.stop();
}

/// Slack's answers tell it another time.
#[test]
fn host_whose_clock_is_wrong_leaves_the_upkeep_to_another() {
    let gate = Gate::default();
    let thinking = gate.clone();
    let hosts = Hosts::new(model(move |_| {
        thinking.wait();
        answer("The lake.")
    }));
    let way = Way::to(&hosts.slack.api_url());
    let mut first = hosts.start_over(&way);
    takes_upkeep(&mut first);
    let mut second = hosts.start();
    way.is_late.store(true, Ordering::SeqCst);
    // More than one host answers at a time: each of them calls Slack.
    for number in 0..MENTIONS {
        let text = format!("who is number {number}?");
        hosts.slack.mention(EMIKO, CAMP, &text, None);
    }
    asked(&mut first, &hosts.llm, MENTIONS);
    gate.open();
    says(
        &mut first,
        "the clock is wrong here, so the upkeep of the workspace is left to another host",
    );
    says(&mut second, "the upkeep of the workspace is this host's");
    takes_upkeep(&mut second);
    first.stop();
    second.stop();
}

/// A way to Slack's Web API that can be closed, or show a time a day ago.
struct Way {
    url: String,
    is_open: Arc<AtomicBool>,
    is_late: Arc<AtomicBool>,
}

impl Way {
    fn to(api_url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().to_string();
        let slack = api_url.split('/').nth(2).unwrap().to_owned();
        let url = api_url.replace(&slack, &own);
        let is_open = Arc::new(AtomicBool::new(true));
        let is_late = Arc::new(AtomicBool::new(false));
        let (open, late) = (is_open.clone(), is_late.clone());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&slack).unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let ends = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (open, late) = (open.clone(), late.clone());
                    thread::spawn(move || pass(ends, &open, &late));
                }
            }
        });
        Self {
            url,
            is_open,
            is_late,
        }
    }
}

/// Passes on what comes, until the way is closed.
fn pass((mut from, mut to): (TcpStream, TcpStream), is_open: &AtomicBool, is_late: &AtomicBool) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        let mut passed = bytes[..read].to_vec();
        if is_late.load(Ordering::SeqCst) {
            passed = a_day_ago(passed);
        }
        if !is_open.load(Ordering::SeqCst) || to.write_all(&passed).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// The head of an answer with its `Date` a day before; anything else as it is.
fn a_day_ago(bytes: Vec<u8>) -> Vec<u8> {
    const DATE: &str = "\r\ndate: ";
    let Some((head, rest)) = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.split_once(DATE))
    else {
        return bytes;
    };
    let (date, rest) = rest.split_once("\r\n").unwrap();
    let date = DateTime::parse_from_rfc2822(date).unwrap() - TimeDelta::days(1);
    [head, DATE, &date.to_rfc2822(), "\r\n", rest]
        .concat()
        .into_bytes()
}

/// It was asked before it fell asleep, and wakes with its answer when the other one has answered.
#[test]
fn host_that_slept_while_another_took_over_posts_nothing_and_goes_on() {
    let gate = Gate::default();
    let thinking = gate.clone();
    let hosts = Hosts::new(model(move |_| {
        thinking.wait();
        answer("The lake.")
    }));
    let mut first = hosts.start();
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    asked(&mut first, &hosts.llm, 1);
    let mut second = hosts.start();
    first.signal("STOP");
    asked(&mut second, &hosts.llm, 2);
    gate.open();
    posts(&mut second, &hosts.slack, 1);
    first.signal("CONT");
    says(&mut first, "another host has taken over");
    assert_eq!(hosts.slack.posts().len(), 1);
    second.stop();
    hosts.slack.mention(EMIKO, CAMP, "and who else?", None);
    posts(&mut first, &hosts.slack, 2);
    first.stop();
}

#[test]
fn what_a_provider_asks_one_host_to_wait_all_wait() {
    let limited = || Reply::Http(429, "retry-after: 600", "{}".to_owned());
    let hosts = Hosts::new(model(move |_| limited()));
    let (mut first, mut second) = (hosts.start(), hosts.start());
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    for bot in [&mut first, &mut second] {
        let health = bot.health();
        bot.until("a wait for the model", |_| {
            let ready = exchange(health, "GET /ready", &[], "").ok()?.json();
            let waits = ready["waits"].as_array()?;
            let waits = waits.iter().any(|wait| wait["kind"] == "model");
            waits.then_some(())
        });
    }
    assert_eq!(reply_calls(&hosts.llm).len(), 1);
    first.stop();
    second.stop();
}
