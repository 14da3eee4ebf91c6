//! How well messages fit a question: `ln(1 + BM25 / its quadratic mean) + z(similarity)`, a quarter of that of the messages
//! right before and after each, and up to half as much again for its time. `z` is the number of standard deviations above the mean; means
//! are those of all messages that the call may see. The more messages there are, the more means the BM25 of a rare term is; the logarithm
//! keeps words and meaning in proportion.
//!
//! Messages in another script than the question share few words with it. A quarter of their similarity counts instead, if it is more.
//!
//! BM25 (<https://doi.org/10.1561/1500000019>) counts the terms of a message and the name of its author. `docs/quality.md` has the
//! effect of each part.

use std::collections::BTreeMap;

use myao_terms::is_spaceless;

use super::hit;
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::recall::{Candidates, FoundMessage, TermCount};
use crate::ts::Ts;

/// How soon a term that is repeated counts no more, and how much long messages lose.
const K1: f64 = 0.9;
const B: f64 = 0.4;
/// How often the name of its author stands in a message.
const AUTHOR: f64 = 3.0;
/// How much of its similarity counts for the words of a message in another script.
const ACROSS: f64 = 0.25;
/// How much each message beside one counts.
const BESIDE: f64 = 0.25;
/// Messages further apart in time are not beside each other: in the top level of a channel, and in a thread. In seconds.
const STRETCH_SECONDS: u64 = 3600;
const THREAD_SECONDS: u64 = 7 * 24 * 3600;
/// How much more the newest candidate counts than the oldest, and one of the time that is asked for than another.
const TIME: f64 = 0.5;

/// A candidate.
struct Document {
    found: FoundMessage,
    ts: Option<Ts>,
    /// How often each term of the question stands in it, its author's name included.
    counts: Vec<f64>,
}

/// Ranks candidates for a question and its terms, the best first. `is_likely` tells those of the time that is asked for.
pub(super) fn rank(
    found: Candidates,
    question: &str,
    terms: &[String],
    is_likely: &dyn Fn(&FoundMessage) -> bool,
    terms_of: &dyn Fn(&str) -> Vec<String>,
) -> Vec<Hit> {
    let total = f64::from(found.message_count);
    let documents = documents(found.messages, terms, terms_of);
    let rarity = rarity(&documents, &found.counts, terms, total);
    let words = relative(&bm25(&documents, &rarity), total);
    let fits = documents.iter().zip(words).map(|(document, words)| {
        let similarity = document.found.similarity.map_or(0.0, f64::from);
        let is_across = is_spaceless(&document.found.message.text) != is_spaceless(question);
        let instead = if is_across { ACROSS * similarity } else { 0.0 };
        words.ln_1p().max(instead) + similarity
    });
    let fits = with_those_beside(&documents, &fits.collect::<Vec<f64>>());
    let last = float(documents.len()).max(2.0) - 1.0;
    let mut ranked: Vec<(f64, usize, Document)> = Vec::with_capacity(documents.len());
    for ((number, document), fit) in documents.into_iter().enumerate().zip(fits) {
        let time = float(number) / last + f64::from(u8::from(is_likely(&document.found)));
        // A message that fits no better than any other is no hit.
        if fit > 0.0 {
            ranked.push((fit * (1.0 + TIME * time), number, document));
        }
    }
    ranked.sort_by(|(a, older, _), (b, newer, _)| b.total_cmp(a).then(newer.cmp(older)));
    let ranked = ranked.into_iter();
    ranked
        .map(|(score, _, document)| hit(document.found, score, terms))
        .collect()
}

/// The candidates in order of time.
fn documents(
    found: Vec<FoundMessage>,
    terms: &[String],
    terms_of: &dyn Fn(&str) -> Vec<String>,
) -> Vec<Document> {
    let occurrences = |text: &[String]| -> Vec<f64> {
        let count = |term: &String| text.iter().filter(|other| *other == term).count();
        terms.iter().map(|term| float(count(term))).collect()
    };
    let mut names: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut documents = Vec::with_capacity(found.len());
    for found in found {
        let name = &found.message.user.name;
        let author = names
            .entry(name.clone())
            .or_insert_with(|| occurrences(&terms_of(name)));
        let own = found.counts.iter().map(|count| f64::from(*count));
        documents.push(Document {
            ts: Ts::parse(&found.at.ts).ok(),
            counts: own
                .zip(author)
                .map(|(own, author)| own + AUTHOR * *author)
                .collect(),
            found,
        });
    }
    documents.sort_by_key(|document| document.ts);
    documents
}

/// How much each term says: the fewer messages have it, in their text or as their author's name, the more.
fn rarity(documents: &[Document], counts: &[TermCount], terms: &[String], total: f64) -> Vec<f64> {
    let of_term = |(number, term): (usize, &String)| {
        let counted = counts.iter().find(|count| count.term == *term);
        let having = documents.iter().filter(|document| {
            document
                .counts
                .get(number)
                .is_some_and(|count| *count > 0.0)
        });
        let messages =
            float(having.count()).max(counted.map_or(0.0, |count| count.messages.into()));
        (1.0 + ((total - messages).max(0.0) + 0.5) / (messages + 0.5)).ln()
    };
    terms.iter().enumerate().map(of_term).collect()
}

fn bm25(documents: &[Document], rarity: &[f64]) -> Vec<f64> {
    let length = |document: &Document| f64::from(document.found.length) + AUTHOR;
    let average = documents.iter().map(length).sum::<f64>() / float(documents.len()).max(1.0);
    let score = |document: &Document| {
        let length = 1.0 - B + B * length(document) / average;
        let terms = document.counts.iter().zip(rarity);
        terms
            .map(|(count, rarity)| rarity * count * (K1 + 1.0) / (count + K1 * length))
            .sum()
    };
    documents.iter().map(score).collect()
}

/// Scores as parts of the quadratic mean of all messages, of which the others score nothing.
fn relative(scores: &[f64], total: f64) -> Vec<f64> {
    let total = total.max(float(scores.len())).max(1.0);
    let squares = scores.iter().map(|score| score * score).sum::<f64>();
    let mean = (squares / total).sqrt().max(f64::MIN_POSITIVE);
    scores.iter().map(|score| score / mean).collect()
}

/// Adds to each a part of the messages right before and after it: in its thread, or in the top level of its channel. The first
/// message of a thread stands in both.
fn with_those_beside(documents: &[Document], fits: &[f64]) -> Vec<f64> {
    let fit = |number: usize| fits.get(number).copied().unwrap_or(0.0);
    let seconds = |number: usize| {
        let ts = documents.get(number).and_then(|document| document.ts);
        ts.map_or(0, |ts| ts.seconds)
    };
    let mut sums = fits.to_vec();
    let mut add = |number: usize, more: f64| {
        if let Some(sum) = sums.get_mut(number) {
            *sum += BESIDE * more;
        }
    };
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
            if seconds(number).saturating_sub(seconds(before)) <= reach {
                add(number, fit(before));
                add(before, fit(number));
            }
        }
    }
    sums
}

#[allow(
    clippy::cast_precision_loss,
    reason = "there are fewer than 2^52 messages and terms"
)]
fn float(number: usize) -> f64 {
    number as f64
}
