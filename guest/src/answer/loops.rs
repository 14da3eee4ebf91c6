//! Answers that go round in circles: a small model says the same sentence again and again.

use std::collections::BTreeMap;

use super::lines::sentences;
use super::repetition::letters;

/// A sentence that stands there so often is a loop.
const LOOP: u32 = 3;
/// Shorter ones may well come again ("- done"), in letters.
const LEAST_SENTENCE: usize = 8;

/// The text, with every sentence that is said [`LOOP`] times or more only where it is said first.
pub(super) fn without_loops(text: String) -> String {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for sentence in sentences(&text) {
        let letters = letters(sentence);
        if letters.chars().count() >= LEAST_SENTENCE {
            *counts.entry(letters).or_default() += 1;
        }
    }
    if counts.values().all(|count| *count < LOOP) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    for sentence in sentences(&text) {
        match counts.get_mut(&letters(sentence)) {
            // Said already: no count is left.
            Some(0) => continue,
            Some(count) if *count >= LOOP => *count = 0,
            _ => {}
        }
        kept.push_str(sentence);
    }
    let lines: Vec<&str> = kept.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_loops;

    #[test]
    fn a_sentence_that_comes_again_and_again_stays_once() {
        for (answer, kept) in [
            (
                "- The team is working together. The team is working together. The team is working together.",
                "- The team is working together.",
            ),
            (
                "## What is new\n- Acme signed\n## What is new\n- 340 seats\n## What is new",
                "## What is new\n- Acme signed\n- 340 seats",
            ),
            (
                "公開日は3月22日です。公開日は3月22日です。公開日は3月22日です。予算は未定。",
                "公開日は3月22日です。予算は未定。",
            ),
        ] {
            assert_eq!(without_loops(answer.to_owned()), kept);
        }
    }

    #[test]
    fn what_is_said_twice_and_short_words_stay() {
        for answer in [
            "- Acme signed the contract\n- Acme signed the contract",
            "- api\n  - done\n- web\n  - done\n- app\n  - done",
            "- one\n\n- two",
        ] {
            assert_eq!(without_loops(answer.to_owned()), answer);
        }
    }
}
