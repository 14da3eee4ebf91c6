//! Whose turn it is to write. The writing transactions of a workspace wait for each other, and of this process they do so before
//! they take a connection: otherwise those of one busy workspace would hold every connection while they wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Line, OwnedMutexGuard};

/// The lines of those that wait, by workspace.
#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<i64, Arc<Line<()>>>>);

/// The next writer of the workspace waits until it is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

impl Turns {
    /// Waits for the turn of a workspace, in the order of the calls.
    pub(crate) async fn wait(&self, workspace: i64) -> Turn {
        let line = {
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.entry(workspace).or_default().clone()
        };
        line.lock_owned().await
    }

    /// How many of a workspace write, or wait for their turn.
    #[cfg(test)]
    pub(crate) fn count(&self, workspace: i64) -> usize {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .get(&workspace)
            .map_or(0, |line| Arc::strong_count(line) - 1)
    }
}
