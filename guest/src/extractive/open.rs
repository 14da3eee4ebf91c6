//! What is still open in messages: questions that nobody answered, and tasks that nothing settled.

use super::cues::{is_chatter, is_decision};
use super::messages;
use super::questions;
use super::score::{Candidate, Vocabulary};
use super::settled;
use super::text::fold;
use crate::bindings::types::Message;
use crate::phrases::{Phrases, phrases};

/// Words that say what somebody is to do.
const DUTIES: Phrases = phrases!("japanese/duties.txt", "english/duties.txt");
/// A sentence with fewer content words tells nobody what it is about.
const LEAST_WORDS: usize = 2;

/// What is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenKind {
    /// A question that nobody answered.
    Question,
    /// Something to do.
    Task,
}

/// A sentence about something that is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Open {
    /// The place of its message.
    pub(crate) message: usize,
    pub(crate) kind: OpenKind,
    /// The sentence.
    pub(crate) text: String,
}

/// What is open in messages, which are in order of time. What programs wrote asks nobody.
pub(crate) fn open(messages: &[&Message]) -> Vec<Open> {
    let mut vocabulary = Vocabulary::default();
    let candidates = messages::candidates(messages, &mut vocabulary);
    let answered = questions::answered(&candidates, messages);
    let by_person = |at: usize| messages.get(at).is_some_and(|said| !said.user.is_bot);
    let settling: Vec<(usize, &Candidate)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| by_person(candidate.line) && settled::settles(&candidate.text))
        .collect();
    let is_done = |at: usize, task: &Candidate| {
        let mut later = settling.iter().filter(|(later, _)| *later > at);
        later.any(|(_, later)| settled::is_task_settled_by(task, later))
    };
    let open = candidates.iter().zip(answered).enumerate();
    open.filter(|(_, (candidate, _))| by_person(candidate.line))
        .filter_map(|(at, (candidate, answered))| {
            let kind = kind(candidate)?;
            let is_over = match kind {
                OpenKind::Question => answered,
                OpenKind::Task => is_done(at, candidate),
            };
            (!is_over).then(|| Open {
                message: candidate.line,
                kind,
                text: candidate.text.clone(),
            })
        })
        .collect()
}

/// How a sentence is open; `None` if it is not.
fn kind(candidate: &Candidate) -> Option<OpenKind> {
    let lower = fold(&candidate.text).to_lowercase();
    let says_enough = candidate.content.terms.len() >= LEAST_WORDS;
    if !says_enough || is_chatter(&lower) {
        return None;
    }
    let has_duty = DUTIES.words_in(&lower).next().is_some();
    if candidate.content.question {
        // A request in the form of a question is a task.
        return Some(if has_duty {
            OpenKind::Task
        } else {
            OpenKind::Question
        });
    }
    let is_task = has_duty && !is_decision(&lower) && !settled::settles(&candidate.text);
    is_task.then_some(OpenKind::Task)
}
