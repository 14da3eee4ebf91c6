//! Removes what has been kept long enough.

use myao_plugin::state::Workspace;
use myao_plugin::state::forgetting::Expired;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::settings::{AuditLog, RetentionDays};

/// By how much the clock may differ from a clock that is known to be right.
const TOLERANCE_SECONDS: i64 = 24 * 3600;
/// How long nobody may have written anything before the clock alone is no longer believed.
const LONGEST_SILENCE_SECONDS: i64 = 30 * TOLERANCE_SECONDS;

/// An item that became too old.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expiry {
    /// The removed items.
    Removed(Expired),
    /// Nothing was removed, because the clock may be wrong: a clock that is years ahead would remove everything.
    ClockNotTrusted,
}

/// Removes the messages and memories that are too old at `now`, in Unix seconds, in bounded parts, and the old entries of the
/// audit log. `known` is the time as
/// a clock shows it that is right for sure: the platform's, or that of a person who gave the time. If there is none, a
/// message must have been written in the month before `now`.
///
/// # Errors
/// [`StorageError`]. What was removed before stays removed.
pub async fn expire(
    workspace: &dyn Workspace,
    (retention, audit): (RetentionDays, AuditLog),
    now: i64,
    known: Option<i64>,
) -> Result<Expiry, StorageError> {
    let mut all = Expired::default();
    let is_trusted = is_trusted(workspace, now, known).await?;
    if is_trusted {
        workspace.expire_audit(audit.begin(now)).await?;
    }
    if retention == RetentionDays::default() {
        return Ok(Expiry::Removed(all));
    }
    if !is_trusted {
        return Ok(Expiry::ClockNotTrusted);
    }
    loop {
        let part = workspace.expire(retention.at(now), now).await?;
        if part.is_nothing() {
            return Ok(Expiry::Removed(all));
        }
        all.messages += part.messages;
        all.memories += part.memories;
        all.calls += part.calls;
    }
}

async fn is_trusted(
    workspace: &dyn Workspace,
    now: i64,
    known: Option<i64>,
) -> Result<bool, StorageError> {
    if let Some(known) = known {
        return Ok(now.abs_diff(known) <= TOLERANCE_SECONDS.unsigned_abs());
    }
    let newest = workspace.newest_message(TsKey::first_of(now)).await?;
    // Without a message nothing shows which time it is: memories may be left of messages that are gone already.
    Ok(newest
        .is_some_and(|newest| now.saturating_sub(newest.unix_seconds()) <= LONGEST_SILENCE_SECONDS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::num::NonZeroU32;

    use myao_plugin::state::audit::Audit as _;
    use myao_plugin::state::inbox::Inbox as _;
    use myao_sql::SqlWorkspace;
    use myao_testkit::conformance::state::samples::said;

    use super::{AuditLog, Expiry, RetentionDays, expire};
    use crate::test_store::workspace;

    const DAY: i64 = 24 * 3600;
    const YEAR: i64 = 365 * DAY;
    /// When the only message was written.
    const WRITTEN: i64 = 1_700_000_000;

    async fn write(workspace: &SqlWorkspace) {
        let message = said(&format!("{WRITTEN}.000000"), None, "text");
        workspace
            .apply_effects(vec![message], WRITTEN)
            .await
            .unwrap();
    }

    async fn removed(now: i64, known: Option<i64>) -> Option<usize> {
        let (_folder, workspace) = workspace();
        write(&workspace).await;
        let retention = RetentionDays {
            messages_days: NonZeroU32::new(7),
            memories_days: None,
            calls_days: None,
        };
        let keeping = (retention, AuditLog::default());
        match expire(&workspace, keeping, now, known).await.unwrap() {
            Expiry::Removed(expired) => Some(expired.messages),
            Expiry::ClockNotTrusted => None,
        }
    }

    #[tokio::test]
    async fn a_clock_that_may_be_years_ahead_removes_nothing() {
        assert_eq!(removed(WRITTEN + 7 * DAY - 1, None).await, Some(0));
        assert_eq!(removed(WRITTEN + 8 * DAY, None).await, Some(1));
        assert_eq!(removed(WRITTEN + 31 * DAY, None).await, None);
        assert_eq!(removed(WRITTEN + 5 * YEAR, None).await, None);
        // Slack says that the clock is ahead by some days only.
        assert_eq!(removed(WRITTEN + 8 * DAY, Some(WRITTEN)).await, None);
    }

    #[tokio::test]
    async fn a_quiet_workspace_is_no_reason_to_keep_messages_if_another_clock_agrees() {
        let now = WRITTEN + YEAR;
        for known in [now, now - DAY, now + DAY] {
            assert_eq!(removed(now, Some(known)).await, Some(1));
        }
        assert_eq!(removed(now, Some(now - DAY - 1)).await, None);
    }

    #[tokio::test]
    async fn without_a_message_no_clock_is_trusted_but_a_known_one() {
        let (_folder, workspace) = workspace();
        let retention = RetentionDays {
            messages_days: None,
            memories_days: NonZeroU32::new(7),
            calls_days: None,
        };
        let keeping = (retention, AuditLog::default());
        let alone = expire(&workspace, keeping, WRITTEN, None).await;
        assert_eq!(alone, Ok(Expiry::ClockNotTrusted));
        let known = expire(&workspace, keeping, WRITTEN, Some(WRITTEN)).await;
        assert_eq!(known, Ok(Expiry::Removed(Default::default())));
    }

    #[tokio::test]
    async fn old_entries_of_the_audit_log_go_if_the_clock_is_trusted() {
        let (_folder, workspace) = workspace();
        write(&workspace).await;
        workspace.note_sign_in(WRITTEN).await.unwrap();
        let keeping = (RetentionDays::default(), AuditLog::default());
        let left = async |now, known| {
            expire(&workspace, keeping, now, known).await.unwrap();
            workspace.audit(0).await.unwrap().len()
        };
        let end = WRITTEN + 400 * DAY;
        assert_eq!(left(end, Some(end)).await, 1);
        assert_eq!(left(end + 1, None).await, 1);
        assert_eq!(left(end + 1, Some(end)).await, 0);
    }

    #[tokio::test]
    async fn without_a_limit_the_clock_does_not_matter() {
        let (_folder, workspace) = workspace();
        write(&workspace).await;
        let keeping = (RetentionDays::default(), AuditLog::default());
        let expired = expire(&workspace, keeping, i64::MAX, None).await;
        assert_eq!(expired, Ok(Expiry::Removed(Default::default())));
    }
}
