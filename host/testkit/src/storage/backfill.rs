//! When messages were written, and how far a backfill has come.

use myao_plugin::state::backfill::BackfillState;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::messages::Conversation;
use super::{MemoryStorage, State};

#[async_trait::async_trait]
impl BackfillState for MemoryStorage {
    async fn take_in_history(&self) -> Result<(), StorageError> {
        self.state().take_in_history();
        Ok(())
    }

    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError> {
        let state = self.state();
        let channels = state.channels.values();
        let shown = channels.flat_map(Conversation::all_shown).map(|(ts, _)| ts);
        Ok(shown.filter(|other| *other > ts).min())
    }

    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError> {
        Ok(self.state().oldest_new())
    }

    async fn oldest_history_message(&self) -> Result<Option<TsKey>, StorageError> {
        Ok(self.state().oldest_history())
    }

    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError> {
        Ok(self.state().backfill_tick)
    }

    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError> {
        self.state().backfill_tick = Some(unix_seconds);
        Ok(())
    }
}

impl State {
    /// The oldest message that waits. A late message waits for its channel's next version, whenever that is made, so it
    /// counts as newer than what is summarised.
    fn oldest_new(&self) -> Option<TsKey> {
        let channels = self.channels.iter().filter(|(_, stored)| stored.is_present);
        let oldest = channels.filter_map(|(id, stored)| {
            let after = |watermark: TsKey| TsKey::from_database(watermark.to_database() + 1);
            let oldest = self.new_messages(id, stored).next()?;
            Some(
                self.watermark(id, None)
                    .map_or(oldest, |mark| oldest.max(after(mark))),
            )
        });
        oldest.min()
    }
}
