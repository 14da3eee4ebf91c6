//! How many of the planted facts are left after 20 generations of short-term into long-term memory, and where the
//! others were lost; then somebody asks about each, and the reply's prompt has it. `tests/fixtures/consolidation` has
//! the results.

mod facts;
mod model;
mod report;

use std::collections::BTreeSet;

use super::*;
use crate::answer::{Expectation, judge};
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::llm::Agent;
use crate::bindings::types::{Engine, Message, User};
use crate::generator::Run;
use crate::ports::{Llm, Ports};
use crate::responder::Responder;
use crate::settings::Settings;
use crate::testing::{DAY, HOUR, TestHost, at, message};
use crate::text::language::languages_of;
use facts::Fact;
use model::{Asked, ForgetfulModel};
use report::Report;

const CHANNEL: &str = "C1";
const GENERATIONS: usize = 20;
const FACTS_PER_GENERATION: usize = 2;
const CHATTER_PER_GENERATION: usize = 3;
/// Far enough apart that no window sees two generations.
const PAUSE: i64 = 2 * DAY;
const SEED: u64 = 7;

#[test]
fn asked_after_20_merges_by_a_forgetful_model_every_fact_is_in_the_prompt() {
    let model = ForgetfulModel::new(SEED);
    let report = consolidate(Engine::Llm, &model);
    assert_eq!(model.calls(), 2 * GENERATIONS);
    report.compare(
        "llm.txt",
        include_str!("../../../../tests/fixtures/consolidation/llm.txt"),
    );
}

#[test]
fn asked_after_20_merges_that_were_cut_off_every_fact_is_in_the_prompt() {
    let model = ForgetfulModel::cut_off();
    let report = consolidate(Engine::Llm, &model);
    // Each merge is asked for twice at most.
    assert!(model.calls() <= 3 * GENERATIONS, "{}", model.calls());
    report.compare(
        "cut-off.txt",
        include_str!("../../../../tests/fixtures/consolidation/cut-off.txt"),
    );
}

#[test]
fn asked_after_20_merges_without_a_model_every_fact_is_in_the_prompt() {
    let model = ForgetfulModel::new(SEED);
    let report = consolidate(Engine::Extractive, &model);
    assert_eq!(model.calls(), 0);
    report.compare(
        "extractive.txt",
        include_str!("../../../../tests/fixtures/consolidation/extractive.txt"),
    );
}

/// The measurement is realistic: no answer of the model is one that is refused.
#[test]
fn answers_of_the_forgetful_model_are_accepted() {
    let model = ForgetfulModel::new(SEED);
    consolidate(Engine::Llm, &model);
    for (prompt, answer) in model.answers() {
        let material = model::read(&prompt);
        let languages = languages_of(material.texts());
        let sources = material.texts();
        let expectation = Expectation {
            prompt: &prompt,
            sources: material.sources(&sources),
            languages: &languages,
            max_tokens: 500,
            cut_off: false,
            counted: None,
        };
        let judged = judge(&answer, &expectation, &|texts| {
            model.count_tokens(Agent::Memory, texts)
        });
        assert_eq!(judged.map(|accepted| accepted.text), Ok(answer), "{prompt}");
    }
}

/// Plants the facts and runs the generator after each pair of them.
fn consolidate(engine: Engine, model: &ForgetfulModel) -> Report {
    let facts = facts::all();
    assert_eq!(facts.len(), GENERATIONS * FACTS_PER_GENERATION);
    let host = TestHost::with_prompts();
    let settings = Settings {
        engine,
        ..host.settings.clone()
    };
    let ports = Ports {
        storage: &host.storage,
        recall: &host.storage,
        llm: model,
        log: &host.log,
        settings,
    };
    let mut chatter = facts::chatter().into_iter().cycle();
    let mut report = Report::new(engine, &facts);
    for (generation, planted) in facts.chunks(FACTS_PER_GENERATION).enumerate() {
        let start = PAUSE * i64::try_from(generation).unwrap();
        let said = planted.iter().map(|fact| fact.message.clone());
        for (minute, said) in (0..).zip(said.chain(chatter.by_ref().take(CHATTER_PER_GENERATION))) {
            host.storage
                .add_message(CHANNEL, spoken(start + 60 * minute, &said));
        }
        let entries = [Run::new(&ports, at(start + 3 * HOUR)).generate_channel(CHANNEL)];
        assert!(is_done(outcome_of(&entries, CHANNEL)), "{entries:?}");
        let versions = host.storage.versions(CHANNEL);
        assert_eq!(versions.len(), generation + 1);
        report.add(
            planted,
            versions.last().unwrap(),
            &host.storage.long_term(CHANNEL),
        );
    }
    ask(&host, &facts, &mut report);
    report
}

/// Asks about each fact, and about nothing.
fn ask(host: &TestHost, facts: &[Fact], report: &mut Report) {
    let model = Asked::default();
    let ports = Ports {
        storage: &host.storage,
        recall: &host.storage,
        llm: &model,
        log: &host.log,
        settings: Settings {
            // The conversation around the question tells nothing.
            reply_message_limit: 1,
            ..host.settings.clone()
        },
    };
    let start = PAUSE * i64::try_from(GENERATIONS).unwrap();
    let mut number = 0;
    let mut prompt = |question: &str| {
        number += 60;
        let message = spoken(start + number, &format!("asker: {question}"));
        let target = Target {
            channel_id: CHANNEL.to_owned(),
            thread_ts: None,
            message_ts: message.ts.clone(),
        };
        host.storage.add_message(CHANNEL, message);
        let responder = Responder::new(&ports, &host.chat, at(start + number));
        responder.reply_to_mention(&target).unwrap();
        let prompt = model.last_prompt();
        let records = prompt.split("## 記録\n").nth(1).unwrap();
        let records = records.split("\n## ").next().unwrap();
        let shown: u32 = records
            .lines()
            .filter(|line| line.starts_with("- "))
            .map(model::tokens)
            .sum();
        assert!((1..=400).contains(&shown), "{shown} tokens of records");
        prompt
    };
    let unasked = prompt("おはようございます");
    for fact in facts {
        let asked = prompt(&fact.question());
        assert!(fact.is_in(&asked), "{fact:?} is not in\n{asked}");
        report.asked(fact, &unasked);
    }
}

/// `name: text` as a message.
fn spoken(seconds: i64, said: &str) -> Message {
    let (name, text) = said.split_once(": ").unwrap();
    let user = User {
        id: format!("U-{name}"),
        name: name.to_owned(),
        is_bot: false,
    };
    Message {
        user,
        ..message(seconds, text)
    }
}

#[test]
fn every_fact_is_in_its_own_message_alone() {
    let facts = facts::all();
    let kinds: BTreeSet<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["amount", "date", "decision", "id", "name", "url"]
    );
    let mut messages: Vec<String> = facts.iter().map(|fact| fact.message.clone()).collect();
    messages.extend(facts::chatter());
    for fact in &facts {
        let holding: Vec<&String> = messages
            .iter()
            .filter(|message| fact.is_in(message))
            .collect();
        assert_eq!(holding, [&fact.message]);
    }
}
