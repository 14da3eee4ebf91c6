//! The conformance component over the stores of Rust, and what the packages' stores have to print: those in memory and those
//! in SQLite.

use std::collections::BTreeMap;
use std::process::Output;
use std::sync::Arc;

use myao_plugin::state::Workspace;
use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::{Storage, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Places};
use myao_sql::SqlWorkspace;
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::state::{ByImport, WorkspaceFixture};
use myao_testkit::conformance::{Fixture, Records, contract};
use myao_tests::store::{TestStore, WORKSPACE};
use serde_json::Value;

use crate::without_search::WithoutSearch;

struct InMemory(MemoryStorage);

impl WorkspaceFixture for InMemory {
    fn workspace(&self) -> &(dyn Workspace + 'static) {
        &self.0
    }

    fn import_target(&self) -> &dyn ImportTarget {
        &self.0
    }
}

struct Sqlite {
    store: TestStore,
    workspace: SqlWorkspace,
}

impl Sqlite {
    fn new() -> Self {
        let (store, workspace) = TestStore::empty().into_workspace();
        Self { store, workspace }
    }
}

impl WorkspaceFixture for Sqlite {
    fn workspace(&self) -> &(dyn Workspace + 'static) {
        &self.workspace
    }

    fn import_target(&self) -> &dyn ImportTarget {
        self
    }
}

#[async_trait::async_trait]
impl ImportTarget for Sqlite {
    async fn begin_import(&self, now: i64) -> Result<Box<dyn Import>, StorageError> {
        Ok(Box::new(self.store.open().import(WORKSPACE, now)?))
    }
}

#[tokio::test]
async fn the_stores_of_rust_keep_the_contract_and_lack_nothing() {
    let in_memory = contract::check(|| Box::new(ByImport(InMemory(MemoryStorage::new()))));
    assert_eq!(in_memory.await, []);
    let sqlite = contract::check(|| Box::new(ByImport(Sqlite::new())));
    assert_eq!(sqlite.await, []);
}

/// A store without search and marks.
struct Plain {
    storage: MemoryStorage,
    /// A fault: whether it keeps what is deleted.
    keeps_all: bool,
}

#[async_trait::async_trait]
impl Fixture for Plain {
    fn storage(&self) -> Arc<dyn Storage> {
        WithoutSearch(self.storage.clone()).at(Place::Operator)
    }

    async fn add(&self, records: Records) {
        self.storage.import(records).unwrap();
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        if !self.keeps_all {
            self.storage.delete(channel_id, ts, ts.unix_seconds());
        }
    }
}

fn plain(keeps_all: bool) -> Box<dyn Fixture> {
    let storage = MemoryStorage::new();
    Box::new(Plain { storage, keeps_all })
}

#[tokio::test]
async fn what_a_store_need_not_have_is_skipped_by_name() {
    let skipped = contract::check(|| plain(false)).await;
    let mut names: Vec<&str> = skipped.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let mut expected = OF_A_SEARCH.to_vec();
    expected.push("text_that_may_be_a_mark_is_listed");
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[tokio::test]
#[should_panic(expected = "deleted_message_is_not_returned: storage.list-messages: expected")]
async fn a_fault_is_told_with_its_place_in_the_contract() {
    contract::check(|| plain(true)).await;
}

/// What a store need not have.
const OF_A_SEARCH: [&str; 8] = [
    "memory_is_found_by_its_terms",
    "message_is_found_by_its_terms",
    "message_is_found_by_what_it_says_now",
    "neighbours_are_of_the_thread_or_of_the_top_level",
    "rarest_terms_come_first_and_then_the_newest",
    "terms_are_words_joined_words_pairs_and_emoji",
    "time_and_channels_bound_what_is_found_but_not_what_is_counted",
    "what_is_later_is_not_found",
];

/// A host of another runtime printed what came of each check: these stores of its package keep the contract, and lack nothing.
pub(crate) fn assert_kept(printed: &Output, stores: &[&str]) {
    let outcomes: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_slice(&printed.stdout).unwrap();
    let names: Vec<&str> = outcomes.keys().map(String::as_str).collect();
    assert_eq!(names, stores);
    for (store, outcomes) in outcomes {
        assert!(outcomes.len() > 50, "{store}: {outcomes:#?}");
        for (check, outcome) in outcomes {
            assert_eq!(outcome, "passed", "{store}: {check}");
        }
    }
}
