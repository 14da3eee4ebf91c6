//! The facts of a sentence: dates, times, amounts, versions, ids, addresses, files and names.

mod names;
mod numbers;

use std::ops::Range;

use crate::phrases::{Phrases, phrases};
use crate::text::fold;
pub(crate) use names::Names;
pub(crate) use numbers::{CURRENCIES, Fact};
use numbers::{fact, number_fact};

const CALENDAR: Phrases = phrases!("english/calendar.txt");

/// The facts of a sentence, sorted by key, each once.
pub(crate) fn facts(text: &str, names: &Names) -> Vec<Fact> {
    let text = fold(text);
    let mut facts = Vec::new();
    let mut first = true;
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        if is_ascii_word(c) {
            let (chunk, tail) = rest.split_at_checked(chunk_end(rest)).unwrap_or((rest, ""));
            let sentence_end = chunk.ends_with(['.', '!', '?', ':']);
            let chunk = trim_chunk(chunk);
            facts.extend(ascii_fact(chunk, tail, first, names));
            (rest, first) = (tail, sentence_end);
        } else {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    facts.sort_by(|a, b| a.key.cmp(&b.key).then(b.weight.total_cmp(&a.weight)));
    facts.dedup_by(|later, kept| later.key == kept.key);
    facts
}

/// The values of a text in lower case without full-width ASCII, with where they begin and end: facts with a digit,
/// addresses, files and codes. Names, words of the calendar and other facts that are words are not among them.
pub(crate) fn values(lower: &str, found: &mut impl FnMut(Range<usize>, &str)) {
    let names = Names::default();
    let mut rest = lower;
    while let Some((_, from)) = rest
        .find(is_ascii_word)
        .and_then(|start| rest.split_at_checked(start))
    {
        let (chunk, tail) = from.split_at_checked(chunk_end(from)).unwrap_or((from, ""));
        let chunk = trim_chunk(chunk);
        let is_marked = |c: char| c.is_ascii_digit() || "./_:@#~".contains(c);
        if chunk.contains(is_marked)
            && !chunk.starts_with('@')
            && let Some(fact) = ascii_fact(chunk, tail, true, &names)
        {
            let start = lower.len() - from.len();
            found(start..start + chunk.len(), &fact.key);
        }
        rest = tail;
    }
}

/// A chunk without the marks that end a sentence or join it to the next.
fn trim_chunk(chunk: &str) -> &str {
    chunk.trim_end_matches(['.', '!', '?', ':', '~', '&', '=', '-'])
}

fn is_ascii_word(c: char) -> bool {
    c.is_ascii_graphic() && !"\"'`()<>[]{},;|*".contains(c) || CURRENCIES.contains(&c)
}

/// The end of the chunk at the beginning of a text: `1,200` is one.
fn chunk_end(text: &str) -> usize {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let groups = c == ',' && is_digit(before) && is_digit(next);
        if !is_ascii_word(c) && !groups {
            return at;
        }
        before = Some(c);
    }
    text.len()
}

/// The fact in a chunk of ASCII without spaces; `tail` is the text after it.
fn ascii_fact(chunk: &str, tail: &str, first: bool, names: &Names) -> Option<Fact> {
    let lower = chunk.to_lowercase();
    if chunk.contains("://") || lower.starts_with("www.") {
        return fact(chunk, 1.0);
    }
    let name = lower.trim_start_matches('@').trim_end_matches("'s");
    if names.contains(name) || (chunk.starts_with('@') && name.len() > 1) {
        return fact(name, 0.4);
    }
    if chunk.contains(|c: char| c.is_ascii_digit()) {
        return number_fact(chunk, &lower, tail);
    }
    word_fact(chunk, &lower, first)
}

/// A fact without a digit.
fn word_fact(chunk: &str, lower: &str, first: bool) -> Option<Fact> {
    let letters = chunk.chars().filter(char::is_ascii_alphabetic).count();
    if letters < 2 {
        return None;
    }
    if CALENDAR.has(lower)
        && (lower.len() > 3 || chunk.starts_with(|c: char| c.is_ascii_uppercase()))
    {
        return fact(lower, 0.7);
    }
    let extension = chunk
        .rsplit_once('.')
        .filter(|(stem, _)| stem.len() > 1)
        .map_or("", |(_, e)| e);
    let is_mail = chunk
        .split_once('@')
        .is_some_and(|(name, domain)| !name.is_empty() && domain.contains('.'));
    let is_file =
        (2..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_lowercase());
    if is_file || is_mail {
        return fact(chunk, 0.6);
    }
    let is_path = chunk.starts_with(['/', '~']) || chunk.matches('/').count() > 1;
    let is_code =
        chunk.contains('_') || chunk.contains("::") || (chunk.starts_with('#') && letters > 2);
    if (is_path || is_code) && letters > 2 {
        return fact(chunk, 0.5);
    }
    let upper = chunk.chars().filter(char::is_ascii_uppercase).count();
    let starts_upper = chunk.starts_with(|c: char| c.is_ascii_uppercase());
    if letters > 2
        && (upper > 1 || (upper == 1 && !starts_upper))
        && chunk.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
    {
        return fact(chunk, if upper == letters { 0.35 } else { 0.45 });
    }
    (starts_upper && !first && letters > 2 && !lower.starts_with("i'"))
        .then(|| fact(chunk, 0.4))
        .flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let names = Names::new(["田中 太郎", "alice"].into_iter());
        facts(text, &names)
            .into_iter()
            .filter(|f| f.weight >= 0.3)
            .map(|f| f.key)
            .collect()
    }

    #[test]
    fn facts_of_both_languages_are_found() {
        assert_eq!(
            keys("３月１５日に田中さんが300万円で発注"),
            ["15日", "300万円", "3月"]
        );
        assert_eq!(
            keys("Alice moved it to 2024-03-15 at 10:30 for $1,200."),
            ["$1,200", "10:30", "2024-03-15", "alice"]
        );
        assert_eq!(
            keys("See https://example.com/a?b=1 and INC-204 in v1.2.3"),
            ["https://example.com/a?b=1", "inc-204", "v1.2.3"]
        );
        assert_eq!(
            keys("p95 is 180 ms, down 12%, see deploy.yaml"),
            ["12%", "180 ms", "deploy.yaml", "p95"]
        );
        assert_eq!(keys("the plan is for us to talk"), [""; 0]);
    }
}
