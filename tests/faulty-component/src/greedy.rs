//! Asks for and says more than any work needs, whatever the answers are.

use crate::myao::memory::llm::{self, Agent, Purpose, Request};
use crate::myao::memory::log::{self, Level};
use crate::myao::memory::types::Scope;

const MEGABYTE: usize = 1 << 20;

/// `None` if it is told something else.
pub(crate) fn misbehave(what: &str) -> Option<String> {
    match what {
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
