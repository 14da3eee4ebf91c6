//! What is needed to read the platform's history.

use std::cmp::Reverse;

use myao_plugin::state::sync::{KnownChannel, Member, StoredId, SyncState};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::{Directory, PRIVATE_CHANNEL, UserRecord};
use myao_plugin::ts::TsKey;

use super::writing::A_DAY;
use super::{MemoryStorage, most};

#[async_trait::async_trait]
impl SyncState for MemoryStorage {
    async fn address(&self) -> Result<Option<String>, StorageError> {
        Ok(self.state().address.clone())
    }

    async fn set_address(&self, address: &str) -> Result<(), StorageError> {
        self.state().address = Some(address.to_owned());
        Ok(())
    }

    async fn connected_through(&self) -> Result<Option<i64>, StorageError> {
        Ok(self.state().connected_through)
    }

    async fn set_connected_through(&self, unix_seconds: i64) -> Result<(), StorageError> {
        let mut state = self.state();
        state.connected_through = state.connected_through.max(Some(unix_seconds));
        Ok(())
    }

    async fn bring_back_connected_through(
        &self,
        now: i64,
        latest: i64,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        if state.connected_through > Some(latest) {
            state.connected_through = Some(now);
        }
        Ok(())
    }

    async fn newest_message(&self, until: TsKey) -> Result<Option<TsKey>, StorageError> {
        let state = self.state();
        let channels = state.channels.values();
        let newest = channels.filter_map(|stored| stored.between(None, until).next_back());
        Ok(newest.max())
    }

    async fn bring_back_times(&self, now: i64) -> Result<(), StorageError> {
        let mut state = self.state();
        for text in state
            .texts
            .values_mut()
            .filter(|text| text.superseded_at.is_none())
        {
            let memory = &mut text.memory;
            if memory.updated_at.unix_seconds > now.saturating_add(A_DAY) {
                memory.updated_at.unix_seconds = now;
                let created = &mut memory.created_at.unix_seconds;
                *created = now.min(*created);
            }
        }
        let channels = state.channels.values_mut();
        for changed in channels.flat_map(|stored| stored.changed_threads.values_mut()) {
            if *changed > now.saturating_add(A_DAY) {
                *changed = now;
            }
        }
        Ok(())
    }

    async fn history_read_through(&self, channel_id: &str) -> Result<Option<TsKey>, StorageError> {
        Ok(self.state().conversation(channel_id)?.read_through)
    }

    async fn set_history_read_through(
        &self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        if let Some(conversation) = state.channels.get_mut(channel_id) {
            conversation.read_through = conversation.read_through.max(Some(ts));
        }
        Ok(())
    }

    async fn recent_threads(
        &self,
        channel_id: &str,
        since: TsKey,
    ) -> Result<Vec<TsKey>, StorageError> {
        let state = self.state();
        let threads = state.conversation(channel_id)?.threads.iter();
        let newest = threads.filter_map(|(thread, replies)| Some((*replies.last()?, *thread)));
        let mut recent: Vec<_> = newest.filter(|(newest, _)| *newest >= since).collect();
        // The sort is stable: equal ones stay in the order of threads.
        recent.sort_by_key(|(newest, _)| Reverse(*newest));
        Ok(recent.into_iter().map(|(_, thread)| thread).collect())
    }

    async fn messages_between(
        &self,
        channel_id: &str,
        from: TsKey,
        to: TsKey,
    ) -> Result<Vec<StoredId>, StorageError> {
        let state = self.state();
        let shown = state.conversation(channel_id)?.all_shown();
        let shown = shown.filter(|(_, message)| message.user_id != OPERATOR_ID);
        let between = shown.filter(|(ts, _)| (from..=to).contains(ts));
        let between = between.map(|(ts, message)| StoredId {
            ts,
            thread_ts: message.thread,
        });
        Ok(between.collect())
    }

    async fn known_user(&self, id: &str) -> Result<Option<UserRecord>, StorageError> {
        let state = self.state();
        Ok(state.users.get(id).map(|user| user.record.clone()))
    }

    async fn closed_at(&self, user_id: &str) -> Result<Option<TsKey>, StorageError> {
        let state = self.state();
        Ok(state.users.get(user_id).and_then(|user| user.closed_at))
    }

    async fn known_channel(&self, id: &str) -> Result<Option<KnownChannel>, StorageError> {
        let state = self.state();
        Ok(state.channels.get(id).map(|stored| KnownChannel {
            name: stored.name.clone(),
            is_private: stored.is_private,
            is_present: stored.is_present,
            audience: state.audience(stored),
        }))
    }

    async fn members(&self, channel_id: &str) -> Result<Vec<Member>, StorageError> {
        let state = self.state();
        let channel = state.channels.get(channel_id);
        Ok(channel.map_or_else(Vec::new, |stored| stored.members.known()))
    }

    async fn is_member(
        &self,
        user_id: &str,
        channel_id: &str,
        since: TsKey,
    ) -> Result<bool, StorageError> {
        let state = self.state();
        let channel = state.channels.get(channel_id);
        let mut members = channel.into_iter().flat_map(|stored| stored.members.all());
        Ok(members.any(|(id, known_at)| id == user_id && known_at >= since))
    }

    async fn channels_of_unknown_audience(&self) -> Result<Vec<String>, StorageError> {
        Ok(self.state().unknown_audiences())
    }

    async fn members_of_unknown_standing(&self, limit: u32) -> Result<Vec<String>, StorageError> {
        let unknown = self.state().unknown_standing();
        Ok(unknown.into_iter().take(most(limit)).collect())
    }

    async fn directory(
        &self,
        users: Vec<String>,
        channels: Vec<String>,
    ) -> Result<Directory, StorageError> {
        let state = self.state();
        let users = users.into_iter().filter_map(|id| {
            let record = state.users.get(&id)?.record.clone();
            (!record.name.is_empty()).then_some((id, record))
        });
        let channels = channels.into_iter().filter_map(|id| {
            let channel = state.channels.get(&id)?;
            let shown = if channel.is_private {
                PRIVATE_CHANNEL
            } else {
                &channel.name
            };
            (!channel.name.is_empty()).then(|| (id, shown.to_owned()))
        });
        Ok(Directory {
            users: users.collect(),
            channels: channels.collect(),
        })
    }
}
