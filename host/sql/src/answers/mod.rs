//! Answers of the bot from the question to the posts, and judgments whether to answer.

pub(crate) mod judgments;
pub(crate) mod mention_limits;
pub(crate) mod parked;
pub(crate) mod replies;
pub(crate) mod reply;
