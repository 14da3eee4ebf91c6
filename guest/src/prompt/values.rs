//! The [`Variables`] as minijinja values, for users' templates. A name that a request does not have is undefined.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr};
use minijinja::{ErrorKind, Value, context};

use super::program_marks::Program;
use super::time::{self, UtcOffset};
use super::variables::{Request, Variables};
use super::views::{Line, Messages, Name, Text, Texts, Time, View};
use crate::bindings::types::{ChannelMemory, KeptText, Message, Persona, Timestamp, User};

/// All variables of a request.
pub(super) fn values(variables: &Variables<'_>) -> Value {
    match variables.request {
        Request::Memory { .. } => memory_values(variables),
        Request::Merge { .. } => context! {
            persona => persona_value(variables.persona()),
            scope => variables.scope(),
            current_channel_name => variables.current_channel_name(),
            target_thread_ts => variables.target_thread_ts(),
            chunk_summaries => text_values(variables.chunk_summaries()),
            programs => program_values(variables),
            program_lines => program_lines(variables),
        },
        Request::Reply { .. } => reply_values(variables),
    }
}

fn memory_values(variables: &Variables<'_>) -> Value {
    let threads = thread_values(variables);
    context! {
        persona => persona_value(variables.persona()),
        scope => variables.scope(),
        memory_type => variables.memory_type(),
        existing_memory => variables.existing_memory(),
        workspace_long_term_memory => variables.workspace_long_term_memory(),
        workspace_short_term_memory => variables.workspace_short_term_memory(),
        channel_memories => channel_values(variables),
        current_channel_name => variables.current_channel_name(),
        top_level_messages => message_values(variables.top_level_messages()),
        target_thread_messages => target_thread(variables, &threads),
        thread_messages => threads,
        thread_summaries => variables
            .thread_summaries()
            .into_iter()
            .map(|memory| context! { thread_ts => memory.thread_ts(), content => memory.content() })
            .collect::<Value>(),
        late_messages => variables
            .late_messages()
            .into_iter()
            .map(MessageValue::new)
            .map(Value::from_object)
            .collect::<Value>(),
        has_late_messages => variables.has_late_messages(),
        programs => program_values(variables),
        program_lines => program_lines(variables),
        records => record_values(variables.records()),
        pinned => record_values(variables.pinned()),
        corrections => record_values(variables.corrections()),
        today => variables.today(),
        asks_for_items => variables.asks_for_items(),
        items => item_values(variables),
        target_thread_ts => variables.target_thread_ts(),
        channel_short_term_memory => variables.channel_short_term_memory(),
    }
}

fn reply_values(variables: &Variables<'_>) -> Value {
    let threads = thread_values(variables);
    let top_level = message_values(variables.top_level_messages());
    let occasion = variables.occasion();
    context! {
        persona => persona_value(variables.persona()),
        occasion => (!occasion.is_empty()).then_some(occasion),
        now => variables.now(),
        utc_offset => variables.utc_offset(),
        answered_at => variables.answered_at(),
        workspace_long_term_memory => variables.workspace_long_term_memory(),
        workspace_short_term_memory => variables.workspace_short_term_memory(),
        channel_memories => channel_values(variables),
        current_channel_name => variables.current_channel_name(),
        target_messages => match variables.target_thread_ts() {
            Some(_) => target_thread(variables, &threads),
            None => top_level.clone(),
        },
        top_level_messages => top_level,
        thread_messages => threads,
        records => record_values(variables.records()),
        pinned => record_values(variables.pinned()),
        corrections => record_values(variables.corrections()),
        sources => source_values(variables),
        today => variables.today(),
        target_thread_ts => variables.target_thread_ts(),
        programs => program_values(variables),
        program_lines => program_lines(variables),
    }
}

fn program_values(variables: &Variables<'_>) -> Value {
    let programs = variables.programs().into_iter();
    let value = |program: Program<'_>| {
        let times: Value = program.times().into_iter().map(Value::from).collect();
        context! { name => program.name(), times => times }
    };
    programs.map(value).collect()
}

fn program_lines(variables: &Variables<'_>) -> Value {
    let lines = variables.program_lines().into_iter();
    lines.map(Value::from).collect()
}

fn record_values(records: Vec<View<'_, KeptText>>) -> Value {
    let records = records.into_iter().map(|record| {
        context! {
            user => Value::from_object(UserValue::new(record.user())),
            timestamp => record.timestamp(),
            text => record.text(),
        }
    });
    records.collect()
}

fn item_values(variables: &Variables<'_>) -> Value {
    let items = variables.items().into_iter().map(|item| {
        context! {
            number => item.number(),
            kind => item.kind(),
            title => item.title(),
            owner => item.owner(),
            due => item.due(),
        }
    });
    items.collect()
}

fn source_values(variables: &Variables<'_>) -> Value {
    let sources = variables.sources().into_iter().map(|source| {
        context! {
            number => source.number(),
            timestamp => source.timestamp(),
            channel_name => source.channel_name(),
            user_name => source.user_name(),
            text => source.text(),
        }
    });
    sources.collect()
}

impl From<Text<'_>> for Value {
    fn from(text: Text<'_>) -> Self {
        Self::from(text.harmless())
    }
}

impl From<Line<'_>> for Value {
    fn from(line: Line<'_>) -> Self {
        Self::from(line.harmless())
    }
}

impl From<Name<'_>> for Value {
    fn from(name: Name<'_>) -> Self {
        Self::from(name.harmless())
    }
}

impl From<Time> for Value {
    fn from(Time(timestamp): Time) -> Self {
        Self::from_object(TimestampValue(timestamp))
    }
}

fn persona_value(persona: View<'_, Persona>) -> Value {
    context! {
        name => persona.name(),
        system_prompt => persona.system_prompt(),
    }
}

/// The messages of each thread, by thread id.
fn thread_values(variables: &Variables<'_>) -> Value {
    let threads = variables.thread_messages().items();
    Value::from_pairs(threads.map(|(ts, messages)| (Value::from(ts), message_values(messages))))
}

/// Each channel's memories, by channel id.
fn channel_values(variables: &Variables<'_>) -> Value {
    let channels = variables.channel_memories().values();
    Value::from_pairs(
        channels.map(|channel| (Value::from(channel.channel_id()), channel_value(channel))),
    )
}

/// The messages of the target thread, shared with `threads`.
fn target_thread(variables: &Variables<'_>, threads: &Value) -> Value {
    let target = variables
        .target_thread_ts()
        .and_then(|ts| threads.get_attr(&ts.harmless()).ok());
    target
        .filter(|messages| !messages.is_undefined())
        .unwrap_or_else(|| message_values(variables.target_thread_messages()))
}

fn channel_value(channel: View<'_, ChannelMemory>) -> Value {
    context! {
        channel_id => channel.channel_id(),
        channel_name => channel.channel_name(),
        long_term_memory => channel.long_term_memory(),
        short_term_memory => channel.short_term_memory(),
        short_term_memory_history => text_values(channel.short_term_memory_history()),
    }
}

fn text_values(texts: Texts<'_>) -> Value {
    texts.into_iter().map(Value::from).collect()
}

fn message_values(messages: Messages<'_>) -> Value {
    messages
        .into_iter()
        .map(MessageValue::new)
        .map(Value::from_object)
        .collect()
}

/// A message. A prompt has thousands of them, so it is an object with fixed fields rather than a map.
#[derive(Debug)]
struct MessageValue {
    ts: Value,
    user: Value,
    text: Value,
    timestamp: Value,
    thread_ts: Value,
    edited_at: Value,
}

impl MessageValue {
    fn new(message: View<'_, Message>) -> Self {
        Self {
            ts: message.ts().into(),
            user: Value::from_object(UserValue::new(message.user())),
            text: message.text().into(),
            timestamp: message.timestamp().into(),
            thread_ts: message.thread_ts().into(),
            edited_at: message.edited_at().into(),
        }
    }
}

impl Object for MessageValue {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let value = match key {
            "ts" => &self.ts,
            "user" => &self.user,
            "text" => &self.text,
            "timestamp" => &self.timestamp,
            "thread_ts" => &self.thread_ts,
            "edited_at" => &self.edited_at,
            _ => return None,
        };
        Some(value.clone())
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
    fn new(user: View<'_, User>) -> Self {
        Self {
            id: user.id().into(),
            name: user.name().into(),
            is_bot: user.is_bot(),
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

/// A point in time, for the filter `format_timestamp`.
#[derive(Debug)]
pub(super) struct TimestampValue(Timestamp);

impl Object for TimestampValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    /// As Python prints a `datetime`: `2024-03-01 10:00:00+09:00`.
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match time::local(self.0) {
            Some(time) => write!(f, "{time}")?,
            None => write!(f, "{}", self.0.unix_seconds)?,
        }
        write!(f, "{}", UtcOffset(self.0.utc_offset_seconds))
    }
}

/// The filter `format_timestamp`: `YYYY-MM-DD HH:MM:SS` in the timestamp's own UTC offset.
pub(super) fn format_timestamp(timestamp: &TimestampValue) -> Result<String, minijinja::Error> {
    let Some(local) = time::local(timestamp.0) else {
        return Err(minijinja::Error::new(
            ErrorKind::InvalidOperation,
            format!(
                "{} seconds since 1970 are outside the calendar",
                timestamp.0.unix_seconds
            ),
        ));
    };
    let mut text = String::new();
    time::push(&mut text, local);
    Ok(text)
}
