//! Reads what is said to the bot by its form: questions, and what [`myao_terms::addressed`] knows.

use std::borrow::Cow;

use myao_terms::addressed::{behind_mention, corrects, mark, request_to_forget};

use crate::bindings::types::Message;
use crate::text::sentences::sentence_ranges;

/// Returns true if a message may found what is said: it is not the bot's own, and does not only ask it.
pub(crate) fn tells(message: &Message, bot: &str) -> bool {
    let is_own = message.user.is_bot && message.user.name == bot;
    !is_own && !only_asks(&with_mention(message, bot), bot)
}

/// Returns true if a message is only said to the bot: it asks it, has it forget something, or corrects what it remembers.
pub(crate) fn is_only_for(message: &Message, bot: &str) -> bool {
    let said = with_mention(message, bot);
    // A correction needs the mention.
    is_text_only_for(&message.text, bot) || !corrects(&said, bot) && is_text_only_for(&said, bot)
}

/// As [`is_only_for`], by the text alone.
pub(crate) fn is_text_only_for(text: &str, bot: &str) -> bool {
    let is_word = |word: &&str| !word.starts_with('@') && !word.contains("://");
    let forgets = |rest: &str| request_to_forget(rest.split_whitespace().filter(is_word)).is_some();
    only_asks(text, bot) || behind_mention(text, bot).is_some_and(forgets) || corrects(text, bot)
}

/// The text with a mention of the bot, if the host knows that it is addressed to it.
fn with_mention<'m>(message: &'m Message, bot: &str) -> Cow<'m, str> {
    match message.is_for_bot {
        true => Cow::Owned(format!("@{bot} {}", message.text)),
        false => Cow::Borrowed(&message.text),
    }
}

/// Returns true if each sentence behind a mention of the bot ends with a question mark.
fn only_asks(text: &str, bot: &str) -> bool {
    let asks = |line: &str| {
        let mut sentences = sentence_ranges(line).into_iter();
        sentences.all(|range| {
            let sentence = line.get(range).unwrap_or_default();
            sentence.trim_end().ends_with(['?', '？'])
        })
    };
    let only_asks = |rest: &str| rest.lines().map(str::trim).all(asks);
    mark(text, bot).is_none() && behind_mention(text, bot).is_some_and(only_asks)
}
