//! `myao embed`: makes the vectors of messages that are missing.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_bot::embedding::embed_missing;
use serde_json::json;

use crate::cli::app::{App, Explained as _};
use crate::cli::output;

pub(crate) async fn run(app: &App) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let embedder = app.embedder(&workspace, Some(app.budget(&workspace)?))?.context(
        "no embedder is configured: set recall.embeddings.model_id; docs/configuration.md says how",
    )?;
    let before = workspace.vector_count(embedder.identity().digest());
    let before = before.await.explained()?;
    let bar = output::progress_bar(before.missing, "{bar:30} {pos} of {len} messages");
    let made = embed_missing(&*workspace, &*embedder, &*app.servers, &|seen| {
        bar.inc(seen)
    })
    .await;
    bar.finish_and_clear();
    let after = workspace.vector_count(embedder.identity().digest());
    let after = after.await.explained()?;
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            return Err(error).with_context(|| {
                format!(
                    "{} of {} messages have a vector; the rest is made by the next `myao embed`, or by the bot",
                    output::number(after.made.into()),
                    output::number(u128::from(after.made) + u128::from(after.missing)),
                )
            });
        }
    };
    if app.json {
        output::print_json(&json!({ "made": made, "all": after.made }))?;
    } else {
        writeln!(
            output::stdout(),
            "Made {}. Now {} can be found by what they mean.",
            output::count(made, "vector"),
            output::count(after.made, "message")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
