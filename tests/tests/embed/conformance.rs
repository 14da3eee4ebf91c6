//! The conformance component over four stores: in memory and in SQLite here, and those of the hosts in Node and Python.

use std::collections::BTreeMap;
use std::process::Output;

use myao_plugin::state::Workspace;
use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::StorageError;
use myao_sqlite::SqliteWorkspace;
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::contract;
use myao_testkit::conformance::state::{ByImport, WorkspaceFixture};
use myao_tests::store::{TestStore, WORKSPACE};
use serde_json::{Value, json};

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
    workspace: SqliteWorkspace,
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

/// A host of another runtime printed what came of each check: its store keeps the contract, and cannot search.
pub(crate) fn assert_kept(printed: &Output) {
    let outcomes: BTreeMap<String, Value> = serde_json::from_slice(&printed.stdout).unwrap();
    let (passed, others): (Vec<_>, Vec<_>) = outcomes
        .iter()
        .partition(|(_, outcome)| **outcome == "passed");
    assert!(passed.len() > 50, "{outcomes:#?}");
    let cannot = json!({ "skipped": "the host cannot search" });
    let expected = OF_A_SEARCH.map(|name| (name.to_owned(), cannot.clone()));
    assert!(
        others
            .into_iter()
            .eq(expected.iter().map(|(name, outcome)| (name, outcome)))
    );
}
