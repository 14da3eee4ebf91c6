//! Backfills and generation runs over a database.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use myao_bot::backfill;
use myao_bot::backfill::{BackfillError, Options, Outcomes};
use myao_plugin::{Engine, MemoryPlugin, Settings, ShortTermHistory};
use myao_sqlite::SqliteWorkspace;
use myao_testkit::{Imports, Tap};

use crate::store::utc;
use crate::telling::telling_llm;
use crate::{default_settings, plugin, plugin_over};

/// The default settings, with the engine `llm`.
#[must_use]
pub fn llm_settings() -> Settings {
    Settings {
        engine: Engine::Llm,
        ..default_settings()
    }
}

/// The same with room for the memories of the telling model, which keep every version.
#[must_use]
pub fn telling_settings() -> Settings {
    Settings {
        long_term_summary_max_tokens: 1_000_000,
        ..llm_settings()
    }
}

/// The same in small steps: bursts take several versions, so that a step of a channel saves many times.
#[must_use]
pub fn small_steps() -> Settings {
    let defaults = telling_settings();
    Settings {
        generation_message_limit: 15,
        short_term_history: ShortTermHistory {
            message_threshold: 10,
            ..defaults.short_term_history
        },
        ..defaults
    }
}

/// The component over a workspace, with the model that tells.
#[must_use]
pub fn telling_plugin(workspace: &SqliteWorkspace, settings: Settings) -> MemoryPlugin {
    plugin(
        Arc::new(workspace.clone()),
        Arc::new(telling_llm()),
        settings,
    )
}

/// The same, with a listener at its calls.
#[must_use]
pub fn tapped_plugin(
    workspace: &SqliteWorkspace,
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
    workspace: &SqliteWorkspace,
    interval_seconds: u32,
    until: i64,
) -> Result<Outcomes, BackfillError> {
    let options = Options {
        interval_seconds,
        until: utc(until),
        in_flight: 1,
        keep_going: false,
    };
    backfill::backfill(plugin, workspace, options, &utc, &|_| {}).await
}

/// Backfills where nothing may fail.
///
/// # Panics
/// Where something does.
pub async fn backfill_all(
    plugin: &MemoryPlugin,
    workspace: &SqliteWorkspace,
    interval_seconds: u32,
    until: i64,
) -> Outcomes {
    let outcomes = backfill(plugin, workspace, interval_seconds, until)
        .await
        .unwrap();
    assert_eq!(outcomes.failed, []);
    outcomes
}
