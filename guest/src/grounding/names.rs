//! The names and mentions of a line that nobody has and no source names.

use std::collections::BTreeSet;

use super::Given;
use super::evidence::Said;
use crate::phrases::{Phrases, contains_words, phrases};
use crate::text::cues::gives_task;
use crate::text::terms::is_stop_word;
use crate::text::values::{Value, normal};
use crate::text::{is_kanji, is_katakana};

/// Titles before the name of a person.
const FORMS: [&str; 8] = ["dr.", "mr.", "mrs.", "ms.", "prof.", "nurse", "coach", "dr"];
/// People without a name.
const NAMELESS: Phrases = phrases!("japanese/nameless.txt");
/// Words with a capital letter that are no names.
const CALENDAR: Phrases = phrases!("english/calendar.txt");
/// A name in quotation marks is no longer than this.
const MAX_QUOTED: usize = 8;

/// Names that a line may have, in the form of [`normal`].
pub(super) struct Names {
    authors: BTreeSet<String>,
    /// Other names and ids of people and channels.
    known: BTreeSet<String>,
}

impl Names {
    pub(super) fn of(given: &[Given<'_>], known: &[&str]) -> Self {
        let authors = given.iter().filter_map(|given| given.author);
        let known = known.iter().filter(|name| !name.is_empty());
        Self {
            authors: authors.map(normal).collect(),
            known: known.map(|name| normal(name)).collect(),
        }
    }

    /// Returns true if a value is a name or a mention.
    pub(super) fn has(&self, value: &Value) -> bool {
        let (Value::Code(word) | Value::Address(word)) = value else {
            return false;
        };
        let mut words = self.authors.iter().flat_map(|name| name.split_whitespace());
        words.any(|name| name == word)
            || word
                .strip_prefix('#')
                .is_some_and(|name| name.starts_with(char::is_alphabetic))
    }

    /// The names of a line by their form that no author has and nothing names.
    pub(super) fn unheard(&self, flat: &str, body: &str, said: &[Said]) -> Vec<String> {
        let names = japanese(body).into_iter().chain(english(flat));
        let is_part = |name: &str, part: &str| name.ends_with(part);
        let is_heard = |name: &String| self.is_heard(name, said, is_part);
        let mut unheard: Vec<String> = names.filter(|name| !is_heard(name)).collect();
        unheard.dedup();
        unheard
    }

    /// The people and channels that a line mentions, `<@U1>`, `<#C1>`, `@name` or `#name`, and that nothing names.
    pub(super) fn strangers(&self, body: &str, said: &[Said]) -> Vec<String> {
        let known = self.known.iter().chain(&self.authors);
        let is_known = |rest: &str| {
            known.clone().any(|name| {
                let after = rest.strip_prefix(name.as_str());
                after.is_some_and(|after| {
                    !name.ends_with(is_of_name) || !after.starts_with(is_of_name)
                })
            })
        };
        let signs = body.match_indices(['@', '#']);
        let mentions = signs.filter_map(|(at, sign)| {
            let before = body.get(..at)?.chars().next_back();
            let rest = body.get(at + sign.len()..)?;
            let begins = before.is_none_or(|c| !is_of_name(c) && !"/&=#@.".contains(c));
            (begins && !is_known(rest)).then(|| (sign, name_at(rest)))
        });
        let is_part = |name: &str, part: &str| name == part;
        let strangers = mentions.filter(|(_, name)| {
            name.contains(char::is_alphabetic) && !self.is_heard(name, said, is_part)
        });
        strangers
            .map(|(sign, name)| format!("{sign}{name}"))
            .collect()
    }

    /// Returns true if a source names somebody, or an author has the name by one of its parts.
    fn is_heard(&self, name: &str, said: &[Said], is_part: impl Fn(&str, &str) -> bool) -> bool {
        let mut parts = self.authors.iter().flat_map(|author| {
            let parts = author.split(|c: char| c.is_whitespace() || "._/".contains(c));
            parts.filter(|part| !part.is_empty())
        });
        let mut said = said.iter();
        parts.any(|part| is_part(name, part) || !name.is_ascii() && part.contains(name))
            || said.any(|said| contains_words(&said.text, name))
    }
}

/// Letters of names in ASCII: in other scripts, a name has no end that can be seen.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The name with which a text begins: of one script.
fn name_at(text: &str) -> &str {
    let is_of = |c: char| match text.chars().next() {
        Some(first) if is_kanji(first) || is_katakana(first) => is_kanji(c) || is_katakana(c),
        Some(first) if first.is_ascii() => is_of_name(c) || c == '.',
        _ => !c.is_ascii() && c.is_alphanumeric(),
    };
    let end = text.find(|c| !is_of(c)).unwrap_or(text.len());
    text.get(..end)
        .unwrap_or_default()
        .trim_end_matches(['.', '-'])
}

/// `田中` of `田中さん`, `鳥政` of `「鳥政」`.
fn japanese(body: &str) -> Vec<String> {
    let is_name = |c: char| is_kanji(c) || is_katakana(c);
    let mut found = Vec::new();
    let chars: Vec<(usize, char)> = body.char_indices().collect();
    for run in chars.chunk_by(|a, b| is_name(a.1) == is_name(b.1)) {
        let (Some((start, first)), Some((last, end))) = (run.first(), run.last()) else {
            continue;
        };
        if !is_name(*first) {
            continue;
        }
        let name = body.get(*start..last + end.len_utf8()).unwrap_or_default();
        let before = body.get(..*start).unwrap_or_default();
        let after = body.get(last + end.len_utf8()..).unwrap_or_default();
        let is_titled = ["さん", "くん", "ちゃん"]
            .iter()
            .any(|title| after.starts_with(title));
        let is_quoted =
            before.ends_with('「') && after.starts_with('」') && run.len() <= MAX_QUOTED;
        let titled = ["様", "氏", "先生"]
            .iter()
            .find_map(|title| name.strip_suffix(title));
        let name = if is_titled || is_quoted {
            Some(name)
        } else {
            titled
        };
        let name = name.filter(|name| !name.is_empty() && !NAMELESS.has(name));
        found.extend(name.map(str::to_owned));
    }
    found
}

/// Words with a capital letter within a sentence, and whom a sentence is about that begins with one.
fn english(flat: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut begins = true;
    let mut titled = false;
    for (at, word) in flat.split(' ').enumerate() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = plain.trim_end_matches("'s").trim_end_matches("’s");
        let lower = plain.to_lowercase();
        let is_capital = plain.len() > 2
            && plain.starts_with(|c: char| c.is_ascii_uppercase())
            && plain.chars().skip(1).all(|c| c.is_ascii_lowercase());
        let is_about = at == 0 && gives_task(flat);
        let is_word =
            is_stop_word(&lower) || CALENDAR.has(&lower) || FORMS.contains(&lower.as_str());
        if is_capital && !is_word && (!begins || titled || is_about) {
            found.push(lower);
        }
        titled = FORMS.contains(&word.to_lowercase().as_str());
        begins = word.ends_with(['.', '!', '?', ':']) && !titled;
    }
    found
}
