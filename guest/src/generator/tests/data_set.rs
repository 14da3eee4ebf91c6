//! Measures over a data set (`tests/eval/README.md`): the project's own, or the one in the folder `MYAO_TEST_DATA_SET`.

#![expect(clippy::print_stdout, reason = "it shows figures")]

use std::collections::BTreeSet;

use crate::bindings::llm::FinishReason;
use crate::bindings::types::{Engine, Scope};
use crate::settings::{Language, ThreadMemories};
use crate::testing::data_set::{Filled, Question, Talk, folder, read, time};
use crate::testing::{HOUR, NOW, TestHost, completion};

/// Something may be due for so long after a message.
const BUSY: i64 = 4 * HOUR;

/// What happens at a time; of what happens at once, events come first and questions last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Event(usize),
    Run,
    Question(usize),
}

/// Lives through a talk as a bot does that runs every hour.
fn live(host: &TestHost, talk: &Talk, ask: &mut dyn FnMut(&Filled, &Question)) {
    let times: Vec<i64> = talk
        .events
        .iter()
        .map(|event| time(&event["at"]).unix_seconds)
        .collect();
    let ticks: BTreeSet<i64> = times
        .iter()
        .flat_map(|at| (1..=BUSY / HOUR).map(move |hours| (at / HOUR + hours) * HOUR))
        .collect();
    let asked = talk.questions.iter().map(|asked| asked.at.unix_seconds);
    let mut steps: Vec<(i64, Step)> = (times.iter().enumerate())
        .map(|(number, at)| (*at, Step::Event(number)))
        .chain(
            asked
                .enumerate()
                .map(|(number, at)| (at, Step::Question(number))),
        )
        .chain(ticks.into_iter().map(|at| (at, Step::Run)))
        .collect();
    steps.sort();
    let mut filled = Filled::default();
    for (at, step) in steps {
        match step {
            Step::Event(number) => filled.apply(&talk.events[number], &host.storage),
            Step::Run => drop(host.try_generate(at - NOW).unwrap()),
            Step::Question(number) => ask(&filled, &talk.questions[number]),
        }
    }
}

/// The share of what answers need that memories without a model hold: the newest of each, and those that prompts show.
#[test]
#[ignore = "it measures"]
fn required_texts_held_by_memories_without_a_model() {
    let (mut all, mut newest, mut shown, mut length, mut asked) = (0, 0, 0, 0, 0);
    for talk in read(&folder()).values() {
        let mut host = TestHost::new();
        host.settings.engine = Engine::Extractive;
        host.llm.estimates.set(true);
        live(&host, talk, &mut |filled, question| {
            if !filled.open.contains(&question.channel) {
                return;
            }
            let versions = |count: usize| -> String {
                let ids = filled.open.iter().map(String::as_str).chain(["default"]);
                let texts = ids.flat_map(|id| {
                    let mut texts = vec![host.storage.long_term(id)];
                    let versions = host.storage.versions(id);
                    texts.extend(versions.iter().rev().take(count).cloned());
                    texts
                });
                texts.collect::<Vec<_>>().join("\n")
            };
            let newest_texts = versions(1);
            let (required, held) = question.held(&newest_texts);
            all += required;
            newest += held;
            shown += question.held(&versions(5)).1;
            length += newest_texts.chars().count();
            asked += usize::from(required > 0);
        });
    }
    println!("{all} required; the newest memories hold {newest}, five versions {shown}");
    println!("{} characters on average", length / asked.max(1));
}

/// Calls of a model for each 1,000 messages, by the setting.
#[test]
#[ignore = "it measures"]
fn calls_of_a_model_for_1000_messages() {
    for when in [ThreadMemories::Always, ThreadMemories::OnDemand] {
        let (mut messages, mut calls, mut texts, mut threads) = (0, 0, 0, 0);
        for talk in read(&folder()).values() {
            let mut host = TestHost::with_prompts();
            host.settings.thread_memories = when;
            host.settings.language = Language::Any;
            host.llm.estimates.set(true);
            host.llm
                .answer_by(|_, _| Ok(completion("- noted", FinishReason::Stop)));
            live(&host, talk, &mut |_, _| {});
            messages += host.storage.all_messages().len();
            calls += host.llm.calls();
            let drafts = host.storage.drafts();
            texts += drafts.len();
            threads += drafts
                .iter()
                .filter(|draft| draft.scope == Scope::Thread)
                .count();
        }
        let per_thousand = calls * 1000 / messages;
        println!(
            "{when:?}: {calls} calls for {messages} messages, {per_thousand} per 1,000; {texts} texts, {threads} of threads"
        );
    }
}
