//! The WIT contract (`wit/`) as Rust types: what the component imports from the host (async traits) and what it
//! exports.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    clippy::pedantic
)]

wasmtime::component::bindgen!({
    path: "wit",
    world: "bot",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
});

pub use self::myao::memory::{chat, errors, llm, log, recall, settings, storage, types};
