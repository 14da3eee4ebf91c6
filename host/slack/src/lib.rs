//! Slack for a bot: its protocols, its events and the texts that it shows.
//!
//! - [`client`]: the Web API, with limits and retries that never post twice.
//! - [`socket`]: Socket Mode; [`http`]: events over HTTP, with their [`signature`].
//! - [`delivery`]: what both deliver, and the inbox that keeps it before it is acknowledged.
//! - [`command`], [`shortcut`]: what people ask for.
//! - [`events`]: an event becomes effects on the store; [`message`], [`mrkdwn`]: a message becomes readable text.
//! - [`markdown`], [`mentions`], [`split`], [`blocks`]: the texts that Slack shows.
//!
//! There is no storage here. Tokens stay in this crate ([`token`]).
#![deny(missing_docs)]

pub mod blocks;
pub mod client;
pub mod command;
pub mod delivery;
pub mod done;
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
pub mod permalink;
pub mod pins;
pub mod shortcut;
pub mod signature;
pub mod socket;
pub mod split;
pub mod token;

mod backoff;
mod form;
mod json;
mod script;
#[cfg(test)]
mod testing;
