//! Events, from their arrival to their effects.

pub(crate) mod effects;
pub(crate) mod import;
pub(crate) mod import_target;
pub(crate) mod inbox;
pub(crate) mod off_record;
