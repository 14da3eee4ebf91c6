//! Invariants of the memories of channels after every run.
#![allow(clippy::unwrap_used, clippy::panic)]

use myao_plugin::{Place, Places as _};
use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::Workspace as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::{Keep, Memory, MessageQuery, Storage as _};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};
use myao_sql::SqlWorkspace;
use myao_testkit::blocking;

/// Every short-term text of every channel was merged into the channel's long-term memory exactly once, and in
/// order; versions are not repeated. Where versions are kept and `telling`'s model answered, the long-term
/// memory also says so. Returns how many short-term texts there are.
///
/// # Panics
/// Where that is not so.
pub fn assert_merged_once_in_order(workspace: &SqlWorkspace) -> usize {
    let mut checked = 0;
    let mut channels: BTreeMap<String, Channel> = BTreeMap::new();
    for memory in all_texts(workspace) {
        let channel = channels.entry(memory.scope_id.clone()).or_default();
        match memory.memory_type {
            MemoryType::ShortTerm => channel.short_terms.push(memory),
            MemoryType::LongTerm => channel.long_terms.push(memory),
        }
    }
    for (id, channel) in &mut channels {
        channel.short_terms.sort_by_key(|memory| memory.id);
        channel.long_terms.sort_by_key(|memory| memory.id);
        channel.check(id, workspace);
        checked += channel.short_terms.len();
    }
    checked
}

/// Texts that were replaced, too.
fn all_texts(workspace: &SqlWorkspace) -> Vec<Memory> {
    let mut texts = Vec::new();
    for superseded in [false, true] {
        let filter = MemoryFilter {
            scope: Some(Scope::Channel),
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let found = blocking(workspace.view(Place::Operator).memories(filter.clone())).unwrap();
        texts.extend(found.into_iter().map(|stored| stored.memory));
    }
    texts
}

#[derive(Default)]
struct Channel {
    short_terms: Vec<Memory>,
    long_terms: Vec<Memory>,
}

impl Channel {
    fn check(&self, id: &str, workspace: &SqlWorkspace) {
        let made: Vec<u64> = self.short_terms.iter().map(|memory| memory.id).collect();
        let mut merged = Vec::new();
        let mut into = None;
        for long_term in &self.long_terms {
            let sources = blocking(workspace.view(Place::Operator).sources(long_term.id))
                .unwrap()
                .memories;
            let of = |memory_type| {
                let ids = sources
                    .iter()
                    .filter(move |source| source.memory_type == memory_type);
                ids.map(|source| source.id).collect::<Vec<_>>()
            };
            assert_eq!(
                of(MemoryType::LongTerm),
                Vec::from_iter(into),
                "{id}: a merge is left out"
            );
            assert_eq!(
                of(MemoryType::ShortTerm),
                Vec::from_iter(long_term.merged_through),
                "{id}"
            );
            merged.extend(long_term.merged_through);
            into = Some(long_term.id);
        }
        assert_eq!(
            merged, made,
            "{id}: each short-term text is merged once, in order"
        );
        let versions: Vec<u32> = self
            .short_terms
            .iter()
            .map(|memory| memory.version)
            .collect();
        let counted: Vec<u32> = (1..).take(versions.len()).collect();
        assert!(
            versions == counted || versions.iter().all(|version| *version == 1),
            "{id}: versions {versions:?}"
        );
    }
}

/// The long-term memory of every channel is its short-term versions one below the other, as
/// [`crate::telling::telling_llm`] merges them.
///
/// # Panics
/// Where that is not so.
pub fn assert_long_term_tells_of_each_version(workspace: &SqlWorkspace) {
    let filter = MemoryFilter {
        scope: Some(Scope::Channel),
        with_text: true,
        ..MemoryFilter::default()
    };
    let mut told: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for stored in blocking(workspace.view(Place::Operator).memories(filter.clone())).unwrap() {
        let memory = stored.memory;
        let (long_term, short_terms) = told.entry(memory.scope_id).or_default();
        match memory.memory_type {
            MemoryType::ShortTerm => short_terms.push(memory.content),
            MemoryType::LongTerm => *long_term = memory.content,
        }
    }
    assert!(!told.is_empty());
    for (id, (long_term, short_terms)) in told {
        assert_eq!(long_term, short_terms.join("\n"), "{id}");
    }
}

/// Every message went into a short-term memory of its channel. Returns how many messages there are.
///
/// # Panics
/// Where one did not.
pub async fn assert_every_message_is_a_source(workspace: &SqlWorkspace) -> usize {
    let mut sources: BTreeSet<(String, String)> = BTreeSet::new();
    for memory in all_texts(workspace) {
        if memory.memory_type == MemoryType::ShortTerm {
            let messages = blocking(workspace.view(Place::Operator).sources(memory.id))
                .unwrap()
                .messages;
            sources.extend(
                messages
                    .into_iter()
                    .map(|m| (m.channel_id, m.ts.to_string())),
            );
        }
    }
    let mut messages = BTreeSet::new();
    for channel in workspace.at(Place::Operator).list_channels().await.unwrap() {
        let query = MessageQuery {
            channel_id: channel.id.clone(),
            since: None,
            until: TsKey::first_of(100_000_000_000).to_string(),
            limit: u32::MAX,
            keep: Keep::Oldest,
            whole_thread: None,
            thread_limit: 0,
            only_new: false,
        };
        let stored = workspace
            .at(Place::Operator)
            .list_messages(query)
            .await
            .unwrap();
        messages.extend(
            stored
                .into_iter()
                .map(|message| (channel.id.clone(), message.ts)),
        );
    }
    let missing: Vec<_> = messages.difference(&sources).collect();
    assert!(
        missing.is_empty(),
        "{} messages are in no memory, as {:?}",
        missing.len(),
        missing.first()
    );
    messages.len()
}

/// The workspace holds the same memories, with times, sources and older texts.
///
/// # Panics
/// With the first line that differs.
pub fn assert_same_dump(workspace: &SqlWorkspace, expected: &str, what: &str) {
    let (made, expected) = (
        in_one_order(&workspace.dump().unwrap()),
        in_one_order(expected),
    );
    if made == expected {
        return;
    }
    let mut lines = made.lines().zip(expected.lines()).enumerate();
    let differing = lines.find(|(_, (made, expected))| made != expected);
    let (made, expected) = (made.lines().count(), expected.lines().count());
    panic!("{what}: {made} lines, expected {expected}: {differing:#?}");
}

/// A dump with the memories that each was made from in order of their names: the store lists them by their
/// ids, which depend on which channel was ready first.
fn in_one_order(dump: &str) -> String {
    let line = |line: &str| match line.split_once(", from: ") {
        Some((merged, names)) if merged.starts_with("  merged ") => {
            let words: Vec<&str> = names.split(' ').collect();
            // `channel C1 short-term v2 text 1`
            let mut names: Vec<String> = words.chunks(6).map(|name| name.join(" ")).collect();
            names.sort();
            format!("{merged}, from: {}\n", names.join(" "))
        }
        _ => format!("{line}\n"),
    };
    dump.lines().map(line).collect()
}
