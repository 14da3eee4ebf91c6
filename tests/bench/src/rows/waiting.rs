//! The memory of calls that wait inside an import, as calls do nearly all of their time.
//!
//! Measured in a process of its own, as memory that other measurements gave back would be used again.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, ensure};
use myao_plugin::llm::{CallObserver, Completion, Llm, LlmError, Request};
use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::{Limits, MemoryType, Scope};
use myao_tests::backfills::llm_settings;
use myao_tests::builder;

use crate::contexts::channel_context;
use crate::row::{Figure, Limit, Row};

/// The argument of the separate process.
pub const ARGUMENT: &str = "--waiting-calls";
/// Calls before the base is taken, so that what all calls share is there.
const BASE: usize = 16;
/// Calls above the base.
const CALLS: usize = 500;
/// Messages of each call.
const MESSAGES: usize = 60;
const MEMORY: &str = "/proc/self/smaps_rollup";

#[allow(
    clippy::cast_precision_loss,
    reason = "no process has 2^52 bytes of memory"
)]
pub(super) fn measure() -> Result<Vec<Row>> {
    if !std::path::Path::new(MEMORY).exists() {
        // Only Linux tells it so.
        return Ok(Vec::new());
    }
    let output = Command::new(std::env::current_exe()?)
        .arg(ARGUMENT)
        .output()?;
    ensure!(
        output.status.success(),
        "the process with the waiting calls failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told = String::from_utf8(output.stdout)?;
    let (base, all) = told
        .trim()
        .split_once(' ')
        .context("the process with the waiting calls told no figures")?;
    let (base, all): (u64, u64) = (base.parse()?, all.parse()?);
    Ok(vec![Row {
        what: format!("memory of a call that waits for the model with {MESSAGES} messages"),
        against: format!("the same process with {BASE} such calls, resident memory"),
        measured: Figure::Bytes((all.saturating_sub(base)) as f64 / CALLS as f64),
        limit: Limit::AtMost(Figure::Bytes(256.0 * 1024.0)),
        detail: format!(
            "{} KB with {BASE} calls, {} KB with {}",
            base / 1000,
            all / 1000,
            BASE + CALLS
        ),
    }])
}

/// The process of its own: prints the resident memory, in bytes, with a few calls and with many.
///
/// # Errors
/// Where the calls do not get as far as the model.
#[allow(clippy::print_stdout)]
pub fn wait() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let model = Arc::new(Silent::default());
        let limits = Limits::default().with(|limits| limits.concurrent_calls = BASE + CALLS);
        let imports = builder(Arc::new(EmptyStorage), model.clone(), llm_settings());
        let plugin = imports.limits(limits).build()?;
        let mut resident = Vec::new();
        let mut started = 0;
        for calls in [BASE, BASE + CALLS] {
            while started < calls {
                let plugin = plugin.clone();
                tokio::spawn(async move {
                    let context = channel_context(MESSAGES);
                    plugin
                        .summarize(&context, Scope::Channel, MemoryType::ShortTerm, None)
                        .await
                });
                // One after the other, as they come in.
                started += 1;
                let mut turns = 0;
                while model.asked.load(Ordering::Relaxed) < started {
                    turns += 1;
                    ensure!(turns < 100_000, "a call does not reach the model");
                    tokio::task::yield_now().await;
                }
            }
            resident.push(resident_bytes()?.to_string());
        }
        println!("{}", resident.join(" "));
        Ok(())
    })
}

/// The bytes in the machine's memory for this process alone: of pages that several mappings share, each counts a
/// part.
fn resident_bytes() -> Result<u64> {
    let told = std::fs::read_to_string(MEMORY)?;
    let kilobytes = told
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.strip_suffix("kB"))
        .with_context(|| format!("{MEMORY} has no Pss"))?;
    Ok(kilobytes.trim().parse::<u64>()? * 1024)
}

/// A model that never answers.
#[derive(Default)]
struct Silent {
    asked: AtomicUsize,
}

#[async_trait::async_trait]
impl Llm for Silent {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        std::future::pending().await
    }
}
