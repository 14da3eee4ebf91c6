//! Slack, as a bot needs it.

pub mod markdown;
pub mod mentions;
pub mod split;
