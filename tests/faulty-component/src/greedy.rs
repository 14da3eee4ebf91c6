//! Writes and asks for more than any work needs, whatever the answers are.

use crate::myao::memory::chat::{self, PostRequest};
use crate::myao::memory::llm::{self, Agent, Purpose, Request};
use crate::myao::memory::log::{self, Level};
use crate::myao::memory::storage::{self, Deferral, MemoryDraft, SaveMode};
use crate::myao::memory::types::{Coverage, Engine, LeftOut, MemoryType, Scope, Timestamp};

const MEGABYTE: usize = 1 << 20;
const NOW: Timestamp = Timestamp {
    unix_seconds: 0,
    utc_offset_seconds: 0,
};

/// `None` if it is told something else.
pub(crate) fn misbehave(what: &str) -> Option<String> {
    match what {
        "save without end" => loop {
            let _ = storage::save_memory(&draft("a memory".to_owned()));
        },
        "save much" => loop {
            let _ = storage::save_memory(&draft("m".repeat(MEGABYTE)));
        },
        "defer without end" => loop {
            let _ = storage::defer(Scope::Workspace, "default", &deferral("why".to_owned()));
        },
        "defer much" => loop {
            let reason = "m".repeat(MEGABYTE);
            let _ = storage::defer(Scope::Workspace, "default", &deferral(reason));
        },
        "post" => {
            let _ = chat::post(&post("an answer".to_owned()));
            Some("posted".to_owned())
        }
        "ask without end" => loop {
            let _ = llm::complete(&request("?", 1));
        },
        "ask for all at once" => {
            let requests: Vec<Request> = (0..1000).map(|_| request("?", 1)).collect();
            Some(llm::complete_all(&requests).len().to_string())
        }
        "ask long questions" => loop {
            let _ = llm::complete(&request(&"?".repeat(MEGABYTE), 1));
        },
        "chatter" => {
            for number in 0..1000 {
                log::write(Level::Info, &format!("line {number}"));
            }
            Some("said".to_owned())
        }
        _ => None,
    }
}

pub(crate) fn request(prompt: &str, max_tokens: u32) -> Request {
    Request {
        system_prompt: prompt.to_owned(),
        max_tokens,
        answer_schema: None,
        purpose: Purpose {
            agent: Agent::Memory,
            scope: Scope::Workspace,
            scope_id: "default".to_owned(),
            memory_type: None,
        },
    }
}

fn draft(content: String) -> MemoryDraft {
    MemoryDraft {
        scope: Scope::Workspace,
        scope_id: "default".to_owned(),
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        expected: None,
        content,
        engine: Engine::Llm,
        now: NOW,
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 0,
        source_latest_message_ts: None,
        merged_through: None,
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
            refused: 0,
            records: 0,
            late: 0,
        },
        citations: Vec::new(),
        records: Vec::new(),
    }
}

fn deferral(reason: String) -> Deferral {
    Deferral {
        memory_type: MemoryType::LongTerm,
        until: NOW,
        failures: 1,
        reason,
    }
}

fn post(text: String) -> PostRequest {
    PostRequest {
        channel_id: "CGENERAL".to_owned(),
        thread_ts: None,
        text,
        answers: "1.000000".to_owned(),
        may_notify: Vec::new(),
    }
}
