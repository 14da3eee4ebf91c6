//! Misbehaves as `render-prompt` is told in `existing-memory`; with anything else it does its work.
//! `greedy.rs` asks without end, `prying.rs` looks for what WASI might tell.
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

mod greedy;
mod prying;

wit_bindgen::generate!({
    path: "../../wit",
    // Of WASI, what the standard library has no functions for.
    inline: "
        package myao:faulty;

        world faulty {
            include myao:memory/summarizer@0.2.0;
            import wasi:random/random@0.2.3;
            import wasi:cli/stdout@0.2.3;
        }

        package wasi:random@0.2.3 {
            interface random {
                get-random-bytes: func(len: u64) -> list<u8>;
            }
        }

        package wasi:io@0.2.3 {
            interface streams {
                resource output-stream;
            }
        }

        package wasi:cli@0.2.3 {
            interface stdout {
                use wasi:io/streams@0.2.3.{output-stream};
                get-stdout: func() -> output-stream;
            }
        }
    ",
    world: "myao:faulty/faulty",
    generate_all,
});

use exports::myao::memory::about;
use exports::myao::memory::memory_summarizer::{self, Summary};
use exports::myao::memory::reply_prompt::{self, Occasion};
use myao::memory::errors::{Error, OtherReason, SettingFault};
use myao::memory::llm;
use myao::memory::log::{self, Level};
use myao::memory::settings;
use myao::memory::types::{Context, MemoryType, Scope, Timestamp};

struct Faulty;

fn other(text: &str) -> Error {
    Error::Other(OtherReason {
        code: "faulty".to_owned(),
        text: text.to_owned(),
    })
}

/// Calls of this instance.
static CALLS: AtomicU32 = AtomicU32::new(0);

impl about::Guest for Faulty {
    fn describe() -> about::Component {
        about::Component {
            name: "faulty".to_owned(),
            version: String::new(),
            contract: String::new(),
            settings: Vec::new(),
        }
    }

    fn check(_: Vec<(String, String)>) -> Vec<SettingFault> {
        Vec::new()
    }
}

impl memory_summarizer::Guest for Faulty {
    fn summarize(_: Context, _: Scope, _: MemoryType, _: Option<String>) -> Result<Summary, Error> {
        Err(other("only prompts"))
    }

    fn render_prompt(
        _: Context,
        _: Scope,
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
                Err(other("fresh memory is not empty"))
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
            Some("ask the model") => llm::complete(&greedy::request("?", 1))
                .map(|answer| answer.text)
                .map_err(Error::Llm),
            Some(what) => match greedy::misbehave(what).or_else(|| prying::misbehave(what)) {
                Some(text) => Ok(text),
                None => Ok("a prompt".to_owned()),
            },
            None => Ok("a prompt".to_owned()),
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
