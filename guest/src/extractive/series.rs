//! What is said again and again: the same sentence, or one writer's sentences of one shape, as programs write them.

use std::collections::BTreeMap;

use super::text::{fold, width};

/// Narrower sentences may be the same by chance.
const LEAST_WIDTH: usize = 8;
/// A sentence that was said so many times is routine.
const ROUTINE_TIMES: u32 = 3;
const ROUTINE: f64 = 0.4;
/// The factor for a sentence that stands in a memory beside this one.
const KNOWN: f64 = 0.1;

/// The letters and digits of what a reader has already.
#[derive(Default)]
pub(super) struct Known(String);

impl Known {
    /// What memories say.
    pub(super) fn new(memories: &[&str]) -> Self {
        Self(memories.iter().map(|memory| letters(memory)).collect())
    }

    /// How much a sentence is worth beside it.
    pub(super) fn factor(&self, sentence: &str) -> f64 {
        let key = letters(sentence);
        let is_known = width(&key) >= LEAST_WIDTH && self.0.contains(&key);
        if is_known { KNOWN } else { 1.0 }
    }
}

/// How much each sentence is worth among those that say the same; `None` if it is said again later.
pub(super) fn repeated<'a>(sentences: impl Iterator<Item = &'a str>) -> Vec<Option<f64>> {
    let keys: Vec<String> = sentences.map(letters).collect();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for key in &keys {
        *times.entry(key).or_default() += 1;
    }
    let mut left = times.clone();
    keys.iter()
        .map(|key| {
            if width(key) < LEAST_WIDTH {
                return Some(1.0);
            }
            let left = left.entry(key).or_default();
            *left = left.saturating_sub(1);
            let is_routine = times.get(key.as_str()) >= Some(&ROUTINE_TIMES);
            (*left == 0).then_some(if is_routine { ROUTINE } else { 1.0 })
        })
        .collect()
}

/// How much each sentence is worth among those of its writer that differ in nothing but numbers and addresses: the newest
/// stands for the others. Each comes with its writer, in order of time.
pub(super) fn of_one_shape<'a>(sentences: &[(&'a str, &'a str)]) -> Vec<f64> {
    let mut newer: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let mut factors: Vec<f64> = sentences
        .iter()
        .rev()
        .map(|(writer, sentence)| {
            let shape = shape(sentence);
            if width(&shape) < LEAST_WIDTH {
                return 1.0;
            }
            let newer = newer.entry((*writer, shape)).or_default();
            let factor = 1.0 / f64::from(1 + *newer);
            *newer += 1;
            factor
        })
        .collect();
    factors.reverse();
    factors
}

fn letters(text: &str) -> String {
    let lower = fold(text).to_lowercase();
    lower.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn shape(sentence: &str) -> String {
    let lower = fold(sentence).to_lowercase();
    let words = lower.split_whitespace();
    let words = words.filter(|word| !word.contains("://"));
    words
        .flat_map(str::chars)
        .filter(|c| c.is_alphabetic())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_several_times_counts_once_and_as_routine() {
        let said = ["The crane is here.", "ok", "the crane is here", "ok"];
        let found = repeated(said.into_iter());
        assert_eq!(found, [None, Some(1.0), Some(1.0), Some(1.0)]);
        let often = repeated(["The crane is here."; 3].into_iter());
        assert_eq!(often, [None, None, Some(ROUTINE)]);
    }

    #[test]
    fn the_newest_of_a_writers_sentences_of_one_shape_stands_for_the_others() {
        let built = "Build #41 passed: https://ci.example/41";
        let sentences = [
            ("ci", built),
            ("ann", "Build #40 passed"),
            ("ci", "Build #42 passed: https://ci.example/42"),
            ("ci", "42 %"),
            ("ci", "43 %"),
        ];
        assert_eq!(of_one_shape(&sentences), [0.5, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn what_a_memory_beside_it_says_weighs_little() {
        let known = Known::new(&["- 2024-03-01 ann: The budget is 45,000 yen."]);
        assert!(known.factor("the budget is 45,000 yen") < 0.5);
        assert!(known.factor("The budget is 46,000 yen") > 0.5);
    }
}
