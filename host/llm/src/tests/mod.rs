//! Agents against a scripted server, on a clock that moves by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod configuration;
mod embeddings;
mod faults;
mod limits;
mod odd;
mod secrecy;
mod streams;
mod wires;

use std::sync::{Arc, Mutex};

use myao_plugin::llm::{
    Agent as AgentName, CallObserver, CallRecord, Completion, Llm as _, LlmError, Purpose, Request,
};
use myao_plugin::{MemoryType, Scope};
use serde_json::{Value, json};

use super::AgentError;
use super::agent::AgentLlm;
use super::configured::agent_llm;
use super::testing::Server;
use crate::config::Agent;

/// The key of all tests, which must never get out.
const KEY: &str = "sk-test-0123456789";

fn agent(value: Value) -> Agent {
    serde_json::from_value(value).unwrap()
}

fn build(agent: &Agent) -> Result<AgentLlm, AgentError> {
    build_in(agent, &|_| None)
}

fn build_in(
    agent: &Agent,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<AgentLlm, AgentError> {
    let mut llm = agent_llm("memory", agent, agent.model_id.as_ref().unwrap(), variable)?;
    llm.retries.jitter = Arc::new(|| 1.0);
    llm.now = || std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    Ok(llm)
}

/// A model with OpenAI's API at a server.
fn openai_at(server: &Server, more: Value) -> AgentLlm {
    let mut value = json!({
        "model_id": "openai/m",
        "client_args": { "api_key": KEY, "base_url": format!("{}/v1", server.address) },
    });
    for (key, more) in more.as_object().unwrap() {
        match value.get_mut(key) {
            Some(Value::Object(known)) => known.extend(more.as_object().unwrap().clone()),
            _ => value[key] = more.clone(),
        }
    }
    build(&agent(value)).unwrap()
}

/// A model at a path of a server, with parameters and a key.
fn at(server: &Server, model_id: &str, path: &str, more: Value) -> AgentLlm {
    let mut value = json!({
        "model_id": model_id,
        "params": { "temperature": 0.3, "top_p": 0.9, "seed": 7, "stop": "END", "max_tokens": 200 },
        "client_args": { "api_key": KEY, "base_url": format!("{}{path}", server.address) },
    });
    for (key, more) in more.as_object().unwrap() {
        value[key]
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
    }
    build(&agent(value)).unwrap()
}

fn request(prompt: &str) -> Request {
    Request {
        system_prompt: prompt.to_owned(),
        max_tokens: 300,
        answer_schema: None,
        purpose: Purpose {
            agent: AgentName::Memory,
            scope: Scope::Channel,
            scope_id: "C1".to_owned(),
            memory_type: Some(MemoryType::ShortTerm),
        },
    }
}

/// One call, and its record.
async fn call(llm: &AgentLlm) -> (Result<Completion, LlmError>, CallRecord) {
    let seen = Seen::default();
    let result = llm.complete(request("要約してください"), &seen).await;
    let records = seen.records.into_inner().unwrap();
    assert_eq!(records.len(), 1, "one record per call");
    (result, records[0].clone())
}

/// The observer's record of a call.
#[derive(Default)]
struct Seen {
    records: Mutex<Vec<CallRecord>>,
    said: Mutex<Vec<String>>,
}

impl CallObserver for Seen {
    fn observe(&self, record: CallRecord) {
        self.records.lock().unwrap().push(record);
    }

    fn said(&self, words: &str) {
        self.said.lock().unwrap().push(words.to_owned());
    }
}

/// The server's message of a call that fails.
async fn said(llm: &AgentLlm) -> String {
    let seen = Seen::default();
    let result = llm.complete(request("要約してください"), &seen).await;
    result.unwrap_err();
    seen.said.into_inner().unwrap().join("|")
}

/// One call that fails.
async fn error(llm: &AgentLlm) -> LlmError {
    let (result, record) = call(llm).await;
    let error = result.unwrap_err();
    assert_eq!(record.error.as_ref(), Some(&error));
    error
}
