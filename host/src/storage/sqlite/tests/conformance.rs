//! The suite for every store, on a file.

use super::{Stored, stored};
use crate::storage::Storage;
use crate::storage::conformance::{Fixture, Records};
use crate::storage::records::ImportSink;
use crate::ts::TsKey;

crate::storage_conformance!(stored());

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
