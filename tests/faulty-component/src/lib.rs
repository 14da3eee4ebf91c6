//! Misbehaves as `render-prompt` is told in `existing-memory`; with anything else it does its work.
#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    unconditional_recursion,
    clippy::all,
    clippy::restriction,
    reason = "generated code, and faults that are meant"
)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

wit_bindgen::generate!({
    path: "../../wit",
    world: "summarizer",
    generate_all,
});

use exports::myao::memory::memory_summarizer::{self, Summary};
use exports::myao::memory::reply_prompt::{self, Occasion};
use myao::memory::errors::Error;
use myao::memory::llm::{self, Agent, Purpose, Request};
use myao::memory::log::{self, Level};
use myao::memory::settings;
use myao::memory::types::{Context, MemoryType, Scope, Timestamp};

struct Faulty;

/// Calls of this instance.
static CALLS: AtomicU32 = AtomicU32::new(0);

impl memory_summarizer::Guest for Faulty {
    fn summarize(_: Context, _: Scope, _: MemoryType, _: Option<String>) -> Result<Summary, Error> {
        Err(Error::Other("only prompts".to_owned()))
    }

    fn render_prompt(
        _: Context,
        scope: Scope,
        _: MemoryType,
        existing_memory: Option<String>,
    ) -> Result<String, Error> {
        match existing_memory.as_deref() {
            Some("loop") => loop {
                black_box(());
            },
            Some("eat memory") => {
                let mut eaten: Vec<Vec<u8>> = Vec::new();
                loop {
                    eaten.push(black_box(vec![1; 1 << 20]));
                }
            }
            Some("count calls") if fresh_memory().iter().any(|byte| *byte != 0) => {
                Err(Error::Other("fresh memory is not empty".to_owned()))
            }
            Some("count calls") => Ok((CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string()),
            Some("panic") => panic!("told to"),
            Some("recurse") => Ok(recurse(0).to_string()),
            Some("return much") => Ok("much ".repeat(40 << 20)),
            Some("say much") => {
                log::write(Level::Info, &"much ".repeat(40 << 20));
                Ok("said".to_owned())
            }
            Some("call without end") => loop {
                settings::get();
            },
            Some("ask the model") => {
                let request = Request {
                    system_prompt: "?".to_owned(),
                    max_tokens: 1,
                    answer_schema: None,
                    purpose: Purpose {
                        agent: Agent::Memory,
                        scope,
                        scope_id: "default".to_owned(),
                        memory_type: None,
                    },
                };
                llm::complete(&request)
                    .map(|answer| answer.text)
                    .map_err(Error::Llm)
            }
            _ => Ok("a prompt".to_owned()),
        }
    }
}

/// A megabyte that nothing of this instance has written.
fn fresh_memory() -> &'static [u8] {
    const PAGE_BYTES: usize = 64 << 10;
    const PAGES: usize = 16;
    let begin = core::arch::wasm32::memory_grow::<0>(PAGES) * PAGE_BYTES;
    unsafe { core::slice::from_raw_parts(begin as *const u8, PAGES * PAGE_BYTES) }
}

fn recurse(depth: u64) -> u64 {
    // Nothing to jump to instead.
    black_box(recurse(black_box(depth + 1))) + 1
}

impl reply_prompt::Guest for Faulty {
    fn render_reply(_: Context, _: Occasion, _: Timestamp) -> Result<String, Error> {
        Ok("a prompt".to_owned())
    }

    fn render_judgment(_: Context, _: Timestamp) -> Result<String, Error> {
        Ok("a prompt".to_owned())
    }
}

export!(Faulty);
