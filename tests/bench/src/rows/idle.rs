//! A run that has nothing to do.

use anyhow::{Result, ensure};
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::records::MemoryRecord;
use myao_plugin::{MemoryPlugin, MemoryType, Outcome, Scope, WORKSPACE_SCOPE_ID, run};
use myao_tests::backfills::{llm_settings, telling_plugin};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, import, utc};
use tokio::runtime::Runtime;

use crate::measure::in_turns;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 101;
const FEW: u64 = 1000;
const MANY: u64 = 100_000;
const HOUR: i64 = 3600;
const NOW: i64 = START + 72 * HOUR;

pub(super) fn measure() -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (few, many) = (Idle::of(&runtime, FEW)?, Idle::of(&runtime, MANY)?);
    let pair = in_turns(ROUNDS, || many.run(&runtime), || few.run(&runtime))?;
    Ok(vec![Row {
        what: format!(
            "idle run over {MANY} channels, each with memories and a new message, none due"
        ),
        against: format!("the same over {FEW} channels"),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(1.2)),
        detail: pair.detail(),
    }])
}

struct Idle {
    _store: TestStore,
    plugin: MemoryPlugin,
}

impl Idle {
    /// Every channel was summarised, and somebody has said something since, too little and too late to be due.
    fn of(runtime: &Runtime, channels: u64) -> Result<Self> {
        let said = |at| (0..channels).map(move |n| message(&channel_id(n), ts(at, 1), "Hello."));
        let memory = |scope, scope_id, memory_type| MemoryRecord {
            scope,
            scope_id,
            memory_type,
            content: "They said hello.".to_owned(),
            created_at: START + HOUR,
            updated_at: START + HOUR,
            source_message_count: 1,
            source_latest_message_ts: (memory_type == MemoryType::ShortTerm)
                .then_some(ts(START, 1)),
        };
        let of_channels = (0..channels).flat_map(|n| {
            [MemoryType::ShortTerm, MemoryType::LongTerm]
                .map(|memory_type| memory(Scope::Channel, channel_id(n), memory_type))
        });
        let workspace = memory(
            Scope::Workspace,
            WORKSPACE_SCOPE_ID.to_owned(),
            MemoryType::LongTerm,
        );
        let store = TestStore::of(&History {
            users: vec![user("alice")],
            channels: (0..channels).map(channel).collect(),
            messages: said(START).collect(),
            memories: of_channels.chain([workspace]).collect(),
        });
        import(
            &store.open(),
            &History {
                messages: said(NOW - HOUR / 2).collect(),
                ..History::default()
            },
        );
        let workspace = store.workspace();
        // The sources of imported memories are not known.
        runtime.block_on(workspace.accept_memories(None, 0))?;
        let plugin = telling_plugin(&workspace, llm_settings());
        Ok(Self {
            _store: store,
            plugin,
        })
    }

    fn run(&self, runtime: &Runtime) -> Result<()> {
        let report = runtime.block_on(run::generate(&self.plugin, utc(NOW), 1, &|_| {}))?;
        let idle = report.entries.len() == 1
            && report
                .entries
                .iter()
                .all(|entry| matches!(entry.outcome, Outcome::Skipped(_)));
        let entries = report.entries.len();
        ensure!(idle, "the run was not idle: {entries} entries");
        Ok(())
    }
}
