//! Answers that the asker accepted with thanks, shown with their question: `alice: how many? → bob: 24`.

use std::collections::BTreeMap;

use super::cues;
use super::preceding;
use super::score::Candidate;
use super::text::width;
use crate::bindings::types::Message;

/// Wider thanks say something else as well.
const MAX_THANKS_WIDTH: usize = 90;
/// The question is at most so many messages of its conversation before the thanks.
const REACH: usize = 12;
/// What an accepted answer counts as a decision.
const ACCEPTED: f64 = 0.8;

/// A thread, or a burst of talk outside threads.
type Conversation<'m> = (Option<&'m str>, usize);

/// Finds accepted answers among the candidates, of which the line is the message. `bursts` has the burst of talk of each
/// message.
pub(super) fn weigh(candidates: &mut [Candidate], messages: &[&Message], bursts: &[usize]) {
    let asking: BTreeMap<usize, Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.content.question)
        .map(|candidate| (candidate.line, candidate.clone()))
        .collect();
    let answers: BTreeMap<usize, usize> =
        accepted(messages, bursts, |line| asking.contains_key(&line))
            .into_iter()
            .collect();
    let mut shown = None;
    for candidate in candidates {
        let Some(question) = answers
            .get(&candidate.line)
            .and_then(|line| asking.get(line))
        else {
            continue;
        };
        candidate.content.decision += ACCEPTED;
        if shown.replace(candidate.line) != Some(candidate.line) {
            preceding::show(question, candidate);
        }
    }
}

/// Answers with their questions: what somebody else wrote last before the asker's thanks.
fn accepted(
    messages: &[&Message],
    bursts: &[usize],
    asks: impl Fn(usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut conversations: BTreeMap<Conversation<'_>, Vec<(usize, &Message)>> = BTreeMap::new();
    let mut answers = Vec::new();
    for (line, (message, burst)) in messages.iter().zip(bursts).enumerate() {
        let thread = message.thread_ts.as_deref();
        // A thread is one conversation, however long it pauses.
        let conversation = (thread, thread.map_or(*burst, |_| 0));
        let before = conversations.entry(conversation).or_default();
        let is_thanks = width(&message.text) <= MAX_THANKS_WIDTH
            && cues::is_thanks(&message.text.to_lowercase());
        if is_thanks {
            let is_own = |other: &Message| other.user.id == message.user.id;
            let mut earlier = before.iter().rev().take(REACH);
            let answer = earlier.find(|(_, other)| !is_own(other));
            let question = earlier.find(|(at, other)| is_own(other) && asks(*at));
            if let (Some((answer, _)), Some((question, _))) = (answer, question) {
                answers.push((*answer, *question));
            }
        }
        before.push((line, message));
    }
    answers
}
