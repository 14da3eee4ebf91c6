//! A deletion in a channel with a long memory.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::Result;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
use myao_plugin::ts::TsKey;
use myao_plugin::{Citation, Engine, MemoryType, MessageRef, Place, Places as _, Scope};
use myao_sql::SqlWorkspace;
use myao_testkit::conformance::whole;
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, utc};
use tokio::runtime::Runtime;

use crate::measure::in_turns_timed;
use crate::row::{Figure, Limit, Row, shown};

const ROUNDS: usize = 101;
const FEW: i64 = 100;
const MANY: i64 = 10_000;
/// Messages of a version, each of which a line cites. One more line has no source.
const LINES: i64 = 4;

pub(super) fn measure() -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut few = Remembered::of(&runtime, FEW)?;
    let mut many = Remembered::of(&runtime, MANY)?;
    let pair = in_turns_timed(ROUNDS, || many.delete(&runtime), || few.delete(&runtime))?;
    Ok(vec![Row {
        what: format!("longest deletion of a message in a channel with {MANY} versions"),
        against: format!("the same with {FEW} versions"),
        measured: Figure::Seconds(many.longest.as_secs_f64()),
        limit: Limit::AtMost(Figure::Seconds(0.05)),
        detail: format!(
            "{} against {}; {}",
            shown(many.longest),
            shown(few.longest),
            pair.detail()
        ),
    }])
}

struct Remembered {
    _store: TestStore,
    workspace: SqlWorkspace,
    versions: i64,
    deleted: i64,
    /// The time of the longest deletion: one may erase what the others then do not find any more.
    longest: Duration,
}

impl Remembered {
    fn of(runtime: &Runtime, versions: i64) -> Result<Self> {
        let said = |n| {
            message(
                &channel_id(0),
                ts(START + n, 1),
                format!("Crane {n} is ready."),
            )
        };
        let history = History {
            users: vec![user("alice")],
            channels: vec![channel(0)],
            messages: (0..versions * LINES).map(said).collect(),
            ..History::default()
        };
        let (store, workspace) = TestStore::of(&history).into_workspace();
        let here = workspace.at(Place::Operator);
        let mut newest = None;
        for version in 0..versions {
            let handed = newest.into_iter().collect::<BTreeSet<u64>>();
            let saved = here.save_memory(draft(version, newest), handed);
            newest = Some(runtime.block_on(saved)?.id);
        }
        Ok(Self {
            _store: store,
            workspace,
            versions,
            deleted: 0,
            longest: Duration::ZERO,
        })
    }

    /// Deletes another message each time, all over the versions.
    fn delete(&mut self, runtime: &Runtime) -> Result<Duration> {
        let version = self.deleted * 31 % self.versions;
        let at = version * LINES + self.deleted % LINES;
        self.deleted += 1;
        let effect = Effect::MessageDeleted {
            channel_id: channel_id(0),
            ts: ts(START + at, 1),
            at: TsKey::first_of(START + self.versions * LINES + self.deleted),
        };
        let begun = Instant::now();
        runtime.block_on(self.workspace.apply_effects(vec![effect], START))?;
        let took = begun.elapsed();
        self.longest = self.longest.max(took);
        Ok(took)
    }
}

fn draft(version: i64, expected: Option<u64>) -> MemoryDraft {
    let mut content = String::new();
    let mut citations = Vec::new();
    let mut sources = Vec::new();
    for line in 0..=LINES {
        let id = ts(START + version * LINES + line, 1).to_string();
        let text = format!("- Crane {} is ready.", version * LINES + line);
        let start = content.len();
        content.push_str(&text);
        content.push('\n');
        let message = MessageRef {
            channel_id: channel_id(0),
            ts: id.clone(),
        };
        let has_source = line < LINES;
        if has_source {
            sources.push(id);
        }
        // All of it is ASCII.
        citations.push(Citation {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            messages: has_source.then_some(message).into_iter().collect(),
            by_program: false,
        });
    }
    MemoryDraft {
        scope: Scope::Channel,
        scope_id: channel_id(0),
        memory_type: MemoryType::ShortTerm,
        mode: SaveMode::NewVersion,
        expected,
        content,
        engine: Engine::Llm,
        now: utc(START + (version + 1) * LINES),
        source_channel_id: channel_id(0),
        source_latest_message_ts: sources.last().cloned(),
        source_message_count: u32::try_from(LINES).unwrap_or(u32::MAX),
        source_messages: sources,
        source_memories: Vec::new(),
        merged_through: None,
        truncated: false,
        coverage: whole(u32::try_from(LINES).unwrap_or(u32::MAX)),
        citations,
        records: Vec::new(),
        items: Vec::new(),
    }
}
