//! Shared by tests: contexts from JSON, and a host in memory that can be told to fail.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod chat;
mod context_json;
pub(crate) mod data_set;
mod host;
mod items;
mod llm;
mod recall;
mod storage;

pub(crate) use chat::ScriptedChat;
pub(crate) use context_json::golden_context;
pub(crate) use host::{DAY, HOUR, NOW, Quiet, TestHost, at, message, ts};
pub(crate) use items::{ended, item};
pub(crate) use llm::{ScriptedLlm, completion};
pub(crate) use recall::PlainRecall;
pub(crate) use storage::{Effect, Fault, MemoryStorage};
