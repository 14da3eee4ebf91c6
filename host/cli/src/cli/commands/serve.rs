//! `myao serve`: the web page, without Slack. `myao run` serves the same page.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use myao_bot::current::Current;
use myao_bot::stop::Stop;
use myao_page::{Page, Site};
use myao_plugin::Place;
use myao_plugin::state::Workspace;
use serde_json::json;
use tokio::net::TcpListener;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::ServeArgs;
use crate::cli::signals::signals;
use crate::cli::{costs, output};

pub(crate) async fn run(app: &App, arguments: &ServeArgs) -> anyhow::Result<ExitCode> {
    let listener = listener(arguments.listen).await?;
    page(app, listener, app.command("serve"), || ()).await?;
    Ok(ExitCode::SUCCESS)
}

/// Takes the address of the page.
pub(super) async fn listener(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "cannot listen at {address}: name another address with --listen, or leave it out for a free port"
        )
    })
}

/// Shows the page until a signal ends it. `again` is the command that starts it again, `hears` is called once signals are heard.
pub(super) async fn page(
    app: &App,
    listener: TcpListener,
    again: String,
    hears: impl FnOnce(),
) -> anyhow::Result<()> {
    let workspace = app.existing_workspace()?;
    let plugin = app.plugin_over(&workspace).await?;
    let address = listener.local_addr()?;
    if let Some(warning) = warning(address) {
        output::tell(&format!("warning: {warning}"));
    }
    let current = Current::fixed(app.config.bot_settings(), plugin);
    let site = site(app, workspace, current).await?;
    let page = Page::for_operator(site, Place::Operator, address.port(), again)?;
    let (ask_stop, stop) = Stop::new();
    let signals = tokio::spawn(signals(ask_stop, None)?);
    hears();
    print_link(app, &page, reachable(address))?;
    page.serve(listener, stop).await;
    signals.abort();
    Ok(())
}

/// The content of the page.
pub(super) async fn site(
    app: &App,
    workspace: Arc<dyn Workspace>,
    current: Current,
) -> anyhow::Result<Site> {
    let prices = app.clone();
    Ok(Site {
        address: workspace.address().await.explained()?,
        workspace,
        current,
        clock: app.clock(),
        next: app.command("backfill"),
        agents: None,
        taken: Arc::new(move |calls| costs::shown(&prices, calls)),
    })
}

/// Prints the link alone on standard output, so that a script can read it.
fn print_link(app: &App, page: &Page, address: SocketAddr) -> anyhow::Result<()> {
    let link = page.link(address).unwrap_or_default();
    if app.json {
        output::print_json(&json!({ "link": link }))?;
    } else {
        writeln!(output::stdout(), "{link}")?;
    }
    output::tell("Open this link in a browser: it works once. Ctrl-C ends the page.");
    Ok(())
}

/// A warning about an address that others reach.
pub(super) fn warning(address: SocketAddr) -> Option<String> {
    (!address.ip().is_loopback()).then(|| {
        format!(
            "other machines reach {address}, without encryption: the one-time link is all that protects everything that is stored"
        )
    })
}

/// The address for the link: a browser cannot open "every address of this machine".
pub(super) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
