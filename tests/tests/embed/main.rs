//! The same components in other runtimes: the hosts of `tests/embed/` get what the Rust host gets, byte for byte.
//!
//! Node and Python need installing, so their tests run with `make test-embed` and `make test`, which say what they
//! left out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod conformance;
mod distribution;
mod json;
mod node;
mod private;
mod python;
mod reference;
mod runtime;
mod runtimes;
mod script;
