//! Messages that Slack does not deliver, or cannot: the bot reads them later, on both stores.

use chrono::DateTime;
use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::{Bot, now};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::exchange;
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::Program;
use serde_json::json;

use super::common::{self, AKARI, CAMP, EMIKO, model, workspace};

/// A bot's surroundings, and its store: SQLite without a server's database.
struct Scene {
    slack: FakeSlack,
    llm: LlmServer,
    server: Option<ServerDatabase>,
}

impl Scene {
    fn start(&self, program: Program) -> Bot {
        let mut config = common::config(&self.slack, &self.llm);
        if let Some(server) = &self.server {
            let memory = format!("memory: {{ database_url: '{}',", server.url());
            config = config.replace("memory: {", &memory);
        }
        let mut bot = Bot::start(program, &config);
        bot.caught_up();
        bot
    }

    fn number(&self, program: &Program, sql: &str) -> i64 {
        match &self.server {
            None => common::number(program, sql),
            Some(server) => server.run(sql).trim().parse().unwrap(),
        }
    }

    fn change(&self, program: &Program, sql: &str) {
        match &self.server {
            None => assert_eq!(common::database(program).execute(sql, []), Ok(1)),
            Some(server) => drop(server.run(sql)),
        }
    }

    #[track_caller]
    fn becomes(&self, bot: &mut Bot, sql: &str, expected: i64) {
        bot.until(&format!("{sql}: {expected}"), |program| {
            (self.number(program, sql) == expected).then_some(())
        });
    }
}

fn on_both_stores(test: impl Fn(Scene)) {
    for server in [None, Some(ServerDatabase::default())] {
        test(Scene {
            slack: workspace(),
            llm: model(|_| answer("The lake.")),
            server,
        });
    }
}

#[test]
fn what_slack_leaves_out_as_there_is_too_much_is_read_later() {
    on_both_stores(|scene| {
        let slack = &scene.slack;
        let mut bot = scene.start(Program::default());
        slack.rate_limit_events(true);
        scene.becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 1);
        slack.post(AKARI, CAMP, "by the sea", None);
        slack.mention(EMIKO, CAMP, "where do we camp?", None);
        slack.rate_limit_events(false);
        // The end of the gap is a minute away: the test does not wait for it.
        scene.change(bot.program(), "UPDATE delivery_gaps SET until = since");
        common::posts(&mut bot, slack, 1);
        scene.becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 0);
        let said = "SELECT COUNT(*) FROM messages WHERE text = 'by the sea'";
        assert_eq!(scene.number(bot.program(), said), 1);
        bot.stop();
        assert_eq!(slack.posts().len(), 1);
    });
}

/// Nobody told the bot of these messages, and it believes that it has seen all.
#[test]
fn what_was_missed_is_read_when_an_operator_asks_for_it() {
    on_both_stores(|scene| {
        let slack = &scene.slack;
        let count = |text: &str| format!("SELECT COUNT(*) FROM messages WHERE text = '{text}'");
        let say = |text: &str, ago: u64| {
            let ts = format!("{}.000100", now() - ago);
            slack.post_at(&ts, AKARI, CAMP, text, None);
        };
        let since = DateTime::from_timestamp_secs(i64::try_from(now()).unwrap() - 9000);
        let catch_up = ["catch-up", "--since", &since.unwrap().to_rfc3339()];
        let program = scene.start(Program::default()).stop();
        say("before", 8000);
        let mut bot = scene.start(program);
        assert_eq!(scene.number(bot.program(), &count("before")), 0);
        let one = [&catch_up[..], &["--channel", "camp"]].concat();
        let told = bot.program().run(&one).output();
        assert!(told.contains("#camp. A running bot begins"), "{told}");
        scene.becomes(&mut bot, &count("before"), 1);
        let program = bot.stop();
        say("later", 7000);
        let told = program.run(&catch_up).output();
        assert!(told.contains("all channels. "), "{told}");
        let mut bot = scene.start(program);
        assert_eq!(scene.number(bot.program(), &count("later")), 1);
        scene.becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 0);
        bot.stop();
    });
}

#[test]
fn replies_to_hundreds_of_threads_while_the_bot_was_away_are_all_read() {
    const THREADS: u64 = 300;
    on_both_stores(|scene| {
        let slack = &scene.slack;
        let mut bot = scene.start(Program::default());
        let begun = now() - 7200;
        let threads: Vec<String> = (0..THREADS)
            .map(|number| format!("{}.000100", begun + number))
            .collect();
        for (number, thread) in (0..).zip(&threads) {
            slack.post_at(thread, AKARI, CAMP, "a thread", None);
            let reply = format!("{}.000200", begun + 3600 + number);
            slack.post_at(&reply, EMIKO, CAMP, "a reply", Some(thread));
        }
        scene.becomes(&mut bot, "SELECT COUNT(*) FROM messages", 600);
        let program = bot.stop();
        for thread in &threads {
            slack.post(AKARI, CAMP, "meanwhile", Some(thread));
        }
        let bot = scene.start(program);
        let said = "SELECT COUNT(*) FROM messages WHERE text = 'meanwhile'";
        assert_eq!(scene.number(bot.program(), said), 300);
        assert!(bot.log().contains("200 of 300 older threads of"));
        bot.stop();
    });
}

#[test]
fn channel_whose_members_slack_does_not_return_stays_what_it_was() {
    on_both_stores(|scene| {
        let slack = &scene.slack;
        let everybody =
            format!("SELECT COUNT(*) FROM channels WHERE id = '{CAMP}' AND audience = 0");
        let mut bot = scene.start(Program::default());
        scene.becomes(&mut bot, &everybody, 1);
        let program = bot.stop();
        slack
            .faults()
            .times(99, "conversations.members", &Fault::Status(500));
        let mut bot = scene.start(program);
        assert_eq!(scene.number(bot.program(), &everybody), 1);
        let health = bot.health();
        let wait = bot.until("a wait in /ready", |_| {
            let ready = exchange(health, "GET /ready", &[], "").ok()?.json();
            let mut waits = ready["waits"].as_array()?.iter();
            waits.find(|wait| wait["kind"] == "audience").cloned()
        });
        assert_eq!(wait["what"], json!(format!("asking who reads {CAMP}")));
        bot.stop();
    });
}
