//! Replies without a model, by quoting memories and messages.
//!
//! [`question`] reads the question, [`sources`] lists what can be quoted. The best three that differ from each other
//! are quoted, each with its source.

mod question;
mod sources;
mod texts;
mod wanted;

use question::Question;
use sources::{MAX_QUOTE, Quotable, newest_first, quotables};
pub(super) use texts::ReplyLanguage;

use super::target::Situation;
use crate::bindings::types::{ChannelMemory, Context, Message};
use crate::extractive::terms::terms;
use crate::extractive::text::cut;
use crate::extractive::{self, Input, items};
use crate::prompt::{conversation_messages, reply_target_messages, target_thread_messages};

/// The most quotes in a reply.
const MAX_QUOTES: usize = 3;
/// A quote below this value answers nothing.
const LEAST_WORTH: f64 = 0.34;
/// A quote below this share of the best one is left out.
const LEAST_SHARE: f64 = 0.6;
/// The factor for a word that is only in the first message of a thread.
const OF_HEAD: f64 = 0.6;
/// The number of a memory's bullets in a recap.
const RECAP_ITEMS: usize = 4;
/// The most characters in an extract of messages, in place of tokens.
const EXTRACT_LENGTH: u32 = 400;
/// Somebody who only calls the bot means the question that they asked within so many seconds before, at the top level.
const JUST_ASKED_SECONDS: i64 = 300;

/// Returns the URL of a message, if there is one.
type Permalink<'p> = &'p dyn Fn(&str) -> Option<String>;

/// The reply to a message, in Markdown.
pub(super) fn answer(situation: &Situation, permalink: Permalink<'_>) -> String {
    let (context, answered) = (&situation.context, &situation.answered);
    let bot = context.persona.name.as_str();
    let asked = Question::read(&answered.text, bot, texts(context));
    let language = asked.language;
    if asked.has_words() {
        return to_question(&asked, context, answered, permalink);
    }
    if asked.recap {
        return recap(context, language).unwrap_or_else(|| language.unknown());
    }
    if asked.thanks {
        return language.welcome();
    }
    if asked.help || asked.greets {
        return language.help(bot);
    }
    if let Some(meant) = asked_before(context, answered) {
        let mut meant = Question::read(&meant.text, bot, texts(context));
        if let ReplyLanguage::Japanese = language {
            meant.language = language;
        }
        if meant.has_words() {
            return to_question(&meant, context, answered, permalink);
        }
    }
    if asked.asks {
        return unknown(context, language);
    }
    language.help(bot)
}

/// The language in which a message to the bot is answered.
pub(super) fn language_of(situation: &Situation) -> ReplyLanguage {
    let (context, text) = (&situation.context, &situation.answered.text);
    Question::read(text, &context.persona.name, texts(context)).language
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
        .find(|message| extractive::cues::is_question(&question::plain(&message.text)))
        .or_else(|| before().next())
}

fn to_question(
    asked: &Question,
    context: &Context,
    answered: &Message,
    permalink: Permalink<'_>,
) -> String {
    let found = best(asked, quotables(context, asked, answered));
    if found.is_empty() {
        return unknown(context, asked.language);
    }
    let mut lines = vec![asked.language.found()];
    lines.extend(
        found
            .iter()
            .map(|quote| bullet(quote, asked.language, permalink)),
    );
    lines.join("\n")
}

/// The best quotes; of those that say the same, the first.
fn best(asked: &Question, mut quotables: Vec<Quotable>) -> Vec<Quotable> {
    let matches: Vec<Vec<f64>> = quotables
        .iter_mut()
        .map(|quotable| matches(asked, quotable))
        .collect();
    let mut counts = vec![0_u32; matches.first().map_or(0, Vec::len)];
    for found in &matches {
        for (count, found) in counts.iter_mut().zip(found) {
            *count += u32::from(*found > 0.0);
        }
    }
    let worth = |quotable: &Quotable, found: &[f64]| {
        quotable.factor * asked.worth(&quotable.folded, found, &counts)
    };
    let mut ranked: Vec<(f64, Quotable)> = quotables
        .into_iter()
        .zip(&matches)
        .map(|(quotable, found)| (worth(&quotable, found), quotable))
        .filter(|(worth, _)| *worth >= LEAST_WORTH)
        .collect();
    // Of two with the same value, the newer; without dates, the order of the sources.
    ranked.sort_by(|(a, left), (b, right)| b.total_cmp(a).then(right.date.cmp(&left.date)));
    let least = ranked.first().map_or(0.0, |(worth, _)| worth * LEAST_SHARE);
    let mut chosen: Vec<Quotable> = Vec::new();
    for (_, quotable) in ranked.into_iter().take_while(|(worth, _)| *worth >= least) {
        if chosen.len() < MAX_QUOTES && !chosen.iter().any(|other| says_the_same(&quotable, other))
        {
            chosen.push(quotable);
        }
    }
    chosen
}

/// How much of each word a quote contains. Words of its thread's first message count in part, and that message is then
/// shown.
fn matches(asked: &Question, quotable: &mut Quotable) -> Vec<f64> {
    let own = asked.matches(&quotable.folded);
    let Some(head) = &quotable.thread else {
        return own;
    };
    let heads = asked.matches(&head.folded);
    let both = own.iter().zip(heads);
    let both: Vec<f64> = both.map(|(own, head)| own.max(head * OF_HEAD)).collect();
    if both == own {
        quotable.thread = None;
    }
    both
}

/// Whether a quote adds hardly anything to another, which has most of its words and all of its numbers.
fn says_the_same(quote: &Quotable, other: &Quotable) -> bool {
    let (own, others) = (terms(&quote.text), terms(&other.text));
    let numbers = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit());
        let mut numbers: Vec<String> = digits
            .filter(|digits| !digits.is_empty())
            .map(str::to_owned)
            .collect();
        numbers.sort();
        numbers
    };
    let others_numbers = numbers(&question::plain(&other.text));
    let new_number = numbers(&question::plain(&quote.text))
        .iter()
        .any(|number| !others_numbers.contains(number));
    let known = own.iter().filter(|term| others.contains(term)).count();
    !new_number && known * 10 >= own.len() * 7
}

fn bullet(quote: &Quotable, language: ReplyLanguage, permalink: Permalink<'_>) -> String {
    let mut origin = quote.origin.describe(language);
    origin.extend(quote.date.clone());
    let address = quote.origin.ts().and_then(permalink);
    origin.extend(address.map(|address| format!("[{}]({address})", language.link())));
    let text = match &quote.thread {
        Some(head) if !quote.text.contains('→') => format!("{} → {}", head.text, quote.text),
        _ => quote.text.clone(),
    };
    language.bullet(&text, &origin)
}

/// Says that nothing is known, and shows the newest memory.
fn unknown(context: &Context, language: ReplyLanguage) -> String {
    let mut lines = vec![language.unknown()];
    if let Some((memory, text)) = newest_memory(context) {
        lines.push(language.recent(&memory.channel_name));
        lines.extend(first_items(text));
    }
    lines.join("\n")
}

/// The memory of the target thread or of the channel; without a memory, an extract of the messages.
fn recap(context: &Context, language: ReplyLanguage) -> Option<String> {
    let thread = context.target_thread_ts.as_deref();
    let channel = &context.conversation_history.channel_name;
    let of_thread = thread.and_then(|thread| {
        let mut memories = context.thread_memories.iter();
        memories.find(|memory| memory.thread_ts == thread)
    });
    let (title, memory) = match (thread, newest_memory(context)) {
        (Some(_), _) => (
            language.of_thread(),
            of_thread.map(|memory| memory.content.clone()),
        ),
        (None, Some((_, text))) => (language.recent(channel), Some(first_items(text).join("\n"))),
        (None, None) => (language.said_lately(channel), None),
    };
    let text = memory.or_else(|| {
        let messages: Vec<&Message> = match thread {
            Some(_) => target_thread_messages(context).iter().collect(),
            None => context
                .conversation_history
                .top_level_messages
                .iter()
                .collect(),
        };
        extract(&messages, &context.persona.name)
    })?;
    Some(format!("{title}\n{text}"))
}

/// The most informative sentences of what people wrote, without messages to the bot.
fn extract(messages: &[&Message], bot: &str) -> Option<String> {
    let mention = format!("@{bot}");
    let messages: Vec<&Message> = messages
        .iter()
        .copied()
        .filter(|message| !message.user.is_bot && !message.text.contains(&mention))
        .collect();
    let count = |texts: &[String]| {
        let lengths = texts.iter().map(|text| text.chars().count());
        lengths
            .map(|length| u32::try_from(length).unwrap_or(u32::MAX))
            .collect()
    };
    let text = extractive::summarize(Input::Messages(&messages), EXTRACT_LENGTH, &count);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !extractive::is_note(line))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The newest memory of the current channel.
fn newest_memory(context: &Context) -> Option<(&ChannelMemory, &str)> {
    let own_id = &context.conversation_history.channel_id;
    let mut memories = context.channel_memories.iter();
    let memory = memories.find(|memory| memory.channel_id == *own_id)?;
    newest_first(memory)
        .next()
        .map(|text| (memory, text.as_str()))
}

fn first_items(text: &str) -> Vec<String> {
    let items = items::parse(text, None).into_iter().take(RECAP_ITEMS);
    let line = |item: items::Item| {
        let date = item.date.map(|date| format!("{date} "));
        format!(
            "- {}{}",
            date.unwrap_or_default(),
            cut(&item.text, MAX_QUOTE)
        )
    };
    items.map(line).collect()
}
