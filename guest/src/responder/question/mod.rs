//! Reads a question: what somebody wants to know.

mod texts;
mod wanted;

use crate::bindings::types::{Context, Message};
use crate::phrases::contains_words;
use crate::prompt::{conversation_messages, reply_target_messages};
use crate::text::cues::{is_chatter, is_question};
use crate::text::language::Language;
use crate::text::terms::{terms, words};
use crate::text::{flatten, fold, is_japanese, is_japanese_letter, is_kanji};
use wanted::{ASKING, HELPS, RECAPS, THANKS, WANTED, WHEN, Wanted};

/// The weight of a single kanji.
const LONE: f64 = 0.25;
/// The share for a part of a compound (予算 of 予算案).
const PART: f64 = 0.7;
/// The factor for a sign of the wanted kind of information.
const SIGN: f64 = 1.75;
/// A text with a smaller share of the words is no answer, whatever its signs.
const LEAST_SHARE: f64 = 0.25;

/// Somebody who only calls the bot means the question that they asked within so many seconds before, at the top level.
const JUST_ASKED_SECONDS: i64 = 300;

/// A word of a question.
struct Word {
    text: String,
    /// Pairs of kanji, if it has several.
    pieces: Vec<String>,
    weight: f64,
    kind: Kind,
}

/// The meaning of a word for the question's subject.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A single kanji: little.
    Lone,
    /// A day or time.
    When,
    /// Anything else: the subject.
    Subject,
}

/// A parsed question.
pub(super) struct Question {
    /// The id of who asks it.
    author_id: String,
    /// Its text, without the bot's name.
    pub(super) text: String,
    pub(super) language: Language,
    /// True if it asks for an overview.
    pub(super) recap: bool,
    /// True if it is about the bot itself, if it has no words.
    pub(super) help: bool,
    /// True if it only says thanks.
    pub(super) thanks: bool,
    /// True if it is a question, even without a word to search for.
    pub(super) asks: bool,
    /// True if it is a greeting.
    pub(super) greets: bool,
    words: Vec<Word>,
    wanted: Vec<&'static Wanted>,
}

impl Question {
    /// Parses a message to the bot. `around` decides the language if the text itself does not.
    pub(super) fn read<'a>(text: &str, bot: &str, around: impl Iterator<Item = &'a str>) -> Self {
        let text = without_mention(text, bot);
        let lower = plain(&text);
        let mut said = lower.clone();
        for cue in RECAPS.iter().filter(|cue| contains_words(&lower, cue)) {
            said = said.replace(cue, " ");
        }
        let own = words(bot);
        let words: Vec<Word> = words(&said)
            .into_iter()
            .filter(|word| !ASKING.has(word) && !own.contains(word))
            .map(Word::new)
            .collect();
        let wanted = WANTED.iter().filter(|wanted| {
            wanted
                .asking
                .iter()
                .any(|word| contains_words(&lower, word))
        });
        Self {
            author_id: String::new(),
            text,
            language: language(&lower, around),
            recap: RECAPS.iter().any(|cue| contains_words(&lower, cue)),
            help: HELPS.iter().any(|cue| contains_words(&lower, cue)),
            thanks: words.is_empty() && THANKS.is_in(&lower),
            asks: is_question(&lower) || lower.ends_with(['か', 'の']),
            greets: is_chatter(&lower),
            wanted: wanted.collect(),
            words,
        }
    }

    /// Returns true if there is a word to search for.
    pub(super) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns true if a message asks it: the same author says the same.
    pub(super) fn is_asked_in(&self, message: &Message) -> bool {
        message.user.id == self.author_id && plain(&message.text).ends_with(&plain(&self.text))
    }

    /// Returns true if it is more than a call of the bot.
    pub(super) fn says_something(&self) -> bool {
        self.has_words() || self.recap || self.thanks || self.help || self.greets
    }

    /// Returns true if a text in plain letters has a sign of the kind of information that is asked for.
    pub(super) fn has_sign(&self, folded: &str) -> bool {
        self.wanted.iter().any(|wanted| {
            wanted.digits && folded.contains(|c: char| c.is_ascii_digit())
                || wanted.signs.is_in(folded)
        })
    }

    /// How much of each word a text contains, from 0 to 1.
    pub(super) fn matches(&self, folded: &str) -> Vec<f64> {
        // Words in URLs do not count.
        let said: Vec<&str> = folded
            .split_whitespace()
            .filter(|word| !word.contains("://"))
            .collect();
        let said = said.join(" ");
        let of_text = words(&said);
        let found = |word: &Word| word.found_in(&said, &of_text);
        self.words.iter().map(found).collect()
    }

    /// Returns true if a text has a word of the most important kind that the question has.
    pub(super) fn has_subject(&self, folded: &str) -> bool {
        let kind = self.words.iter().map(|word| word.kind).max();
        let mut found = self.words.iter().zip(self.matches(folded));
        found.any(|(word, found)| found > 0.0 && Some(word.kind) == kind)
    }

    /// The value of a text as an answer, from 0 to a little over 1. `matches` are its own; `counts` has the number of
    /// texts that contain each word: rare words count most, and words that nobody used hardly count.
    pub(super) fn worth(&self, folded: &str, matches: &[f64], counts: &[u32]) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        let mut found_kind = None;
        for ((word, found), count) in self.words.iter().zip(matches).zip(counts) {
            let rarity = match count {
                0 => 0.3,
                count => 1.0 / f64::from(*count).sqrt().sqrt(),
            };
            sum += word.weight * rarity * found;
            all += word.weight * rarity;
            found_kind = found_kind.max((*found > 0.0).then_some(word.kind));
        }
        // The most important kind of word must be found.
        let asked_kind = self.words.iter().map(|word| word.kind).max();
        let is_about_it =
            found_kind == asked_kind && (asked_kind != Some(Kind::Lone) || sum * 3.0 >= all * 2.0);
        if !is_about_it || sum < all * LEAST_SHARE || all <= 0.0 {
            return 0.0;
        }
        sum / all * if self.has_sign(folded) { SIGN } else { 1.0 }
    }
}

impl Word {
    fn new(text: String) -> Self {
        let is_lone = text.chars().count() == 1;
        let pieces = if text.chars().count() > 2 && text.chars().all(is_kanji) {
            terms(&text)
        } else {
            Vec::new()
        };
        let is_when = |word: &str| WHEN.has(word);
        let is_compound = !pieces.is_empty() && pieces.iter().all(|piece| is_when(piece));
        Self {
            weight: if is_lone { LONE } else { 1.0 },
            kind: match is_lone {
                true => Kind::Lone,
                false if is_compound || is_when(&text) => Kind::When,
                false => Kind::Subject,
            },
            text,
            pieces,
        }
    }

    fn found_in(&self, folded: &str, of_text: &[String]) -> f64 {
        if !self.text.is_ascii() {
            let found = self.pieces.iter().filter(|piece| folded.contains(*piece));
            return match (folded.contains(&self.text), self.pieces.len()) {
                (true, _) => 1.0,
                (false, 0) => 0.0,
                (false, pieces) => PART * share(found.count(), pieces),
            };
        }
        let same = |word: &String| is_same_word(&self.text, word);
        f64::from(u8::from(of_text.iter().any(same)))
    }
}

fn share(part: usize, all: usize) -> f64 {
    let number = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    number(part) / number(all)
}

/// `release` and `released`, `migrate` and `migration`.
fn is_same_word(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let common = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let ending = long.get(common..).unwrap_or_default();
    a == b
        || common == short.len() && common > 2 && ["s", "es", "d", "ed", "ing"].contains(&ending)
        || common >= 5 && common + 1 >= short.len() && long.len() - short.len() <= 4
}

/// A text in lower case and plain letters, as one line.
pub(super) fn plain(text: &str) -> String {
    fold(&flatten(text)).to_lowercase().replace(['’', '‘'], "'")
}

/// A message to the bot without the bot's name.
fn without_mention(text: &str, bot: &str) -> String {
    if bot.is_empty() {
        return text.to_owned();
    }
    let text = text.replace(&format!("@{bot}"), " ");
    let text = text.trim();
    let text = text.strip_prefix(bot).unwrap_or(text);
    text.trim_start_matches(|c: char| c.is_whitespace() || ",、:：".contains(c))
        .to_owned()
}

fn language<'a>(lower: &str, around: impl Iterator<Item = &'a str>) -> Language {
    if lower.contains(is_japanese_letter) {
        Language::Japanese
    } else if lower.contains(char::is_alphabetic) || !is_japanese(around) {
        Language::English
    } else {
        Language::Japanese
    }
}

/// The question that somebody asks: a message, or what was asked before it if it only calls the bot.
pub(super) fn asked(context: &Context, answered: &Message) -> Question {
    let read = |message: &Message| {
        let bot = context.persona.name.as_str();
        let mut question = Question::read(&message.text, bot, texts(context));
        question.author_id.clone_from(&message.user.id);
        question
    };
    let asked = read(answered);
    if asked.says_something() {
        return asked;
    }
    let Some(before) = asked_before(context, answered) else {
        return asked;
    };
    let mut meant = read(before);
    if let Language::Japanese = asked.language {
        meant.language = asked.language;
    }
    if meant.has_words() { meant } else { asked }
}

fn texts(context: &Context) -> impl Iterator<Item = &str> {
    conversation_messages(context).map(|message| message.text.as_str())
}

/// The question that was asked before the bot was called without one: in a thread by anybody, at the top level just now
/// by the same person.
fn asked_before<'c>(context: &'c Context, answered: &Message) -> Option<&'c Message> {
    let in_thread = context.target_thread_ts.is_some();
    let messages = reply_target_messages(context);
    let at = messages
        .iter()
        .position(|message| message.ts == answered.ts)?;
    let since = answered
        .timestamp
        .unix_seconds
        .saturating_sub(JUST_ASKED_SECONDS);
    let is_meant = |message: &&Message| {
        let just_now = message.timestamp.unix_seconds >= since;
        !message.user.is_bot && (in_thread || just_now && message.user.id == answered.user.id)
    };
    let before = || messages.iter().take(at).rev().filter(is_meant);
    before()
        .find(|message| is_question(&plain(&message.text)))
        .or_else(|| before().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        let question = Question::read(text, "みゃお", std::iter::empty());
        question.words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn the_words_that_a_question_is_about_are_found() {
        for (text, expected) in [
            ("@みゃお 公開日はいつ？", &["公開日"][..]),
            (
                "@みゃお リリースの予算っていくらでしたっけ？",
                &["リリース", "予算"],
            ),
            (
                "みゃお、サーバー移行の担当は誰ですか",
                &["サーバー", "移行", "担当"],
            ),
            ("@みゃお When is the launch?", &["launch"]),
            (
                "@みゃお could you tell me who owns the migration please?",
                &["owns", "migration"],
            ),
            ("@みゃお 最近の状況を教えて", &[]),
            ("@みゃお 予算の経緯は？", &["予算"]),
            ("@みゃお what's new?", &[]),
            ("@みゃお こんにちは", &[]),
            ("@みゃお", &[]),
        ] {
            assert_eq!(words_of(text), expected, "{text}");
        }
    }

    #[test]
    fn forms_of_an_english_word_are_the_same_word() {
        for (a, b) in [
            ("release", "released"),
            ("migrate", "migration"),
            ("budgets", "budget"),
            ("deploy", "deployment"),
            ("decided", "decide"),
        ] {
            assert!(is_same_word(a, b) && is_same_word(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("plan", "planet"),
            ("car", "cargo"),
            ("api", "apiary"),
            ("form", "format"),
        ] {
            assert!(!is_same_word(a, b), "{a} {b}");
        }
    }

    #[test]
    fn the_language_is_the_questions_and_else_the_conversations() {
        let language = |text: &str, around: &str| {
            Question::read(text, "みゃお", std::iter::once(around)).language
        };
        assert_eq!(language("@みゃお 予算？", "the budget"), Language::Japanese);
        assert_eq!(language("@みゃお budget?", "予算です"), Language::English);
        assert_eq!(language("@みゃお ???", "予算です"), Language::Japanese);
        assert_eq!(language("@みゃお", "the budget"), Language::English);
    }
}
