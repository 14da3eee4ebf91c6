//! The template's variables. Their names and shapes are those of `template_context` in the document
//! `extra05a-system-prompt.md`, so that a template written for the Python bot finds them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Datelike as _, NaiveDateTime, Timelike as _};
use minijinja::value::{Object, ObjectRepr};
use minijinja::{ErrorKind, Value, context};

use super::harmless;
use super::selection::{channel_short_term_memory, newest_short_term_memory};
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::types::{ChannelMemory, Context, MemoryType, Message, Scope, Timestamp, User};
use crate::words;

/// All variables of one memory's prompt.
pub(super) fn template_context(
    context: &Context,
    scope: Scope,
    memory_type: MemoryType,
    existing_memory: Option<&str>,
    legacy_workspace_short_term: bool,
) -> Value {
    let history = &context.conversation_history;
    let workspace_short_term = context
        .workspace_short_term_memory
        .as_deref()
        .filter(|_| legacy_workspace_short_term);
    let merges_channel = scope == Scope::Channel && memory_type == MemoryType::LongTerm;
    let threads = thread_values(context);
    context! {
        persona => persona_value(context),
        scope => words::scope(scope),
        memory_type => match memory_type {
            MemoryType::LongTerm => "long_term",
            MemoryType::ShortTerm => "short_term",
        },
        existing_memory => existing_memory.map(harmless::text),
        workspace_long_term_memory => shown(&context.workspace_long_term_memory),
        workspace_short_term_memory => workspace_short_term.map(harmless::text),
        channel_memories => channel_values(context),
        current_channel_name => harmless::name(&history.channel_name),
        top_level_messages => message_values(&history.top_level_messages),
        target_thread_messages => target_thread(context, &threads),
        thread_messages => threads,
        target_thread_ts => context.target_thread_ts.as_deref().map(harmless::name),
        channel_short_term_memory => channel_short_term_memory(context)
            .filter(|_| merges_channel)
            .map(harmless::text),
    }
}

/// All variables of a reply's or a judgment's prompt. `occasion` is none for a judgment.
pub(super) fn reply_context(
    context: &Context,
    occasion: Option<Occasion>,
    now: Timestamp,
    answered: Option<&Message>,
    legacy_workspace_short_term: bool,
) -> Value {
    let history = &context.conversation_history;
    let workspace_short_term = context
        .workspace_short_term_memory
        .as_deref()
        .filter(|_| legacy_workspace_short_term);
    let threads = thread_values(context);
    let top_level = message_values(&history.top_level_messages);
    context! {
        persona => persona_value(context),
        occasion => occasion.map(|occasion| match occasion {
            Occasion::Mention => "mention",
            Occasion::Unasked => "unasked",
        }),
        now => timestamp_value(now),
        utc_offset => format!("UTC{}", UtcOffset(now.utc_offset_seconds)),
        answered_at => answered.map(|message| timestamp_value(message.timestamp)),
        workspace_long_term_memory => shown(&context.workspace_long_term_memory),
        workspace_short_term_memory => workspace_short_term.map(harmless::text),
        channel_memories => channel_values(context),
        current_channel_name => harmless::name(&history.channel_name),
        target_messages => match context.target_thread_ts {
            Some(_) => target_thread(context, &threads),
            None => top_level.clone(),
        },
        top_level_messages => top_level,
        thread_messages => threads,
        target_thread_ts => context.target_thread_ts.as_deref().map(harmless::name),
    }
}

/// The variables of the prompt that merges the summaries of chunks.
pub(super) fn merge_context(context: &Context, scope: Scope, summaries: &[String]) -> Value {
    context! {
        persona => persona_value(context),
        scope => words::scope(scope),
        current_channel_name => harmless::name(&context.conversation_history.channel_name),
        target_thread_ts => context.target_thread_ts.as_deref().map(harmless::name),
        chunk_summaries => all_shown(summaries),
    }
}

fn persona_value(context: &Context) -> Value {
    context! {
        name => &context.persona.name,
        system_prompt => &context.persona.system_prompt,
    }
}

/// The messages of each thread, by its id.
fn thread_values(context: &Context) -> Value {
    let threads = context.conversation_history.threads.iter();
    Value::from_pairs(threads.map(|thread| {
        let ts = harmless::name(&thread.thread_ts);
        (ts, message_values(&thread.messages))
    }))
}

/// What is remembered of each channel, by its id.
fn channel_values(context: &Context) -> Value {
    let channels = context.channel_memories.iter();
    Value::from_pairs(channels.map(|channel| (&channel.channel_id, channel_value(channel))))
}

/// The messages of the target thread, shared with `threads`.
fn target_thread(context: &Context, threads: &Value) -> Value {
    let target = context
        .target_thread_ts
        .as_deref()
        .and_then(|ts| threads.get_attr(&harmless::name(ts)).ok());
    target
        .filter(|messages| !messages.is_undefined())
        .unwrap_or_else(|| message_values(&[]))
}

fn channel_value(channel: &ChannelMemory) -> Value {
    context! {
        channel_id => &channel.channel_id,
        channel_name => harmless::name(&channel.channel_name),
        long_term_memory => shown(&channel.long_term_memory),
        short_term_memory => newest_short_term_memory(channel).map(harmless::text),
        short_term_memory_history => all_shown(&channel.short_term_memory_history),
    }
}

fn shown(text: &Option<String>) -> Option<Cow<'_, str>> {
    text.as_deref().map(harmless::text)
}

fn all_shown(texts: &[String]) -> Value {
    texts.iter().map(|text| harmless::text(text)).collect()
}

fn message_values(messages: &[Message]) -> Value {
    messages
        .iter()
        .map(MessageValue::new)
        .map(Value::from_object)
        .collect()
}

/// A message. There are thousands of them in a prompt, so it is an object with fixed fields
/// rather than a map.
#[derive(Debug)]
struct MessageValue {
    ts: Value,
    user: Value,
    text: Value,
    timestamp: Timestamp,
    thread_ts: Value,
    edited_at: Option<Timestamp>,
}

impl MessageValue {
    fn new(message: &Message) -> Self {
        Self {
            ts: Value::from(&message.ts),
            user: Value::from_object(UserValue::new(&message.user)),
            text: Value::from(harmless::text(&message.text)),
            timestamp: message.timestamp,
            thread_ts: Value::from(&message.thread_ts),
            edited_at: message.edited_at,
        }
    }
}

impl Object for MessageValue {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            "ts" => Some(self.ts.clone()),
            "user" => Some(self.user.clone()),
            "text" => Some(self.text.clone()),
            "timestamp" => Some(timestamp_value(self.timestamp)),
            "thread_ts" => Some(self.thread_ts.clone()),
            "edited_at" => Some(self.edited_at.map(timestamp_value).into()),
            _ => None,
        }
    }
}

/// Who wrote a message.
#[derive(Debug)]
struct UserValue {
    id: Value,
    name: Value,
    is_bot: bool,
}

impl UserValue {
    fn new(user: &User) -> Self {
        Self {
            id: Value::from(&user.id),
            name: Value::from(harmless::name(&user.name)),
            is_bot: user.is_bot,
        }
    }
}

impl Object for UserValue {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            "id" => Some(self.id.clone()),
            "name" => Some(self.name.clone()),
            "is_bot" => Some(self.is_bot.into()),
            _ => None,
        }
    }
}

/// A point in time, which the filter `format_timestamp` writes.
#[derive(Debug)]
pub(super) struct TimestampValue(Timestamp);

impl Object for TimestampValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    /// As Python prints a `datetime`: `2024-03-01 10:00:00+09:00`.
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match local_time(self.0) {
            Some(time) => write!(f, "{time}")?,
            None => write!(f, "{}", self.0.unix_seconds)?,
        }
        write!(f, "{}", UtcOffset(self.0.utc_offset_seconds))
    }
}

/// An offset from UTC in seconds, as `+09:00`.
struct UtcOffset(i32);

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0 / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

fn timestamp_value(timestamp: Timestamp) -> Value {
    Value::from_object(TimestampValue(timestamp))
}

fn local_time(timestamp: Timestamp) -> Option<NaiveDateTime> {
    let seconds = timestamp
        .unix_seconds
        .checked_add(timestamp.utc_offset_seconds.into())?;
    DateTime::from_timestamp(seconds, 0).map(|time| time.naive_utc())
}

/// The filter `format_timestamp`: `YYYY-MM-DD HH:MM:SS` in the timestamp's own UTC offset.
pub(super) fn format_timestamp(timestamp: &TimestampValue) -> Result<String, minijinja::Error> {
    match local_time(timestamp.0) {
        Some(time) => Ok(written(time)),
        None => Err(minijinja::Error::new(
            ErrorKind::InvalidOperation,
            format!(
                "{} seconds since 1970 lie outside the calendar",
                timestamp.0.unix_seconds
            ),
        )),
    }
}

/// A time as chrono writes it, digit by digit: every message has one, and the general way took as long as the rest
/// of its line.
fn written(time: NaiveDateTime) -> String {
    let year = match u32::try_from(time.year()) {
        Ok(year @ 0..=9999) => year,
        _ => return time.to_string(),
    };
    let mut text = String::with_capacity("2024-03-01 10:00:00".len());
    push_two_digits(&mut text, year / 100);
    push_two_digits(&mut text, year % 100);
    for (separator, number) in [
        ('-', time.month()),
        ('-', time.day()),
        (' ', time.hour()),
        (':', time.minute()),
        (':', time.second()),
    ] {
        text.push(separator);
        push_two_digits(&mut text, number);
    }
    text
}

fn push_two_digits(text: &mut String, number: u32) {
    for digit in [number / 10, number % 10] {
        text.push(char::from_digit(digit, 10).unwrap_or_default());
    }
}
