//! `--estimate`: what work would cost, found by doing it on a copy of the database, with models that are not asked.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use myao::usage::Dimension;
use myao::usage::costs::Costs;
use myao_bot::budget::{Period, Unit, key};
use myao_bot::estimate::not_asked;
use myao_llm::configured_models;
use myao_plugin::MemoryPlugin;
use myao_plugin::state::Workspace;
use myao_plugin::state::vectors::EmbeddingUse;

use crate::cli::app::{App, Explained as _};
use crate::cli::commands::usage;
use crate::cli::database::Where;
use crate::cli::output;

/// Does the work on a copy, and prints the calls that it took. `work` returns how many of its steps failed.
pub(super) async fn print(
    app: &App,
    work: impl AsyncFnOnce(&Arc<dyn Workspace>, &MemoryPlugin) -> anyhow::Result<usize>,
) -> anyhow::Result<ExitCode> {
    let database = app.database();
    let folder = match database.place {
        // Next to the database, as files there are guarded and backed up alike.
        Where::File(original) => original
            .parent()
            .filter(|path| !path.as_os_str().is_empty())
            .unwrap_or(".".as_ref())
            .to_owned(),
        Where::Server(_) => std::env::temp_dir(),
    };
    let folder = tempfile::Builder::new()
        .prefix(".myao-estimate-")
        .tempdir_in(folder)
        .with_context(|| format!("cannot make a folder for a copy of {}", database.shown()))?;
    let copy = folder.path().join("myao.db");
    tokio::task::block_in_place(|| database.copy_to_file(&copy))?;
    let mut on_copy = app.clone();
    on_copy.config.memory.database_url = None;
    on_copy.config.memory.database_path = copy;
    on_copy.config.memory.recording = false;
    let workspace = on_copy.existing_workspace()?;
    let earlier = workspace.calls(0, i64::MAX).await.explained()?.len();
    let models = not_asked(&configured_models(&app.config.agents)?, &app.clock());
    let plugin = on_copy
        .bind(on_copy.plugin()?.llm(models), &workspace, None)
        .await?;
    let failed = work(&workspace, &plugin).await?;
    if failed > 0 {
        output::tell(&format!(
            "warning: {failed} steps failed on the copy, so the work will take more calls than this"
        ));
    }
    let mut calls = workspace.calls(0, i64::MAX).await.explained()?;
    let calls = calls.split_off(earlier.min(calls.len()));
    if calls.is_empty() && !app.json {
        writeln!(output::stdout(), "No model would be called.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let dimensions = [Dimension::Layer, Dimension::Model];
    usage::print_calls(app, &calls, &dimensions, EmbeddingUse::default())?;
    if !app.json {
        writeln!(
            output::stdout(),
            "This is an estimate: no model was asked, and nothing is saved. Answers count with {} % of the length that they may have.",
            myao_bot::estimate::ANSWER_PERCENT
        )?;
        print_budget(app, &Costs::of(&calls, &app.config.prices))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says which limits of the budget the work exceeds, and how often it has to go on at least.
fn print_budget(app: &App, costs: &Costs) -> anyhow::Result<()> {
    let budget = &app.config.budget;
    let tokens = costs.input_tokens.known + costs.output_tokens.known;
    for (period, ceiling, name) in [
        (Period::Day, budget.of_day(), "day"),
        (Period::Run, budget.of_run(), "run"),
    ] {
        let of_tokens = ceiling.tokens.map(u128::from);
        for (unit, most, total) in [
            (Unit::Tokens, of_tokens, tokens),
            (Unit::Money, ceiling.money, costs.money.known),
        ] {
            let Some(most) = most.filter(|most| total > *most) else {
                continue;
            };
            let times = u64::try_from(total.div_ceil(most)).unwrap_or(u64::MAX);
            writeln!(
                output::stdout(),
                "note: this is more than {} allows; it takes at least {}",
                key(period, unit),
                output::count(times, name)
            )?;
        }
    }
    Ok(())
}
