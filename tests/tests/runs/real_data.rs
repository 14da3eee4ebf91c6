//! A backfill over thousands of real messages, where they are at hand.

use myao_plugin::Place;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use myao_plugin::llm::{NoLlm, estimate_tokens};
use myao_plugin::state::Workspace as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::{MemoryType, Scope};
use myao_testkit::blocking;
use myao_tests::backfills::backfill_all;
use myao_tests::merges::{assert_every_message_is_a_source, assert_merged_once_in_order};
use myao_tests::store::{TestStore, WORKSPACE};
use myao_tests::{default_settings, plugin, project_file};

const ARCHIVE: &str = "irc-slack-export.zip";
/// In 2020, after the last of the messages.
const UNTIL: i64 = 1_577_836_800;

/// The archive; none, said aloud, where it is not there.
fn archive() -> Option<PathBuf> {
    let folder =
        std::env::var_os("MYAO_TEST_DATA").map_or(project_file("../shared/data"), PathBuf::from);
    let archive = folder.join(ARCHIVE);
    if archive.exists() {
        return Some(archive);
    }
    // Not with a macro: what tests print that way is not shown.
    let skipped = format!(
        "\nSKIPPED: real_data needs {}; name its folder in MYAO_TEST_DATA\n",
        archive.display()
    );
    std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_of_real_conversations_remembers_every_message() {
    let Some(archive) = archive() else { return };
    let (file, workspace) = TestStore::empty().into_workspace();
    let begun = Instant::now();
    let mut sink = file.open().import(WORKSPACE, 1).unwrap();
    let report = myao_import::import(
        &archive,
        myao_import::Options::default(),
        &mut sink,
        &mut |_| {},
    )
    .unwrap();
    sink.commit().unwrap();
    eprintln!(
        "imported {} messages in {:?}",
        report.messages,
        begun.elapsed()
    );

    let begun = Instant::now();
    let storage = Arc::new(workspace.clone());
    let plugin = plugin(storage, Arc::new(NoLlm), default_settings());
    let outcomes = backfill_all(&plugin, &workspace, 3600, UNTIL).await;
    eprintln!(
        "made {} memories in {:?}",
        outcomes.made.len(),
        begun.elapsed()
    );
    eprintln!("peak of memory: {}", peak_memory());

    let versions = assert_merged_once_in_order(&workspace);
    let messages = assert_every_message_is_a_source(&workspace).await;
    eprintln!("{messages} messages, {versions} short-term versions");
    assert_eq!(u64::try_from(messages).unwrap(), report.messages);
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        for stored in blocking(workspace.view(Place::Operator).memories(filter.clone())).unwrap() {
            let memory = stored.memory;
            let limit = match memory.memory_type {
                MemoryType::LongTerm => "memory.long_term_summary_max_tokens",
                MemoryType::ShortTerm => "memory.short_term_summary_max_tokens",
            };
            assert!(
                estimate_tokens(&memory.content) <= plugin.settings().number(limit),
                "{} {}",
                memory.scope_id,
                memory.version
            );
            assert!(!memory.content.trim().is_empty());
            assert!(memory.scope != Scope::Workspace || memory.memory_type == MemoryType::LongTerm);
        }
    }
}

/// As Linux tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown here".to_owned(), |peak| peak.trim().to_owned())
}
