//! Slack, as a bot needs it: what is sent to Slack, and how Slack's events reach an inbox.
//!
//! - [`client`]: the Web API, with limits and retries that never post twice.
//! - [`socket`]: Socket Mode; [`http`]: events over HTTP, with their [`signature`].
//! - [`delivery`]: what both hand over, and the inbox that keeps it before Slack is told.
//! - [`markdown`], [`mentions`], [`split`]: the text that Slack shows.
//!
//! There is no storage here. Tokens stay in this crate ([`token`]).
#![deny(missing_docs)]

pub mod blocks;
pub mod client;
pub mod command;
pub mod delivery;
pub mod error;
pub mod events;
pub mod http;
pub mod installation;
pub mod manifest;
pub mod markdown;
pub mod mentions;
pub mod message;
pub mod mrkdwn;
pub mod named;
pub mod signature;
pub mod socket;
pub mod split;
pub mod token;

mod backoff;
mod form;
mod json;
#[cfg(test)]
mod testing;
