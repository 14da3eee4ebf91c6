//! `budget`: what a day and a run may cost.

use std::collections::BTreeSet;

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{Call, LlmServer, Reply, answer_with_usage};
use myao_tests::noon;
use myao_tests::program::{Program, Ran};
use rusqlite::Connection;
use serde_json::Value;

const CHANNELS: [&str; 6] = ["alpha", "beta", "delta", "gamma", "kappa", "omega"];
/// The tokens of each answer.
const ANSWER_TOKENS: u32 = 20;

fn posts() -> Vec<Post> {
    let posts = CHANNELS.into_iter().zip(10..);
    posts
        .map(|(channel, minute)| {
            let text = format!("We of {channel} meet in the park.");
            post(channel, minute, "ann", &text)
        })
        .collect()
}

/// What a prompt takes, which is less than any count of its tokens in advance.
fn input_tokens(prompt: &str) -> u32 {
    u32::try_from(prompt.len() / 8).unwrap()
}

/// Answers with what the prompt is about.
fn echo(call: &Call) -> Reply {
    let lines = call.prompt().lines();
    let kept = lines.filter(|line| line.starts_with("- ") || line.contains("in the park"));
    let text = format!("- memory\n{}", kept.collect::<Vec<_>>().join("\n"));
    answer_with_usage(&text, (input_tokens(call.prompt()), None, ANSWER_TOKENS))
}

/// What the server counted of the calls after so many.
fn taken(server: &LlmServer, before: usize) -> u32 {
    let prompts = server.prompts().split_off(before);
    let taken = prompts
        .iter()
        .map(|prompt| input_tokens(prompt) + ANSWER_TOKENS);
    taken.sum()
}

fn config(server: &LlmServer, budget: &str) -> String {
    let (zone, agents) = (noon::timezone(), server.config());
    // Japanese prompts, as `program_with` has them.
    let memory = "memory: { prompt_language: ja }";
    format!("{zone}{memory}\nhealth_check: {{ port: 0 }}\n{agents}budget: {{ {budget} }}\n")
}

fn generate(program: &Program) -> Ran {
    program.run(&["--json", "generate", "--now", &time(300)])
}

fn report(ran: &Ran) -> Value {
    // The log says it once, too.
    let is_told = ran
        .stderr
        .lines()
        .all(|line| line.contains("budget.tokens_per_day"));
    assert!(is_told, "{ran:#?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

fn made(report: &Value) -> usize {
    let entries = report["entries"].as_array().unwrap().iter();
    let made = entries.map(|entry| entry["made"].as_array().unwrap().len());
    made.sum()
}

/// Makes it another day: all calls were yesterday or before.
fn next_day(program: &Program) {
    let connection = Connection::open(program.path("myao.db")).unwrap();
    let earlier = "UPDATE llm_calls SET started_at = started_at - 86400000";
    connection.execute(earlier, []).unwrap();
}

/// All tokens that a run would take, counted in advance.
fn estimate(program: &Program) -> u64 {
    let estimate = ["--json", "generate", "--estimate", "--now", &time(300)];
    let total = program.run(&estimate).json()["total"].clone();
    let tokens = |key: &str| total[key].as_u64().unwrap();
    tokens("input_tokens") + tokens("output_tokens")
}

#[test]
fn a_day_takes_no_more_than_its_budget_and_the_next_days_make_the_rest() {
    let server = LlmServer::start(echo);
    let program = program_with(&config(&server, "tokens_per_day: 1"), &posts());
    // An estimate costs nothing, so no budget stops it. A call counts beforehand with about five times what it takes.
    let budget = u32::try_from(estimate(&program) / 9).unwrap();
    program.write(
        "myao.yaml",
        config(&server, &format!("tokens_per_day: {budget}")),
    );
    let (mut days, mut memories) = (1, 0);
    loop {
        let before = server.calls().len();
        let ran = generate(&program);
        let report = report(&ran);
        memories += made(&report);
        let spent = taken(&server, before);
        assert!(0 < spent && spent <= budget, "{spent} of {budget}");
        if ran.code == Some(0) {
            break;
        }
        let entries = report["entries"].as_array().unwrap().iter();
        for failed in entries.filter(|entry| entry["outcome"] == "failed") {
            let reason = failed["reason"].as_str().unwrap();
            let words = "the budget of the day is used up (budget.tokens_per_day): models are asked again from ";
            assert!(reason.starts_with(words), "{reason}");
        }
        days += 1;
        assert!(days < 30, "{report:#}");
        next_day(&program);
    }
    // Reservations for calls in flight decide how often it stops: two days or three.
    assert!(days > 1, "{days} days, {budget} tokens each");
    // A version and a long-term memory of each channel, and the workspace's as often as something new was made.
    assert!(
        (13..=12 + days).contains(&memories),
        "{memories} in {days} days"
    );
    assert_eq!(server.calls().len(), memories, "nothing is paid for twice");
    let prompts: BTreeSet<String> = server.prompts().into_iter().collect();
    assert_eq!(prompts.len(), memories);
}

#[test]
fn a_run_is_stopped_by_its_own_budget_and_the_next_one_goes_on() {
    let server = LlmServer::start(echo);
    let program = program_with(&config(&server, "tokens_per_run: 1"), &posts());
    let budget = estimate(&program) / 9 - 1;
    program.write(
        "myao.yaml",
        config(&server, &format!("tokens_per_run: {budget}")),
    );
    let told = program.run(&["generate", "--estimate", "--now", &time(300)]);
    let words = "note: this is more than budget.tokens_per_run allows; it takes at least 10 runs\n";
    let told = told.output();
    assert!(told.contains(words), "{told}");
    let mut runs = 1;
    loop {
        let before = server.calls().len();
        let ran = program.run(&["backfill", "--keep-going", "--until", &time(300)]);
        assert!(u64::from(taken(&server, before)) <= budget);
        if ran.code == Some(0) {
            break;
        }
        for words in [
            "stopped by the budget, ",
            "the budget of the run is used up (budget.tokens_per_run): the next run goes on from here",
            "backfill` goes on from here.\n",
        ] {
            assert!(ran.stdout.contains(words), "no `{words}` in {ran:#?}");
        }
        runs += 1;
        assert!(runs < 30, "{ran:#?}");
    }
    assert!(runs > 1, "{runs}");
    let list = program.run(&["--json", "memory", "list"]).json();
    assert_eq!(list.as_array().unwrap().len(), 13, "{list:#}");
}

#[test]
fn a_budget_that_is_smaller_than_one_call_is_an_error_that_names_its_key() {
    let server = LlmServer::start(echo);
    let program = program_with(&config(&server, "tokens_per_run: 10"), &posts());
    let ran = program.run(&["generate", "--now", &time(300)]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let words = "one call may cost more than budget.tokens_per_run allows at all; raise it";
    assert!(ran.stdout.contains(words), "{ran:#?}");
    assert!(server.calls().is_empty());
}

#[test]
fn money_needs_prices_and_doctor_shows_what_is_left() {
    let server = LlmServer::start(echo);
    let without = config(&server, "money_per_day: 0.5");
    let program = program_with("", &posts());
    program.write("myao.yaml", &without);
    let refused = program.run(&["generate"]).refusal();
    let words = "`budget.money_per_day` needs the price of openai/test-model";
    assert!(refused.contains(words), "{refused}");
    let prices = "prices: { currency: EUR, openai/test-model: { input: 10, output: 50 } }\n";
    program.write("myao.yaml", without + prices);
    assert_eq!(generate(&program).code, Some(0));
    let calls = u32::try_from(server.calls().len()).unwrap();
    let output = calls * ANSWER_TOKENS;
    let input = taken(&server, 0) - output;
    let doctor = program.run(&["--json", "doctor"]);
    let doctor: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let checks = doctor["checks"].as_array().unwrap().iter();
    let mut budgets = checks.filter(|finding| finding["check"] == "budget");
    let budget = budgets.next().unwrap();
    let cost = f64::from(input * 10 + output * 50) / 1e6;
    let found = format!("today: {cost:.4} of 0.5000 EUR (budget.money_per_day)");
    assert_eq!(
        (&budget["found"], &budget["state"]),
        (&found.into(), &"ok".into())
    );
}
