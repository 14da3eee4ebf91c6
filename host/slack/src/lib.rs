//! Slack, as a bot needs it.

pub mod blocks;
pub mod command;
pub mod manifest;
pub mod markdown;
pub mod mentions;
pub mod split;
