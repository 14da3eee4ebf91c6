//! `myao mcp`: what is remembered, for agents, over the Model Context Protocol (<https://modelcontextprotocol.io>). All
//! tools only read; what they show is what may be seen in one place.

mod http;
mod items;
mod parameters;
mod tools;

use std::process::ExitCode;

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::transport::stdio;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::McpArgs;
use crate::cli::seen::place;
pub(super) use http::HttpAgents;
use tools::Tools;

pub(crate) async fn run(app: &App, arguments: &McpArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let place = place(&*workspace, arguments.in_channel.as_deref()).await?;
    let tools = Tools {
        address: workspace.address().await.explained()?,
        plugin: app.plugin_over(&workspace).await?,
        view: workspace.view(place.clone()),
        place,
        app: app.clone(),
        asking: None,
    };
    let server = tools
        .serve(stdio())
        .await
        .context("no agent speaks the Model Context Protocol on standard input: let an agent start this command (docs/agents.md)")?;
    // Ends with its input: that is how an agent ends it.
    server.waiting().await?;
    Ok(ExitCode::SUCCESS)
}
