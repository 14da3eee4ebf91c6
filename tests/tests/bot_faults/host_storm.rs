//! A storm over many workspaces of a PostgreSQL database on three hosts that are killed, fall asleep, and lose the server.

use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta};
use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, Event, EventState, FakeSlack, StormPlan};
use myao_test_postgres::PostgresServer;
use myao_tests::bot::{Bot, now, read_log};
use myao_tests::export::with_japanese_prompts;
use myao_tests::llm_server::{API_KEY, LlmServer, answer};
use myao_tests::program::Program;

use super::common::{model, number, rows};
use super::storm::{every_mention_is_answered_once, play_to_the_end, same};

/// How long it storms. The whole minute takes too long for every run.
const SECONDS: &str = "MYAO_TEST_STORM_SECONDS";
const HOSTS: usize = 3;
const WORKSPACES: u64 = 20;
/// All workspaces together.
const PER_SECOND: u32 = 200;
/// Every so often a host is killed, which comes back after this.
const KILLED_EVERY: Duration = Duration::from_secs(5);
const GONE_FOR: Duration = Duration::from_secs(3);
/// A host sleeps longer than this, from the first turn until the second victim is back.
const LEASE_SECONDS: u32 = 5;
/// It is killed in the third turn.
const SLEEPER: usize = 0;

fn seconds() -> u32 {
    std::env::var(SECONDS).map_or(20, |seconds| seconds.parse().unwrap())
}

fn plan(seed: u64) -> StormPlan {
    let per_second = PER_SECOND / u32::try_from(WORKSPACES).unwrap();
    StormPlan {
        events: usize::try_from(seconds() * per_second).unwrap(),
        per_second,
        channels: 10,
        users: 10,
        mentions_ratio: 0.02,
        seed,
        ..StormPlan::default()
    }
}

struct Workspaces {
    slacks: Vec<FakeSlack>,
    llm: LlmServer,
    /// Microseconds since 1970.
    began: i64,
}

impl Workspaces {
    fn new() -> Self {
        let prepared = now() - 60;
        let slack = |seed| {
            let slack = FakeSlack::start_on_own_thread();
            slack.keep_while_away(true);
            slack.set_clock(&format!("{prepared}.000000"));
            slack.prepare_storm(&plan(seed));
            slack
        };
        Self {
            slacks: (0..WORKSPACES).map(slack).collect(),
            llm: model(|_| answer("Aye, aye.")),
            began: 0,
        }
    }

    fn config(&self, memory: &str) -> String {
        let mut config = format!(
            "agents:\n  response:\n    model_id: openai/replies\n    \
             client_args: {{ base_url: '{}', api_key: {API_KEY}, timeout: 60, max_retries: 0 }}\n\
             response: {{ check_interval_seconds: 86400, mention_limits: {{ per_person: 0, per_channel: 0 }} }}\n\
             memory: {{ long_term_update_interval_seconds: 5, {memory} }}\nworkspaces:\n",
            self.llm.base_url()
        );
        for (number, slack) in self.slacks.iter().enumerate() {
            let api_url = slack.api_url();
            config.push_str(&format!(
                "  - {{ name: W{number}, slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{api_url}' }} }}\n"
            ));
        }
        config
    }

    /// Waits until a bot has read all there is, from when on the machine's time is Slack's.
    fn begin(&mut self, bot: &mut Bot) {
        bot.until("the end of catching up", |program| {
            let caught_up = read_log(program).matches("caught up: ").count();
            (caught_up >= self.slacks.len()).then_some(())
        });
        let began = now() + 1;
        for slack in &self.slacks {
            slack.set_clock(&format!("{began}.000000"));
        }
        self.began = i64::try_from(began).unwrap() * 1_000_000;
    }

    /// Lets it storm everywhere, on threads.
    fn play(&self, is_clean: bool) -> Vec<thread::JoinHandle<usize>> {
        let play = |(seed, slack): (u64, &FakeSlack)| {
            let slack = slack.clone();
            thread::spawn(move || {
                let plan = plan(seed);
                match is_clean {
                    true => play_to_the_end(slack.storm_clean(&plan)).events,
                    false => play_to_the_end(slack.storm(&plan)).events,
                }
            })
        };
        (0..).zip(&self.slacks).map(play).collect()
    }

    /// Makes the last memories at one time, and checks what is in the database, which is an SQLite file now.
    fn check(&self, program: &Program) -> Vec<String> {
        // Nobody talks any more.
        let later = DateTime::from_timestamp_micros(self.began).unwrap() + TimeDelta::hours(6);
        let later = later.to_rfc3339_opts(SecondsFormat::Secs, true);
        for (number, slack) in self.slacks.iter().enumerate() {
            let name = format!("W{number}");
            let generate = ["--workspace", &name, "generate", "--now", &later];
            program.run(&generate).succeeded();
            every_mention_is_answered_once(slack);
        }
        let nowhere = rows(program, include_str!("in_no_version.sql"), 0);
        assert!(nowhere.is_empty(), "{nowhere:#?}");
        let otherwise = rows(program, include_str!("merged_otherwise.sql"), 0);
        assert!(otherwise.is_empty(), "{otherwise:#?}");
        let mut left = rows(program, include_str!("left.sql"), self.began);
        left.sort();
        left
    }
}

/// Three hosts, one of which is killed, falls asleep, or comes back.
struct Hosts {
    bots: Vec<Option<Bot>>,
    folders: Vec<Option<Program>>,
    config: String,
}

impl Hosts {
    fn start(config: &str) -> Self {
        let bots = (0..HOSTS).map(|_| Some(Bot::start(Program::default(), config)));
        Self {
            bots: bots.collect(),
            folders: (0..HOSTS).map(|_| None).collect(),
            config: config.to_owned(),
        }
    }

    fn kill(&mut self, host: usize) {
        if let Some(bot) = self.bots[host].take() {
            self.folders[host] = Some(bot.kill());
        }
    }

    fn come_back(&mut self, host: usize) {
        if let Some(program) = self.folders[host].take() {
            self.bots[host] = Some(Bot::launch(program, &self.config, &[]));
        }
    }

    fn signal(&self, host: usize, signal: &str) {
        if let Some(bot) = &self.bots[host] {
            bot.signal(signal);
        }
    }
}

/// Does everything at its time.
fn disturb(hosts: &mut Hosts, server: &PostgresServer, until: Duration) {
    let begun = Instant::now();
    let at = |seconds: Duration| thread::sleep(seconds.saturating_sub(begun.elapsed()));
    let mut asleep = Duration::ZERO;
    for turn in 1.. {
        let time = KILLED_EVERY * turn;
        if time > until {
            break;
        }
        at(time);
        let victim = usize::try_from(turn).unwrap() % HOSTS;
        hosts.kill(victim);
        if turn == 1 {
            hosts.signal(SLEEPER, "STOP");
            asleep = begun.elapsed();
        }
        if turn == 3 {
            server.stop();
            server.start_again();
        }
        at(time + GONE_FOR);
        hosts.come_back(victim);
        if turn == 2 {
            hosts.signal(SLEEPER, "CONT");
            asleep = begun.elapsed() - asleep;
        }
    }
    assert!(asleep > Duration::from_secs(LEASE_SECONDS.into()));
}

#[test]
fn a_storm_over_hosts_that_die_sleep_and_lose_the_server_leaves_what_one_host_leaves() {
    let server = PostgresServer::start(|_| vec!["synchronous_commit=on".to_owned()]);
    let database = server.create(None);
    let url = server.url(&database);
    let mut stormy = Workspaces::new();
    let memory = format!("database_url: '{url}', lease_seconds: {LEASE_SECONDS}");
    let mut hosts = Hosts::start(&stormy.config(&memory));
    stormy.begin(hosts.bots[0].as_mut().unwrap());
    let playing = stormy.play(false);
    disturb(&mut hosts, &server, Duration::from_secs(seconds().into()));
    let events: usize = playing.into_iter().map(|play| play.join().unwrap()).sum();
    let mut bots = hosts.bots.into_iter().flatten();
    let mut first = bots.next().unwrap();
    let mut left = usize::MAX;
    while left > 0 {
        left = first.until("less waits", |_| {
            // The last answers are events, too.
            let unsettled = stormy.slacks.iter().filter(|slack| !slack.is_settled());
            let unsettled: Vec<&FakeSlack> = unsettled.collect();
            if let Some(slack) = unsettled.first() {
                slack.retry_unacknowledged();
            }
            let waiting = server.run(&database, include_str!("waiting.sql")).unwrap();
            let waiting = unsettled.len() + waiting.trim().parse::<usize>().unwrap();
            (waiting < left).then_some(waiting)
        });
        println!("{left} wait");
    }
    for bot in bots {
        bot.stop();
    }
    let program = first.stop();
    program
        .run(&["database", "copy", &url, "myao.db"])
        .succeeded();
    let config = stormy.config("database_path: ./myao.db");
    program.write("myao.yaml", with_japanese_prompts(&config));
    let kept = rows(&program, include_str!("kept.sql"), 0);
    println!("{events} events, {} kept", kept.len());
    for (number, slack) in stormy.slacks.iter().enumerate() {
        let is_lost = |event: &Event| {
            let row = format!(
                "workspace=Text(\"W{number}\") event_id=Text({:?}) ",
                event.event_id
            );
            event.state == EventState::Acknowledged && !kept.iter().any(|of| of.starts_with(&row))
        };
        let mut lost = slack.events();
        lost.retain(is_lost);
        assert!(lost.is_empty(), "{lost:#?}");
    }
    let left = stormy.check(&program);

    let mut clean = Workspaces::new();
    let config = clean.config("database_path: ./myao.db");
    let mut bot = Bot::start(Program::default(), &config);
    clean.begin(&mut bot);
    for play in clean.play(true) {
        play.join().unwrap();
    }
    bot.until("every event took effect", |program| {
        (number(program, include_str!("waiting.sql")) == 0).then_some(())
    });
    let program = bot.stop();
    same(&left, &clean.check(&program));
}
