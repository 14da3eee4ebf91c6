//! Reads a question: what somebody wants to know.

mod texts;

use crate::bindings::types::{Context, Message};
use crate::phrases::{Phrases, contains_words, phrases};
use crate::prompt::{conversation_messages, reply_target_messages};
use crate::text::cues::{is_chatter, is_question};
use crate::text::language::Language;
use crate::text::terms::words;
use crate::text::{flatten, fold, is_japanese, is_japanese_letter};

/// Words of questions that say nothing about their subject, besides the stop words of `text::terms`.
const ASKING: Phrases = phrases!("japanese/asking-words.txt", "english/asking-words.txt");
/// Words that ask for an overview.
const RECAPS: Phrases = phrases!("japanese/recap-requests.txt", "english/recap-requests.txt");
/// Words that ask for the bot itself.
const HELPS: Phrases = phrases!("japanese/help-requests.txt", "english/help-requests.txt");
const THANKS: Phrases = phrases!("japanese/thanks.txt", "english/thanks.txt");

/// Somebody who only calls the bot means the question that they asked within so many seconds before, at the top level.
const JUST_ASKED_SECONDS: i64 = 300;

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
    words: Vec<String>,
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
        let words: Vec<String> = words(&said)
            .into_iter()
            .filter(|word| !ASKING.has(word) && !own.contains(word))
            .collect();
        Self {
            author_id: String::new(),
            text,
            language: language(&lower, around),
            recap: RECAPS.iter().any(|cue| contains_words(&lower, cue)),
            help: HELPS.iter().any(|cue| contains_words(&lower, cue)),
            thanks: words.is_empty() && THANKS.is_in(&lower),
            asks: is_question(&lower) || lower.ends_with(['か', 'の']),
            greets: is_chatter(&lower),
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
        question.words
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
