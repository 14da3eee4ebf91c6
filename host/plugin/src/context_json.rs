//! Contexts as JSON, in the shape that `myao prompt --context` reads.
//!
//! The shape is the one of the Python bot's `Context`. Objects keyed by channel id or by thread keep their order. An
//! unknown key is an error, so that a misspelt key is not silently ignored.

use chrono::DateTime;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::bindings::types;

/// Why a text is not a context.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextJsonError {
    /// It is not JSON, or JSON of another shape.
    #[error("line {line}, column {column}: {detail}")]
    Shape {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The expected form.
        detail: String,
    },
    /// A value inside an object that is keyed by ids.
    #[error("{key}: {detail}")]
    Entry {
        /// The path to the value.
        key: String,
        /// The fault.
        detail: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextJson {
    persona: PersonaJson,
    workspace_long_term_memory: Option<String>,
    workspace_short_term_memory: Option<String>,
    #[serde(default)]
    channel_memories: Map<String, Value>,
    conversation_history: HistoryJson,
    #[serde(default)]
    thread_memories: Map<String, Value>,
    target_thread_ts: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonaJson {
    #[serde(default)]
    name: String,
    system_prompt: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryJson {
    channel_id: String,
    channel_name: String,
    #[serde(default)]
    top_level_messages: Vec<MessageJson>,
    #[serde(default)]
    thread_messages: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelMemoryJson {
    channel_id: String,
    channel_name: String,
    long_term_memory: Option<String>,
    short_term_memory: Option<String>,
    #[serde(default)]
    short_term_memory_history: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageJson {
    ts: String,
    user: UserJson,
    text: String,
    /// RFC 3339; the timestamp is shown with this offset.
    timestamp: String,
    thread_ts: Option<String>,
    edited_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserJson {
    id: String,
    name: String,
    #[serde(default)]
    is_bot: bool,
}

/// Reads a context.
///
/// # Errors
/// [`ContextJsonError`], which says where the error is.
pub fn parse(json: &str) -> Result<types::Context, ContextJsonError> {
    let context: ContextJson = serde_json::from_str(json).map_err(|error| {
        let detail = error.to_string();
        // serde_json repeats the position at the end.
        let detail = detail
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned();
        ContextJsonError::Shape {
            line: error.line(),
            column: error.column(),
            detail,
        }
    })?;
    let history = context.conversation_history;
    Ok(types::Context {
        persona: types::Persona {
            name: context.persona.name,
            system_prompt: context.persona.system_prompt,
        },
        conversation_history: types::ConversationHistory {
            top_level_messages: messages(
                "conversation_history.top_level_messages",
                history.top_level_messages,
            )?,
            threads: threads(history.thread_messages)?,
            channel_id: history.channel_id,
            channel_name: history.channel_name,
        },
        workspace_long_term_memory: context.workspace_long_term_memory,
        workspace_short_term_memory: context.workspace_short_term_memory,
        channel_memories: channel_memories(context.channel_memories)?,
        thread_memories: thread_memories(context.thread_memories)?,
        target_thread_ts: context.target_thread_ts,
        notes: None,
    })
}

fn entry_error(key: String, detail: impl ToString) -> ContextJsonError {
    ContextJsonError::Entry {
        key,
        detail: detail.to_string(),
    }
}

fn threads(threads: Map<String, Value>) -> Result<Vec<types::Thread>, ContextJsonError> {
    threads
        .into_iter()
        .map(|(thread_ts, value)| {
            let key = format!("conversation_history.thread_messages.{thread_ts}");
            let read: Vec<MessageJson> =
                serde_json::from_value(value).map_err(|error| entry_error(key.clone(), error))?;
            Ok(types::Thread {
                messages: messages(&key, read)?,
                thread_ts,
            })
        })
        .collect()
}

fn channel_memories(
    memories: Map<String, Value>,
) -> Result<Vec<types::ChannelMemory>, ContextJsonError> {
    memories
        .into_iter()
        .map(|(key, value)| {
            let memory: ChannelMemoryJson = serde_json::from_value(value)
                .map_err(|error| entry_error(format!("channel_memories.{key}"), error))?;
            Ok(types::ChannelMemory {
                channel_id: memory.channel_id,
                channel_name: memory.channel_name,
                long_term_memory: memory.long_term_memory,
                short_term_memory: memory.short_term_memory,
                short_term_memory_history: memory.short_term_memory_history,
            })
        })
        .collect()
}

fn thread_memories(
    memories: Map<String, Value>,
) -> Result<Vec<types::ThreadMemory>, ContextJsonError> {
    memories
        .into_iter()
        .map(|(thread_ts, value)| match value {
            Value::String(content) => Ok(types::ThreadMemory { thread_ts, content }),
            _ => Err(entry_error(
                format!("thread_memories.{thread_ts}"),
                "expected a string",
            )),
        })
        .collect()
}

fn messages(
    key: &str,
    messages: Vec<MessageJson>,
) -> Result<Vec<types::Message>, ContextJsonError> {
    messages
        .into_iter()
        .enumerate()
        .map(|(n, message)| {
            let time = |text: &str, name| {
                timestamp(text).map_err(|detail| entry_error(format!("{key}[{n}].{name}"), detail))
            };
            Ok(types::Message {
                timestamp: time(&message.timestamp, "timestamp")?,
                edited_at: message
                    .edited_at
                    .as_deref()
                    .map(|text| time(text, "edited_at"))
                    .transpose()?,
                ts: message.ts,
                user: types::User {
                    id: message.user.id,
                    name: message.user.name,
                    is_bot: message.user.is_bot,
                },
                text: message.text,
                thread_ts: message.thread_ts,
                is_for_bot: false,
            })
        })
        .collect()
}

fn timestamp(text: &str) -> Result<types::Timestamp, String> {
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| {
        format!("`{text}` is not a time with an offset, as in 2024-03-01T10:00:00Z")
    })?;
    Ok(types::Timestamp {
        unix_seconds: time.timestamp(),
        utc_offset_seconds: time.offset().local_minus_utc(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::parse;

    fn minimal(extra: &str) -> String {
        format!(
            r#"{{"persona": {{"system_prompt": "p"}}, {extra}
               "conversation_history": {{"channel_id": "C1", "channel_name": "general"}}}}"#
        )
    }

    #[test]
    fn channels_keep_the_order_of_the_file() {
        let memory = |id| format!(r#""{id}": {{"channel_id": "{id}", "channel_name": "{id}"}}"#);
        let json = minimal(&format!(
            r#""channel_memories": {{{}, {}, {}}},"#,
            memory("C9"),
            memory("C1"),
            memory("C5")
        ));
        let order: Vec<String> = parse(&json)
            .unwrap()
            .channel_memories
            .into_iter()
            .map(|m| m.channel_id)
            .collect();
        assert_eq!(order, ["C9", "C1", "C5"]);
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_place() {
        let error = parse(&minimal("\n\"target_thread\": \"1.0\","))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 2, column") && error.contains("`target_thread`"),
            "{error}"
        );
    }

    #[test]
    fn a_time_without_offset_is_refused_with_its_path() {
        let json = minimal("").replace(
            r#""channel_name": "general""#,
            r#""channel_name": "general", "thread_messages": {"1.0": [{"ts": "1.0", "text": "",
               "user": {"id": "U", "name": "u"}, "timestamp": "2024-03-01T10:00:00"}]}"#,
        );
        let error = parse(&json).unwrap_err().to_string();
        assert!(
            error.starts_with("conversation_history.thread_messages.1.0[0].timestamp: `2024-"),
            "{error}"
        );
    }
}
