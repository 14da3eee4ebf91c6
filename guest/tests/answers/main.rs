//! The judgement of answers, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod corpus;
mod robustness;
mod scenes;
