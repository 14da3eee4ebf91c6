//! The chat platforms on which the bot answers.

mod external;
pub(crate) mod history;
pub mod live;
mod post;
pub mod stored;
