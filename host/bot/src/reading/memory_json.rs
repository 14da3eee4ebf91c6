//! Memories and their sources as JSON.

use myao_plugin::state::view::{SourceMessage, Sources, StoredMemory};
use myao_plugin::storage::{Coverage, Deferral};
use myao_plugin::{Reply, erasure, names};
use serde_json::{Value, json};

use super::times::rfc3339;

/// A memory, without its sources.
#[must_use]
pub fn memory_json(stored: &StoredMemory) -> Value {
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
        "created_at": rfc3339(memory.created_at),
        "updated_at": rfc3339(memory.updated_at),
        "superseded_at": stored.superseded_at.map(rfc3339),
        "source_message_count": memory.source_message_count,
        "source_latest_message_ts": memory.source_latest_message_ts,
        "merged_through": memory.merged_through,
        "truncated": stored.truncated,
        "coverage": stored.coverage.as_ref().map(coverage_json),
    })
}

/// A memory and its sources.
#[must_use]
pub fn memory_with_sources_json(stored: &StoredMemory, sources: &Sources) -> Value {
    let mut value = memory_json(stored);
    if let Value::Object(fields) = &mut value {
        fields.insert("sources".to_owned(), sources_json(sources));
    }
    value
}

fn sources_json(sources: &Sources) -> Value {
    let messages =
        |messages: &[SourceMessage]| messages.iter().map(message_json).collect::<Value>();
    json!({
        "messages": messages(&sources.messages),
        "lines": sources.lines.iter().map(|line| json!({
            "text": line.text,
            "messages": line.messages.iter().map(reference_json).collect::<Value>(),
        })).collect::<Value>(),
        "records": messages(&sources.records),
        "memories": sources.memories.iter().map(|memory| json!({
            "id": memory.id,
            "scope": names::scope(memory.scope),
            "scope_id": memory.scope_id,
            "memory_type": names::memory_type(memory.memory_type),
            "version": memory.version,
            "updated_at": rfc3339(memory.updated_at),
            "superseded": memory.superseded,
        })).collect::<Vec<_>>(),
    })
}

fn message_json(message: &SourceMessage) -> Value {
    json!({
        "channel_id": message.channel_id,
        "ts": message.ts.to_string(),
        "author": message.author,
        "text": message.text,
        "deleted": message.deleted,
    })
}

/// A message of a line: its text stands once, in `messages`, or in the sources of the memories that were merged.
fn reference_json(message: &SourceMessage) -> Value {
    json!({ "channel_id": message.channel_id, "ts": message.ts.to_string(), "author": message.author })
}

/// The lines of a reply, and the messages that each was made from.
#[must_use]
pub fn reply_lines_json(reply: &Reply) -> Value {
    let lines = reply.citations.iter().map(|line| {
        let messages = line
            .messages
            .iter()
            .map(|of| json!({ "channel_id": of.channel_id, "ts": of.ts }));
        json!({
            "text": erasure::part(&reply.text, line.start, line.length),
            "messages": messages.collect::<Value>(),
        })
    });
    lines.collect()
}

/// The input of a text, as JSON.
#[must_use]
pub fn coverage_json(coverage: &Coverage) -> Value {
    let left_out = &coverage.left_out;
    json!({
        "messages": coverage.messages,
        "covered": coverage.covered,
        "left_out": {
            "other_channels": left_out.other_channels,
            "workspace": left_out.workspace,
            "messages": left_out.messages,
            "channel": left_out.channel,
        },
        "refused": coverage.refused,
        "unfounded": coverage.unfounded,
        "doubtful": coverage.doubtful,
        "records": coverage.records,
        "late": coverage.late,
        "refused_items": coverage.refused_items,
        "chunks": coverage.chunks,
        "calls": coverage.calls,
    })
}

/// A deferred memory.
#[must_use]
pub fn deferral_json(deferral: &Deferral) -> Value {
    json!({
        "memory_type": names::memory_type(deferral.memory_type),
        "until": rfc3339(deferral.until),
        "failures": deferral.failures,
        "reason": deferral.reason,
    })
}
