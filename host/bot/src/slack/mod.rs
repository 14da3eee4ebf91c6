//! The chat platforms on which the bot answers.

pub(crate) mod history;
pub mod live;
mod post;
pub mod stored;
