//! What is taken back, by people or by age.

pub(crate) mod credentials;
pub(crate) mod discarding;
pub(crate) mod erase;
pub(crate) mod forgetting;
