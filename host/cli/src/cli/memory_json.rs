//! Memories and their sources as JSON.

use myao_plugin::names;
use myao_plugin::state::view::{Sources, StoredMemory};
use serde_json::{Value, json};

use super::output;
use super::remarks::coverage_json;

pub(super) fn memory_json(stored: &StoredMemory) -> Value {
    let memory = &stored.memory;
    json!({
        "id": memory.id,
        "scope": names::scope(memory.scope),
        "scope_id": memory.scope_id,
        "channel_name": stored.channel_name,
        "memory_type": names::memory_type(memory.memory_type),
        "version": memory.version,
        "stand_in": stored.is_stand_in(),
        "content": memory.content,
        "engine": names::engine(memory.engine),
        "created_at": output::rfc3339(memory.created_at),
        "updated_at": output::rfc3339(memory.updated_at),
        "superseded_at": stored.superseded_at.map(output::rfc3339),
        "source_message_count": memory.source_message_count,
        "source_latest_message_ts": memory.source_latest_message_ts,
        "merged_through": memory.merged_through,
        "truncated": stored.truncated,
        "coverage": stored.coverage.as_ref().map(coverage_json),
    })
}

/// A memory and its sources.
pub(super) fn memory_with_sources_json(stored: &StoredMemory, sources: &Sources) -> Value {
    let mut value = memory_json(stored);
    if let Value::Object(fields) = &mut value {
        fields.insert("sources".to_owned(), sources_json(sources));
    }
    value
}

fn sources_json(sources: &Sources) -> Value {
    json!({
        "messages": sources.messages.iter().map(|message| json!({
            "channel_id": message.channel_id,
            "ts": message.ts.to_string(),
            "author": message.author,
            "text": message.text,
            "deleted": message.deleted,
        })).collect::<Vec<_>>(),
        "memories": sources.memories.iter().map(|memory| json!({
            "id": memory.id,
            "scope": names::scope(memory.scope),
            "scope_id": memory.scope_id,
            "memory_type": names::memory_type(memory.memory_type),
            "version": memory.version,
            "updated_at": output::rfc3339(memory.updated_at),
            "superseded": memory.superseded,
        })).collect::<Vec<_>>(),
    })
}
