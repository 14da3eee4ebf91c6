//! How far the platform was read.

pub(crate) mod backfill;
pub(crate) mod catch_up;
pub(crate) mod sync;
