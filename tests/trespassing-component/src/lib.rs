//! Instead of its work, does what the setting `persona.system_prompt` tells it, line by line (`commands.rs`), and returns what it
//! got as the text of an error.
#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    reason = "generated code, and faults that are meant"
)]

wit_bindgen::generate!({
    path: "../../wit",
    world: "bot",
    generate_all,
});

mod commands;
mod drafts;
mod making;

use exports::myao::memory::about;
use exports::myao::memory::context_builder::{self, BuildRequest};
use exports::myao::memory::marks::{self, ChannelMarks, Strikable};
use exports::myao::memory::memory_summarizer::{self, Summary};
use exports::myao::memory::reply_prompt::{self, Occasion};
use exports::myao::memory::responder::{self, Answer, Judgment, Question, Response, Target};
use exports::myao::memory::searcher::{self, SearchRequest, SearchResult};
use myao::memory::errors::{Error, OtherReason, SettingFault};
use myao::memory::types::{Context, MemoryType, Scope, Timestamp};

struct Trespassing;

/// What it got.
fn got() -> Error {
    Error::Other(OtherReason {
        code: "got".to_owned(),
        text: commands::obey(),
    })
}

impl about::Guest for Trespassing {
    fn describe() -> about::Component {
        about::Component {
            name: "trespassing".to_owned(),
            version: String::new(),
            contract: String::new(),
            settings: Vec::new(),
        }
    }

    fn check(_: Vec<(String, String)>) -> Vec<SettingFault> {
        Vec::new()
    }
}

impl memory_summarizer::Guest for Trespassing {
    fn summarize(_: Context, _: Scope, _: MemoryType, _: Option<String>) -> Result<Summary, Error> {
        Err(got())
    }

    fn render_prompt(
        _: Context,
        _: Scope,
        _: MemoryType,
        _: Option<String>,
    ) -> Result<String, Error> {
        Err(got())
    }
}

impl reply_prompt::Guest for Trespassing {
    fn render_reply(_: Context, _: Occasion, _: Timestamp) -> Result<String, Error> {
        Err(got())
    }

    fn render_judgment(_: Context, _: Timestamp) -> Result<String, Error> {
        Err(got())
    }
}

impl context_builder::Guest for Trespassing {
    fn build(_: BuildRequest, _: Timestamp) -> Result<Context, Error> {
        Err(got())
    }
}

impl marks::Guest for Trespassing {
    fn list_strikable(_: String, _: String, _: Timestamp) -> Result<Vec<Strikable>, Error> {
        Err(got())
    }

    fn read_marks(_: String, _: Timestamp) -> Result<ChannelMarks, Error> {
        Err(got())
    }
}

impl searcher::Guest for Trespassing {
    fn search(_: SearchRequest, _: Timestamp) -> Result<SearchResult, Error> {
        Err(got())
    }
}

impl responder::Guest for Trespassing {
    fn reply_to_mention(_: Target, _: Timestamp) -> Result<Answer, Error> {
        Err(got())
    }

    fn judge(_: Target, _: Timestamp) -> Result<Judgment, Error> {
        Err(got())
    }

    fn reply_unasked(_: Target, _: Timestamp) -> Result<Answer, Error> {
        Err(got())
    }

    fn ask(_: Question, _: Timestamp) -> Result<Response, Error> {
        Err(got())
    }
}

export!(Trespassing);
