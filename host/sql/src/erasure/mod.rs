//! What is taken back, by people or by age.

pub(crate) mod credentials;
pub(crate) mod forgetting;
