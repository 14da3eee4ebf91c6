//! The memory component: turns conversations into layered, versioned memories.
//!
//! The logic is plain Rust over the small traits of [`ports`], so that it is tested natively; the
//! module `component` alone speaks to the host. Nothing here reads a clock, randomness, the
//! environment or files.

pub mod bindings;
pub mod extractive;
pub mod ports;
pub mod ts;
