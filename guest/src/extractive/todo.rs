//! Questions and tasks in messages, and what became of them: answered, done, taken back, or still open.

use super::messages;
use super::questions;
use super::score::{Candidate, Vocabulary};
use super::settled;
use crate::bindings::types::Message;
use crate::phrases::{Phrases, phrases, word_matches};
use crate::text::cues::{is_chatter, is_decision};
use crate::text::fold;

/// Words that say what somebody is to do.
const DUTIES: Phrases = phrases!("japanese/duties.txt", "english/duties.txt");
/// Words after and before a day by which something is to be done.
const DEADLINES: [&str; 3] = ["まで", "by", "until"];
/// A sentence with fewer content words tells nobody what it is about.
const LEAST_WORDS: usize = 2;

/// The kind of thing that waits for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TodoKind {
    Question,
    /// Something to do.
    Task,
}

/// The outcome, as later messages tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing: it is open.
    Open,
    /// Somebody answered the question.
    Answered,
    /// The task is done, as the message at this place says.
    Done(usize),
    /// The task was taken back, put off or replaced, as the message at this place says.
    Changed(usize),
}

/// A sentence that asks, or says what is to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Todo {
    /// The place of its message.
    pub(crate) message: usize,
    pub(crate) kind: TodoKind,
    /// The sentence.
    pub(crate) text: String,
    pub(crate) outcome: Outcome,
}

/// The questions and tasks in messages, which are in order of time. What programs wrote asks nobody.
pub(crate) fn todos(messages: &[&Message]) -> Vec<Todo> {
    let mut vocabulary = Vocabulary::default();
    let candidates = messages::candidates(messages, &mut vocabulary);
    let answered = questions::answered(&candidates, messages);
    let by_person = |at: usize| messages.get(at).is_some_and(|said| !said.user.is_bot);
    let settling: Vec<(usize, &Candidate)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| by_person(candidate.line) && settled::settles(&candidate.text))
        .collect();
    let outcome_of = |at: usize, task: &Candidate| {
        let mut later = settling.iter().filter(|(later, _)| *later > at);
        let settling = later.find(|(_, later)| settled::is_task_settled_by(task, later));
        settling.map_or(Outcome::Open, |(_, later)| {
            if settled::changes(&later.text) {
                Outcome::Changed(later.line)
            } else {
                Outcome::Done(later.line)
            }
        })
    };
    let said = candidates.iter().zip(answered).enumerate();
    said.filter(|(_, (candidate, _))| by_person(candidate.line))
        .filter_map(|(at, (candidate, answered))| {
            let (kind, text) = kind(candidate)?;
            let outcome = match kind {
                TodoKind::Question if answered => Outcome::Answered,
                TodoKind::Question => Outcome::Open,
                TodoKind::Task => outcome_of(at, candidate),
            };
            Some(Todo {
                message: candidate.line,
                kind,
                text,
                outcome,
            })
        })
        .collect()
}

/// The kind of thing that a sentence waits for, and the part of it that says so; `None` if it waits for nothing.
fn kind(candidate: &Candidate) -> Option<(TodoKind, String)> {
    let lower = fold(&candidate.text).to_lowercase();
    let says_enough = candidate.content.terms.len() >= LEAST_WORDS;
    if !says_enough || is_chatter(&lower) {
        return None;
    }
    let has_duty = DUTIES.words_in(&lower).next().is_some() || names_who_and_when(&lower);
    if candidate.content.question {
        // A request in the form of a question is a task.
        let kind = if has_duty {
            TodoKind::Task
        } else {
            TodoKind::Question
        };
        return Some((kind, candidate.text.clone()));
    }
    if !has_duty || settled::settles(&candidate.text) {
        return None;
    }
    if !is_decision(&lower) {
        return Some((TodoKind::Task, candidate.text.clone()));
    }
    // A short decision may stand before what follows from it: `承認します。金曜までに送ってください。`
    let mut parts = candidate.text.split_inclusive(['。', '！']);
    let task = parts.find(|part| {
        let part = fold(part).to_lowercase();
        DUTIES.words_in(&part).next().is_some() && !is_decision(&part)
    })?;
    Some((TodoKind::Task, task.trim().to_owned()))
}

/// Returns true if brackets say who is to do it by when: `new alerts (@diego, by April 30)`.
fn names_who_and_when(lower: &str) -> bool {
    let mut depth = 0_usize;
    let mut inside = String::new();
    for c in lower.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => {
                let has = |word| word_matches(&inside, word).next().is_some();
                if inside.contains('@') && DEADLINES.iter().copied().any(has) {
                    return true;
                }
                depth = 0;
                inside.clear();
            }
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => inside.push(c),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_give_a_task_if_they_say_who_and_by_when() {
        for gives in [
            "2. new alerts (@diego, by april 30)",
            "beacon 移行 (@emiko (経理), 4月30日まで)",
        ] {
            assert!(names_who_and_when(gives), "{gives}");
        }
        for gives_none in [
            "new alerts by april 30",
            "new alerts (@diego)",
            "the office (open until 18:00) is where @diego waits",
            "new alerts (@diego, by april 30",
        ] {
            assert!(!names_who_and_when(gives_none), "{gives_none}");
        }
    }
}
