//! The budget of the day, as people in Slack and the operator meet it.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, read_log};
use myao_tests::llm_server::{LlmServer, answer_with_usage};
use myao_tests::noon;
use myao_tests::peer::exchange;
use myao_tests::program::Program;
use serde_json::Value;

use super::support::{AKARI, ANSWER, CAMP, EMIKO, connect, number, posts, replies_of, workspace};

const DIRECT: &str = "D0EMIKO";

/// A model whose answers take nearly all of a day's 20,000 tokens.
fn dear_model() -> LlmServer {
    LlmServer::start(|_| answer_with_usage(ANSWER, (19_000, None, 900)))
}

fn config(llm: &LlmServer, budget: &str) -> String {
    let (zone, replies) = (noon::timezone(), replies_of(llm));
    format!("{zone}{replies}budget: {{ {budget} }}\n")
}

/// What the bot answers to a mention.
fn answer_to(slack: &FakeSlack, bot: &mut Bot, user: &str, text: &str) -> String {
    let before = slack.posts().len();
    slack.mention(user, CAMP, text, None);
    posts(slack, bot, before + 1).pop().unwrap().text
}

#[test]
fn a_mention_beyond_the_budget_is_told_when_to_ask_again_and_home_and_doctor_say_so() {
    let (slack, llm) = (workspace(), dear_model());
    let mut bot = connect(&slack, &config(&llm, "tokens_per_day: 20000"));
    let said = answer_to(&slack, &mut bot, AKARI, "会場は？");
    assert!(said.contains(ANSWER), "{said}");
    let said = answer_to(&slack, &mut bot, AKARI, "日程は？");
    assert!(said.contains("今日使える予算を使い切ったので"), "{said}");
    // The channel knows now.
    slack.mention(EMIKO, CAMP, "where is it?", None);
    bot.until("no answer", |program| {
        let given_up = "SELECT COUNT(*) FROM replies WHERE state = 2";
        (number(program, given_up) == 1).then_some(())
    });
    assert_eq!(slack.posts().len(), 2);
    slack.add_direct_channel(DIRECT, EMIKO);
    slack.post(EMIKO, DIRECT, "where is it?", None);
    let said = posts(&slack, &mut bot, 3).pop().unwrap().text;
    assert!(said.contains("used up my budget for today"), "{said}");
    assert!(
        said.contains("again in about 1"),
        "in 11 or 12 hours: {said}"
    );
    assert_eq!(llm.calls().len(), 1);

    slack.open_home(AKARI);
    let home = bot.until("a home", |_| slack.home(AKARI)).to_string();
    assert!(home.contains("今日使える予算を使い切りました"), "{home}");
    let examined = bot.program().run(&["--json", "doctor"]);
    let report: Value = serde_json::from_str(&examined.stdout).unwrap();
    let found = |check: &str| {
        let checks = report["checks"].as_array().unwrap();
        let found = checks.iter().find(|finding| finding["check"] == *check);
        found.unwrap_or_else(|| panic!("{report:#}")).to_string()
    };
    let budget = found("budget");
    let words = "today: 19,900 of 20,000 tokens (budget.tokens_per_day)";
    assert!(
        budget.contains(words) && budget.contains("warning"),
        "{budget}"
    );
    let told = |path: &str| exchange(bot.health(), &format!("GET {path}"), &[], "").unwrap();
    let spent = "myao_budget_spent_ratio{kind=\"tokens\"} 0.995\n";
    assert!(told("/metrics").body.contains(spent));
    assert_eq!(
        (told("/ready").status, told("/health/answers").status),
        (200, 503)
    );
    let waits = found("waits");
    assert!(
        waits.contains("budget.tokens_per_day is used up"),
        "{waits}"
    );
    bot.stop();
}

#[test]
fn a_question_that_no_day_allows_is_told_to_have_no_answer() {
    let (slack, llm) = (workspace(), dear_model());
    let mut bot = connect(&slack, &config(&llm, "tokens_per_day: 100"));
    let said = answer_to(&slack, &mut bot, AKARI, "会場は？");
    assert!(said.contains("予算の上限を超えている"), "{said}");
    let told = "cannot be answered: one call may cost more than budget.tokens_per_day allows at all; raise it";
    let is_told = |program: &Program| read_log(program).contains(told).then_some(());
    bot.until("the log's line", is_told);
    bot.stop();
    assert!(llm.calls().is_empty());
}

#[test]
fn a_person_gets_so_many_answers_a_day() {
    let (slack, llm) = (workspace(), dear_model());
    let mut bot = connect(&slack, &config(&llm, "answers_per_person_per_day: 1"));
    let said = answer_to(&slack, &mut bot, AKARI, "会場は？");
    assert!(said.contains(ANSWER), "{said}");
    let said = answer_to(&slack, &mut bot, AKARI, "日程は？");
    assert!(said.contains("24時間のあいだに1回"), "{said}");
    let said = answer_to(&slack, &mut bot, EMIKO, "日程は？");
    assert!(said.contains(ANSWER), "{said}");
    bot.stop();
}
