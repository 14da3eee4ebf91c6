//! Lists what can be quoted: bullets of memories, and messages.

use std::rc::Rc;

use super::question::{Question, plain};
use super::texts::ReplyLanguage;
use crate::bindings::types::{ChannelMemory, Context, KeptText, Message};
use crate::extractive::cues::{is_chatter, is_question};
use crate::extractive::items::{self, Item};
use crate::extractive::messages::{local_date, name};
use crate::extractive::sentences;
use crate::extractive::terms::words;
use crate::extractive::text::{cut, flatten, width};
use crate::marks::Corrections;
use crate::prompt::is_own;
use crate::ts::Ts;

/// A message up to this width is quoted whole, in columns.
const MAX_WHOLE: usize = 140;
/// A wider quote is cut.
pub(super) const MAX_QUOTE: usize = 240;
/// A question before its answer is cut here.
const MAX_ASKED: usize = 80;
/// A question is answered by one of so many messages after it, from somebody else,
const ANSWER_REACH: usize = 3;
/// and at the top level within so many seconds.
const ANSWER_SECONDS: i64 = 900;
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
    /// Its text, in one line.
    pub(super) text: String,
    /// The text to search, in plain letters, including a message's author.
    pub(super) folded: String,
    /// The first message of its thread, if that helps to find it; it is then shown too.
    pub(super) thread: Option<Rc<Head>>,
    pub(super) origin: Origin,
    /// `YYYY-MM-DD`, if known.
    pub(super) date: Option<String>,
    /// A factor for its value.
    pub(super) factor: f64,
}

/// The first message of a thread.
#[derive(Debug)]
pub(super) struct Head {
    /// Author and text.
    pub(super) text: String,
    pub(super) folded: String,
}

/// The source of a quote.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The memory of the channel of this name.
    Channel(String),
    /// The memory of the thread with this id.
    Thread(String),
    /// The workspace's memory, with its channel if it names one.
    Workspace(Option<String>),
    /// The message with this id, and who wrote it.
    Message(String, String),
}

/// Everything that can be quoted, the most likely first: the channel's memories, those of its threads, the workspace's,
/// the other channels', and all messages except the answered one.
pub(super) fn quotables(
    context: &Context,
    question: &Question,
    answered: &Message,
) -> Vec<Quotable> {
    let mut found = Vec::new();
    let own_id = &context.conversation_history.channel_id;
    let (own, others): (Vec<&ChannelMemory>, Vec<&ChannelMemory>) = context
        .channel_memories
        .iter()
        .partition(|memory| memory.channel_id == *own_id);
    let mut of_memory = |memory: &str, origin: &dyn Fn(&Item) -> Origin| {
        // Most memories of a large workspace contain no word of the question.
        if question.may_match(&plain(memory)) {
            found.extend(
                items::parse(memory, None)
                    .into_iter()
                    .map(|item| of_item(item, origin)),
            );
        }
    };
    let mut of_channel = |memory: &ChannelMemory| {
        let origin = |_: &Item| Origin::Channel(memory.channel_name.clone());
        for text in newest_first(memory) {
            of_memory(text, &origin);
        }
    };
    own.into_iter().for_each(&mut of_channel);
    others.into_iter().for_each(&mut of_channel);
    for memory in &context.thread_memories {
        of_memory(&memory.content, &|_| {
            Origin::Thread(memory.thread_ts.clone())
        });
    }
    if let Some(memory) = &context.workspace_long_term_memory {
        of_memory(memory, &|item| Origin::Workspace(item.label.clone()));
    }
    let history = &context.conversation_history;
    of_messages(
        &history.top_level_messages,
        false,
        context,
        answered,
        &mut found,
    );
    for thread in &history.threads {
        of_messages(&thread.messages, true, context, answered, &mut found);
    }
    found.extend(of_marks(context, answered));
    found.sort_by_key(|quotable| match &quotable.origin {
        Origin::Channel(name) if *name == history.channel_name => 0,
        Origin::Thread(_) => 1,
        Origin::Workspace(_) => 2,
        Origin::Channel(_) => 3,
        Origin::Message(..) => 4,
    });
    found
}

/// What people marked. A message to the bot is not quoted by itself.
fn of_marks(context: &Context, answered: &Message) -> Vec<Quotable> {
    let quotable = |mark: &KeptText, factor: f64| Quotable {
        text: cut(&flatten(&mark.text), MAX_QUOTE),
        folded: plain(&format!("{} {}", mark.user.name, mark.text)),
        thread: None,
        origin: Origin::Message(mark.span.message.ts.clone(), mark.user.name.clone()),
        date: local_date(mark.timestamp),
        factor,
    };
    let is_other = |mark: &&KeptText| mark.span.message.ts != answered.ts;
    let notes = context.notes.iter();
    let marks = notes.flat_map(|notes| {
        let pinned = notes.pinned.iter().filter(is_other);
        let pinned = pinned.map(|mark| quotable(mark, OF_PINNED));
        let corrections = notes.corrections.iter().filter(is_other);
        pinned.chain(corrections.map(|mark| quotable(mark, OF_CORRECTION)))
    });
    marks.collect()
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

/// The quotable text of a memory's item.
fn of_item(item: Item, origin: &dyn Fn(&Item) -> Origin) -> Quotable {
    let folded = plain(&item.text);
    // An answered question is followed by an arrow.
    let is_open = is_question(&folded) && !folded.contains('→');
    Quotable {
        origin: origin(&item),
        folded,
        thread: None,
        text: cut(&item.text, MAX_QUOTE),
        date: item.date,
        factor: if is_open { OPEN_QUESTION } else { 1.0 },
    }
}

/// The messages of one conversation.
fn of_messages(
    messages: &[Message],
    in_thread: bool,
    context: &Context,
    answered: &Message,
    found: &mut Vec<Quotable>,
) {
    let bot = &context.persona.name;
    let counts = |message: &&Message| {
        let is_said_to_it = !bot.is_empty() && message.text.contains(&format!("@{bot}"));
        message.ts != answered.ts && !is_own(message, &context.persona) && !is_said_to_it
    };
    let messages: Vec<&Message> = messages.iter().filter(counts).collect();
    let corrections = context.notes.iter().flat_map(|notes| &notes.corrections);
    let corrections = Corrections::of(&corrections.cloned().collect::<Vec<KeptText>>());
    let head = messages.first().filter(|_| in_thread).map(|first| {
        let text = cut(&flatten(&first.text), MAX_ASKED);
        Rc::new(Head {
            folded: plain(&first.text),
            text: format!("{}{text}", name(first)),
        })
    });
    for (at, message) in messages.iter().enumerate() {
        let later = messages.get(at + 1..).unwrap_or_default();
        let head = head.as_ref().filter(|_| at > 0);
        let quotables = of_message(message, later, head).into_iter();
        found.extend(quotables.filter(|quotable| {
            let written = quotable.origin.ts().and_then(|ts| Ts::parse(ts).ok());
            !corrections.supersede(&quotable.text, written)
        }));
    }
}

/// The sentences of a message, or all of a short one. A question is joined with its answer.
fn of_message(message: &Message, later: &[&Message], head: Option<&Rc<Head>>) -> Vec<Quotable> {
    let in_thread = message.thread_ts.is_some();
    let said: Vec<String> = sentences::split(&message.text)
        .into_iter()
        .filter(|sentence| !sentence.code)
        .map(|sentence| sentence.text)
        .collect();
    let whole = said.join(" ");
    let parts = if width(&whole) <= MAX_WHOLE {
        vec![whole]
    } else {
        said
    };
    let author = name(message).trim_end_matches(": ").to_owned();
    let quotable = |part: String| {
        let mut factor = if message.user.is_bot { OF_PROGRAM } else { 1.0 };
        let (mut text, mut by, mut at) = (part.clone(), author.clone(), message);
        if is_question(&plain(&part)) {
            match answer_to(message, later, in_thread) {
                Some(answer) => {
                    let asked = cut(&part, MAX_ASKED);
                    text = format!("{author}: {asked} → {}", flatten(&answer.text));
                    (by, at) = (name(answer).trim_end_matches(": ").to_owned(), answer);
                }
                None => factor *= OPEN_QUESTION,
            }
        }
        Quotable {
            folded: plain(&format!("{author} {part} {text}")),
            thread: head.filter(|_| says_something(&part)).cloned(),
            text: cut(&text, MAX_QUOTE),
            origin: Origin::Message(at.ts.clone(), by),
            date: local_date(at.timestamp),
            factor,
        }
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(quotable).collect()
}

/// Whether a message is more than an agreement.
fn says_something(text: &str) -> bool {
    words(text).len() > 1 && !is_chatter(&plain(text))
}

/// The next message of somebody else soon after a question, if it is not a question.
fn answer_to<'m>(asked: &Message, later: &[&'m Message], in_thread: bool) -> Option<&'m Message> {
    let soon = |message: &&&Message| {
        let wait = message
            .timestamp
            .unix_seconds
            .saturating_sub(asked.timestamp.unix_seconds);
        in_thread || wait <= ANSWER_SECONDS
    };
    let answers = |message: &&&Message| {
        message.user.id != asked.user.id
            && !message.user.is_bot
            && !is_question(&plain(&message.text))
    };
    later
        .iter()
        .take(ANSWER_REACH)
        .filter(soon)
        .find(answers)
        .copied()
}

impl Origin {
    /// The words that describe it.
    pub(super) fn describe(&self, language: ReplyLanguage) -> Vec<String> {
        match self {
            Self::Channel(name) => vec![language.memory_of_channel(name)],
            Self::Thread(_) => vec![language.memory_of_thread()],
            Self::Workspace(label) => {
                let label = label.iter().cloned();
                std::iter::once(language.memory_of_workspace())
                    .chain(label)
                    .collect()
            }
            Self::Message(_, author) => vec![author.clone()],
        }
    }

    /// The id to link to.
    pub(super) fn ts(&self) -> Option<&str> {
        match self {
            Self::Thread(ts) | Self::Message(ts, _) => Some(ts),
            Self::Channel(_) | Self::Workspace(_) => None,
        }
    }
}
