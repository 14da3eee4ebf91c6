//! What people say, and what a model tells of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use myao_plugin::llm::{Agent, Request};
use serde_json::{Value, json};

use super::history::{Mark, Model};

/// The bot's name in the default settings.
const BOT: &str = "みゃお";
const SUBJECTS: [&str; 4] = ["salary", "budget", "contract", "release"];
const THINGS: [&str; 8] = [
    "amber", "birch", "cedar", "delta", "ember", "flint", "grape", "hazel",
];

/// The text of a message after so many edits. No two have the same amount.
pub(crate) fn text(number: u32, edits: u32, is_question: bool) -> String {
    let at = usize::try_from(number * 3 + edits).unwrap();
    let (thing, subject) = (THINGS[at % THINGS.len()], SUBJECTS[at % SUBJECTS.len()]);
    let amount = 1000 + 10 * number + edits % 10;
    match (is_question, number % 3) {
        (true, _) => {
            format!("k{number:03} The {subject} of {thing} is {amount} euros. Who knows more?")
        }
        (false, 0) => format!("k{number:03} {thing} の {subject} は {amount} euros に決めました。"),
        (false, _) => format!("k{number:03} We set the {subject} of {thing} at {amount} euros."),
    }
}

/// A text behind the words that mark it.
pub(crate) fn marked(text: &str, mark: Mark) -> String {
    match mark {
        Mark::Remember => format!("@{BOT} 覚えて: {text}"),
        Mark::Correction => format!("@{BOT} correction: {text}"),
    }
}

/// Whether a text has such words.
pub(crate) fn is_marked(text: &str) -> bool {
    text.starts_with('@')
}

/// What of a text stands in no other.
pub(crate) fn mark(text: &str) -> String {
    let amount = fact(text).map(|fact| fact.amount);
    format!("{} euros", amount.unwrap())
}

struct Fact<'t> {
    number: &'t str,
    thing: &'t str,
    subject: &'t str,
    amount: &'t str,
}

/// What a line of a message or of a memory says.
fn fact(line: &str) -> Option<Fact<'_>> {
    let words = || {
        line.split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    let is_number = |word: &&str| word.len() == 4 && word.starts_with('k');
    Some(Fact {
        number: words().find(is_number)?,
        thing: words().find(|word| THINGS.contains(word))?,
        subject: words().find(|word| SUBJECTS.contains(word))?,
        amount: words()
            .find(|word| word.len() == 4 && word.parse::<u32>().is_ok_and(|n| n < 2000))?,
    })
}

/// The answer of a model that tells everything that it is shown. It depends on the prompt alone, and no two answers have the
/// same line, so that none counts as a copy of the prompt.
pub(crate) fn answer(model: Model, request: &Request) -> String {
    if request.purpose.agent == Agent::Judgment {
        return r#"{"should_respond": false, "reason": "talk", "confidence": 0.8}"#.to_owned();
    }
    let prompt = &request.system_prompt;
    let told_in = letters(prompt);
    let mut told: Vec<String> = Vec::new();
    for fact in prompt
        .lines()
        .flat_map(|line| line.split(';'))
        .filter_map(fact)
    {
        let Fact {
            number,
            thing,
            subject,
            amount,
        } = fact;
        let fact = format!("{number}: {thing}, {amount} euros, {subject}, told in {told_in}");
        if !told.contains(&fact) {
            told.push(fact);
        }
    }
    if told.is_empty() {
        return "- It was quiet.".to_owned();
    }
    let in_line = if model == Model::Joining { 2 } else { 1 };
    let lines = told.chunks(in_line);
    let mut lines: Vec<String> = lines
        .map(|facts| format!("- {}", facts.join("; ")))
        .collect();
    if prompt.contains("\"quote\"") {
        lines.push(format!("```json\n{}\n```", reports(prompt)));
    }
    lines.join("\n")
}

/// Everything that is shown, reported as tasks whose owners are amounts, and the last fact as what became of each item: what a
/// change keeps of its message is then found where texts are looked for.
fn reports(prompt: &str) -> Value {
    let facts: Vec<Fact<'_>> = prompt.lines().filter_map(fact).collect();
    let mut reports: Vec<Value> = facts
        .iter()
        .map(|fact| json!({ "kind": "task", "quote": fact.number, "owner": format!("{} euros", fact.amount) }))
        .collect();
    let items = prompt
        .lines()
        .filter(|line| line.contains(". task: "))
        .count();
    if let Some(last) = facts.last() {
        let owner = format!("{} euros", last.amount);
        let became =
            |item| json!({ "item": item, "state": "done", "quote": last.number, "owner": owner });
        reports.splice(0..0, (1..=items).map(became));
    }
    Value::Array(reports)
}

/// A word that stands for a text.
pub(crate) fn letters(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let mut left = hasher.finish();
    let mut word = String::new();
    for _ in 0..6 {
        let letter = u8::try_from(left % 26).unwrap();
        word.push(char::from(b'a' + letter));
        left /= 26;
    }
    word
}
