//! Keeps what a text does not hold of the messages that it was made from: a record is a reference to a part of a message,
//! never a copy.
//!
//! `recognise` finds the facts of a message: sentences that decide, give somebody a task, or have a value. A fact is
//! kept unless a line that cites its message has all its values (and half of its words, if it decides or gives a task).
//! `show` chooses which records a prompt shows.

mod recognise;
mod show;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use recognise::{Fact, Rank, facts};
pub(crate) use show::{Room, Shown, read_spans, shown_of};

use crate::bindings::types::{Citation, KeptSpan, KeptText, MessageRef};
use crate::cited_lines::lines_with;
use crate::text::terms::terms;
use crate::text::values::{Value, normal, read};
use crate::ts::Ts;

/// A memory keeps at most so many records: decisions and tasks first, then the newest. The rest is found by searching
/// the messages.
const MOST_KEPT: usize = 500;

/// A message that may hold facts.
pub(crate) struct Said<'a> {
    pub(crate) at: MessageRef,
    pub(crate) text: &'a str,
    /// True if a program wrote it. It decides nothing.
    pub(crate) by_program: bool,
}

/// A record and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) span: KeptSpan,
    pub(crate) rank: Rank,
}

/// A text, by what its lines say of which messages.
pub(crate) struct Prose {
    lines: Vec<ProseLine>,
    by_message: BTreeMap<(String, String), Vec<usize>>,
}

struct ProseLine {
    values: Vec<Value>,
    terms: BTreeSet<String>,
}

impl Prose {
    pub(crate) fn new(text: &str, citations: &[Citation]) -> Self {
        let mut by_message: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut lines = Vec::new();
        for (line, citation) in lines_with(text, citations) {
            for of in &citation.messages {
                by_message.entry(key(of)).or_default().push(lines.len());
            }
            lines.push(ProseLine {
                values: values(line),
                terms: terms(line).into_iter().collect(),
            });
        }
        Self { lines, by_message }
    }

    /// Returns true if a line that cites the message holds the fact.
    pub(crate) fn holds(&self, fact: &Fact, of: &MessageRef) -> bool {
        let lines = self.by_message.get(&key(of)).into_iter().flatten();
        lines
            .filter_map(|at| self.lines.get(*at))
            .any(|line| line.holds(fact))
    }

    /// The facts of messages that the text does not hold.
    pub(crate) fn missing<'m>(&self, said: impl IntoIterator<Item = &'m Said<'m>>) -> Vec<Kept> {
        let mut kept = Vec::new();
        for message in said {
            let found = facts(message.text, message.by_program);
            let lost = found
                .into_iter()
                .filter(|fact| !self.holds(fact, &message.at));
            kept.extend(lost.map(|fact| Kept {
                span: span(&message.at, message.text, &fact),
                rank: fact.rank,
            }));
        }
        kept
    }

    /// The records that the text still does not hold.
    pub(crate) fn still_missing(&self, records: &[KeptText]) -> Vec<Kept> {
        let mut kept = Vec::new();
        for record in records {
            let found = facts(&record.text, record.user.is_bot);
            let is_held = |fact: &Fact| self.holds(fact, &record.span.message);
            if found.is_empty() || !found.iter().all(is_held) {
                kept.push(Kept {
                    span: record.span.clone(),
                    rank: rank(record),
                });
            }
        }
        kept
    }
}

impl ProseLine {
    fn holds(&self, fact: &Fact) -> bool {
        let has = |value: &Value| self.values.iter().any(|own| own.is_same(value));
        let shared = fact.terms.iter().filter(|term| self.terms.contains(*term));
        let says_so = fact.rank == Rank::Value || shared.count() * 2 >= fact.terms.len();
        says_so && fact.values.iter().all(has)
    }
}

/// The worth of a record.
pub(crate) fn rank(record: &KeptText) -> Rank {
    let facts = facts(&record.text, record.user.is_bot);
    facts
        .iter()
        .map(|fact| fact.rank)
        .min()
        .unwrap_or(Rank::Value)
}

/// The records of a memory from all that it could keep: each once, the most important ones, in order of their messages.
pub(crate) fn most_important(mut kept: Vec<Kept>) -> Vec<KeptSpan> {
    kept.sort_by(|a, b| {
        order(&a.span)
            .cmp(&order(&b.span))
            .then(a.rank.cmp(&b.rank))
    });
    kept.dedup_by(|later, first| later.span == first.span);
    if kept.len() > MOST_KEPT {
        // Stable: of one rank, the newest come first.
        kept.reverse();
        kept.sort_by_key(|kept| kept.rank);
        kept.truncate(MOST_KEPT);
        kept.sort_by(|a, b| order(&a.span).cmp(&order(&b.span)));
    }
    kept.into_iter().map(|kept| kept.span).collect()
}

/// By time, then by place.
fn order(span: &KeptSpan) -> (Option<Ts>, &str, u32, u32) {
    let ts = Ts::parse(&span.message.ts).ok();
    (ts, &span.message.channel_id, span.start, span.length)
}

fn key(of: &MessageRef) -> (String, String) {
    (of.channel_id.clone(), of.ts.clone())
}

/// The values of a line that may not be lost.
pub(crate) fn values(line: &str) -> Vec<Value> {
    let found = read(&normal(line)).into_iter();
    found.map(|found| found.value).collect()
}

/// Where a fact is in its message.
fn span(at: &MessageRef, text: &str, fact: &Fact) -> KeptSpan {
    let scalars = |part: Option<&str>| {
        let count = part.unwrap_or_default().chars().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    KeptSpan {
        message: at.clone(),
        start: scalars(text.get(..fact.range.start)),
        length: scalars(text.get(fact.range.clone())),
    }
}
