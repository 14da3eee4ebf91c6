//! What is due, what waits until when, and the upkeep.

pub(crate) mod begin_again;
pub(crate) mod deferrals;
pub(crate) mod upkeep;
pub(crate) mod waits;
