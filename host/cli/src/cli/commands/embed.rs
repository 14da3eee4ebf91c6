//! `myao embed`: makes the vectors of messages that are missing.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_bot::embedding::embed_missing;
use myao_plugin::embedder::Embedder;
use myao_plugin::state::Workspace;
use serde_json::json;

use crate::cli::app::{App, Explained as _};
use crate::cli::output;

pub(crate) async fn run(app: &App) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let embedder = app.embedder(&workspace, Some(app.budget(&workspace)?))?.context(
        "there is no model for embeddings: packages have one, recall.embeddings.file names another place, and \
         recall.embeddings.model_id a server's; see docs/configuration.md",
    )?;
    let (made, all) = embed(app, &*workspace, &*embedder).await?;
    if app.json {
        output::print_json(&json!({ "made": made, "all": all }))?;
    } else {
        writeln!(
            output::stdout(),
            "Made {}. Now {} can be found by what they mean.",
            output::count(made, "vector"),
            output::count(all, "message")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the vectors that are missing, with a bar. Returns how many were made, and how many there are.
async fn embed(
    app: &App,
    workspace: &dyn Workspace,
    embedder: &dyn Embedder,
) -> anyhow::Result<(u64, u64)> {
    let before = workspace.vector_count(embedder.identity().digest());
    let before = before.await.explained()?;
    let bar = output::progress_bar(
        before.missing,
        "{bar:30} {pos} of {len} messages can be found by what they mean, {eta} left",
    );
    let made = embed_missing(workspace, embedder, &*app.servers, &|seen| bar.inc(seen)).await;
    bar.finish_and_clear();
    let after = workspace.vector_count(embedder.identity().digest());
    let after = after.await.explained()?;
    let made = made.with_context(|| {
        format!(
            "{} of {} messages have a vector; the rest is made by the next `myao embed`, or by the bot",
            output::number(after.made.into()),
            output::number(u128::from(after.made) + u128::from(after.missing)),
        )
    })?;
    Ok((made, after.made))
}

/// Makes the vectors of what was imported, if a model in this process does it, which costs nothing.
pub(super) async fn embed_imported(app: &App) -> anyhow::Result<()> {
    let Some(embedder) = app.local.of(&app.config.recall.embeddings)? else {
        return Ok(());
    };
    embed(app, &*app.existing_workspace()?, &*embedder).await?;
    Ok(())
}
