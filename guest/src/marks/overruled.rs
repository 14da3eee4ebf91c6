//! Decides whether what was decided was overruled later.
//!
//! The later sentence must say itself that something changes (`phrases/*/changes.txt`; a correction does), and be about the
//! same thing. It is so if it says another value of the same subject, as a correction does (`supersede`), or if the two share
//! two content words, and half of those of the shorter one. If what each speaks of has a version or a number of its own, and
//! not the same, they are two things.

use std::collections::BTreeSet;

use super::supersede::Statement;
use crate::extractive::settled::{changes, names_something};
use crate::text::cues::is_question;
use crate::text::fold;
use crate::text::terms::terms;
use crate::text::values::{Value, normal, read};

/// Two sentences are about the same thing if they share so many words, and half of the words of the shorter one.
const LEAST_SHARED: usize = 2;

/// A sentence that says that something changes.
pub(crate) struct Change {
    statement: Statement,
    words: BTreeSet<String>,
    names: Vec<Value>,
}

impl Change {
    /// `None` if it does not say so: it asks, denies, plans, or speaks of something else.
    pub(crate) fn read(sentence: &str) -> Option<Self> {
        let asks = is_question(&fold(sentence).to_lowercase());
        (!asks && changes(sentence)).then(|| Self::correction(sentence))
    }

    /// The text of a correction, without the mention and the word that begin it.
    pub(crate) fn correction(said: &str) -> Self {
        Self {
            statement: Statement::read(said),
            words: words(said),
            names: names(said),
        }
    }

    /// Returns true if it overrules what was decided before.
    pub(crate) fn overrules(&self, decided: &str) -> bool {
        let names = names(decided);
        let is_another = !names.is_empty()
            && !self.names.is_empty()
            && !names.iter().any(|name| self.names.contains(name));
        if is_another {
            return false;
        }
        let words = words(decided);
        let shared = self.words.intersection(&words).count();
        let shorter = self.words.len().min(words.len());
        let is_about_it = shared >= LEAST_SHARED && shared * 2 >= shorter;
        is_about_it || self.statement.contradicts(&Statement::read(decided))
    }
}

fn words(sentence: &str) -> BTreeSet<String> {
    terms(sentence)
        .into_iter()
        .filter(|term| names_something(term))
        .collect()
}

/// The codes, versions and bare numbers of what a sentence speaks of.
fn names(sentence: &str) -> Vec<Value> {
    let subject = Statement::subject_of(sentence);
    let values = read(&normal(&subject)).into_iter().map(|found| found.value);
    values
        .filter(|value| match value {
            Value::Code(_) => true,
            Value::Number(amount) => amount.unit.is_none() && !amount.in_words,
            _ => false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrules(later: &str, decided: &str) -> bool {
        Change::read(later).is_some_and(|change| change.overrules(decided))
    }

    #[test]
    fn what_says_that_it_changes_the_same_thing_overrules() {
        for (later, decided) in [
            (
                "We switch to Heron for monitoring instead of Crane.",
                "We decided to use Crane for monitoring.",
            ),
            (
                "The release is postponed to 19 March.",
                "Decided: the release is on 12 March.",
            ),
            (
                "監視は Heron に変更しました。",
                "監視は Crane に決まりました。",
            ),
            (
                "リリースは3月19日に延期します。",
                "リリースは3月12日に決定しました。",
            ),
            (
                "訂正: 合宿の会場は熱海です。",
                "合宿の会場は箱根に決まりました。",
            ),
            (
                "箱根の合宿は中止になりました。",
                "合宿の会場は箱根に決まりました。",
            ),
        ] {
            assert!(overrules(later, decided), "{later} / {decided}");
        }
    }

    #[test]
    fn what_does_not_change_it_does_not() {
        for (later, decided) in [
            // It only says it again, or more of it.
            (
                "Crane does our monitoring now.",
                "We decided to use Crane for monitoring.",
            ),
            ("合宿の会場は箱根です。", "合宿の会場は箱根に決まりました。"),
            // It asks, denies or plans.
            (
                "Should we switch to Heron for monitoring instead of Crane?",
                "We decided to use Crane for monitoring.",
            ),
            (
                "We are not switching to Heron for monitoring.",
                "We decided to use Crane for monitoring.",
            ),
            (
                "監視はまだ Heron に変更していません。",
                "監視は Crane に決まりました。",
            ),
            // It is about something else.
            (
                "The printer is replaced by a P-200.",
                "We decided to use Crane for monitoring.",
            ),
            (
                "面接は3月11日に延期します。",
                "リリースは3月12日に決定しました。",
            ),
            (
                "リリース 2.5 は中止になりました。",
                "リリース 2.4 は3月4日に決定しました。",
            ),
        ] {
            assert!(!overrules(later, decided), "{later} / {decided}");
        }
    }
}
