//! Quotes for where the search finds nothing: lines of memories, and messages of the conversation.

use crate::bindings::types::{ChannelMemory, KeptText, Message, MessageRef, Source};
use crate::extractive::items::{self, Item};
use crate::extractive::messages::local_date;
use crate::marks::Corrections;
use crate::prompt::{conversation_messages, is_own};
use crate::recall::only_asks;
use crate::responder::question::plain;
use crate::responder::situation::Situation;
use crate::text::cues::is_question;
use crate::text::dates::dated;
use crate::text::flatten;

/// A wider quote is cut, in columns.
pub(super) const MAX_QUOTE: usize = 240;
/// The factor for a question without an answer.
const OPEN_QUESTION: f64 = 0.4;
/// The factors for what people marked.
const OF_PINNED: f64 = 1.1;
const OF_CORRECTION: f64 = 1.25;
/// The factor for a program's message.
const OF_PROGRAM: f64 = 0.7;

/// A text that can be quoted.
#[derive(Clone, Debug)]
pub(super) struct Quotable {
    /// Its text, in one line, and where it is from.
    pub(super) source: Source,
    /// The text to show: with the dates that `tomorrow` and its like mean.
    pub(super) shown: String,
    /// The text to search, in plain letters, including a message's author.
    pub(super) folded: String,
    /// `YYYY-MM-DD`, if known.
    pub(super) date: Option<String>,
    /// A factor for its value.
    pub(super) factor: f64,
}

/// The lines of memories that bear on the question, and the conversation's messages except the answered one.
pub(super) fn quotables(situation: &Situation) -> Vec<Quotable> {
    let (context, answered) = (&situation.context, &situation.answered);
    let history = &context.conversation_history;
    let mention = format!("@{}", context.persona.name);
    let counts = |message: &&Message| {
        message.ts != answered.ts
            && !only_asks(&plain(&message.text))
            && !is_own(message, &context.persona)
            && !message.text.contains(&mention)
    };
    let corrections = Corrections::of(&situation.marks);
    let messages = conversation_messages(context).filter(counts);
    let messages = messages.map(|message| {
        let at = MessageRef {
            channel_id: history.channel_id.clone(),
            ts: message.ts.clone(),
        };
        let part = |text: &str| {
            let rest = corrections.rest_of(&at, text);
            rest.unwrap_or_else(|| text.to_owned())
        };
        of_message(message, &history.channel_name, at.clone(), &part)
    });
    let messages = messages.filter(|message| !message.source.text.is_empty());
    let lines = situation.found.lines.iter().flat_map(of_line);
    lines.chain(messages).collect()
}

/// Marks in the channel, but for the message that is answered.
pub(super) fn of_marks(situation: &Situation) -> Vec<Quotable> {
    let history = &situation.context.conversation_history;
    let quotable = |mark: &KeptText, factor: f64| Quotable {
        shown: flatten(&mark.text),
        folded: plain(&format!("{} {}", mark.user.name, mark.text)),
        source: Source {
            channel_name: history.channel_name.clone(),
            user: Some(mark.user.clone()),
            timestamp: Some(mark.timestamp),
            text: flatten(&mark.text),
            messages: vec![mark.span.message.clone()],
        },
        date: local_date(mark.timestamp),
        factor,
    };
    let is_other = |mark: &&KeptText| mark.span.message.ts != situation.answered.ts;
    let corrections = situation.marks.corrections.iter().filter(is_other);
    let corrections = corrections.map(|mark| quotable(mark, OF_CORRECTION));
    let pinned = situation.marks.pinned.iter().filter(is_other);
    corrections
        .chain(pinned.map(|mark| quotable(mark, OF_PINNED)))
        .collect()
}

/// The memories of a channel: short-term versions, and then the long-term memory.
pub(super) fn newest_first(memory: &ChannelMemory) -> impl Iterator<Item = &String> {
    let history = &memory.short_term_memory_history;
    let single = memory.short_term_memory.iter();
    let versions = history
        .iter()
        .rev()
        .chain(single.filter(|_| history.is_empty()));
    versions.chain(&memory.long_term_memory)
}

/// The items of a memory's line.
fn of_line(line: &Source) -> impl Iterator<Item = Quotable> {
    let items = items::parse(&line.text, None).into_iter();
    items.map(|item: Item| {
        let folded = plain(&item.text);
        // An answered question is followed by an arrow.
        let is_open = is_question(&folded) && !folded.contains('→');
        Quotable {
            shown: item.text.clone(),
            source: Source {
                channel_name: match &item.label {
                    Some(label) => label.trim_start_matches('#').to_owned(),
                    None => line.channel_name.clone(),
                },
                text: item.text,
                ..line.clone()
            },
            folded,
            date: item.date,
            factor: if is_open { OPEN_QUESTION } else { 1.0 },
        }
    })
}

/// A message, or the part of it to quote.
pub(super) fn of_message(
    message: &Message,
    channel_name: &str,
    at: MessageRef,
    part: &dyn Fn(&str) -> String,
) -> Quotable {
    let text = flatten(&part(&message.text));
    let dated = dated(message).map(|dated| flatten(&part(&dated)));
    let asks = if is_question(&plain(&text)) {
        OPEN_QUESTION
    } else {
        1.0
    };
    let by_program = if message.user.is_bot { OF_PROGRAM } else { 1.0 };
    Quotable {
        folded: plain(&format!("{} {text}", message.user.name)),
        shown: dated.unwrap_or_else(|| text.clone()),
        source: Source {
            channel_name: channel_name.to_owned(),
            user: Some(message.user.clone()),
            timestamp: Some(message.timestamp),
            text,
            messages: vec![at],
        },
        date: local_date(message.timestamp),
        factor: asks * by_program,
    }
}
