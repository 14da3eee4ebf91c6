//! stub
use super::clock::Clock;
use crate::slack::live::LiveSlack;
use crate::storage::sqlite::SqliteWorkspace;
use std::sync::Arc;
pub(super) struct Commands;
impl Commands {
    pub(super) fn new(_: SqliteWorkspace, _: Arc<LiveSlack>, _: Clock) -> Self {
        Self
    }
    pub(super) async fn answer(&self, _: &str) -> serde_json::Value {
        serde_json::json!({})
    }
}
