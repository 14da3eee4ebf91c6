//! Links to messages.

use myao_plugin::MessageRef;
use myao_slack::permalink;

/// The link to a message, if the workspace's address is known.
#[must_use]
pub fn link(message: &MessageRef, address: Option<&str>) -> Option<String> {
    permalink::link(address?, &message.channel_id, &message.ts)
}

/// The link to a message; without an address `CHANNEL_ID:TS`.
#[must_use]
pub fn link_or_id(message: &MessageRef, address: Option<&str>) -> String {
    link(message, address).unwrap_or_else(|| format!("{}:{}", message.channel_id, message.ts))
}
