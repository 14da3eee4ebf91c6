//! The place in the database where statements work: one workspace, seen from one place.

use std::sync::Arc;

use myao_plugin::LocalTime;

/// The keys of a workspace that every statement needs.
#[derive(Clone)]
pub struct Place {
    /// The key of the workspace's row.
    pub(crate) workspace: i64,
    /// For the UTC offset of times.
    pub(crate) local_time: LocalTime,
    /// The scope id of the workspace's own memories.
    pub(crate) scope_id: Arc<str>,
    /// True if no credential is stored in messages.
    pub(crate) redacts: bool,
    /// For whom the statements work.
    pub(crate) seen_from: myao_plugin::Place,
}
