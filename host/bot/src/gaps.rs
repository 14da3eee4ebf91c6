//! Deliveries that were not kept. Slack sends each a few times within some minutes, and then never again, so the time of
//! what this process could not keep is read again. It is stored as soon as the store takes it.
//!
//! **Invariant: the time of the last connection moves on only after all gaps that are known here are stored.**

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::state::Workspace;
use myao_plugin::state::catch_up::Gap;
use myao_plugin::storage::StorageError;
use tokio::sync::Notify;

use super::stop::Stop;

/// How often a gap is tried to be stored.
const SAVE: Duration = Duration::from_secs(5);

/// The gap that is not stored yet, and since when this process is connected.
#[derive(Clone)]
pub(super) struct Gaps(Arc<Mutex<Option<Gap>>>, Arc<AtomicI64>);

impl Default for Gaps {
    fn default() -> Self {
        Self(Arc::default(), Arc::new(AtomicI64::new(i64::MAX)))
    }
}

impl Gaps {
    /// Notes that deliveries may be missing.
    pub(super) fn open(&self, gap: Gap) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Some(open.map_or(gap, |open| open.and(gap)));
    }

    /// Notes at `now`, in Unix seconds, that a connection was made after none.
    pub(super) fn connected(&self, now: i64) {
        self.1.store(now, Ordering::Relaxed);
    }

    pub(super) fn connected_since(&self) -> i64 {
        self.1.load(Ordering::Relaxed)
    }

    /// Stores the gap, if there is one. Returns true if there was.
    pub(super) async fn save(&self, workspace: &dyn Workspace) -> Result<bool, StorageError> {
        let open = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(gap) = open else { return Ok(false) };
        workspace.open_gap(gap).await?;
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have grown meanwhile.
        *open = open.filter(|open| *open != gap);
        Ok(true)
    }

    /// Stores gaps until asked to stop, and notifies `connected` of them.
    pub(super) async fn run(
        self,
        workspace: Arc<dyn Workspace>,
        connected: Arc<Notify>,
        mut stop: Stop,
    ) {
        while !stop.is_requested() {
            stop.sleep(SAVE).await;
            if let Ok(true) = self.save(&*workspace).await {
                tracing::warn!("Slack sent what could not be stored; that time is read again");
                connected.notify_one();
            }
        }
    }
}

/// Something that opens a gap unless it is kept.
pub(super) struct Unkept {
    gaps: Gaps,
    gap: Gap,
    pub(super) is_kept: bool,
}

impl Unkept {
    pub(super) fn new(gaps: Gaps, gap: Gap) -> Self {
        let is_kept = false;
        Self { gaps, gap, is_kept }
    }
}

impl Drop for Unkept {
    fn drop(&mut self) {
        if !self.is_kept {
            self.gaps.open(self.gap);
        }
    }
}
