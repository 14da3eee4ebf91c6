//! The program `myao` as its users meet it: a process with a configuration, a database, standard
//! input and output, and an exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod ask;
mod backfill;
mod backup;
mod bad_configuration;
mod bad_database;
mod bad_export;
mod bad_request;
mod budget;
mod chat;
mod copy;
mod deferrals;
mod doctor;
mod embed;
mod eval;
mod forget;
mod generate;
mod import;
mod import_limits;
mod init;
mod items;
mod journal;
mod ledger;
mod llm_calls;
mod llm_failures;
mod llm_runs;
mod marks;
pub(crate) mod mcp;
mod memory;
mod off_record;
mod output;
mod postgres;
mod prompt;
mod python_bot;
mod rebuild;
mod replay;
mod search;
mod shell;
mod summarize;
mod terminal;
mod traces;
mod trial;
mod usage;
