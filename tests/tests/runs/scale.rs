//! What grows with the number of channels, and what must not.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::records::MemoryRecord;
use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
use myao_plugin::{
    BuildRequest, Engine, MemoryType, Outcome, Scope, SkipReason, WORKSPACE_SCOPE_ID, run,
};
use myao_testkit::conformance::whole;
use myao_testkit::{Recorder, blocking};
use myao_tests::backfills::{llm_settings, tapped_plugin};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, import, utc};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn a_context_of_a_thousand_channels_costs_at_most_four_calls() {
    let (_file, workspace) = TestStore::of(&thousand_channels()).into_workspace();
    for n in 0..1000 {
        for version in 1..=5 {
            let text = format!("{n} version {version}");
            workspace
                .at(Place::Operator)
                .save_memory(
                    draft(n, MemoryType::ShortTerm, version, text),
                    BTreeSet::new(),
                )
                .await
                .unwrap();
        }
        workspace
            .at(Place::Operator)
            .save_memory(
                draft(n, MemoryType::LongTerm, 1, format!("{n} so far")),
                BTreeSet::new(),
            )
            .await
            .unwrap();
    }
    let recorder = Arc::new(Recorder::default());
    let plugin = tapped_plugin(&workspace, llm_settings(), recorder.clone());
    let request = BuildRequest {
        channel_id: channel_id(0),
        target_thread_ts: Some(ts(START, 1).to_string()),
        since: None,
        message_limit: Some(1000),
    };
    let begun = Instant::now();
    let context = plugin
        .build_context(&request, utc(START + DAY))
        .await
        .unwrap();
    eprintln!("a context of 1,000 channels: {:?}", begun.elapsed());
    assert!(recorder.imports().len() <= 4, "{:?}", recorder.imports());

    let history = &context.conversation_history;
    let in_threads: usize = history
        .threads
        .iter()
        .map(|thread| thread.messages.len())
        .sum();
    assert_eq!(
        (
            history.threads.len(),
            history.top_level_messages.len() + in_threads
        ),
        (1, 1000)
    );
    assert_eq!(history.threads[0].messages.len(), 100);
    let memories: BTreeMap<&str, _> = context
        .channel_memories
        .iter()
        .map(|memory| (memory.channel_id.as_str(), memory))
        .collect();
    assert_eq!(memories.len(), 1000);
    for n in 0..1000 {
        let memory = memories[channel_id(n).as_str()];
        let versions: Vec<String> = (1..=5)
            .map(|version| format!("{n} version {version}"))
            .collect();
        assert_eq!(memory.channel_name, format!("channel-{n}"));
        assert_eq!(memory.short_term_memory_history, versions);
        assert_eq!(
            memory.short_term_memory.as_deref(),
            versions.last().map(String::as_str)
        );
        assert_eq!(memory.long_term_memory, Some(format!("{n} so far")));
    }
    let names: Vec<&str> = context
        .channel_memories
        .iter()
        .map(|memory| memory.channel_name.as_str())
        .collect();
    assert!(names.is_sorted());
}

/// A thousand channels; the first has a thousand messages, a hundred of them in a thread.
fn thousand_channels() -> History {
    let mut history = History {
        users: vec![user("alice")],
        channels: (0..1000).map(channel).collect(),
        ..History::default()
    };
    for n in 0..1000 {
        let mut said = message(&channel_id(0), ts(START + n, 1), format!("message {n}"));
        said.thread_ts = (n > 0 && n % 10 == 0).then_some(ts(START, 1));
        history.messages.push(said);
    }
    history
}

fn draft(n: u64, memory_type: MemoryType, version: u64, content: String) -> MemoryDraft {
    // Ids count up over the whole store: six for each channel.
    let id = n * 6 + version;
    let short_term = memory_type == MemoryType::ShortTerm;
    MemoryDraft {
        scope: Scope::Channel,
        scope_id: channel_id(n),
        memory_type,
        mode: if short_term {
            SaveMode::NewVersion
        } else {
            SaveMode::Overwrite
        },
        expected: (version > 1).then_some(id - 1),
        content,
        engine: Engine::Llm,
        now: utc(START),
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: None,
        merged_through: (!short_term).then_some(n * 6 + 5),
        truncated: false,
        coverage: whole(1),
        citations: Vec::new(),
        records: Vec::new(),
        items: Vec::new(),
    }
}

/// What a run did: its calls with the rows that they returned, and how its entries ended.
type Work = (Vec<(&'static str, usize)>, Vec<Outcome>);

async fn idle_run(store: &TestStore, channels: u64, now: i64, what: &str) -> Work {
    let workspace = store.workspace();
    let recorder = Arc::new(Recorder::default());
    let plugin = tapped_plugin(&workspace, llm_settings(), recorder.clone());
    let begun = Instant::now();
    let report = run::generate(&plugin, utc(now), 1, &|_| {}).await.unwrap();
    eprintln!(
        "idle run over {channels} channels, {what}: {:?}",
        begun.elapsed()
    );
    let calls = recorder.take().into_iter();
    (
        calls
            .map(|made| (made.call.import, made.answer.rows))
            .collect(),
        report
            .entries
            .into_iter()
            .map(|entry| entry.outcome)
            .collect(),
    )
}

fn nothing() -> Work {
    (
        vec![("storage.list-due", 0)],
        vec![Outcome::Skipped(SkipReason::Unchanged)],
    )
}

/// Messages of every channel at one time.
fn said(channels: u64, at: i64) -> History {
    let messages = (0..channels)
        .map(|n| message(&channel_id(n), ts(at, 1), "Hello."))
        .collect();
    History {
        messages,
        ..History::default()
    }
}

/// Channels whose only message is old.
fn old(channels: u64) -> History {
    History {
        users: vec![user("alice")],
        channels: (0..channels).map(channel).collect(),
        ..said(channels, START)
    }
}

/// The same, with memories of all of it, all merged.
fn summarised(channels: u64) -> TestStore {
    let store = TestStore::of(&old(channels));
    let memory = |scope, scope_id, memory_type| MemoryRecord {
        scope,
        scope_id,
        memory_type,
        content: "They said hello.".to_owned(),
        created_at: START + HOUR,
        updated_at: START + HOUR,
        source_message_count: 1,
        source_latest_message_ts: (memory_type == MemoryType::ShortTerm).then_some(ts(START, 1)),
    };
    let mut memories: Vec<MemoryRecord> = (0..channels)
        .flat_map(|n| {
            [MemoryType::ShortTerm, MemoryType::LongTerm]
                .map(|memory_type| memory(Scope::Channel, channel_id(n), memory_type))
        })
        .collect();
    memories.push(memory(
        Scope::Workspace,
        WORKSPACE_SCOPE_ID.to_owned(),
        MemoryType::LongTerm,
    ));
    let history = History {
        memories,
        ..History::default()
    };
    import(&store.open(), &history);
    let workspace = store.workspace();
    blocking(workspace.accept_memories(None, 0)).unwrap();
    store
}

#[tokio::test]
async fn an_idle_run_over_many_summarised_channels_looks_at_none() {
    for channels in [1000, 100_000] {
        let store = summarised(channels);
        let now = START + 3 * DAY;
        assert_eq!(
            idle_run(&store, channels, now, "all summarised").await,
            nothing()
        );

        import(&store.open(), &said(channels, now - 1200));
        assert_eq!(
            idle_run(&store, channels, now, "new messages, none due").await,
            nothing()
        );
    }
}

#[tokio::test]
async fn an_idle_run_over_many_channels_of_old_messages_looks_at_none() {
    for channels in [1000, 100_000] {
        let store = TestStore::of(&old(channels));
        let now = START + 3 * DAY;
        assert_eq!(
            idle_run(&store, channels, now, "never summarised").await,
            nothing()
        );
    }
}

#[tokio::test]
async fn an_idle_run_over_many_long_conversations_looks_at_none() {
    for channels in [1000, 100_000] {
        let store = summarised(channels);
        let now = START + 3 * DAY;
        for at in [now - 3 * HOUR, now - 2 * HOUR, now - HOUR] {
            import(&store.open(), &said(channels, at));
        }
        assert_eq!(
            idle_run(&store, channels, now, "a message every hour").await,
            nothing()
        );
    }
}
