//! What an operator does with a running bot: stop it, give it another configuration or component.

use std::fs;

use myao_fake_slack::Fault;
use myao_tests::bot::{Bot, refusal};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::Program;
use myao_tests::project_file;

use super::common::{
    AKARI, CAMP, EMIKO, Gate, asked, config, model, posts, says, wait_until_idle, workspace,
};

const COMPONENT: &str = "other.wasm";
/// A custom section with the name `test` and nothing in it.
const EMPTY_SECTION: [u8; 7] = [0, 5, 4, b't', b'e', b's', b't'];

/// A model that thinks until the gate is open.
fn gated() -> (LlmServer, Gate) {
    let gate = Gate::default();
    let thinking = gate.clone();
    let llm = model(move |_| {
        thinking.wait();
        answer("The lake.")
    });
    (llm, gate)
}

fn component_bytes() -> Vec<u8> {
    fs::read(project_file("target/component/myao_bot.wasm")).unwrap()
}

#[test]
fn asked_to_stop_it_ends_the_answer_under_way() {
    let slack = workspace();
    let (llm, gate) = gated();
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    slack.mention(EMIKO, CAMP, "where?", None);
    asked(&mut bot, &llm, 1);
    bot.signal("TERM");
    says(&mut bot, "stopping: what is under way ends first");
    assert_eq!(slack.posts(), []);
    gate.open();
    let (code, log, program) = bot.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(slack.posts().len(), 1);
    // It knows that it has answered.
    let mut bot = Bot::start(program, &config(&slack, &llm));
    wait_until_idle(&mut bot);
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn a_bot_that_cannot_reach_slack_says_so_and_starts_once_it_can() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    // A call makes three attempts.
    slack.faults().times(3, "auth.test", &Fault::HangUp);
    let bot = Bot::start(Program::default(), &config(&slack, &llm));
    let log = bot.log();
    assert!(log.contains("Slack cannot be reached"), "{log}");
    assert!(log.contains("tries again in 1.0 s"), "{log}");
    assert!(!log.contains("bot_token"), "{log}");
    bot.stop();
}

#[test]
fn a_second_bot_is_refused_until_the_first_is_gone() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let bot = Bot::start(Program::default(), &config);
    let (code, log) = refusal(bot.program(), &config);
    assert_eq!(code, Some(1), "{log}");
    // The first bot goes on writing to the same log.
    let told = log.lines().find(|line| line.starts_with("myao: `"));
    let told = told.unwrap_or_else(|| panic!("no refusal in {log}"));
    for word in ["myao.db", "another bot (process ", "stop that one"] {
        assert!(told.contains(word), "no {word} in {told}");
    }
    let killed = bot.kill();
    Bot::start(killed, &config).stop();
}

#[test]
fn a_hang_up_takes_persona_and_model_from_the_file() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let persona =
        |text: &str| format!("{config}persona: {{ name: myao, system_prompt: '{text}' }}\n");
    let mut bot = Bot::start(Program::default(), &persona("You are a cat."));
    slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut bot, &slack, 1);
    bot.configure(&persona("You are a dog.").replace("openai/replies", "openai/replies-two"));
    bot.signal("HUP");
    says(
        &mut bot,
        "SIGHUP: configuration and component are loaded again",
    );
    slack.mention(EMIKO, CAMP, "who now?", None);
    posts(&mut bot, &slack, 2);
    let calls = asked(&mut bot, &llm, 2);
    assert!(
        calls[0].prompt().starts_with("You are a cat."),
        "{}",
        calls[0].prompt()
    );
    assert!(
        calls[1].prompt().starts_with("You are a dog."),
        "{}",
        calls[1].prompt()
    );
    assert_eq!(
        (&calls[0].body["model"], &calls[1].body["model"]),
        (&"replies".into(), &"replies-two".into())
    );
    bot.stop();
}

#[test]
fn a_broken_configuration_leaves_the_old_one_and_says_so() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let mut bot = Bot::start(
        Program::default(),
        &format!("{config}persona: {{ system_prompt: 'You are a cat.' }}\n"),
    );
    bot.configure(&format!(
        "{config}persona: {{ sistem_prompt: 'You are a dog.' }}\n"
    ));
    bot.signal("HUP");
    says(
        &mut bot,
        "SIGHUP: nothing has changed, as it cannot be loaded",
    );
    let log = bot.log();
    for words in ["myao.yaml", "sistem_prompt"] {
        assert!(log.contains(words), "no `{words}` in {log}");
    }
    slack.mention(EMIKO, CAMP, "who now?", None);
    posts(&mut bot, &slack, 1);
    assert!(
        asked(&mut bot, &llm, 1)[0]
            .prompt()
            .starts_with("You are a cat.")
    );
    bot.stop();
}

#[test]
fn an_exchanged_component_is_taken_and_calls_end_on_the_old_one() {
    let slack = workspace();
    let (llm, gate) = gated();
    let program = Program::default();
    let bytes = component_bytes();
    program.write(COMPONENT, &bytes);
    let mut bot = Bot::launch(program, &config(&slack, &llm), &["--component", COMPONENT]);
    bot.ready();
    slack.mention(EMIKO, CAMP, "where?", None);
    asked(&mut bot, &llm, 1);
    bot.program()
        .write("new.wasm", [bytes.as_slice(), &EMPTY_SECTION].concat());
    fs::rename(
        bot.program().path("new.wasm"),
        bot.program().path(COMPONENT),
    )
    .unwrap();
    says(
        &mut bot,
        "the component's file has changed: configuration and component are loaded again",
    );
    assert_eq!(slack.posts(), []);
    gate.open();
    posts(&mut bot, &slack, 1);
    slack.mention(EMIKO, CAMP, "and when?", None);
    posts(&mut bot, &slack, 2);
    wait_until_idle(&mut bot);
    bot.stop();
    assert_eq!(slack.posts().len(), 2);
}

#[test]
fn a_corrupted_component_leaves_the_old_one_and_says_so() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let program = Program::default();
    let bytes = component_bytes();
    program.write(COMPONENT, &bytes);
    let mut bot = Bot::launch(program, &config(&slack, &llm), &["--component", COMPONENT]);
    bot.ready();
    bot.program().write(COMPONENT, &bytes[..bytes.len() / 2]);
    says(
        &mut bot,
        "the component's file has changed: nothing has changed, as it cannot be loaded",
    );
    assert!(bot.log().contains(COMPONENT), "{}", bot.log());
    slack.mention(EMIKO, CAMP, "where?", None);
    posts(&mut bot, &slack, 1);
    bot.stop();
}

/// The model of memories never answers.
#[test]
fn an_answer_does_not_wait_for_a_generation_run() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm).replace(
        "interval_seconds: 86400 }\nresponse",
        "interval_seconds: 1 }\nresponse",
    );
    let mut bot = Bot::start(Program::default(), &config);
    for number in 0..20 {
        slack.post(AKARI, CAMP, &format!("number {number}"), None);
    }
    bot.until("a run that hangs", |_| {
        let calls = llm.calls();
        calls
            .iter()
            .any(|call| call.body["model"] == "memories")
            .then_some(())
    });
    slack.mention(EMIKO, CAMP, "where?", None);
    posts(&mut bot, &slack, 1);
    let log = bot.log();
    assert!(!log.contains("generation run:"), "{log}");
    bot.stop();
}
