//! Contexts read from JSON, first of all the specification's example.

use chrono::DateTime;
use serde_json::{Map, Value};

use crate::bindings::types::{
    ChannelMemory, Context, ConversationHistory, Message, Persona, Thread, ThreadMemory, Timestamp,
    User,
};

/// The context of `tests/goldens/context.json`.
pub(crate) fn golden_context() -> Context {
    context_from_json(include_str!("../../../tests/goldens/context.json"))
}

/// Reads a context in the shape of `tests/goldens/context.json`.
fn context_from_json(json: &str) -> Context {
    let json: Value = serde_json::from_str(json).unwrap();
    let history = &json["conversation_history"];
    Context {
        persona: Persona {
            name: text(&json["persona"]["name"]),
            system_prompt: text(&json["persona"]["system_prompt"]),
        },
        conversation_history: ConversationHistory {
            channel_id: text(&history["channel_id"]),
            channel_name: text(&history["channel_name"]),
            top_level_messages: messages(&history["top_level_messages"]),
            threads: object(&history["thread_messages"])
                .iter()
                .map(|(ts, list)| Thread {
                    thread_ts: ts.clone(),
                    messages: messages(list),
                })
                .collect(),
        },
        workspace_long_term_memory: optional_text(&json["workspace_long_term_memory"]),
        workspace_short_term_memory: optional_text(&json["workspace_short_term_memory"]),
        channel_memories: object(&json["channel_memories"])
            .values()
            .map(channel_memory)
            .collect(),
        thread_memories: object(&json["thread_memories"])
            .iter()
            .map(|(ts, content)| ThreadMemory {
                thread_ts: ts.clone(),
                content: text(content),
            })
            .collect(),
        target_thread_ts: optional_text(&json["target_thread_ts"]),
        notes: None,
    }
}

fn channel_memory(json: &Value) -> ChannelMemory {
    ChannelMemory {
        channel_id: text(&json["channel_id"]),
        channel_name: text(&json["channel_name"]),
        long_term_memory: optional_text(&json["long_term_memory"]),
        short_term_memory: optional_text(&json["short_term_memory"]),
        short_term_memory_history: list(&json["short_term_memory_history"])
            .iter()
            .map(text)
            .collect(),
    }
}

fn messages(json: &Value) -> Vec<Message> {
    let message = |json: &Value| Message {
        ts: text(&json["ts"]),
        user: User {
            id: text(&json["user"]["id"]),
            name: text(&json["user"]["name"]),
            is_bot: json["user"]["is_bot"].as_bool().unwrap(),
        },
        text: text(&json["text"]),
        timestamp: timestamp(&json["timestamp"]),
        thread_ts: optional_text(&json["thread_ts"]),
        edited_at: json.get("edited_at").map(timestamp),
        is_for_bot: false,
    };
    list(json).iter().map(message).collect()
}

fn timestamp(json: &Value) -> Timestamp {
    let time = DateTime::parse_from_rfc3339(json.as_str().unwrap()).unwrap();
    Timestamp {
        unix_seconds: time.timestamp(),
        utc_offset_seconds: time.offset().local_minus_utc(),
    }
}

fn text(json: &Value) -> String {
    json.as_str().unwrap().to_owned()
}

fn optional_text(json: &Value) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn list(json: &Value) -> &[Value] {
    json.as_array().unwrap()
}

fn object(json: &Value) -> &Map<String, Value> {
    json.as_object().unwrap()
}
