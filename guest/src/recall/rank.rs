//! How well messages fit a question: BM25 over their terms, with who wrote them, when, and what was said beside them; and how
//! similar their meaning is, where the host knows it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::concepts::{Concept, Concepts, is_named};
use super::hit;
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::recall::FoundMessage;
use crate::text::cues::is_question;
use crate::text::fold;
use crate::text::sentences::sentence_ranges;
use crate::ts::Ts;

/// How soon a term that is repeated counts no more.
const K1: f64 = 0.9;
/// How much long messages lose.
const B: f64 = 0.2;
/// How much of its best neighbour's score a very short message gets, and with how many terms it gets half of that: a short
/// message leans on what was said before.
const NEIGHBOUR: f64 = 0.5;
const NEIGHBOUR_HALF_TERMS: f64 = 40.0;
/// Messages further apart in time are no neighbours: in the top level of a channel, and in a thread. In seconds.
const STRETCH_SECONDS: u64 = 3600;
const THREAD_SECONDS: u64 = 7 * 24 * 3600;
/// As how many occurrences it counts that the author has the name.
const AUTHOR: f64 = 1.5;
/// How much of the rarer one it counts that two words stand side by side, as in the question.
const ADJACENT: f64 = 0.2;
/// How much of its score a message gets that only asks, and how much of its own a question gives to the message after it: that
/// one may be the answer.
const ASKING: f64 = 0.7;
const ASKED: f64 = 1.3;
/// How much each standard deviation counts by which the meaning is more similar than this one: as this part of a message that
/// has each word once.
const MEANING: f64 = 0.2;
const MEANING_FROM: f64 = 1.0;
/// How much more a message counts that was written in the time that is asked for.
const LIKELY: f64 = 0.5;
/// How much more the newest candidate counts than the oldest: newer values come first.
const RECENCY: f64 = 0.2;
/// Hits that score below this fraction of the best hit are dropped.
const LEAST_PART: f64 = 0.05;

/// A candidate.
struct Document {
    found: FoundMessage,
    ts: Option<Ts>,
    /// How often each concept stands in it, and whether its author has the name.
    occurrences: Vec<f64>,
    /// The terms that it has of the question.
    terms: BTreeSet<String>,
    /// True if it only asks; and if it ends with a question.
    only_asks: bool,
    asks: bool,
    /// How much it counts that its meaning is similar.
    meaning: f64,
    /// Its score without its neighbours.
    own: f64,
}

impl Document {
    fn new(found: FoundMessage, concepts: &Concepts) -> Self {
        let mut occurrences = vec![0.0; concepts.len()];
        let mut terms = BTreeSet::new();
        for term in &found.terms {
            let meaning = concepts.meaning(term);
            if let Some(meaning) = meaning
                && let Some(count) = occurrences.get_mut(meaning.concept)
            {
                *count += meaning.weight;
                terms.insert(term.clone());
            }
        }
        let author = found.message.user.name.to_lowercase();
        for (count, concept) in occurrences.iter_mut().zip(concepts.iter()) {
            if is_named(&author, &concept.term) {
                *count += AUTHOR;
            }
        }
        let text = fold(&found.message.text).to_lowercase();
        Self {
            ts: Ts::parse(&found.at.ts).ok(),
            meaning: found.similarity.map_or(0.0, meaning),
            found,
            occurrences,
            terms,
            only_asks: only_asks(&text),
            asks: is_question(&text),
            own: 0.0,
        }
    }

    fn length(&self) -> f64 {
        float(self.found.terms.len())
    }

    fn seconds(&self) -> u64 {
        self.ts.map_or(0, |ts| ts.seconds)
    }
}

/// Returns true if each sentence of a text in lower case is a question.
pub(crate) fn only_asks(text: &str) -> bool {
    let lines = text.lines();
    let sentences = lines.flat_map(|line| {
        let ranges = sentence_ranges(line).into_iter();
        ranges.filter_map(|range| line.get(range))
    });
    is_question(text)
        && sentences
            .filter(|sentence| !sentence.trim().is_empty())
            .all(is_question)
}

/// Ranks candidates, the best first. `total` is the number of messages among which they were found.
pub(super) fn rank(
    found: Vec<FoundMessage>,
    concepts: &Concepts,
    total: u32,
    likely: Option<(Ts, Ts)>,
) -> Vec<Hit> {
    let documents = found.into_iter();
    let mut documents: Vec<Document> = documents
        .map(|found| Document::new(found, concepts))
        .collect();
    documents.sort_by_key(|document| document.ts);
    let rarity: Vec<f64> = concepts
        .iter()
        .map(|concept| rarity(concept, total))
        .collect();
    let lengths: f64 = documents.iter().map(Document::length).sum();
    let average = (lengths / float(documents.len()).max(1.0)).max(1.0);
    for document in &mut documents {
        let pairs = concepts.adjacent_in(&document.found.terms);
        document.own =
            own_score(document, &rarity, average) + ADJACENT * adjacent_score(&pairs, &rarity);
    }
    let beside = best_neighbours(&documents);
    let last = float(documents.len()).max(2.0) - 1.0;
    // The score of a message that has each word once.
    let whole = rarity.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut ranked: Vec<(f64, Document)> = Vec::with_capacity(documents.len());
    for (number, (document, beside)) in documents.into_iter().zip(beside).enumerate() {
        let leaning = NEIGHBOUR * NEIGHBOUR_HALF_TERMS / (NEIGHBOUR_HALF_TERMS + document.length());
        let is_likely = likely
            .is_some_and(|(first, last)| document.ts.is_some_and(|ts| first <= ts && ts <= last));
        let time = if is_likely { 1.0 + LIKELY } else { 1.0 };
        let age = 1.0 + RECENCY * float(number) / last;
        let asking = if document.only_asks { ASKING } else { 1.0 };
        let fit = (document.own + leaning * beside) / whole + document.meaning;
        let score = fit * asking * time * age;
        ranked.push((score, document));
    }
    ranked.sort_by(better);
    let least = ranked.first().map_or(0.0, |(best, _)| best * LEAST_PART);
    let ranked = ranked.into_iter();
    ranked
        .take_while(|(score, _)| *score > least)
        .map(|(score, document)| hit(document.found, score, document.terms.into_iter().collect()))
        .collect()
}

/// The better first, then the newer, then by channel.
fn better((a, first): &(f64, Document), (b, second): &(f64, Document)) -> Ordering {
    let channel = |document: &Document| document.found.at.channel_id.clone();
    b.total_cmp(a)
        .then_with(|| second.ts.cmp(&first.ts))
        .then_with(|| channel(first).cmp(&channel(second)))
}

/// How much a concept says: the rarer, the more.
fn rarity(concept: &Concept, total: u32) -> f64 {
    let messages = f64::from(concept.messages.min(total));
    let others = f64::from(total) - messages;
    concept.weight * (1.0 + (others + 0.5) / (messages + 0.5)).ln()
}

fn meaning(similarity: f32) -> f64 {
    MEANING * (f64::from(similarity) - MEANING_FROM).max(0.0)
}

fn own_score(document: &Document, rarity: &[f64], average: f64) -> f64 {
    let length = 1.0 - B + B * document.length() / average;
    let concepts = document.occurrences.iter().zip(rarity);
    concepts
        .map(|(count, rarity)| rarity * count * (K1 + 1.0) / (count + K1 * length))
        .sum()
}

/// How much the rarer concept of each pair says.
fn adjacent_score(pairs: &BTreeSet<(usize, usize)>, rarity: &[f64]) -> f64 {
    let of = |number: usize| rarity.get(number).copied().unwrap_or(0.0);
    pairs.iter().map(|(a, b)| of(*a).min(of(*b))).sum()
}

/// For each document, which are in order of time, the best score of the messages right before and after it: in its thread,
/// or in the top level of its channel. The first message of a thread stands in both.
fn best_neighbours(documents: &[Document]) -> Vec<f64> {
    let mut best = vec![0.0; documents.len()];
    let mut last: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for (number, document) in documents.iter().enumerate() {
        let channel = document.found.at.channel_id.as_str();
        let thread = document.found.message.thread_ts.as_deref();
        let is_first = thread == Some(document.found.at.ts.as_str());
        let stretches = [
            (thread.is_none() || is_first).then_some((None, STRETCH_SECONDS)),
            thread.map(|thread| (Some(thread), THREAD_SECONDS)),
        ];
        for (thread, reach) in stretches.into_iter().flatten() {
            let Some(before) = last.insert((channel, thread), number) else {
                continue;
            };
            let Some(earlier) = documents.get(before) else {
                continue;
            };
            if document.seconds().saturating_sub(earlier.seconds()) <= reach {
                let asked = if earlier.asks { ASKED } else { 1.0 };
                raise(&mut best, number, earlier.own * asked);
                raise(&mut best, before, document.own);
            }
        }
    }
    best
}

fn raise(best: &mut [f64], number: usize, score: f64) {
    if let Some(best) = best.get_mut(number) {
        *best = best.max(score);
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "there are fewer than 2^52 messages and terms"
)]
fn float(number: usize) -> f64 {
    number as f64
}
