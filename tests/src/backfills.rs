//! Backfills and generation runs over a database.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use myao_bot::backfill;
use myao_bot::backfill::{BackfillError, Options, Outcomes};
use myao_plugin::{MemoryPlugin, Settings};
use myao_sql::SqlWorkspace;
use myao_testkit::{Imports, Tap};

use crate::store::utc;
use crate::telling::telling_llm;
use crate::{default_settings, plugin, plugin_over};

/// The default settings, with the engine `llm`.
#[must_use]
pub fn llm_settings() -> Settings {
    default_settings().with(|settings| {
        settings.set("engines.memory", "llm");
    })
}

/// The same with room for the memories of the telling model, which keep every version.
#[must_use]
pub fn telling_settings() -> Settings {
    llm_settings().with(|settings| {
        settings.set("memory.long_term_summary_max_tokens", 1_000_000);
    })
}

/// The same in small steps: bursts take several versions, so that a step of a channel saves many times.
#[must_use]
pub fn small_steps() -> Settings {
    telling_settings().with(|settings| {
        settings.set("memory.generation_message_limit", 15);
        settings.set("memory.short_term_history.message_threshold", 10);
    })
}

/// The component over a workspace, with the model that tells.
#[must_use]
pub fn telling_plugin(workspace: &SqlWorkspace, settings: Settings) -> MemoryPlugin {
    plugin(
        Arc::new(workspace.clone()),
        Arc::new(telling_llm()),
        settings,
    )
}

/// The same, with a listener at its calls.
#[must_use]
pub fn tapped_plugin(
    workspace: &SqlWorkspace,
    settings: Settings,
    tap: Arc<dyn Tap>,
) -> MemoryPlugin {
    let imports = Imports::new(Arc::new(workspace.clone()), Arc::new(telling_llm()));
    plugin_over(imports.tapped(tap), settings)
}

/// Backfills with one channel at a time, up to a time in Unix seconds.
///
/// # Errors
/// [`BackfillError`].
pub async fn backfill(
    plugin: &MemoryPlugin,
    workspace: &SqlWorkspace,
    interval_seconds: u32,
    until: i64,
) -> Result<Outcomes, BackfillError> {
    let options =
        Options::until(utc(until)).with(|options| options.interval_seconds = interval_seconds);
    backfill::backfill(plugin, workspace, options, &utc, &|_| {}).await
}

/// Backfills where nothing may fail.
///
/// # Panics
/// Where something does.
pub async fn backfill_all(
    plugin: &MemoryPlugin,
    workspace: &SqlWorkspace,
    interval_seconds: u32,
    until: i64,
) -> Outcomes {
    let outcomes = backfill(plugin, workspace, interval_seconds, until)
        .await
        .unwrap();
    assert_eq!(outcomes.failed, []);
    outcomes
}
