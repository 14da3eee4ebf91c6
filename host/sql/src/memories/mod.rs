//! Memories, their lines and their sources.

pub(crate) mod backlog;
pub(crate) mod lines;
pub(crate) mod listed;
pub(crate) mod records;
pub(crate) mod series;
pub(crate) mod stored;
