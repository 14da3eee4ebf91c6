//! Which questions somebody answered.

use std::collections::BTreeMap;

use super::score::Candidate;
use crate::bindings::types::Message;

/// A question at the top level is answered if somebody else writes soon after it: within so many messages and seconds.
const ANSWER_MESSAGES: usize = 4;
const ANSWER_SECONDS: i64 = 900;
/// It is also answered if somebody else later uses so many of its rare words in one sentence.
const SHARED_WORDS: usize = 2;
/// A word is rare if no more sentences than this contain it.
const RARE: usize = 8;

/// Which sentences are questions that somebody answered; a candidate's line is its message.
pub(super) fn answered(candidates: &[Candidate], messages: &[&Message]) -> Vec<bool> {
    let answered_soon = answered_soon(messages);
    let later = Later::new(candidates);
    let soon = |c: &Candidate| answered_soon.get(c.line) == Some(&true);
    candidates
        .iter()
        .map(|c| c.content.question && (soon(c) || later.answers(c)))
        .collect()
}

/// The sentences that contain each word.
struct Later<'a> {
    candidates: &'a [Candidate],
    by_term: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Later<'a> {
    fn new(candidates: &'a [Candidate]) -> Self {
        let mut by_term: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, candidate) in candidates.iter().enumerate() {
            for term in &candidate.content.terms {
                by_term.entry(*term).or_default().push(index);
            }
        }
        Self {
            candidates,
            by_term,
        }
    }

    /// Returns true if somebody else uses enough of a question's words after it.
    fn answers(&self, question: &Candidate) -> bool {
        let writer = |c: &Candidate| c.crowds.last().map(|writer| writer.id);
        let rare = question
            .content
            .terms
            .iter()
            .filter_map(|term| self.by_term.get(term));
        let rare = rare.filter(|sentences| sentences.len() <= RARE);
        let mut sharing: Vec<usize> = rare.flatten().copied().collect();
        sharing.sort();
        sharing
            .chunk_by(|a, b| a == b)
            .filter(|words| words.len() >= SHARED_WORDS)
            .filter_map(|words| self.candidates.get(*words.first()?))
            .any(|later| {
                later.line > question.line
                    && writer(later) != writer(question)
                    && !later.content.question
            })
    }
}

/// Returns true if somebody else wrote after each message: in its thread, or soon after it at the top level.
fn answered_soon(messages: &[&Message]) -> Vec<bool> {
    let mut later: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut top_level: Vec<&Message> = Vec::new();
    let mut answered: Vec<bool> = messages
        .iter()
        .rev()
        .map(|message| {
            let writer = message.user.id.as_str();
            let Some(thread) = message.thread_ts.as_deref() else {
                let soon = top_level.iter().rev().take(ANSWER_MESSAGES);
                let found = soon.clone().any(|next| {
                    let wait = next
                        .timestamp
                        .unix_seconds
                        .saturating_sub(message.timestamp.unix_seconds);
                    next.user.id != writer && wait <= ANSWER_SECONDS
                });
                top_level.push(message);
                return found;
            };
            let writers = later.entry(thread).or_default();
            let found = writers.iter().any(|other| *other != writer);
            if writers.len() < 2 && !writers.contains(&writer) {
                writers.push(writer);
            }
            found
        })
        .collect();
    answered.reverse();
    answered
}
