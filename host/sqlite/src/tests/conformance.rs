//! The suite for every store, on a file that an import fills, and on one that events fill.

use myao_plugin::storage::Storage;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::ImportSink;
use myao_plugin::ts::TsKey;
use myao_testkit::conformance::{Fixture, Records, due};

use super::{Stored, stored};

myao_testkit::storage_conformance!(stored());

#[tokio::test]
async fn first_version_that_was_expected_is_due_whatever_its_age() {
    due::first_version_that_was_expected_is_due_whatever_its_age(&stored()).await;
}

#[async_trait::async_trait]
impl Fixture for Stored {
    fn storage(&self) -> &dyn Storage {
        &self.workspace
    }

    async fn add(&self, records: Records) {
        let mut import = self.store.import("W1").unwrap();
        for user in &records.users {
            import.user(user).unwrap();
        }
        for channel in &records.channels {
            import.channel(channel).unwrap();
        }
        for message in &records.messages {
            import.message(message).unwrap();
        }
        for memory in &records.memories {
            import.memory(memory).unwrap();
        }
        import.commit().unwrap();
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        let mut import = self.store.import("W1").unwrap();
        import.delete_message(channel_id, ts, 1).unwrap();
        import.commit().unwrap();
    }
}

/// The same, with records that come as events.
struct ByEvents(Stored);

mod by_events {
    use super::{ByEvents, stored};

    myao_testkit::storage_conformance!(ByEvents(stored()));
}

#[async_trait::async_trait]
impl Fixture for ByEvents {
    fn storage(&self) -> &dyn Storage {
        &self.0.workspace
    }

    async fn add(&self, records: Records) {
        let mut effects = Vec::new();
        for record in records.users {
            let changed_at = 1;
            effects.push(Effect::User { record, changed_at });
        }
        for channel in records.channels {
            let (id, at) = (channel.id, TsKey::first_of(1));
            effects.push(Effect::ChannelPresence {
                id: id.clone(),
                present: true,
                at,
            });
            effects.push(Effect::ChannelName {
                id,
                name: channel.name,
                is_private: Some(channel.is_private),
                at,
            });
        }
        for record in records.messages {
            let changed = record.changed();
            effects.push(Effect::Message { record, changed });
        }
        self.0.apply(&effects).await;
        let memories = records.memories;
        if !memories.is_empty() {
            let memories = Records {
                memories,
                ..Records::default()
            };
            self.0.add(memories).await;
        }
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        let deleted = Effect::MessageDeleted {
            channel_id: channel_id.into(),
            ts,
            at: ts,
        };
        self.0.apply(&[deleted]).await;
    }
}
