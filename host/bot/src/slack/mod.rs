//! The chat platforms that the bot answers on.

pub(crate) mod history;
pub mod live;
mod post;
pub mod stored;
mod turns;
