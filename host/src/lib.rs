//! Host for the myao memory component.
//!
//! The way of a message: [`import`] reads it, [`storage`] keeps it, the component (loaded by [`component`],
//! called through [`plugin`]) asks for it through [`capabilities`] and hands back memories, which
//! [`storage`] saves.

pub mod backfill;
pub mod bindings;
pub mod bot;
mod cache;
pub mod capabilities;
pub mod chat;
pub mod component;
pub mod config;
pub mod context_json;
pub mod digest;
pub mod explain;
pub mod import;
pub mod journal;
pub mod llm;
pub mod names;
pub mod plugin;
pub mod recording;
pub mod run;
pub mod slack;
pub mod storage;
pub mod traces;
pub mod ts;

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
