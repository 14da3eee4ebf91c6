//! The fake Slack, through its HTTP and WebSocket surface.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod calls;
mod events;
mod faults;
mod histories;
mod over_http;
mod program;
mod sockets;
mod storms;
mod support;
