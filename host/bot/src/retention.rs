//! Removes what has been kept long enough.

use myao_plugin::state::Workspace;
use myao_plugin::state::forgetting::Expired;
use myao_plugin::storage::StorageError;

use super::settings::RetentionDays;

/// Removes the messages and memories that are too old at `now`, in Unix seconds, in bounded parts.
///
/// # Errors
/// [`StorageError`]. What was removed before stays removed.
pub async fn expire(
    workspace: &dyn Workspace,
    retention: RetentionDays,
    now: i64,
) -> Result<Expired, StorageError> {
    let mut all = Expired::default();
    loop {
        let part = workspace.expire(retention.at(now), now).await?;
        if part.is_nothing() {
            return Ok(all);
        }
        all.messages += part.messages;
        all.memories += part.memories;
    }
}
