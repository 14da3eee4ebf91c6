//! The functions for fuzzers: each takes any bytes, and panics where a property of the program breaks.
//!
//! `tests/fuzz/` lets cargo-fuzz call them (`make fuzz`), and `tests/tests/fuzz.rs` calls them in every test run with a fixed
//! number of mutated seeds ([`mutation`]).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod exports;
mod files;
mod model_streams;
pub mod mutation;
mod prompts;
mod python_bot;
mod slack;
mod texts;

pub use exports::{slack_export, slack_zip};
pub use files::{config, context_json};
pub use model_streams::model_streams;
pub use prompts::{prompts, templates};
pub use python_bot::python_bot;
pub use slack::{events, requests};
pub use texts::{markdown, mrkdwn};

/// A function that fuzzers call.
pub type Target = fn(&[u8]);

/// All of them, by the names of their seeds' folders, with the number of inputs that a test run gives them: about 20
/// seconds together, on two cores. `make fuzz` looks further.
pub const TARGETS: &[(&str, Target, u32)] = &[
    ("config", config, 24_000),
    ("context_json", context_json, 80_000),
    ("events", events, 160_000),
    ("markdown", markdown, 20_000),
    ("model_streams", model_streams, 60_000),
    ("mrkdwn", mrkdwn, 120_000),
    ("prompts", prompts, 1_500),
    ("python_bot", python_bot, 2_000),
    ("requests", requests, 160_000),
    ("slack_export", slack_export, 2_000),
    ("slack_zip", slack_zip, 6_000),
    ("templates", templates, 80_000),
];

/// The text in some bytes; what is no UTF-8 becomes U+FFFD.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}
