//! The conformance component over the store in memory, and over stores that lack something.

use std::sync::Arc;

use myao_plugin::storage::Storage;
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Places};
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::{Fixture, Records, contract};

struct Kept {
    storage: MemoryStorage,
    /// A fault: it keeps what is deleted.
    keeps_all: bool,
}

#[async_trait::async_trait]
impl Fixture for Kept {
    fn storage(&self) -> Arc<dyn Storage> {
        self.storage.at(Place::Operator)
    }

    async fn add(&self, records: Records) {
        self.storage.import(records);
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        if !self.keeps_all {
            self.storage.delete(channel_id, ts);
        }
    }
}

fn plain(keeps_all: bool) -> Box<dyn Fixture> {
    Box::new(Kept {
        storage: MemoryStorage::new().without_search(),
        keeps_all,
    })
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_and_lacks_nothing() {
    let store = || Kept {
        storage: MemoryStorage::new(),
        keeps_all: false,
    };
    let skipped = contract::check(|| Box::new(store())).await;
    assert_eq!(skipped, []);
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
const OF_A_SEARCH: [&str; 7] = [
    "message_is_found_by_its_terms",
    "message_is_found_by_what_it_says_now",
    "neighbours_are_of_the_thread_or_of_the_top_level",
    "rarest_terms_come_first_and_then_the_newest",
    "terms_are_words_joined_words_pairs_and_emoji",
    "time_and_channels_bound_what_is_found_but_not_what_is_counted",
    "what_is_later_is_not_found",
];
