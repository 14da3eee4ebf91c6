//! Replies without a model, by quoting what was found.
//!
//! [`question`] reads the question. The best [`hits`] of the search are quoted; behind few of them, lines of memories and
//! messages of the conversation that share its words ([`sources`]).

mod hits;
mod sources;

use sources::{MAX_QUOTE, Quotable, newest_first, of_marks, quotables};

use super::citing;
use super::question::{self, Question};
use super::situation::Situation;
use crate::bindings::types::{ChannelMemory, Context, Message, Source};
use crate::extractive::{self, Input, items};
use crate::prompt::target_thread_messages;
use crate::text::cut;
use crate::text::language::Language;
use crate::text::terms::terms;

/// With fewer hits, lines of memories and of the conversation are quoted, too.
const FEW: usize = 3;
/// The most of these lines in a reply.
const MAX_QUOTES: usize = 3;
/// A quote below this value answers nothing.
const LEAST_WORTH: f64 = 0.34;
/// A quote below this share of the best one is left out.
const LEAST_SHARE: f64 = 0.6;
/// The number of a memory's bullets in a recap.
const RECAP_ITEMS: usize = 4;
/// The most characters in an extract of messages, in place of tokens.
const EXTRACT_LENGTH: u32 = 400;

/// A reply, and what it quotes.
pub(super) struct Quoted {
    /// In Markdown.
    pub(super) answer: citing::Answer,
    pub(super) sources: Vec<Source>,
    /// True if nothing bears on the question.
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
    let (context, asked) = (&situation.context, &situation.question);
    let mut found = hits::chosen(asked, context, &situation.found.hits);
    if found.len() < FEW {
        let more = best(asked, quotables(situation)).into_iter();
        let is_known = |quote: &Quotable| found.iter().any(|known| says_the_same(quote, known));
        let more: Vec<Quotable> = more.filter(|quote| !is_known(quote)).collect();
        found.extend(more);
    }
    // Marks stand first.
    let mut quotes = best(asked, of_marks(situation));
    found.retain(|quote| !quotes.iter().any(|mark| says_the_same(quote, mark)));
    quotes.extend(found);
    quotes.truncate(hits::MAX_HITS);
    if quotes.is_empty() {
        return Quoted::nothing(asked.language.unknown(), true);
    }
    let mut answer = citing::Answer::new();
    answer.text.push_str(&asked.language.found());
    for (quote, number) in quotes.iter().zip(1..) {
        answer.text.push('\n');
        answer
            .text
            .push_str(&bullet(quote, context, asked.language));
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

/// The best quotes; of those that say the same, the first.
fn best(asked: &Question, quotables: Vec<Quotable>) -> Vec<Quotable> {
    let matches: Vec<Vec<f64>> = quotables
        .iter()
        .map(|quotable| asked.matches(&quotable.folded))
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

/// Returns true if a quote adds hardly anything to another, which has most of its words and all of its numbers.
fn says_the_same(quote: &Quotable, other: &Quotable) -> bool {
    let (own, others) = (terms(&quote.shown), terms(&other.shown));
    let numbers = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit());
        let mut numbers: Vec<String> = digits
            .filter(|digits| !digits.is_empty())
            .map(str::to_owned)
            .collect();
        numbers.sort();
        numbers
    };
    let others_numbers = numbers(&question::plain(&other.shown));
    let new_number = numbers(&question::plain(&quote.shown))
        .iter()
        .any(|number| !others_numbers.contains(number));
    let known = own.iter().filter(|term| others.contains(term)).count();
    !new_number && known * 10 >= own.len() * 7
}

fn bullet(quote: &Quotable, context: &Context, language: Language) -> String {
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

/// The memory of the target thread or of the channel; without a memory, an extract of the messages.
fn recap(context: &Context, language: Language) -> Option<String> {
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
