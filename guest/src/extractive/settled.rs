//! Joins what was open to what settles it: `alice: send the contract by Friday → bob: the contract is sent`. So what is done,
//! overruled or withdrawn does not stand as if it were open.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::facts;
use super::items::speaker;
use super::score::{Candidate, Preceding};
use super::terms::terms;
use super::text::fold;
use crate::phrases::{Phrases, phrases, word_matches};

/// Words for what is done, overruled or withdrawn.
const SETTLED: Phrases = phrases!("japanese/settled.txt", "english/settled.txt");
/// Words for what takes the place of something else, or is taken back or put off.
const CHANGES: Phrases = phrases!("japanese/changes.txt", "english/changes.txt");
/// Words before a noun: `the signed contract` does not say that somebody signed it.
const DETERMINERS: Phrases = phrases!("english/determiners.txt");
/// Words that make a sentence with one of those a plan, a condition or a denial.
const UNSETTLED: Phrases = phrases!("japanese/unsettled.txt", "english/unsettled.txt");

/// Two sentences are about the same thing if they share so many words, and half of the words of the shorter one.
const LEAST_SHARED: usize = 2;
/// A word that stands in more sentences than this tells nothing apart.
const RARE: usize = 8;

/// Joins each settling sentence to the newest earlier one that it settles, which is no candidate of its own any more.
///
/// `may_settle` gets two lines, the earlier one first. It says whether the later one may settle the earlier one.
pub(super) fn join(candidates: &mut Vec<Candidate>, may_settle: impl Fn(usize, usize) -> bool) {
    let said: Vec<Said> = candidates.iter().map(Said::read).collect();
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, said) in said.iter().enumerate() {
        for word in &said.words {
            holders.entry(word).or_default().push(at);
        }
    }
    let mut next_line = candidates.iter().map(|c| c.line).max().unwrap_or(0) + 1;
    let mut joined = BTreeSet::new();
    for (at, settling) in said.iter().enumerate().filter(|(_, said)| said.settles) {
        let rare = settling
            .words
            .iter()
            .filter_map(|word| holders.get(&**word));
        let earlier: BTreeSet<usize> = rare
            .filter(|holders| holders.len() <= RARE)
            .flatten()
            .copied()
            .filter(|earlier| *earlier < at && !joined.contains(earlier))
            .collect();
        if earlier
            .iter()
            .any(|earlier| repeats(candidates, *earlier, at))
        {
            joined.insert(at);
            continue;
        }
        let line = |at: usize| candidates.get(at).map_or(0, |candidate| candidate.line);
        let open = earlier.into_iter().rev().find(|earlier| {
            let is_open = said.get(*earlier);
            is_open.is_some_and(|open| open.is_settled_by(settling))
                && may_settle(line(*earlier), line(at))
        });
        let Some(open) = open else { continue };
        joined.insert(open);
        let is_first = at == 0 || line(at - 1) != line(at);
        let Some(open) = candidates.get(open).cloned() else {
            continue;
        };
        if let Some(candidate) = candidates.get_mut(at) {
            if !is_first {
                // Only the first sentence of a line is shown with what precedes it.
                candidate.line = next_line;
                next_line += 1;
            }
            precede(candidate, &open);
        }
    }
    let mut at = 0..;
    candidates.retain(|_| at.next().is_none_or(|at| !joined.contains(&at)));
}

/// Whether an earlier line was joined to this one in a merge before.
fn repeats(candidates: &[Candidate], earlier: usize, at: usize) -> bool {
    let text = |at: usize| candidates.get(at).map_or("", |candidate| &candidate.text);
    let joined = text(earlier).strip_suffix(text(at));
    joined.is_some_and(|open| open.ends_with(" → "))
}

/// What a sentence says, as far as it can settle or be settled.
struct Said {
    words: BTreeSet<String>,
    /// Ids, versions and addresses, which tell things of one kind apart.
    codes: BTreeSet<String>,
    /// Whether it says that something is done, overruled or withdrawn.
    settles: bool,
    /// Whether it is a statement that can be settled.
    is_open: bool,
}

impl Said {
    fn read(candidate: &Candidate) -> Self {
        let said = match &*candidate.speaker {
            // A line of a memory begins with its speaker.
            "" => speaker(&candidate.text).1,
            _ => &candidate.text,
        };
        let lower = fold(said).to_lowercase();
        let is_statement = !candidate.content.question;
        let is_over = is_over(&lower);
        let says_something =
            candidate.content.decision > 0.0 || !candidate.content.facts.is_empty();
        let mut codes = BTreeSet::new();
        facts::values(&lower, &mut |_, value| {
            if value.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic()) {
                codes.insert(value.to_owned());
            }
        });
        Self {
            words: terms(said)
                .into_iter()
                .filter(|term| names_something(term))
                .collect(),
            codes,
            settles: is_statement && settles(&lower),
            is_open: is_statement && !is_over && says_something,
        }
    }

    fn is_settled_by(&self, settling: &Self) -> bool {
        let shared = self.words.intersection(&settling.words).count();
        let shorter = self.words.len().min(settling.words.len());
        let both_have = !self.codes.is_empty() && !settling.codes.is_empty();
        let is_another = both_have && self.codes.is_disjoint(&settling.codes);
        self.is_open && shared >= LEAST_SHARED && shared * 2 >= shorter && !is_another
    }
}

/// Whether a later sentence settles a task, in whatever words the task was given.
pub(super) fn is_task_settled_by(task: &Candidate, later: &Candidate) -> bool {
    let task = Said {
        is_open: true,
        ..Said::read(task)
    };
    task.is_settled_by(&Said::read(later))
}

/// Whether a statement says that something is done, overruled or withdrawn.
pub(super) fn settles(statement: &str) -> bool {
    states(statement, SETTLED)
}

/// Whether a statement says that something takes the place of something else, or is taken back or put off.
pub(crate) fn changes(statement: &str) -> bool {
    states(statement, CHANGES)
}

/// Whether a text has a word for that, although perhaps for a plan, a condition or a denial.
pub(crate) fn mentions_change(text: &str) -> bool {
    has_one(&fold(text).to_lowercase(), CHANGES)
}

/// Whether it has one of these words, and not for a plan, a condition or a denial.
fn states(statement: &str, words: Phrases) -> bool {
    let lower = fold(statement).to_lowercase();
    has_one(&lower, words) && UNSETTLED.words_in(&lower).next().is_none()
}

/// Whether it has a word for what is over, although perhaps for a plan, a condition or a denial.
fn is_over(lower: &str) -> bool {
    has_one(lower, SETTLED)
}

fn has_one(lower: &str, words: Phrases) -> bool {
    let mut words = words.words_in(lower);
    words.any(|phrase| word_matches(lower, phrase).any(|at| !describes(lower, at)))
}

/// Whether the word at a place belongs to a noun after it.
fn describes(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| DETERMINERS.has(word))
}

/// Whether a word tells what is spoken of: not a number or a lone kanji.
pub(crate) fn names_something(term: &str) -> bool {
    term.chars().count() > 1 && !term.contains(|c: char| c.is_ascii_digit())
}

/// Shows what was open before the sentence that settles it, with its worth.
fn precede(settling: &mut Candidate, open: &Candidate) {
    let content = &mut settling.content;
    content.terms.extend(&open.content.terms);
    content.terms.sort();
    content.terms.dedup();
    for fact in &open.content.facts {
        if content.facts.iter().all(|(known, _)| *known != fact.0) {
            content.facts.push(*fact);
        }
    }
    content.decision = content.decision.max(open.content.decision);
    // A memory that was merged before may say both already.
    if !settling.text.contains(&open.text) {
        settling.preceding = Some(Preceding {
            line: open.line,
            speaker: open.speaker.clone(),
            text: Rc::from(open.text.as_str()),
        });
    }
}
