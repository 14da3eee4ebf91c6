//! The suite for every store, on the one in memory: filled by imports, and one record after the other.

#![allow(clippy::unwrap_used, missing_docs)]

use myao::storage::Storage;
use myao::storage::conformance::{Fixture, Records};
use myao::ts::TsKey;
use myao_testkit::MemoryStorage;

struct Imported(MemoryStorage);

myao::storage_conformance!(Imported(MemoryStorage::new()));

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
