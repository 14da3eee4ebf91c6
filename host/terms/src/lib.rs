//! The terms of a text, by which messages and memories are found: words, and pairs of characters in languages without
//! spaces.
//!
//! `recall.terms` in `wit/recall.wit` says what a term is. Everything that looks for terms has to split texts alike, so this
//! is the only place that does it.
//!
//! ```
//! assert_eq!(myao_terms::terms("A-1234 の障害"), ["a", "1234", "a-1234", "の障", "障害"]);
//! ```

#![deny(missing_docs)]

pub mod addressed;
mod chars;
mod normalized;

use std::ops::Range;

use chars::{Class, class, is_apostrophe, joiner};
use normalized::{Normalized, chunks};

/// Longer terms are left out: they are no words.
pub const MAX_TERM_CHARS: usize = 64;
/// A part of this length behind an apostrophe is an ending: `'s`, `'ll`.
const MAX_ENDING_CHARS: usize = 2;

/// A term, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The term.
    pub term: String,
    /// Where it stands in the text, in bytes. Where the normal form has another number of characters, this is all that stands
    /// between two spaces.
    pub at: Range<usize>,
}

/// The terms of a text in their order, repeated ones too.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for (_, chunk) in chunks(text) {
        let normalized = Normalized::of(chunk);
        split(&normalized.chars, &mut |term, _| terms.push(term));
    }
    terms
}

/// The terms of a text, with where they stand.
#[must_use]
pub fn located(text: &str) -> Vec<Located> {
    let mut found = Vec::new();
    for (start, chunk) in chunks(text) {
        let normalized = Normalized::of(chunk);
        let starts = normalized.starts(chunk);
        let byte = |char: usize| starts.as_ref()?.get(char).map(|at| start + at);
        split(&normalized.chars, &mut |term, chars| {
            let begin = byte(chars.start).unwrap_or(start);
            let end = byte(chars.end).unwrap_or(start + chunk.len());
            found.push(Located {
                term,
                at: begin..end,
            });
        });
    }
    found
}

/// Returns true if a text is for the most part written without spaces between words, as Japanese and Chinese are.
#[must_use]
pub fn is_spaceless(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let spaceless = |c: &char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    // One such letter says more than one of another script.
    letters.clone().filter(spaceless).count() * 3 >= letters.count().max(1)
}

/// Splits a normal form.
fn split(chars: &[char], found: &mut impl FnMut(String, Range<usize>)) {
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at = match class(*c) {
            Class::Word => words(chars, at, found),
            Class::Pair => pairs(chars, at, found),
            Class::Symbol => {
                found(c.to_string(), at..at + 1);
                at + 1
            }
            Class::Other => at + 1,
        };
    }
}

/// The end of the run of a class that begins at `start`.
fn end_of_run(chars: &[char], start: usize, of: Class) -> usize {
    let rest = chars.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|c| class(**c) == of).count()
}

/// Words that are joined by single marks, and then all of them as one term. Returns where they end.
fn words(chars: &[char], start: usize, found: &mut impl FnMut(String, Range<usize>)) -> usize {
    let (mut begin, mut parts) = (start, 0);
    let mut whole = String::new();
    let mut is_ending = false;
    loop {
        let end = end_of_run(chars, begin, Class::Word);
        let word = chars.get(begin..end).unwrap_or_default();
        if !(is_ending && word.len() <= MAX_ENDING_CHARS) {
            parts += 1;
            whole.extend(word);
            emit(word.iter().collect(), begin..end, found);
        }
        let mark = chars.get(end).copied();
        let goes_on = chars.get(end + 1).is_some_and(|c| class(*c) == Class::Word);
        match mark {
            Some(mark) if goes_on && is_apostrophe(mark) => is_ending = true,
            Some(mark) if goes_on && joiner(mark).is_some() => {
                is_ending = false;
                whole.extend(joiner(mark));
            }
            _ => {
                if parts > 1 && whole.contains(|c| joiner(c).is_some()) {
                    emit(whole, start..end, found);
                }
                return end;
            }
        }
        begin = end + 1;
    }
}

/// The pairs of neighbouring characters of a run; a character that stands alone is a term. Returns where the run ends.
fn pairs(chars: &[char], start: usize, found: &mut impl FnMut(String, Range<usize>)) -> usize {
    let end = end_of_run(chars, start, Class::Pair);
    let run = chars.get(start..end).unwrap_or_default();
    if let [single] = run {
        found(single.to_string(), start..end);
    }
    for (number, pair) in run.windows(2).enumerate() {
        let at = start + number;
        found(pair.iter().collect(), at..at + 2);
    }
    end
}

fn emit(term: String, at: Range<usize>, found: &mut impl FnMut(String, Range<usize>)) {
    if term.chars().nth(MAX_TERM_CHARS).is_none() {
        found(term, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_everything_that_is_no_letter_or_digit() {
        assert_eq!(
            terms("The crane, it comes on March 3rd!"),
            ["the", "crane", "it", "comes", "on", "march", "3rd"]
        );
        assert_eq!(terms("Straße naïve Привет"), ["straße", "naïve", "привет"]);
        assert!(terms(" — … !?").is_empty());
    }

    #[test]
    fn text_in_japanese_and_chinese_becomes_pairs() {
        assert_eq!(terms("障害"), ["障害"]);
        assert_eq!(terms("林さん、雨"), ["林さ", "さん", "雨"]);
        assert_eq!(terms("預算。サーバー"), ["預算", "サー", "ーバ", "バー"]);
        assert_eq!(terms("第3四半期"), ["第", "3", "四半", "半期"]);
    }

    #[test]
    fn ids_addresses_and_names_of_emoji_are_found_whole_and_by_their_parts() {
        assert_eq!(terms("A-1234"), ["a", "1234", "a-1234"]);
        assert_eq!(terms("v1.2.3です"), ["v1", "2", "3", "v1.2.3", "です"]);
        assert_eq!(
            terms("see https://example.com/a?b=1"),
            [
                "see",
                "https",
                "example",
                "com",
                "a",
                "example.com/a",
                "b",
                "1"
            ]
        );
        assert_eq!(
            terms(":party_parrot: 🎉"),
            ["party", "parrot", "party_parrot", "🎉"]
        );
        assert_eq!(terms("a--b c."), ["a", "b", "c"]);
    }

    #[test]
    fn endings_behind_an_apostrophe_are_no_terms() {
        assert_eq!(terms("Alice's and Bob’s"), ["alice", "and", "bob"]);
        assert_eq!(terms("o'clock"), ["o", "clock"]);
    }

    #[test]
    fn width_and_case_and_composition_make_no_difference() {
        assert_eq!(terms("ＡＰＩ－１２"), terms("api-12"));
        assert_eq!(terms("ｻｰﾊﾞｰ"), terms("サーバー"));
        assert_eq!(terms("か\u{3099}ぞう"), terms("がぞう"));
        assert_eq!(terms("Cafe\u{301}"), terms("CAFÉ"));
        assert_eq!(terms("well‑known"), terms("well-known"));
    }

    #[test]
    fn what_is_too_long_for_a_word_is_left_out() {
        let long = "x".repeat(MAX_TERM_CHARS + 1);
        assert_eq!(terms(&format!("{long} a")), ["a"]);
        assert_eq!(terms(&long[1..]), [&long[1..]]);
    }

    #[test]
    fn terms_are_located_in_the_text_as_it_is_written() {
        let at = |text: &str| -> Vec<String> {
            let found = located(text);
            found
                .iter()
                .map(|found| text[found.at.clone()].to_owned())
                .collect()
        };
        assert_eq!(at("Ａpi の障害"), ["Ａpi", "の障", "障害"]);
        assert_eq!(at("x ｻｰﾊﾞｰ"), ["x", "ｻｰﾊﾞｰ", "ｻｰﾊﾞｰ", "ｻｰﾊﾞｰ"]);
        let text = "Ａ-1 ｻｰﾊﾞｰの件、Alice's";
        let terms_only: Vec<String> = located(text).into_iter().map(|found| found.term).collect();
        assert_eq!(terms_only, terms(text));
    }
}
