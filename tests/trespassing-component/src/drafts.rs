//! What it saves and defers.

use crate::myao::memory::storage::{Deferral, MemoryDraft, MemoryId, SaveMode};
use crate::myao::memory::types::{
    Coverage, Engine, ItemChange, ItemEvent, ItemKind, KeptSpan, LeftOut, MemoryType, MessageRef,
    Scope, Timestamp,
};

const NOW: Timestamp = Timestamp {
    unix_seconds: 0,
    utc_offset_seconds: 0,
};

pub(crate) fn scope(name: &str) -> Scope {
    match name {
        "workspace" => Scope::Workspace,
        "channel" => Scope::Channel,
        _ => Scope::Thread,
    }
}

pub(crate) fn size(bytes: &str) -> usize {
    bytes.parse().unwrap_or(1)
}

pub(crate) fn deferral(reason: String) -> Deferral {
    Deferral {
        memory_type: MemoryType::LongTerm,
        until: NOW,
        failures: 1,
        reason,
    }
}

/// A whole message.
pub(crate) fn span(channel_id: &str, ts: &str) -> KeptSpan {
    KeptSpan {
        message: MessageRef {
            channel_id: channel_id.to_owned(),
            ts: ts.to_owned(),
        },
        start: 0,
        length: u32::MAX,
    }
}

/// Scope and scope id; then `from=CHANNEL`, `message=TS`, `memory=ID`, `merged=ID`, `expected=ID`, `record=CHANNEL:TS`, `item=CHANNEL:TS`.
pub(crate) fn draft(arguments: &[&str], content: String) -> MemoryDraft {
    let argument = |n: usize| arguments.get(n).copied().unwrap_or_default();
    let named = |name: &str| {
        let mut values = arguments.iter().filter_map(|word| word.split_once('='));
        values.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let id = |name: &str| named(name).and_then(|id| id.parse::<MemoryId>().ok());
    MemoryDraft {
        scope: scope(argument(0)),
        scope_id: argument(1).to_owned(),
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        expected: id("expected"),
        content,
        engine: Engine::Llm,
        now: NOW,
        source_channel_id: named("from").unwrap_or_default().to_owned(),
        source_messages: named("message").map(str::to_owned).into_iter().collect(),
        source_memories: id("memory").into_iter().collect(),
        source_message_count: 0,
        source_latest_message_ts: None,
        merged_through: id("merged"),
        truncated: false,
        coverage: Coverage {
            messages: 0,
            covered: 0,
            left_out: LeftOut {
                other_channels: 0,
                workspace: 0,
                messages: 0,
                channel: 0,
            },
            chunks: 1,
            calls: 0,
            unfounded: 0,
            doubtful: 0,
            refused: 0,
            records: 0,
            late: 0,
            refused_items: 0,
        },
        citations: Vec::new(),
        records: named("record")
            .and_then(|record| record.split_once(':'))
            .map(|(channel_id, ts)| span(channel_id, ts))
            .into_iter()
            .collect(),
        items: named("item")
            .and_then(|item| item.split_once(':'))
            .map(|(channel_id, ts)| noted(span(channel_id, ts)))
            .into_iter()
            .collect(),
    }
}

/// A task that a message says.
fn noted(title: KeptSpan) -> ItemChange {
    ItemChange {
        kind: ItemKind::Task,
        message: title.message.clone(),
        title,
        event: ItemEvent::Noted,
    }
}
