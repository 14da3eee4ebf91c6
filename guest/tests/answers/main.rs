//! Tests of judging answers, from outside the crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod corpus;
mod robustness;
mod scenes;
