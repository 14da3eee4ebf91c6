//! Generation runs and backfills: the real component over real databases.
//!
//! One program, so that it is linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod conversions;
mod conversions_in_replies;
mod disk;
mod erasure;
mod failures;
mod greedy;
mod killed_commands;
mod kills;
mod loading;
mod models;
mod prying;
mod real_data;
mod sandbox;
mod scale;
mod searching;
mod side_by_side;
mod ticks;
mod trespasses;
mod trespassing;
