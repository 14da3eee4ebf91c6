//! The contract's types, generated here too, for calls through wasmtime alone.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    clippy::pedantic
)]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "bot",
    imports: { default: async | trappable },
    exports: { default: async },
    additional_derives: [serde::Serialize, serde::Deserialize],
});

pub use self::myao::memory::{llm, settings, types};
