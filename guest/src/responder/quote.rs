//! Replies without a model: the messages that are closest to the question, as they were said, the best first. Nothing says that they
//! answer it.

use super::citing;
use super::found::excerpt;
use super::question::plain;
use super::situation::Situation;
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::{ChannelMemory, Context, Message, Source};
use crate::extractive::items;
use crate::extractive::messages::{local_date, name};
use crate::prompt::target_thread_messages;
use crate::text::dates::dated;
use crate::text::language::Language;
use crate::text::sentences::only_asks;
use crate::text::{cut, flatten};
use myao_terms::addressed;

/// The most messages in a reply.
const MOST: usize = 8;
/// With fewer, lines of memories are quoted, too, so many at most.
const FEW: usize = 3;
/// A wider quote is cut, in columns.
const MAX_QUOTE: usize = 240;
/// The number of bullets in a recap.
const RECAP_ITEMS: usize = 4;

/// A reply, and what it quotes.
pub(super) struct Quoted {
    /// In Markdown.
    pub(super) answer: citing::Answer,
    pub(super) sources: Vec<Source>,
    /// True if nothing is close to the question.
    pub(super) found_nothing: bool,
}

impl Quoted {
    fn nothing(text: String, found_nothing: bool) -> Self {
        let mut answer = citing::Answer::new();
        answer.text = text;
        Self {
            answer,
            sources: Vec::new(),
            found_nothing,
        }
    }
}

/// The reply to a message.
pub(super) fn answer(situation: &Situation) -> Quoted {
    let (context, asked) = (&situation.context, &situation.question);
    let (bot, language) = (context.persona.name.as_str(), asked.language);
    if asked.has_words() {
        return to_question(situation);
    }
    let text = if asked.recap {
        recap(context, language).unwrap_or_else(|| language.unknown())
    } else if asked.thanks {
        language.welcome()
    } else if asked.asks && !asked.help && !asked.greets {
        language.unknown()
    } else {
        language.help(bot)
    };
    Quoted::nothing(text, false)
}

fn to_question(situation: &Situation) -> Quoted {
    let (context, language) = (&situation.context, situation.question.language);
    let mut quotes = closest(situation);
    if quotes.len() < FEW {
        let lines = situation.found.lines.iter().flat_map(of_line);
        for line in lines.take(FEW) {
            let said = line
                .shown
                .split_once(": ")
                .map_or(&*line.shown, |(_, said)| said);
            let is_known =
                |known: &Quote| known.shown.contains(said) || line.shown.contains(&known.shown);
            if !quotes.iter().any(is_known) {
                quotes.push(line);
            }
        }
    }
    if quotes.is_empty() {
        return Quoted::nothing(language.unknown(), true);
    }
    let mut answer = citing::Answer::new();
    answer.text.push_str(&language.closest());
    for (quote, number) in quotes.iter().zip(1..) {
        answer.text.push('\n');
        answer.text.push_str(&bullet(quote, context, language));
        if !quote.source.messages.is_empty() {
            answer.mark(number);
        }
    }
    Quoted {
        answer,
        sources: quotes.into_iter().map(|quote| quote.source).collect(),
        found_nothing: false,
    }
}

/// A quote.
struct Quote {
    source: Source,
    /// The text to show: with the dates that `tomorrow` and its like mean.
    shown: String,
    /// `YYYY-MM-DD`, if known.
    date: Option<String>,
}

/// The messages that are closest to the question and tell something, each text once. Corrections come first: they outrank what is
/// older.
fn closest(situation: &Situation) -> Vec<Quote> {
    let bot = situation.context.persona.name.as_str();
    let corrects = |hit: &&Hit| addressed::corrects(&hit.message.text, bot);
    let tells = |hit: &&Hit| {
        let text = plain(&hit.message.text);
        !text.is_empty() && !only_asks(&text)
    };
    let (first, others): (Vec<&Hit>, Vec<&Hit>) = situation
        .found
        .hits
        .iter()
        .filter(tells)
        .partition(corrects);
    let mut quotes: Vec<Quote> = Vec::new();
    for hit in first.into_iter().chain(others) {
        let quote = of_hit(hit, bot);
        let is_new = quotes.iter().all(|known| known.shown != quote.shown);
        if is_new && quotes.len() < MOST {
            quotes.push(quote);
        }
    }
    quotes
}

fn of_hit(hit: &Hit, bot: &str) -> Quote {
    let message = &hit.message;
    let text = match addressed::mark(&message.text, bot) {
        Some((_, said)) => said.to_owned(),
        None => dated(message).unwrap_or_else(|| message.text.clone()),
    };
    let shown = flatten(&excerpt(&text, &hit.terms, MAX_QUOTE));
    Quote {
        date: local_date(message.timestamp),
        source: Source {
            channel_name: hit.channel_name.clone(),
            user: Some(message.user.clone()),
            timestamp: Some(message.timestamp),
            text: shown.clone(),
            messages: vec![hit.at.clone()],
        },
        shown,
    }
}

/// The items of a memory's line.
fn of_line(line: &Source) -> impl Iterator<Item = Quote> {
    let items = items::parse(&line.text, None).into_iter();
    items.map(|item| Quote {
        shown: item.text.clone(),
        date: item.date,
        source: Source {
            channel_name: match &item.label {
                Some(label) => label.trim_start_matches('#').to_owned(),
                None => line.channel_name.clone(),
            },
            text: item.text,
            ..line.clone()
        },
    })
}

fn bullet(quote: &Quote, context: &Context, language: Language) -> String {
    let source = &quote.source;
    let is_here = source.channel_name == context.conversation_history.channel_name;
    let mut origin = match &source.user {
        Some(user) => vec![user.name.clone()],
        None => vec![language.memory_of(&source.channel_name)],
    };
    let elsewhere = !is_here && source.user.is_some() && !source.channel_name.is_empty();
    origin.extend(elsewhere.then(|| format!("#{}", source.channel_name)));
    origin.extend(quote.date.clone());
    language.bullet(&cut(&quote.shown, MAX_QUOTE), &origin)
}

/// The memory of the target thread or of the channel; without a memory, the newest messages of people, but not those to the bot.
fn recap(context: &Context, language: Language) -> Option<String> {
    let thread = context.target_thread_ts.as_deref();
    let channel = &context.conversation_history;
    let of_thread = context.thread_memories.iter();
    let mut of_thread = of_thread.filter(|memory| Some(memory.thread_ts.as_str()) == thread);
    let mut of_channel = context.channel_memories.iter();
    let of_channel = of_channel.find(|memory| memory.channel_id == channel.channel_id);
    let (title, memory) = match (thread, of_channel.and_then(newest)) {
        (Some(_), _) => {
            let memory = of_thread.next().map(|memory| memory.content.as_str());
            (language.of_thread(), memory)
        }
        (None, Some(memory)) => (language.recent(&channel.channel_name), Some(memory)),
        (None, None) => (language.said_lately(&channel.channel_name), None),
    };
    let lines = match (memory, thread) {
        (Some(memory), _) => {
            let items = items::parse(memory, None).into_iter();
            let shown = items.take(RECAP_ITEMS).map(|item| (item.date, item.text));
            shown.collect()
        }
        (None, Some(_)) => lately(target_thread_messages(context), &context.persona.name),
        (None, None) => lately(&channel.top_level_messages, &context.persona.name),
    };
    let bullets = lines.into_iter().map(|(date, text)| {
        let date = date.map(|date| format!("{date} ")).unwrap_or_default();
        format!("\n- {date}{}", cut(&text, MAX_QUOTE))
    });
    let bullets: String = bullets.collect();
    (!bullets.is_empty()).then(|| format!("{title}{bullets}"))
}

/// The newest messages of people that tell something, but not those to the bot, with their days.
fn lately(messages: &[Message], bot: &str) -> Vec<(Option<String>, String)> {
    let mention = format!("@{bot}");
    let tells = |message: &&Message| {
        let text = plain(&message.text);
        let is_told = !message.user.is_bot && !message.text.contains(&mention);
        is_told && !text.is_empty() && !only_asks(&text)
    };
    let newest = messages.iter().rev().filter(tells).take(RECAP_ITEMS);
    let line = |message: &Message| {
        let text = format!("{}{}", name(message), flatten(&message.text));
        (local_date(message.timestamp), text)
    };
    let mut lines: Vec<_> = newest.map(line).collect();
    lines.reverse();
    lines
}

/// The newest text of a channel's memory.
fn newest(memory: &ChannelMemory) -> Option<&str> {
    let versions = memory.short_term_memory_history.last();
    let newest = versions.or(memory.short_term_memory.as_ref());
    newest
        .or(memory.long_term_memory.as_ref())
        .map(String::as_str)
}
