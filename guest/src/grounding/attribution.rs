//! The people of a line: who is said to have said or done something, and whether anybody named them.
//!
//! A line may cite many messages, of which a few say what it says: those that share most of its words. If these are
//! neither by a person of the line nor name them, the line may stand under another name. It stays, and is counted, because a
//! person may be meant without a name. It is certain only if the message says it of its author: `I will …`.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::evidence::Said;
use super::{Wrong, own_words};
use crate::citations::label;
use crate::extractive::cues::{gives_task, is_question};
use crate::extractive::terms::{is_stop_word, terms};
use crate::extractive::text::{flatten, is_kanji, is_katakana, strip_markers};
use crate::phrases::{Phrases, contains_words, phrases, word_matches};
use crate::values::normal;

/// What follows the name of a person.
const TITLES: [&str; 9] = [
    "さん",
    "先生",
    "くん",
    "ちゃん",
    "様",
    "氏",
    "園長",
    "部長",
    "課長",
];
/// What follows who does something.
const SUBJECTS: [char; 3] = ['が', 'は', 'も'];
/// What precedes the name of a person.
const FORMS: [&str; 8] = ["dr.", "mr.", "mrs.", "ms.", "prof.", "nurse", "coach", "dr"];
/// What follows the name of a company or a shop.
const COMPANIES: [&str; 5] = ["工業", "商店", "商事", "製作所", "工務店"];
/// People without a name.
const NAMELESS: Phrases = phrases!("japanese/nameless.txt");
/// Words with a capital letter that are no names.
const CALENDAR: Phrases = phrases!("english/calendar.txt");
/// How somebody takes on what was asked, and how one speaks of oneself.
const AGREEMENTS: Phrases = phrases!(
    "english/acknowledgements.txt",
    "japanese/acknowledgements.txt"
);
const ONESELF: Phrases = phrases!("english/oneself.txt", "japanese/oneself.txt");
/// So many messages later, somebody may agree.
const REACH: usize = 2;
/// A name in quotation marks is no longer than this.
const MAX_QUOTED: usize = 8;

/// What is known of a text's people.
pub(super) struct People<'a> {
    /// The names of those who wrote something, in the form of [`normal`].
    pub(super) authors: &'a BTreeSet<String>,
    pub(super) said: Vec<&'a Said>,
}

impl<'a> People<'a> {
    /// Who may be wrong in a line, given the places of the sources that it cites. `words` are those of all sources.
    pub(super) fn doubtful<F: FnOnce() -> Vec<BTreeSet<String>>>(
        &self,
        line: &str,
        cited: &[usize],
        words: &LazyCell<Vec<BTreeSet<String>>, F>,
    ) -> Vec<Wrong> {
        let flat = flatten(line);
        let flat = strip_markers(&flat).0;
        let body = normal(flat);
        let attributed = self.attributed(line, flat, &body);
        let mut wrong = Vec::new();
        if !attributed.is_empty() {
            let best = self.best(line, cited, words);
            let unnamed = attributed.iter().filter(|name| !self.is_named(name, &best));
            wrong.extend(unnamed.map(|name| Wrong {
                written: name.clone(),
                is_certain: attributed.len() == 1 && self.speaks_of_oneself(&best),
            }));
        }
        let unheard = unheard(flat, &body)
            .into_iter()
            .filter(|name| !self.has(name));
        wrong.extend(unheard.map(Wrong::doubtful));
        wrong.dedup_by(|a, b| a.written == b.written);
        wrong
    }

    /// The authors whom a line names as those who say or do something.
    fn attributed(&self, line: &str, flat: &str, body: &str) -> Vec<String> {
        if let Some(name) = label(line).filter(|name| self.authors.contains(name)) {
            return vec![name];
        }
        let parts: BTreeSet<&str> = self.authors.iter().flat_map(|name| parts(name)).collect();
        let named = parts.into_iter().filter(|part| is_person(flat, body, part));
        named.map(str::to_owned).collect()
    }

    /// The sources that share most of a line's words, among those that it cites; names are no words.
    fn best<F: FnOnce() -> Vec<BTreeSet<String>>>(
        &self,
        line: &str,
        cited: &[usize],
        words: &LazyCell<Vec<BTreeSet<String>>, F>,
    ) -> Vec<usize> {
        let names: BTreeSet<String> = self.authors.iter().flat_map(|name| terms(name)).collect();
        let own: Vec<String> = own_words(line)
            .filter(|word| !names.contains(word))
            .collect();
        let shared = |at: &usize| {
            let words = words.get(*at);
            let is_shared = |word: &&String| words.is_some_and(|words| words.contains(*word));
            own.iter().filter(is_shared).count()
        };
        let most = cited.iter().map(shared).max().unwrap_or(0);
        let best = cited.iter().copied().filter(|at| shared(at) == most);
        best.collect()
    }

    /// Whether one of the sources is by somebody or names them, or they agreed to it right after.
    fn is_named(&self, name: &str, best: &[usize]) -> bool {
        let at = |at: usize| self.said.get(at).copied();
        let named = best
            .iter()
            .filter_map(|place| at(*place))
            .any(|said| names(said, name));
        let agrees = |said: &Said| {
            by(said, name) && AGREEMENTS.iter().any(|word| said.text.starts_with(word))
        };
        let mut after = best.iter().flat_map(|place| place + 1..=place + REACH);
        named || after.any(|place| at(place).is_some_and(agrees))
    }

    /// Whether all sources are by one person, who speaks of nobody else.
    fn speaks_of_oneself(&self, best: &[usize]) -> bool {
        let said: Vec<&Said> = best
            .iter()
            .filter_map(|at| self.said.get(*at).copied())
            .collect();
        let authors: BTreeSet<Option<&str>> =
            said.iter().map(|said| said.author.as_deref()).collect();
        let is_own = |said: &&Said| {
            said.author.is_some()
                && !is_question(&said.text)
                && ONESELF.iter().any(|word| contains_words(&said.text, word))
        };
        authors.len() == 1 && said.iter().all(is_own)
    }

    /// Whether anybody has that name, or anything names it.
    fn has(&self, name: &str) -> bool {
        let mut of_authors = self.authors.iter().flat_map(|author| parts(author));
        let is_part = |part: &str| name.ends_with(part) || !name.is_ascii() && part.contains(name);
        of_authors.any(is_part)
            || self
                .said
                .iter()
                .any(|said| contains_words(&said.text, name))
    }
}

fn by(said: &Said, name: &str) -> bool {
    let author = said.author.as_deref().unwrap_or_default();
    author == name || parts(author).any(|part| part == name)
}

fn names(said: &Said, name: &str) -> bool {
    by(said, name) || said.text.contains(name)
}

/// The parts of a name by which a line may name its person.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let separators = |c: char| c.is_whitespace() || matches!(c, '.' | '_' | '/');
    name.split(separators).filter(|part| {
        let is_long = part.chars().count() > 1;
        !FORMS.contains(part) && (is_long || part.contains(is_kanji))
    })
}

/// Whether a line names somebody by a part of a name, as a person.
fn is_person(flat: &str, body: &str, part: &str) -> bool {
    let is_name = |c: char| is_kanji(c) || is_katakana(c);
    if part.is_ascii() {
        // `will` and `may` are words, too.
        let mut capital = part.to_owned();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let has_title = body.contains(&format!("{part}さん"));
        return has_title || word_matches(flat, &capital).next().is_some();
    }
    let length = part.chars().count();
    body.match_indices(part).any(|(at, _)| {
        let before = body.get(..at).and_then(|head| head.chars().next_back());
        let after = body.get(at + part.len()..).unwrap_or_default();
        let is_titled = TITLES.iter().any(|title| after.starts_with(title));
        let is_subject = length > 1 && after.starts_with(SUBJECTS);
        !before.is_some_and(is_name) && (is_titled || is_subject)
    })
}

/// The names of a line by their form, to be looked for in what was said.
fn unheard(flat: &str, body: &str) -> Vec<String> {
    let mut names = japanese(body);
    names.extend(english(flat));
    names
}

/// `田中` of `田中さん`, `三国商店`, `鳥政` of `「鳥政」`.
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
        let after = body.get(last + end.len_utf8()..).unwrap_or_default();
        let before = body.get(..*start).unwrap_or_default();
        let is_titled = ["さん", "くん", "ちゃん"]
            .iter()
            .any(|title| after.starts_with(title));
        let titled = ["様", "氏", "先生"]
            .iter()
            .find_map(|title| name.strip_suffix(title));
        let is_company = COMPANIES
            .iter()
            .any(|word| name.ends_with(word) && name.len() > word.len());
        let is_quoted =
            before.ends_with('「') && after.starts_with('」') && name.chars().count() <= MAX_QUOTED;
        let name = if is_titled || is_company || is_quoted {
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
            found.push(lower.clone());
        }
        titled = FORMS.contains(&word.to_lowercase().as_str());
        begins = word.ends_with(['.', '!', '?', ':']) && !titled;
    }
    found
}
