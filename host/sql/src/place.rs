//! The place in the database where statements work: one workspace, seen from one place.

use std::sync::Arc;

use myao_plugin::LocalTime;
use myao_plugin::state::audit::Actor;

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
    /// The bot's name, with which corrections begin.
    pub(crate) bot: Arc<str>,
    /// Who acts, for the audit log.
    pub(crate) by: Actor,
    /// For whom the statements work.
    pub(crate) seen_from: myao_plugin::Place,
}
