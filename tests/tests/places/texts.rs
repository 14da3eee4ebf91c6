//! What is said. A secret is said in two ways that differ in nothing that can be counted.

use myao_plugin::MemoryType;
use myao_plugin::llm::{Agent, Request};
use myao_tests::telling::letters;
use serde_json::{Value, json};

use super::history::Model;

/// Which of the two workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// What everything is about, in every channel.
const SUBJECTS: [&str; 4] = ["salary", "budget", "contract", "release"];
const PLAIN: [&str; 8] = [
    "apple", "bread", "chair", "drums", "eagle", "field", "glass", "horse",
];
const LEFT: [&str; 8] = [
    "amber", "birch", "cedar", "delta", "ember", "flint", "grape", "hazel",
];
/// The same words with each letter one further: words are alike on the one side if they are alike on the other.
const RIGHT: [&str; 8] = [
    "bncfs", "cjsdi", "dfebs", "efmub", "fncfs", "gmjou", "hsbqf", "ibafm",
];

/// The text of a message: `side` if it is secret. It is another one after each edit.
pub(crate) fn text(side: Option<Side>, number: u32, edits: u32, is_question: bool) -> String {
    let (words, amount) = match side {
        None => (PLAIN, 1000 + number),
        Some(Side::Left) => (LEFT, 5000 + number),
        Some(Side::Right) => (RIGHT, 6000 + number),
    };
    let at = |offset: u32| usize::try_from(number * 3 + edits + offset).unwrap();
    let word = words[at(0) % words.len()];
    let subject = SUBJECTS[at(1) % SUBJECTS.len()];
    let amount = amount + 100 * (edits % 9);
    if is_question {
        return format!("k{number:03} Who knows the {subject} of {word}, is it {amount} euros?");
    }
    format!("k{number:03} We set the {subject} of {word} at {amount} euros.")
}

/// The name of a channel: `side` if it is secret.
pub(crate) fn name(side: Option<Side>, channel: usize, renames: usize) -> String {
    let words = match side {
        None => PLAIN,
        Some(Side::Left) => LEFT,
        Some(Side::Right) => RIGHT,
    };
    // The order of names is the same on both sides.
    format!("room-{channel}-{}-{renames}", words[channel % words.len()])
}

/// Whether a text holds something secret.
pub(crate) fn holds_secret(text: &str) -> bool {
    let mut words = LEFT.iter().chain(&RIGHT);
    words.any(|word| text.contains(word))
}

/// The answer of a model that tells everything that it is shown. `number` counts the requests of a place: no two
/// answers there have the same line, so that none counts as a copy of the prompt.
pub(crate) fn answer(model: Model, request: &Request, number: usize) -> String {
    if request.purpose.agent == Agent::Judgment {
        // It depends on nothing that the two workspaces differ in.
        let helps = !request.system_prompt.chars().count().is_multiple_of(3);
        return format!(
            r#"{{"should_respond": {helps}, "reason": "a question", "confidence": 0.8}}"#
        );
    }
    let mut told: Vec<String> = Vec::new();
    let mut heading = "";
    for line in request.system_prompt.lines() {
        if line.starts_with('#') {
            heading = line
                .split_whitespace()
                .find(|word| is_name(word))
                .unwrap_or(heading);
        }
        let name = if model == Model::Naming { heading } else { "" };
        if let Some(fact) = fact(line) {
            let line = format!("- {name} {fact}, told {}", letters(number as u64));
            if !told.contains(&line) {
                told.push(line);
            }
        }
    }
    match (told.is_empty(), request.purpose.memory_type) {
        (false, _) => {
            told.extend(items(&request.system_prompt));
            told.join("\n")
        }
        (true, Some(MemoryType::ShortTerm | MemoryType::LongTerm)) => "- It was quiet.".to_owned(),
        (true, None) => "That is not known here.".to_owned(),
    }
}

/// The block of a model that reports every fact as a task, if it is asked for items.
fn items(prompt: &str) -> Option<String> {
    let number = |line: &str| {
        let words = line.split(|c: char| !c.is_ascii_alphanumeric());
        let mut numbers = words.filter(|word| word.len() == 4 && word.starts_with('k'));
        fact(line).and(numbers.next().map(str::to_owned))
    };
    let report = |quote| json!({ "kind": "task", "quote": quote, "owner": quote });
    let reports = || prompt.lines().filter_map(number).map(report);
    prompt
        .contains("\"quote\"")
        .then(|| format!("```json\n{}\n```", reports().collect::<Value>()))
}

fn is_name(word: &str) -> bool {
    word.strip_prefix('#')
        .is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic()))
}

/// What a line of a message or of a memory says, in other words.
fn fact(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is_number = |word: &&&str| word.len() == 4 && word.starts_with('k');
    let number = words.iter().find(is_number)?;
    let among = |known: &[&str]| words.iter().copied().find(|word| known.contains(word));
    let subject = among(&SUBJECTS)?;
    let word = among(&PLAIN)
        .or_else(|| among(&LEFT))
        .or_else(|| among(&RIGHT))?;
    let amount = words
        .iter()
        .find(|word| word.parse().is_ok_and(|n: u32| n >= 1000))?;
    Some(format!("{number}: {word}, {amount} euros, {subject}"))
}
