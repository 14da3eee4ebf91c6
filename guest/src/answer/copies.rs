//! Answers that copy the messages.

use super::repetition::letters;

/// Messages are copied where so many letters and digits in a row are the same: a sentence in
/// Japanese, half a dozen words in English. What is shorter is a quotation.
const RUN: usize = 24;
/// Copies of less than this in all are no harm: of three short messages little else can be said.
const LEAST_COPIED: usize = 300;

/// Whether four fifths of an answer lie in runs of [`RUN`] letters that are the messages'.
pub(super) fn copies(answer: &str, messages: &[&str]) -> bool {
    let own: Vec<char> = letters(answer).chars().collect();
    if own.len() < LEAST_COPIED {
        return false;
    }
    let mut runs: Vec<(u64, usize)> = hashes(&own).zip(0..).collect();
    runs.sort();
    let mut begins = vec![false; own.len()];
    for message in messages {
        let message: Vec<char> = letters(message).chars().collect();
        for hash in hashes(&message) {
            let first = runs.partition_point(|(other, _)| *other < hash);
            let same = runs
                .get(first..)
                .unwrap_or_default()
                .iter()
                .take_while(|(other, _)| *other == hash);
            for (_, at) in same {
                match begins.get_mut(*at) {
                    // The rest of them were marked with this one.
                    Some(true) | None => break,
                    Some(begin) => *begin = true,
                }
            }
        }
    }
    let copied = covered(&begins);
    copied >= LEAST_COPIED && copied * 5 >= own.len() * 4
}

/// How many letters lie in a run that begins where it says so.
fn covered(begins: &[bool]) -> usize {
    let (mut count, mut left) = (0, 0);
    for begin in begins {
        left = if *begin { RUN } else { left };
        count += usize::from(left > 0);
        left = left.saturating_sub(1);
    }
    count
}

/// A hash of every run, in order of where it begins: polynomial, rolled from one to the next.
fn hashes(letters: &[char]) -> impl Iterator<Item = u64> {
    const BASE: u64 = 1_099_511_628_211;
    let highest = (1..RUN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let push = |hash: u64, c: char| hash.wrapping_mul(BASE).wrapping_add(u64::from(c) + 1);
    let first = letters
        .get(..RUN)
        .map(|run| run.iter().fold(0, |hash, c| push(hash, *c)));
    let steps = letters.iter().zip(letters.iter().skip(RUN));
    first.into_iter().flat_map(move |first| {
        let mut hash = first;
        let next = steps.clone().map(move |(out, c)| {
            hash = push(
                hash.wrapping_sub((u64::from(*out) + 1).wrapping_mul(highest)),
                *c,
            );
            hash
        });
        std::iter::once(first).chain(next)
    })
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_the_hash_of_its_letters() {
        let letters: Vec<char> = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
            .chars()
            .collect();
        let all: Vec<u64> = hashes(&letters).collect();
        assert_eq!(all.len(), letters.len() - RUN + 1);
        for (at, hash) in all.iter().enumerate() {
            assert_eq!(
                hashes(&letters[at..at + RUN]).collect::<Vec<_>>(),
                [*hash],
                "{at}"
            );
        }
        assert_eq!(all[0], all[36]);
        assert_eq!(hashes(&letters[..RUN - 1]).count(), 0);
    }

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

    #[test]
    fn letters_in_overlapping_runs_count_once() {
        let mut begins = vec![false; 100];
        begins[10] = true;
        begins[20] = true;
        begins[90] = true;
        assert_eq!(covered(&begins), 10 + RUN + 10);
    }
}
