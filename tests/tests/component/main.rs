//! The component at its boundary: each export and each of its outcomes, over a store, a model and a chat platform in
//! memory ([`myao_testkit`]). What the logic makes of texts is tested natively, in `guest/`; what a database, processes
//! and long histories add, in `tests/runs`.
//!
//! | export | does | leaves alone, defers | fails | calls |
//! |---|---|---|---|---|
//! | `about.describe`, `check` | `refusing` | | | none |
//! | `memory-summarizer.summarize` | `summaries`: each memory, without a model; `summaries::fitting`: chunks | nothing to summarise | each error of `llm`, each bad answer, `template`, `prompt-too-long`, `unsupported-combination` | one answer, two after a bad one |
//! | `memory-summarizer.render-prompt` | `summaries`: the prompt that is sent; the goldens in `tests/goldens.rs` | | `missing-target-thread`, `template`, `unsupported-combination` | none |
//! | `context-builder.build` | `contexts` | | each error of `storage` at each call, `invalid-ts` | four, of any number of channels |
//! | `marks.read-marks` | `marking` | a channel without marks | each error of `storage` at each call | two |
//! | `memory-generator.should-update` | `due`: the table of the specification | | `invalid-ts` | none |
//! | `memory-generator.list-due` | `due` | what the store names too many of | each error of `storage` | one |
//! | `memory-generator.generate` | `generating` | `unchanged` | `failing`, `due`: each error, and the rest goes on; `interrupted`: at any call | `generating` |
//! | `memory-generator.generate-channel` | `generating` | `no-new-messages`, `not-due`, `outside-window`, `nothing-to-summarize`; `deferrals`: `deferred` | `failing`: each error of `storage` at each call, of `llm`, `bad-answer`, `prompt-too-long`, `invalid-ts`, `template` | `generating` |
//! | `memory-generator.generate-thread` | `generating` | `no-new-messages`, `outside-window`, `nothing-to-summarize`; `deferrals`: `deferred` | as `generate-channel` | `generating` |
//! | `memory-generator.generate-workspace` | `workspace` | `unchanged`, `nothing-to-summarize`; `deferrals`: `deferred` | as `generate-channel`; one of its two memories | `generating` |
//! | `reply-prompt.render-reply`, `render-judgment` | `prompts`: the prompts that are sent | | `template`, `prompt-too-long` | none |
//! | `responder.reply-to-mention` | `replies`: top level, thread, quotes; `replies::shown`: what the prompt shows | | each error of `storage` at each call, of `llm`, of `chat`; `bad-answer`, `template`, `prompt-too-long`, `invalid-ts` | four of the store, one answer, one post |
//! | `responder.judge` | `replies` | without a model | each error of `storage` and `llm`, `bad-answer`, `template`, `prompt-too-long` | the same without the post |
//! | `responder.reply-unasked` | `replies` | | each error of `chat` | as `reply-to-mention` |
//!
//! `worlds`: the smaller worlds do the same, and lack what they do not export. `refusing`: `invalid-settings` and `invalid-time`, of each export that reads them.
//!
//! `credentials`: what a host hands over is masked, in each export that is given texts.
//! `windows` tells which messages a memory is made from, `deferrals` what is deferred and which stand-ins are made meanwhile.
//! `interrupted` holds what is saved when a call fails half way: an error, a crash, a call that never ends, a conflict and
//! a run of another host at any call; `logging` the lines of the log. `stores` compares the store in memory with SQLite.
//! The error `other` stands for template syntax that no build has; nothing that a host does brings it about.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod contexts;
mod credentials;
mod deferrals;
mod due;
mod failing;
mod generating;
mod host;
mod interrupted;
mod logging;
mod marking;
mod places;
mod prompts;
mod refusing;
mod replies;
mod stores;
mod summaries;
mod windows;
mod workspace;
mod worlds;
