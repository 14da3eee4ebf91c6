//! Tests of the test doubles and listeners themselves: other tests must be able to trust them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod contract;
mod model;
mod stores;
mod suites;
mod taps;

use myao_plugin::llm::{Agent, Completion, Llm, LlmError, Purpose, Request};
use myao_plugin::storage::{Keep, MessageQuery, Storage};
use myao_plugin::{MemoryType, Scope};
use myao_plugin::{Place, Places};

fn request(scope_id: &str, memory_type: MemoryType) -> Request {
    Request {
        system_prompt: format!("about {scope_id}"),
        max_tokens: 300,
        answer_schema: None,
        purpose: Purpose {
            agent: Agent::Memory,
            scope: Scope::Channel,
            scope_id: scope_id.to_owned(),
            memory_type: Some(memory_type),
        },
    }
}

async fn ask(llm: &dyn Llm, scope_id: &str) -> Result<String, LlmError> {
    let asked = request(scope_id, MemoryType::ShortTerm);
    let answer: Result<Completion, LlmError> = llm.complete(asked, &()).await;
    answer.map(|completion| completion.text)
}

fn all_of(channel_id: &str) -> MessageQuery {
    MessageQuery {
        channel_id: channel_id.to_owned(),
        since: None,
        until: "9999.0".to_owned(),
        limit: 100,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    }
}

async fn texts(store: &dyn Places) -> Vec<String> {
    let storage = store.at(Place::Operator);
    let messages = storage.list_messages(all_of("C1")).await.unwrap();
    messages.into_iter().map(|message| message.text).collect()
}
