//! Answers that copy the messages.
//!
//! No other rule refuses such an answer: it is in the right language, has the right length, and repeats neither the
//! instruction nor a heading. Two answers of the corpus need this one (`repetition.txt`, "messages copied …").

use std::collections::BTreeSet;

use super::lines::letters;

/// So many letters and digits in a row make a copy: a sentence in Japanese, half a dozen words in English. Anything
/// shorter is a quotation.
const RUN: usize = 24;
/// Copies with fewer letters in all do no harm: little else can be said about three short messages.
const LEAST_COPIED: usize = 300;

/// Returns true if four fifths of an answer's letters are in runs of [`RUN`] that the messages contain too.
pub(super) fn copies(answer: &str, messages: &[&str]) -> bool {
    let own: Vec<char> = letters(answer).chars().collect();
    if own.len() < LEAST_COPIED {
        return false;
    }
    let runs: BTreeSet<&[char]> = own.windows(RUN).collect();
    let messages: Vec<Vec<char>> = messages
        .iter()
        .map(|message| letters(message).chars().collect())
        .collect();
    let copied: BTreeSet<&[char]> = messages
        .iter()
        .flat_map(|message| message.windows(RUN))
        .filter(|run| runs.contains(run))
        .collect();
    let (mut count, mut counted_up_to) = (0, 0);
    for (start, run) in own.windows(RUN).enumerate() {
        if copied.contains(run) {
            let end = start + RUN;
            count += end - start.max(counted_up_to);
            counted_up_to = end;
        }
    }
    count >= LEAST_COPIED && count * 5 >= own.len() * 4
}

#[cfg(test)]
mod tests {
    use super::copies;

    #[test]
    fn four_fifths_of_long_text_make_a_copy() {
        let message: String = (0..100).map(|number| format!("word{number} ")).collect();
        let own =
            |count: i32| -> String { (0..count).map(|number| format!("own{number} ")).collect() };
        let answer = |count: i32| format!("- {message}\n- {}", own(count));
        assert!(copies(&message, &["other", &message]));
        assert!(copies(&answer(20), &[&message]));
        assert!(!copies(&answer(60), &[&message]));
        assert!(!copies(&message, &["other"]));
    }
}
