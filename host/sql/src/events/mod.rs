//! Events, from their arrival to their effects.

pub(crate) mod effects;
pub(crate) mod inbox;
