//! Two hosts with a bot each on one workspace of a PostgreSQL database: one works, the other stands by.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::Bot;
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::exchange;
use myao_tests::postgres::ServerDatabase;

use super::common::{self, CAMP, EMIKO, Gate, asked, model, posts, says, workspace};

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

    fn working(&self) -> Bot {
        let config = self.config();
        Bot::start(self.database.program("", ""), &config)
    }

    fn standing_by(&self) -> Bot {
        let config = self.config();
        let mut bot = Bot::launch(self.database.program("", ""), &config, &[]);
        says(&mut bot, "this one stands by");
        bot
    }
}

#[test]
fn whoever_stands_by_says_so_and_takes_over_from_a_bot_that_was_killed() {
    let hosts = Hosts::new(model(|_| answer("The lake.")));
    let first = hosts.working();
    let mut second = hosts.standing_by();
    let ready = exchange(second.health(), "GET /ready", &[], "").unwrap();
    assert_eq!(
        (ready.status, ready.json()["standing_by"].as_bool()),
        (503, Some(true))
    );
    let live = exchange(second.health(), "GET /live", &[], "").unwrap();
    assert_eq!(live.status, 200);
    drop(first.kill());
    second.ready();
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut second, &hosts.slack, 1);
    second.stop();
}

#[test]
fn bot_that_stops_hands_its_work_back_at_once() {
    let hosts = Hosts::new(model(|_| answer("The lake.")));
    let first = hosts.working();
    let mut second = hosts.standing_by();
    let generation = || {
        hosts
            .database
            .run("SELECT generation FROM leases WHERE work = 'bot'")
    };
    let of_the_first = generation();
    first.stop();
    // It would be the same until the lease expires.
    assert_ne!(generation(), of_the_first);
    second.ready();
    second.stop();
}

/// It was asked before it fell asleep, and wakes with its answer when the other one has answered.
#[test]
fn bot_that_slept_while_another_took_over_posts_nothing_and_ends() {
    let gate = Gate::default();
    let thinking = gate.clone();
    let hosts = Hosts::new(model(move |_| {
        thinking.wait();
        answer("The lake.")
    }));
    let mut first = hosts.working();
    let mut second = hosts.standing_by();
    hosts.slack.mention(EMIKO, CAMP, "who?", None);
    asked(&mut first, &hosts.llm, 1);
    first.signal("STOP");
    second.ready();
    gate.open();
    posts(&mut second, &hosts.slack, 1);
    first.signal("CONT");
    let (code, log, _) = first.ended();
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("another host has taken over"), "{log}");
    assert_eq!(hosts.slack.posts().len(), 1);
    second.stop();
}
