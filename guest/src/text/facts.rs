//! The facts of a sentence, by which sentences are weighed without a model: its values, and the words that stand out in English.

use super::chunks::chunks;
use super::fold;
use super::values::{normal, read};

/// The weight of a word that stands out.
const WORD: f64 = 0.4;
/// The weight of a number that says little by itself.
const NUMBER: f64 = 0.3;

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    /// The same for the same fact in another sentence.
    pub(crate) key: String,
    /// Its value to a reader, about 1.
    pub(crate) weight: f64,
}

/// The facts of a sentence, sorted by key, each once.
pub(crate) fn facts(text: &str) -> Vec<Fact> {
    let values = read(&normal(text)).into_iter().map(|found| Fact {
        weight: if found.value.is_hard() { 1.0 } else { NUMBER },
        key: format!("{:?}", found.value),
    });
    let mut facts: Vec<Fact> = values.collect();
    let folded = fold(text);
    let mut begins = true;
    for chunk in chunks(&folded) {
        facts.extend(stands_out(chunk.text, begins).then(|| Fact {
            key: chunk.text.to_lowercase(),
            weight: WORD,
        }));
        begins = chunk.ends_sentence;
    }
    facts.sort_by(|a, b| a.key.cmp(&b.key));
    facts.dedup_by(|later, kept| later.key == kept.key);
    facts
}

/// Returns true for a mention, and for a word with a capital letter that the beginning of a sentence does not explain.
fn stands_out(word: &str, begins: bool) -> bool {
    let is_word = word.len() > 2 && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let first = word.starts_with(|c: char| c.is_ascii_uppercase());
    word.len() > 1 && word.starts_with('@')
        || is_word && (capitals > 1 || capitals == 1 && !(begins && first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_words_that_stand_out_are_facts() {
        let keys = |text: &str| -> Vec<String> {
            let found = facts(text).into_iter();
            found.map(|fact| fact.key).collect()
        };
        assert_eq!(
            keys("Yes, Alice and GitHub, says @bob"),
            ["@bob", "alice", "github"]
        );
        assert_eq!(keys("the plan is for us to talk"), [""; 0]);
        assert_eq!(keys("300万円"), keys("3,000,000円"));
        assert_eq!(facts("INC-204 on 2024-03-15").len(), 2);
    }
}
