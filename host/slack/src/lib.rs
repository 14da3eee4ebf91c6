//! Slack, as a bot needs it.
