//! Searches while messages are written and deleted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;

use myao_plugin::llm::NoLlm;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryPlugin, Place, SearchRequest};
use myao_sql::SqlWorkspace;
use myao_testkit::blocking;
use myao_tests::conversation::{History, Random, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, utc};
use myao_tests::{default_settings, plugin};

/// How many searches a run makes.
const SEARCHES: &str = "MYAO_TEST_SEARCHES";
/// Messages that are there from the beginning.
const OLD: i64 = 2_000;
/// Threads that search side by side.
const SEARCHERS: u64 = 2;

/// What the writer has done, and is committed.
#[derive(Default)]
struct Done {
    /// The messages with smaller numbers are deleted.
    deleted: AtomicI64,
    /// The messages with numbers up to this one are written.
    written: AtomicI64,
}

/// The number of a message is a word that no other message has.
fn said(number: i64) -> String {
    format!("The crane w{number}x stands in the harbour.")
}

fn at(number: i64) -> TsKey {
    ts(START + number, 1)
}

fn store() -> (TestStore, SqlWorkspace) {
    let messages = (0..OLD).map(|number| message(&channel_id(0), at(number), said(number)));
    let history = History {
        users: vec![user("alice")],
        channels: vec![channel(0)],
        messages: messages.collect(),
        ..History::default()
    };
    TestStore::of(&history).into_workspace()
}

/// Writes one message and deletes the oldest one, again and again.
fn write(workspace: &SqlWorkspace, done: &Done, is_over: &AtomicBool) {
    for step in 0.. {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let number = OLD + step;
        let written = Effect::Message {
            record: message(&channel_id(0), at(number), said(number)),
            changed: at(number),
        };
        let deleted = Effect::MessageDeleted {
            channel_id: channel_id(0),
            ts: at(step),
            at: at(number),
        };
        blocking(workspace.apply_effects(vec![written, deleted], START + number)).unwrap();
        done.written.store(number, Ordering::SeqCst);
        done.deleted.store(step + 1, Ordering::SeqCst);
    }
}

/// The messages that a search for some of them finds.
fn find(plugin: &MemoryPlugin, numbers: &[i64]) -> Vec<String> {
    let words: Vec<String> = numbers.iter().map(|n| format!("w{n}x")).collect();
    let request = SearchRequest {
        text: words.join(" "),
        since: None,
        until: None,
        limit: 20,
    };
    let now = utc(START + 10_000_000);
    let found = blocking(plugin.search(Place::Workspace, &request, now)).unwrap();
    found.hits.into_iter().map(|hit| hit.message.text).collect()
}

#[test]
fn what_is_deleted_is_found_no_more_and_what_is_written_at_once() {
    let searches = match std::env::var(SEARCHES) {
        Ok(count) => count.parse::<u64>().unwrap(),
        Err(_) => 300,
    };
    let (_store, workspace) = store();
    let (done, is_over) = (
        Done {
            written: AtomicI64::new(OLD - 1),
            ..Done::default()
        },
        AtomicBool::new(false),
    );
    let made = AtomicU64::new(0);
    let searcher = plugin(
        Arc::new(workspace.clone()),
        Arc::new(NoLlm),
        default_settings(),
    );
    thread::scope(|scope| {
        let writer = scope.spawn(|| write(&workspace, &done, &is_over));
        let search = |seed: u64| {
            let mut random = Random(seed);
            while made.fetch_add(1, Ordering::SeqCst) < searches {
                let (deleted, written) = (
                    done.deleted.load(Ordering::SeqCst),
                    done.written.load(Ordering::SeqCst),
                );
                let gone = deleted - 1 - i64::try_from(random.below(20)).unwrap();
                let found = find(&searcher, &[gone.max(0), written]);
                if deleted > 0 {
                    let gone = said(gone.max(0));
                    assert!(!found.contains(&gone), "{gone} was deleted: {found:#?}");
                }
                // It may have been deleted since.
                let is_still_there = done.deleted.load(Ordering::SeqCst) <= written;
                let new = said(written);
                assert!(
                    found.contains(&new) || !is_still_there,
                    "{new} is not in {found:#?}"
                );
            }
        };
        let searchers: Vec<_> = (0..SEARCHERS)
            .map(|seed| scope.spawn(move || search(seed)))
            .collect();
        let ended: Vec<_> = searchers
            .into_iter()
            .map(|searcher| searcher.join())
            .collect();
        is_over.store(true, Ordering::SeqCst);
        writer.join().unwrap();
        assert!(ended.iter().all(Result::is_ok), "a search failed");
    });
    let changed = done.deleted.into_inner();
    eprintln!("{searches} searches while {changed} messages were written and as many deleted");
    assert!(changed > 0);
}
