//! Calls of models, and recordings of runs.

pub(crate) mod calls;
pub(crate) mod recordings;
