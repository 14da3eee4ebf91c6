//! The memory component: turns conversations into layered, versioned memories.
//!
//! The logic is plain Rust over the small traits of [`ports`], so that it is tested natively; only the module
//! `component` calls the host. Nothing here reads a clock, randomness, the environment or files.
//!
//! How a message becomes a memory: [`generator`] finds what is due, [`context`] gathers messages and memories,
//! [`prompt`] renders them, [`summarizer`] has a model (or [`extractive`]) make the text, [`answer`] judges a model's
//! answer, and [`generator`] saves it. [`responder`] answers people in the same way, and posts the reply.

pub mod answer;
mod ask;
mod bearing;
pub mod bindings;
mod check;
pub mod citations;
mod cited_lines;
// Only in the component: a native linker refuses the export names.
#[cfg(target_arch = "wasm32")]
#[allow(
    unsafe_code,
    unreachable_pub,
    reason = "the generated exports are public and unsafe"
)]
mod component;
pub mod context;
mod describe;
pub mod extractive;
mod fit;
pub mod generator;
pub mod grounding;
pub mod handed;
pub mod ledger;
mod line_sources;
pub mod marks;
mod notes;
pub mod now;
mod phrases;
pub mod ports;
mod programs;
pub mod prompt;
pub mod recall;
mod records;
pub mod responder;
pub mod settings;
pub mod summarizer;
mod surroundings;
#[cfg(test)]
mod testing;
pub mod text;
pub mod ts;
