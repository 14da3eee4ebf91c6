//! Queries and drafts with what most checks ask and save.

use crate::calls::{Answer, ids, save, ts};
use crate::myao::memory::storage::{
    ChannelFilter, DueQuery, Keep, Memory, MemoryDraft, MemoryQuery, MessageQuery, SaveMode,
};
use crate::myao::memory::types::{
    Citation, Coverage, Engine, LeftOut, MemoryType, MessageRef, Scope, Timestamp,
};

/// The workspace's scope id.
pub(crate) const WORKSPACE: &str = "default";

pub(crate) fn time(unix_seconds: i64) -> Timestamp {
    Timestamp {
        unix_seconds,
        utc_offset_seconds: 0,
    }
}

/// All messages of C1 up to `until`.
pub(crate) fn up_to(until: u64) -> MessageQuery {
    MessageQuery {
        channel_id: "C1".to_owned(),
        since: None,
        until: ts(until),
        limit: 1000,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    }
}

/// Due at 10000: a window of 5000 s, idle after 1000 s, full with 3 messages.
pub(crate) fn due_query() -> DueQuery {
    DueQuery {
        until: ts(10_000),
        window_start: ts(5000),
        idle_since: ts(9000),
        message_threshold: 3,
        always: false,
    }
}

pub(crate) fn no_memories() -> MemoryQuery {
    MemoryQuery {
        until: None,
        workspace: false,
        channels: ChannelFilter::None,
        history_limit: 100,
        unmerged: false,
        threads: Vec::new(),
        citations: false,
    }
}

/// Everything that the checks save.
pub(crate) fn all_memories() -> MemoryQuery {
    MemoryQuery {
        workspace: true,
        channels: ChannelFilter::All,
        unmerged: true,
        threads: [1, 2, 150]
            .map(|second| format!("C1:{}", ts(second)))
            .into(),
        ..no_memories()
    }
}

/// A draft of a new version.
fn draft(scope: Scope, scope_id: &str, memory_type: MemoryType) -> MemoryDraft {
    MemoryDraft {
        scope,
        scope_id: scope_id.to_owned(),
        memory_type,
        mode: SaveMode::NewVersion,
        expected: None,
        content: "a text".to_owned(),
        engine: Engine::Extractive,
        now: time(500),
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: None,
        merged_through: None,
        truncated: false,
        coverage: Coverage {
            messages: 1,
            covered: 1,
            left_out: LeftOut {
                other_channels: 0,
                workspace: 0,
                messages: 0,
                channel: 0,
            },
            chunks: 1,
            calls: 1,
            unfounded: 0,
            doubtful: 0,
            refused: 0,
            records: 0,
            late: 0,
            refused_items: 0,
        },
        citations: Vec::new(),
        records: Vec::new(),
        items: Vec::new(),
    }
}

/// A version that was made from one message.
pub(crate) fn short_term(channel: &str, message: u64) -> MemoryDraft {
    MemoryDraft {
        source_channel_id: channel.to_owned(),
        source_messages: vec![ts(message)],
        source_latest_message_ts: Some(ts(message)),
        ..draft(Scope::Channel, channel, MemoryType::ShortTerm)
    }
}

/// Merges the versions up to this one.
pub(crate) fn long_term(channel: &str, merged: &Memory) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::Overwrite,
        source_memories: vec![merged.id],
        merged_through: Some(merged.id),
        ..draft(Scope::Channel, channel, MemoryType::LongTerm)
    }
}

pub(crate) fn of_workspace(memory_type: MemoryType) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::Overwrite,
        ..draft(Scope::Workspace, WORKSPACE, memory_type)
    }
}

/// The memory of a thread, made from its first message and its newest one.
pub(crate) fn of_thread(channel: &str, thread: u64, newest: u64) -> MemoryDraft {
    let scope_id = format!("{channel}:{}", ts(thread));
    let mut messages = ids(&[thread, newest]);
    messages.dedup();
    MemoryDraft {
        mode: SaveMode::Overwrite,
        source_channel_id: channel.to_owned(),
        source_messages: messages,
        source_latest_message_ts: Some(ts(newest)),
        ..draft(Scope::Thread, &scope_id, MemoryType::ShortTerm)
    }
}

/// A line of a text that was made from these messages of C1.
pub(crate) fn line(start: u32, length: u32, messages: &[u64]) -> Citation {
    Citation {
        start,
        length,
        messages: messages.iter().copied().map(of_c1).collect(),
        by_program: false,
    }
}

/// A message of C1.
pub(crate) fn of_c1(second: u64) -> MessageRef {
    MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(second),
    }
}

/// The same draft as a stand-in beside the newest memory.
pub(crate) fn stand_in(newest: Option<&Memory>, draft: MemoryDraft) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::StandIn,
        expected: newest.map(|memory| memory.id),
        ..draft
    }
}

/// Saves versions of C1's short-term memory, each made from one message.
pub(crate) fn save_versions<const N: usize>(messages: [u64; N]) -> Answer<[Memory; N]> {
    let mut saved: Vec<Memory> = Vec::new();
    for message in messages {
        let expected = saved.last().map(|memory| memory.id);
        saved.push(save(&MemoryDraft {
            expected,
            ..short_term("C1", message)
        })?);
    }
    Ok(saved.try_into().expect("one for each message"))
}
