//! The chat platforms on which the bot answers.

mod external;
mod greeting;
pub(crate) mod history;
pub mod live;
pub(crate) mod post;
pub mod stored;
