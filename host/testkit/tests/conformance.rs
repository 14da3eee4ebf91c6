//! The suite for every store, on the one in memory: filled by imports, and one record after the other.

#![allow(clippy::unwrap_used, missing_docs)]

use myao_plugin::storage::Storage;
use myao_plugin::ts::TsKey;
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::{Fixture, Records, due};

struct Imported(MemoryStorage);

myao_testkit::storage_conformance!(Imported(MemoryStorage::new()));

#[tokio::test]
async fn first_version_that_was_expected_is_due_whatever_its_age() {
    let fixture = Imported(MemoryStorage::new());
    due::first_version_that_was_expected_is_due_whatever_its_age(&fixture).await;
}

#[async_trait::async_trait]
impl Fixture for Imported {
    fn storage(&self) -> &dyn Storage {
        &self.0
    }

    async fn add(&self, records: Records) {
        self.0.import(records).unwrap();
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        self.0.delete(channel_id, ts, 0);
    }
}
