//! The types of the WIT contract (`wit/`), which the logic uses too.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction
)]

wit_bindgen::generate!({
    path: "../wit",
    world: "bot",
    generate_all,
    pub_export_macro: true,
    default_bindings_module: "crate::bindings",
    additional_derives: [PartialEq],
});

pub use myao::memory::{chat, errors, llm, log, recall, settings, storage, types};
