//! What fuzzers call: each function takes any bytes, and panics where a property of the program breaks.
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
pub mod mutation;
mod prompts;
mod slack;
mod texts;

pub use exports::{slack_export, slack_zip};
pub use files::{config, context_json};
pub use prompts::{prompts, templates};
pub use slack::{events, requests};
pub use texts::{markdown, mrkdwn};

/// A function that fuzzers call.
pub type Target = fn(&[u8]);

/// All of them, by the names of their seeds' folders, with the number of inputs that a test run gives them.
pub const TARGETS: &[(&str, Target, u32)] = &[
    ("config", config, 6_000),
    ("context_json", context_json, 20_000),
    ("events", events, 20_000),
    ("markdown", markdown, 10_000),
    ("mrkdwn", mrkdwn, 40_000),
    ("prompts", prompts, 1_500),
    ("requests", requests, 20_000),
    ("slack_export", slack_export, 1_500),
    ("slack_zip", slack_zip, 4_000),
    ("templates", templates, 10_000),
];

/// The text in some bytes; what is no UTF-8 becomes U+FFFD.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}
