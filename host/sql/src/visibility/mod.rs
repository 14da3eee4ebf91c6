//! Which messages and memories a place may be shown.

pub(crate) mod answers;
pub(crate) mod audience;
pub(crate) mod candidates;
pub(crate) mod lineage;
pub(crate) mod similarities;
pub(crate) mod vectors;
pub(crate) mod view;
pub(crate) mod visible;
