//! Messages that Slack does not deliver, or cannot: the bot reads them later.

use chrono::DateTime;
use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::{Bot, now};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::exchange;
use myao_tests::program::Program;
use serde_json::json;

use super::common::{self, AKARI, CAMP, EMIKO, model, workspace};

/// A bot's surroundings.
struct Scene {
    slack: FakeSlack,
    llm: LlmServer,
}

impl Scene {
    fn new() -> Self {
        let llm = model(|_| answer("The lake."));
        Self {
            slack: workspace(),
            llm,
        }
    }

    fn start(&self, program: Program) -> Bot {
        let mut bot = Bot::start(program, &common::config(&self.slack, &self.llm));
        bot.caught_up();
        bot
    }
}

#[track_caller]
fn becomes(bot: &mut Bot, sql: &str, expected: i64) {
    bot.until(&format!("{sql}: {expected}"), |program| {
        (program.number(sql) == expected).then_some(())
    });
}

#[test]
fn what_slack_leaves_out_as_there_is_too_much_is_read_later() {
    let scene = Scene::new();
    let slack = &scene.slack;
    let mut bot = scene.start(Program::of_bot());
    slack.rate_limit_events(true);
    becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 1);
    slack.post(AKARI, CAMP, "by the sea", None);
    slack.mention(EMIKO, CAMP, "where do we camp?", None);
    slack.rate_limit_events(false);
    // The end of the gap is a minute away: the test does not wait for it.
    bot.program()
        .change("UPDATE delivery_gaps SET until = since");
    common::posts(&mut bot, slack, 1);
    becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 0);
    let said = "SELECT COUNT(*) FROM messages WHERE text = 'by the sea'";
    assert_eq!(bot.program().number(said), 1);
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

/// Nobody told the bot of these messages, and it believes that it has seen all.
#[test]
fn what_was_missed_is_read_when_an_operator_asks_for_it() {
    let scene = Scene::new();
    let slack = &scene.slack;
    let count = |text: &str| format!("SELECT COUNT(*) FROM messages WHERE text = '{text}'");
    let say = |text: &str, ago: u64| {
        let ts = format!("{}.000100", now() - ago);
        slack.post_at(&ts, AKARI, CAMP, text, None);
    };
    let since = DateTime::from_timestamp_secs(i64::try_from(now()).unwrap() - 9000);
    let catch_up = ["catch-up", "--since", &since.unwrap().to_rfc3339()];
    let program = scene.start(Program::of_bot()).stop();
    say("before", 8000);
    let mut bot = scene.start(program);
    assert_eq!(bot.program().number(&count("before")), 0);
    let one = [&catch_up[..], &["--channel", "camp"]].concat();
    let told = bot.program().run(&one).output();
    assert!(told.contains("#camp. A running bot begins"), "{told}");
    becomes(&mut bot, &count("before"), 1);
    let program = bot.stop();
    say("later", 7000);
    let told = program.run(&catch_up).output();
    assert!(told.contains("all channels. "), "{told}");
    let mut bot = scene.start(program);
    assert_eq!(bot.program().number(&count("later")), 1);
    becomes(&mut bot, "SELECT COUNT(*) FROM delivery_gaps", 0);
    bot.stop();
}

#[test]
fn replies_to_hundreds_of_threads_while_the_bot_was_away_are_all_read() {
    const THREADS: u64 = 300;
    let scene = Scene::new();
    let slack = &scene.slack;
    let mut bot = scene.start(Program::of_bot());
    let begun = now() - 7200;
    let threads: Vec<String> = (0..THREADS)
        .map(|number| format!("{}.000100", begun + number))
        .collect();
    for (number, thread) in (0..).zip(&threads) {
        slack.post_at(thread, AKARI, CAMP, "a thread", None);
        let reply = format!("{}.000200", begun + 3600 + number);
        slack.post_at(&reply, EMIKO, CAMP, "a reply", Some(thread));
    }
    becomes(&mut bot, "SELECT COUNT(*) FROM messages", 600);
    let program = bot.stop();
    for thread in &threads {
        slack.post(AKARI, CAMP, "meanwhile", Some(thread));
    }
    let bot = scene.start(program);
    let said = "SELECT COUNT(*) FROM messages WHERE text = 'meanwhile'";
    assert_eq!(bot.program().number(said), 300);
    assert!(bot.log().contains("200 of 300 older threads of"));
    bot.stop();
}

#[test]
fn channel_whose_members_slack_does_not_return_stays_what_it_was() {
    let scene = Scene::new();
    let slack = &scene.slack;
    let everybody = format!("SELECT COUNT(*) FROM channels WHERE id = '{CAMP}' AND audience = 0");
    let mut bot = scene.start(Program::of_bot());
    becomes(&mut bot, &everybody, 1);
    let program = bot.stop();
    slack
        .faults()
        .times(99, "conversations.members", &Fault::Status(500));
    let mut bot = scene.start(program);
    assert_eq!(bot.program().number(&everybody), 1);
    let health = bot.health();
    let wait = bot.until("a wait in /ready", |_| {
        let ready = exchange(health, "GET /ready", &[], "").ok()?.json();
        let mut waits = ready["waits"].as_array()?.iter();
        waits.find(|wait| wait["kind"] == "audience").cloned()
    });
    assert_eq!(wait["what"], json!(format!("asking who reads {CAMP}")));
    bot.stop();
}
