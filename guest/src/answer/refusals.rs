//! Answers that decline, or ask back, instead of summarising.

use std::collections::BTreeSet;

use super::Sources;
use super::lines::{Kind, Line, read};
use super::wording::frame::is_offer;
use super::wording::sentence::{is_question_back, is_refusal};
use super::wording::sentences;
use crate::bindings::errors::BadAnswer;
use crate::text::terms::terms;

/// A longer answer in prose is a summary, whatever it ends with.
const MAX_SENTENCES: usize = 8;
/// A refusal begins within so many sentences.
const REFUSING_SENTENCES: usize = 2;

/// The answer without a lead that declines or asks, if the rest is a summary.
///
/// The lead is the text before the first bullet. A bullet counts as content if at least half of its content words (and
/// two of them, if it has as many) are in the sources. If there is such a bullet, a lead that declines or asks is
/// removed; otherwise the lead is the answer. Bullets that decline or ask count only if all of them do: a participant
/// may apologise or ask.
pub(super) fn without_address(text: String, sources: Sources<'_>) -> Result<String, BadAnswer> {
    let lines = read(&text);
    let first = lines
        .iter()
        .position(|line| matches!(line.kind, Kind::Item | Kind::Row));
    let (lead, list) = lines
        .split_at_checked(first.unwrap_or(lines.len()))
        .unwrap_or_default();
    let prose: Vec<&str> = lead
        .iter()
        .filter(|line| line.kind == Kind::Text)
        .map(|line| line.body.as_str())
        .collect();
    let fault = if first.is_some() && prose.is_empty() {
        of_bullets(list)
    } else {
        of_prose(&prose.join("\n"))
    };
    match fault {
        None => Ok(text),
        Some(fault) if !says_something(list, sources) => Err(fault),
        Some(_) if prose.is_empty() => Ok(text),
        Some(_) => {
            let kept = lead
                .iter()
                .filter(|line| line.kind == Kind::Heading)
                .chain(list);
            Ok(kept.map(|line| line.raw).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// A question takes precedence: "I'm sorry, but I see no messages. Please provide them."
fn of_prose(prose: &str) -> Option<BadAnswer> {
    let sentences = sentences(prose);
    if sentences.len() > MAX_SENTENCES {
        return None;
    }
    let declines = sentences
        .iter()
        .take(REFUSING_SENTENCES)
        .any(|sentence| is_refusal(sentence));
    if sentences.iter().any(|sentence| is_question_back(sentence)) {
        // A question that follows a summary in prose does not make the answer a question.
        let first = sentences
            .iter()
            .take(REFUSING_SENTENCES)
            .any(|sentence| is_question_back(sentence));
        return (first || declines).then_some(BadAnswer::Question);
    }
    if !sentences.is_empty() && sentences.iter().all(|sentence| is_offer(sentence)) {
        return Some(BadAnswer::Question);
    }
    declines.then_some(BadAnswer::Refusal)
}

fn of_bullets(list: &[Line<'_>]) -> Option<BadAnswer> {
    let bullets = || {
        list.iter()
            .filter(|line| line.kind == Kind::Item && !line.body.is_empty())
    };
    let mut faults = bullets().map(|line| of_prose(&line.body));
    let first = faults.next()??;
    faults.all(|fault| fault.is_some()).then_some(first)
}

fn says_something(list: &[Line<'_>], sources: Sources<'_>) -> bool {
    let mut said = list
        .iter()
        .filter(|line| matches!(line.kind, Kind::Item | Kind::Row))
        .peekable();
    if said.peek().is_none() {
        return false;
    }
    let known: BTreeSet<String> = sources.texts().flat_map(terms).collect();
    said.any(|line| {
        let words = terms(&line.body);
        let found = words.iter().filter(|word| known.contains(*word)).count();
        found * 2 >= words.len() && found >= words.len().clamp(1, 2)
    })
}
