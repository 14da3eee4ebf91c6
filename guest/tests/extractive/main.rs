//! Tests of the engine without a language model, from outside the crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod conversations;
mod limits;
mod merging;
mod quality;
mod robustness;
