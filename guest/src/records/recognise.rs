//! Recognises the facts of a message.

use std::ops::Range;

use crate::text::cues::{decides, gives_task, is_chatter, is_question};
use crate::text::lines::lines;
use crate::text::sentences::looks_like_code;
use crate::text::terms::terms;
use crate::text::values::{Value, normal, read};

/// A longer sentence is cut, so that a record stays short.
const MAX_CHARS: usize = 240;
/// So many facts are kept of one message: more are a table or a log, which is found by searching the messages.
const MOST_OF_ONE_MESSAGE: usize = 20;

/// How important a fact is; the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A sentence of decision.
    Decision,
    /// Who does what.
    Task,
    /// A date, an amount, an id or another value.
    Value,
}

/// A sentence that may not be lost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    /// Where it is in the text, in bytes.
    pub(crate) range: Range<usize>,
    pub(crate) rank: Rank,
    /// The values that may not be lost.
    pub(crate) values: Vec<Value>,
    /// Its content words.
    pub(crate) terms: Vec<String>,
}

/// The facts of a text, in order. Code and logs have none. What a program wrote decides nothing.
pub(crate) fn facts(text: &str, by_program: bool) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut fenced = false;
    for line in lines(text) {
        let said = text.get(line.clone()).unwrap_or_default();
        let fences = said.matches("```").count();
        let is_code = fenced || fences > 0 || looks_like_code(said);
        fenced ^= fences % 2 == 1;
        if is_code && !said.contains("://") {
            continue;
        }
        for part in parts(said) {
            let range = line.start + part.start..line.start + part.end;
            let sentence = said.get(part).unwrap_or_default();
            facts.extend(fact(sentence, range, by_program));
        }
    }
    facts.truncate(MOST_OF_ONE_MESSAGE);
    facts
}

fn fact(sentence: &str, range: Range<usize>, by_program: bool) -> Option<Fact> {
    let normal = normal(sentence);
    let mut values: Vec<Value> = read(&normal)
        .into_iter()
        .map(|found| found.value)
        .filter(Value::is_hard)
        .collect();
    values.sort();
    values.dedup();
    let says = !by_program && !is_question(&normal);
    let rank = if says && decides(&normal) {
        Rank::Decision
    } else if says && !is_chatter(&normal) && gives_task(sentence) {
        Rank::Task
    } else if values.is_empty() {
        return None;
    } else {
        Rank::Value
    };
    Some(Fact {
        range,
        rank,
        values,
        terms: terms(sentence)
            .into_iter()
            .filter(|term| says_much(term))
            .collect(),
    })
}

/// Returns true if a word says what a sentence is about: not a number or a lone kanji.
fn says_much(term: &str) -> bool {
    term.chars().count() > 1 && !term.contains(|c: char| c.is_ascii_digit())
}

/// A sentence, or its parts if it is long.
fn parts(sentence: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(rest) = sentence.get(start..).filter(|rest| !rest.is_empty()) {
        let limit = rest.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
        let length = limit.map_or(rest.len(), |limit| {
            let head = rest.get(..limit).unwrap_or_default();
            let end = head
                .char_indices()
                .rev()
                .find(|(_, c)| c.is_whitespace() || matches!(c, '、' | '，' | ';'));
            end.filter(|(at, _)| *at > limit / 2)
                .map_or(limit, |(at, c)| at + c.len_utf8())
        });
        parts.push(start..start + length);
        start += length;
    }
    parts
}
