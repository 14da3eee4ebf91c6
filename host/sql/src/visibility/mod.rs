//! Which messages and memories a place may be shown.

pub(crate) mod answers;
pub(crate) mod audience;
pub(crate) mod lineage;
pub(crate) mod sight;
pub(crate) mod view;
pub(crate) mod visible;
