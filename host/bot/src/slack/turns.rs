//! One turn after the other for each answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use myao_plugin::ts::TsKey;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Answers that are being posted: one turn for each message at a time, so that nobody goes on with a post that is
/// under way.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<(String, TsKey), Turn>>);

type Turn = Arc<AsyncMutex<()>>;

impl Turns {
    /// Waits for the turn; it ends when the guard is dropped.
    pub(super) async fn take(&self, channel_id: &str, answers: TsKey) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Those that nobody holds or waits for are over.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns
                .entry((channel_id.to_owned(), answers))
                .or_default()
                .clone()
        };
        turn.lock_owned().await
    }
}
