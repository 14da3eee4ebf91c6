//! One turn at a time for each answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use myao_plugin::ts::TsKey;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Answers that are being posted. Each message has one turn at a time, so that nobody continues a post that is already
/// running.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<(String, TsKey), Turn>>);

type Turn = Arc<AsyncMutex<()>>;

impl Turns {
    /// Waits for the turn; it ends when the guard is dropped.
    pub(super) async fn take(&self, channel_id: &str, answers: TsKey) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Removes turns that nobody holds or waits for.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns
                .entry((channel_id.to_owned(), answers))
                .or_default()
                .clone()
        };
        turn.lock_owned().await
    }
}
