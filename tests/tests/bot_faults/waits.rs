//! No wait mutes the bot: each has a longest length, shows to those who look after it, and ends with a clock that comes back.

use chrono::DateTime;
use myao_fake_slack::Fault;
use myao_tests::bot::{self, Bot, said};
use myao_tests::llm_server::{Reply, answer};
use myao_tests::peer::exchange;
use myao_tests::program::Program;
use serde_json::Value;

use super::common::{
    AKARI, CAMP, EMIKO, Gate, asked, config, database, model, number, posts, workspace,
};

const HOUR: i64 = 3600;
/// Seconds that a server asks for by mistake.
const YEARS: i64 = 99_999_999;

fn now() -> i64 {
    i64::try_from(bot::now()).unwrap()
}

/// What `/health/answers` says, once it tells of a wait of a kind: its status, and that wait. The bot takes events all the same.
#[track_caller]
fn waits_for(bot: &mut Bot, kind: &str) -> (u16, Value, Value) {
    let health = bot.health();
    let found = bot.until("a wait", |_| {
        let answer = exchange(health, "GET /health/answers", &[], "").ok()?;
        let told = answer.json();
        let waits = told["waits"].as_array().unwrap();
        let wait = waits.iter().find(|wait| wait["kind"] == *kind)?.clone();
        Some((answer.status, told, wait))
    });
    let ready = exchange(health, "GET /ready", &[], "").unwrap();
    assert_eq!(ready.status, 200, "{}", ready.body);
    found
}

/// In how many seconds a wait ends.
#[track_caller]
fn seconds_left(wait: &Value) -> i64 {
    let until = DateTime::parse_from_rfc3339(wait["until"].as_str().unwrap()).unwrap();
    until.timestamp() - now()
}

fn metrics(bot: &Bot) -> String {
    exchange(bot.health(), "GET /metrics", &[], "")
        .unwrap()
        .body
}

/// What `doctor` finds of waits, while the bot runs.
fn doctor(bot: &Bot) -> String {
    let program = bot.program();
    let ran = program.run(&["--json", "doctor"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let waits = checks.iter().find(|finding| finding["check"] == "waits");
    waits.unwrap()["found"].as_str().unwrap().to_owned()
}

fn write(program: &Program, sql: &str, value: i64) {
    let changed = database(program).execute(sql, [value]).unwrap();
    assert!(changed > 0, "{sql}");
}

#[test]
fn slack_can_mute_it_for_an_hour_at_most_and_that_shows() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let years = u32::try_from(YEARS).unwrap();
    slack
        .faults()
        .times(1, "chat.postMessage", &Fault::RateLimited(years));
    let mut bot = Bot::start(Program::default(), &config);
    slack.mention(EMIKO, CAMP, "where?", None);
    let (status, told, wait) = waits_for(&mut bot, "slack");
    assert_eq!(
        (status, &told["answers"]),
        (503, &Value::Bool(false)),
        "{told:#}"
    );
    let trouble = told["troubles"][0].as_str().unwrap();
    assert!(
        trouble.starts_with("Slack's chat.postMessage waits for "),
        "{trouble}"
    );
    assert_eq!(wait["what"], "Slack's chat.postMessage");
    assert!((HOUR - 120..=HOUR).contains(&seconds_left(&wait)), "{wait}");
    let (_, _, wait) = waits_for(&mut bot, "answer");
    assert!((1..=HOUR).contains(&seconds_left(&wait)), "{wait}");
    let metrics = metrics(&bot);
    for sample in [
        "myao_waits{kind=\"slack\",name=\"chat.postMessage\"} 1\n",
        "myao_waits{kind=\"answer\",name=\"mention\"} 1\n",
        "myao_wait_end_timestamp_seconds{kind=\"slack\",name=\"chat.postMessage\"} ",
    ] {
        assert!(metrics.contains(sample), "no {sample} in {metrics}");
    }
    let told = doctor(&bot);
    assert!(
        told.contains("Slack's chat.postMessage waits until "),
        "{told}"
    );
    assert!(told.contains("the answer to C0CAMP0001:"), "{told}");
    let program = bot.stop();

    // As an older version, or a clock that was ahead, left it.
    let far = now() + YEARS;
    write(&program, "UPDATE replies SET next_try_at = ?1", far);
    let mut bot = Bot::start(program, &config);
    posts(&mut bot, &slack, 1);
    bot.stop();
}

#[test]
fn a_model_can_keep_answers_back_for_an_hour_at_most_and_that_shows() {
    let slack = workspace();
    let llm = model(|_| Reply::Http(429, "retry-after: 4294967295", "{}".to_owned()));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    slack.mention(EMIKO, CAMP, "where?", None);
    let (status, told, wait) = waits_for(&mut bot, "model");
    assert_eq!(status, 503, "{told:#}");
    assert_eq!(wait["what"], "the model of agents.response");
    assert!((HOUR - 120..=HOUR).contains(&seconds_left(&wait)), "{wait}");
    let (_, _, wait) = waits_for(&mut bot, "answer");
    assert!((1..=HOUR).contains(&seconds_left(&wait)), "{wait}");
    let program = bot.stop();
    let latest = number(&program, "SELECT MAX(next_try_at) FROM replies");
    assert!(latest <= now() + HOUR, "{latest}");
}

#[test]
fn a_mention_that_nobody_answers_for_long_shows_whatever_the_reason() {
    let slack = workspace();
    let llm = model(|_| Reply::Http(500, "a: b", "{}".to_owned()));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    slack.mention(EMIKO, CAMP, "where?", None);
    let (status, told, _) = waits_for(&mut bot, "answer");
    assert_eq!(status, 200, "it may be answered soon: {told:#}");
    write(
        bot.program(),
        "UPDATE replies SET asked_at = ?1",
        now() - 700,
    );
    let told = exchange(bot.health(), "GET /health/answers", &[], "").unwrap();
    assert_eq!(told.status, 503);
    let words = "mentions wait for an answer: 1, one for 7";
    assert!(told.body.contains(words), "{}", told.body);
    bot.stop();
}

#[test]
fn a_bot_that_stops_is_not_ready_and_lives() {
    let gate = Gate::default();
    let thinking = gate.clone();
    let slack = workspace();
    let llm = model(move |_| {
        thinking.wait();
        answer("Here.")
    });
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    slack.mention(EMIKO, CAMP, "where?", None);
    asked(&mut bot, &llm, 1);
    bot.signal("TERM");
    let health = bot.health();
    bot.until("it to say that it stops", |_| {
        let ready = exchange(health, "GET /ready", &[], "").unwrap();
        (ready.status == 503 && ready.body.contains("the bot stops")).then_some(())
    });
    assert_eq!(exchange(health, "GET /live", &[], "").unwrap().status, 200);
    gate.open();
    assert_eq!(bot.ended().0, Some(0));
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn a_clock_that_was_ahead_hides_no_gap() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    let before = slack.post(AKARI, CAMP, "before", None);
    bot.messages(CAMP, 1);
    let program = bot.stop();
    let noted = "UPDATE sync_state SET connected_through = ?1";
    write(&program, noted, now() + YEARS);
    let missed = slack.post(EMIKO, CAMP, "missed", None);
    let mut bot = Bot::start(program, &config);
    bot.caught_up();
    let program = bot.stop();
    let ids: Vec<String> = said(&program, CAMP)
        .into_iter()
        .map(|said| said.ts)
        .collect();
    assert_eq!(ids, [before, missed]);
    let noted = number(&program, "SELECT connected_through FROM sync_state");
    assert!(noted <= now(), "the next gap begins here: {noted}");
}

#[test]
fn a_stored_reason_controls_no_terminal() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    let program = bot.stop();
    let why = "a\u{9b}31m b\u{7f} c\u{202e}d \u{1b}]0;e";
    database(&program)
        .execute(
            "INSERT INTO deferrals (workspace, scope, scope_id, memory_type, until, failures, reason) \
             SELECT key, 0, '', 0, ?1, 1, ?2 FROM workspaces",
            rusqlite::params![now() + HOUR, why],
        )
        .unwrap();
    let mut bot = Bot::start(program, &config);
    let (_, _, wait) = waits_for(&mut bot, "memory");
    assert_eq!(wait["why"], why, "nothing is lost");
    let shown = exchange(bot.health(), "GET /ready", &[], "").unwrap().body;
    assert!(
        shown.contains(r"a\u009b31m b\u007f c\u202ed \u001b]0;e"),
        "{shown}"
    );
    bot.stop();
}
