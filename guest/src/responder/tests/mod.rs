//! How replies are made.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod asking;
mod attacks;
mod budget;
mod found;
mod further;
mod judging;
mod ledger;
mod marking;
mod missing;
mod posting;
mod prompts;
mod quoting;

use super::*;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::Reply;
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError};
use crate::bindings::types::{Context, Engine, MemoryType, Message, Scope, User};
use crate::testing::{DAY, HOUR, TestHost, at, completion, message, ts};
use MemoryType::{LongTerm, ShortTerm};

/// The scripted model's answer.
const ANSWER: &str = "来春の予定です。";

/// A host whose model answers every call so.
fn host_that_says(answer: &'static str) -> TestHost {
    let host = TestHost::with_prompts();
    host.llm
        .answer_by(move |_, _| Ok(completion(answer, FinishReason::Stop)));
    host
}

fn host() -> TestHost {
    host_that_says(ANSWER)
}

/// The message to answer in channel `C1`, so many seconds after the tests' time.
fn target(thread: Option<i64>, message: i64) -> Target {
    Target {
        channel_id: "C1".to_owned(),
        thread_ts: thread.map(ts),
        message_ts: ts(message),
    }
}

/// The reply that was posted.
fn mention(host: &TestHost, target: &Target) -> Result<Reply, Error> {
    Responder::new(&host.ports(), &host.chat, at(0))
        .reply_to_mention(target)
        .map(posted)
}

fn posted(answer: Answer) -> Reply {
    match answer {
        Answer::Posted(reply) => reply,
        Answer::Already(_) => panic!("it was answered before"),
    }
}

/// Who wrote a message instead of alice.
fn by(id: &str, name: &str, message: Message) -> Message {
    Message {
        user: User {
            id: id.to_owned(),
            name: name.to_owned(),
            is_bot: false,
        },
        ..message
    }
}

/// A message in the thread that began at `thread`.
fn in_thread(thread: i64, message: Message) -> Message {
    Message {
        thread_ts: Some(ts(thread)),
        ..message
    }
}

/// The only prompt that was sent.
fn prompt(host: &TestHost) -> String {
    let mut prompts = host.llm.prompts();
    assert_eq!(prompts.len(), 1);
    prompts.remove(0)
}

/// The text under a heading of a prompt, up to the next heading or the instruction.
fn section<'p>(prompt: &'p str, heading: &str) -> &'p str {
    let (_, rest) = prompt
        .split_once(&format!("{heading}\n"))
        .unwrap_or_else(|| panic!("no {heading} in\n{prompt}"));
    let end = ["\n#", "\n---\n"].map(|end| rest.find(end).unwrap_or(rest.len()));
    &rest[..end[0].min(end[1])]
}

fn asker<'a>(ports: &'a Ports<'a>, now: Timestamp) -> Asker<'a> {
    Asker::new(ports.llm, ports.log, &ports.settings, now)
}
