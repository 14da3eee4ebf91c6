//! A generation run with a model that answers at once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use myao::config::Config;
use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, Request};
use myao_plugin::ts::TsKey;
use myao_plugin::{Outcome, Persona, Timestamp, WORKSPACE_SCOPE_ID, run};
use myao_sqlite::SqliteStore;
use myao_tests::backfills::llm_settings;
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::plugin;
use myao_tests::store::{TestStore, WORKSPACE};
use tokio::runtime::Runtime;

use crate::bare;
use crate::bare::generation::Run;
use crate::contexts::{MEMORY, SAID};
use crate::measure::{in_turns_timed, on_one_core};
use crate::native::Native;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 5;
const CHANNELS: u64 = 1000;
const MESSAGES: usize = 60;
/// Six hours after the first message, in the timezone of the default configuration.
const NOW: Timestamp = Timestamp {
    unix_seconds: START + 6 * 3600,
    utc_offset_seconds: 0,
};

const SYSTEM_PROMPT: &str = "あなたは「myao」です。";

pub(super) fn measure() -> Result<Vec<Row>> {
    let filled = filled();
    on_one_core(|| measure_with(&filled))
}

fn measure_with(filled: &TestStore) -> Result<Vec<Row>> {
    let bench = Bench::new()?;
    bench.check(filled)?;
    let on_disk = tempfile::tempdir()?;
    let in_memory = TestStore::empty();
    let memory = in_memory.path();
    Ok(vec![
        bench.row(
            filled,
            &on_disk.path().join("myao.db"),
            "on the disk",
            Limit::AtMost(Figure::Times(2.0)),
        )?,
        bench.row(
            filled,
            &memory,
            "in memory, where commits cost nothing",
            Limit::None,
        )?,
    ])
}

struct Bench {
    runtime: Runtime,
    native: Native,
}

impl Bench {
    fn new() -> Result<Self> {
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            native: Native::new()?,
        })
    }

    fn row(&self, filled: &TestStore, database: &Path, place: &str, limit: Limit) -> Result<Row> {
        let timed = |make: &dyn Fn(&Path) -> Result<()>| -> Result<Duration> {
            for ending in ["", "-wal", "-shm"] {
                let mut file = database.as_os_str().to_owned();
                file.push(ending);
                if Path::new(&file).exists() {
                    std::fs::remove_file(&file)?;
                }
            }
            std::fs::copy(filled.path(), database)?;
            let begun = Instant::now();
            make(database)?;
            Ok(begun.elapsed())
        };
        let pair = in_turns_timed(
            ROUNDS,
            || timed(&|path| self.through_the_component(path, Arc::default())),
            || timed(&|path| self.by_hand(path, &Model::default())),
        )?;
        Ok(Row {
            what: format!("generation run over {CHANNELS} due channels of {MESSAGES} messages, SQLite {place}, one channel at a time, all on one core"),
            against: "bare SQL for the same rows and transactions, and minijinja for the same prompts; sources of lines, values and records are the component's alone".to_owned(),
            measured: Figure::Times(pair.ratio),
            limit,
            detail: pair.detail(),
        })
    }

    fn through_the_component(&self, database: &Path, model: Arc<Model>) -> Result<()> {
        let workspace = SqliteStore::open(database)?.workspace(
            WORKSPACE,
            Config::default().timezone,
            WORKSPACE_SCOPE_ID,
        )?;
        let plugin = plugin(
            Arc::new(workspace),
            model,
            llm_settings().with(|settings| {
                settings.set("persona.system_prompt", SYSTEM_PROMPT);
            }),
        );
        let run = run::generate(&plugin, NOW, 1, &|_| {});
        let report = self.runtime.block_on(run)?;
        let done = report
            .entries
            .iter()
            .filter(|entry| entry.outcome == Outcome::Done)
            .count();
        ensure!(
            u64::try_from(done)? == CHANNELS + 1,
            "only {done} steps made a memory"
        );
        Ok(())
    }

    fn by_hand(&self, database: &Path, model: &Model) -> Result<()> {
        let window = 24 * 3600;
        Run {
            native: &self.native,
            persona: Persona {
                name: "myao".to_owned(),
                system_prompt: SYSTEM_PROMPT.to_owned(),
            },
            workspace_scope_id: WORKSPACE_SCOPE_ID,
            now: NOW,
            window_start: TsKey::first_of(NOW.unix_seconds - window),
            ask: &|prompt| model.answer(prompt),
        }
        .make(&mut bare::open(database)?)
    }

    /// Both render the same prompts, but for the notes that the component adds, and write the same rows, but for the sources
    /// of lines and what is kept beside a text.
    fn check(&self, filled: &TestStore) -> Result<()> {
        let (one, other) = (TestStore::copy_of(filled), TestStore::copy_of(filled));
        let (listening, by_hand) = (Arc::new(Model::listening()), Model::listening());
        self.through_the_component(&one.path(), listening.clone())?;
        self.by_hand(&other.path(), &by_hand)?;
        for (prompt, other) in listening.heard().iter().zip(&by_hand.heard()) {
            if let Some(line) = first_line_missing(prompt, other) {
                bail!(
                    "no line, or none in this order, says `{line}` in this prompt:
{prompt}"
                );
            }
        }
        let differs = include_str!("../bare/sql/generation_differs.sql");
        bare::check_same(&one.path(), &other.path(), differs)
    }
}

/// The first line that is not in a prompt behind the lines before it.
fn first_line_missing<'l>(prompt: &str, lines: &'l str) -> Option<&'l str> {
    let mut prompt = prompt.lines();
    lines
        .lines()
        .find(|line| !prompt.any(|shown| shown == *line))
}

/// A model that always answers the same, at once.
#[derive(Default)]
struct Model {
    /// The prompts, where it listens.
    prompts: Option<Mutex<Vec<String>>>,
}

impl Model {
    fn listening() -> Self {
        Self {
            prompts: Some(Mutex::default()),
        }
    }

    /// The prompts that it was asked since it was last heard.
    fn heard(&self) -> Vec<String> {
        let prompts = self.prompts.as_ref();
        prompts.map_or_else(Vec::new, |prompts| {
            std::mem::take(&mut *prompts.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    fn answer(&self, prompt: &str) -> String {
        if let Some(prompts) = &self.prompts {
            prompts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(prompt.to_owned());
        }
        MEMORY.trim_end().to_owned()
    }
}

#[async_trait::async_trait]
impl Llm for Model {
    async fn complete(
        &self,
        request: Request,
        _: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        Ok(Completion {
            text: self.answer(&request.system_prompt),
            finish_reason: FinishReason::Stop,
            model: "instant".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

/// Channels in which people have talked for an hour, and that nobody has summarised.
fn filled() -> TestStore {
    let mut history = History {
        users: vec![user("alice")],
        channels: (0..CHANNELS).map(channel).collect(),
        ..History::default()
    };
    for channel in 0..CHANNELS {
        let skipped = usize::try_from(channel).unwrap_or(0) % 16;
        let said = SAID.lines().cycle().skip(skipped).take(MESSAGES);
        for (minute, said) in (0..).zip(said) {
            let id = ts(START + 60 * minute, 1);
            history
                .messages
                .push(message(&channel_id(channel), id, said));
        }
    }
    TestStore::of(&history)
}
