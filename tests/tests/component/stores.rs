//! The store in memory beside SQLite: the component gets the same answers from both.

use std::sync::Arc;

use myao_plugin::{Places, Settings};
use myao_testkit::conformance::Records;
use myao_testkit::{Imports, MemoryStorage, Recorder};
use myao_tests::backfills::small_steps;
use myao_tests::conversation::{History, START, Shape, history};
use myao_tests::plugin_over;
use myao_tests::store::{TestStore, utc};
use myao_tests::telling::telling_llm;

use crate::component::host::{HOUR, with_every_workspace_memory, without_versions};

const SHAPE: Shape = Shape {
    channels: 4,
    days: 2,
    burst: 40,
};

fn in_memory(history: &History) -> MemoryStorage {
    let storage = MemoryStorage::new();
    storage.import(Records {
        users: history.users.clone(),
        channels: history.channels.clone(),
        messages: history.messages.clone(),
        memories: Vec::new(),
    });
    storage
}

/// Everything that runs over three days ask of a store, and what they get, one line for each call.
async fn asked_and_got(storage: Arc<dyn Places>, settings: Settings) -> String {
    let recorder = Arc::new(Recorder::default());
    let imports = Imports::new(storage, Arc::new(telling_llm())).tapped(recorder.clone());
    let plugin = plugin_over(imports, settings);
    for tick in 0..12 {
        let now = utc(START + tick * 6 * HOUR);
        plugin.generate(now).await.unwrap();
        // Nothing is due any more, and the store says so.
        plugin.next_steps(&[], now).await.unwrap();
    }
    recorder.to_string()
}

#[tokio::test]
async fn the_component_asks_both_stores_the_same_and_gets_the_same() {
    let settings: [fn(&mut Settings); 4] = [
        |_| {},
        without_versions,
        with_every_workspace_memory,
        |settings| settings.set("engines.memory", "extractive"),
    ];
    for (seed, change) in (31..).zip(settings) {
        let mut values = small_steps();
        // The store in memory keeps no items.
        values.set("memory.ledger_max_tokens", 0);
        change(&mut values);
        let history = history(seed, SHAPE);
        let (_file, sqlite) = TestStore::of(&history).into_workspace();
        let sqlite = asked_and_got(Arc::new(sqlite), values.clone()).await;
        let memory = asked_and_got(Arc::new(in_memory(&history)), values).await;
        assert!(sqlite.lines().count() > 200, "{}", sqlite.lines().count());
        let mut lines = memory.lines().zip(sqlite.lines());
        let differing = lines.find(|(memory, sqlite)| memory != sqlite);
        assert_eq!(differing, None, "seed {seed}");
        assert_eq!(memory.lines().count(), sqlite.lines().count());
    }
}
