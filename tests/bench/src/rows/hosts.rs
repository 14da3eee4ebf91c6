//! Hosts that share a generation run over one PostgreSQL database, with a model that takes a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use myao::config::Config;
use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, Request};
use myao_plugin::{MemoryPlugin, Timestamp, WORKSPACE_SCOPE_ID, run};
use myao_postgres::PostgresStore;
use myao_test_postgres::PostgresServer;
use myao_tests::backfills::llm_settings;
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::plugin;
use myao_tests::store::import_into;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::contexts::{MEMORY, SAID};
use crate::row::{Figure, Limit, Row};

const CHANNELS: u64 = 256;
const MESSAGES: usize = 20;
/// Calls of the model that a host makes at once, and how long each takes.
const IN_FLIGHT: usize = 16;
const TAKES: Duration = Duration::from_secs(1);
/// As in the default configuration.
const STEPS_IN_FLIGHT: usize = 32;
const LEASE: Duration = Duration::from_secs(25);
/// Six hours after the first message.
const NOW: Timestamp = Timestamp {
    unix_seconds: START + 6 * 3600,
    utc_offset_seconds: 0,
};

pub(super) fn measure() -> Result<Vec<Row>> {
    let server = myao_test_postgres::server();
    let one = run_of(server, 1)?;
    let row = |hosts: usize, least: f64| -> Result<Row> {
        let shared = run_of(server, hosts)?;
        let ratio = one.as_secs_f64() / shared.as_secs_f64();
        Ok(Row {
            what: format!(
                "throughput of {hosts} hosts in a generation run over {CHANNELS} due channels of one workspace, \
                 with a model that takes 1 s and {IN_FLIGHT} calls in flight by host"
            ),
            against: "one host".to_owned(),
            measured: Figure::Times(ratio),
            limit: Limit::AtLeast(Figure::Times(least)),
            detail: format!(
                "{:.1} s instead of {:.1} s, all hosts on this machine",
                shared.as_secs_f64(),
                one.as_secs_f64()
            ),
        })
    };
    Ok(vec![row(2, 1.8)?, row(4, 3.2)?])
}

/// How long so many hosts take for a run over a workspace of its own.
fn run_of(server: &PostgresServer, hosts: usize) -> Result<Duration> {
    let name = server.create(None);
    let url = server.url(&name);
    let workspace = "W1";
    let store = PostgresStore::open(&url.parse()?)?;
    import_into(store.import(workspace, START)?, &filled());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let plugins: Vec<MemoryPlugin> = (0..hosts)
        .map(|number| host(&url, workspace, number))
        .collect::<Result<_>>()?;
    let begun = Instant::now();
    let made = runtime.block_on(async {
        let mut runs = JoinSet::new();
        for plugin in plugins {
            runs.spawn(async move { run::generate(&plugin, NOW, STEPS_IN_FLIGHT, &|_| {}).await });
        }
        let mut made = 0;
        while let Some(report) = runs.join_next().await {
            let entries = report??.entries;
            made += entries
                .iter()
                .filter(|entry| !entry.made.is_empty())
                .count();
        }
        anyhow::Ok(made)
    })?;
    let took = begun.elapsed();
    drop(runtime);
    drop(store);
    server.drop_database(&name);
    // After the last channel the workspace is merged, by whichever hosts find something to merge.
    let channels = usize::try_from(CHANNELS)?;
    ensure!(
        (channels + 1..=channels + hosts).contains(&made),
        "{made} steps of {hosts} hosts made memories"
    );
    Ok(took)
}

/// A host with connections and a model of its own.
fn host(url: &str, workspace: &str, number: usize) -> Result<MemoryPlugin> {
    let store = PostgresStore::open(&url.parse()?)?;
    let timezone = Config::default().timezone;
    let of = store.workspace(workspace, timezone, WORKSPACE_SCOPE_ID)?;
    let holder = format!("host {number}");
    let leases = store.leases(workspace, timezone, WORKSPACE_SCOPE_ID, holder, LEASE)?;
    let model = Arc::new(Slow(Semaphore::new(IN_FLIGHT)));
    Ok(plugin(Arc::new(of), model, llm_settings()).with_leases(Arc::new(leases)))
}

/// A model that takes a second.
struct Slow(Semaphore);

#[async_trait::async_trait]
impl Llm for Slow {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        let _permit = self.0.acquire().await;
        tokio::time::sleep(TAKES).await;
        Ok(Completion {
            text: MEMORY.trim_end().to_owned(),
            finish_reason: FinishReason::Stop,
            model: "slow".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

fn filled() -> History {
    let mut history = History {
        users: vec![user("alice")],
        channels: (0..CHANNELS).map(channel).collect(),
        ..History::default()
    };
    for channel in 0..CHANNELS {
        for (minute, said) in (0..).zip(SAID.lines().cycle().take(MESSAGES)) {
            let id = ts(START + 60 * minute, 1);
            history
                .messages
                .push(message(&channel_id(channel), id, said));
        }
    }
    history
}
