//! stub
use super::clock::Clock;
use crate::slack::live::LiveSlack;
use crate::storage::sqlite::SqliteWorkspace;
use std::sync::Arc;
pub(super) struct Home;
impl Home {
    pub(super) fn new(_: SqliteWorkspace, _: Arc<LiveSlack>, _: Clock) -> Self {
        Self
    }
    pub(super) fn show(&self, _: String) {}
}
