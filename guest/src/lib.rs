//! The memory component: turns conversations into layered, versioned memories.
//!
//! The logic is plain Rust over the small traits of [`ports`], so that it is tested natively; the
//! module `component` alone speaks to the host. Nothing here reads a clock, randomness, the
//! environment or files.
//!
//! A message becomes a memory this way: [`generator`] finds what is due, [`context`] puts together what
//! is known, [`prompt`] renders it, [`summarizer`] has a model (or [`extractive`]) make the text,
//! [`answer`] judges a model's, and [`generator`] saves it. [`responder`] answers people in the same way, and posts what
//! it made.

pub mod answer;
mod ask;
pub mod bindings;
// Only in the component: a linker for the native `cdylib` refuses the names of the exports.
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
mod phrases;
pub mod ports;
pub mod prompt;
pub mod responder;
pub mod summarizer;
#[cfg(test)]
mod testing;
pub mod ts;
