//! The port of the bot's health check: free, or used by a running bot.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use myao::config::HealthCheck;
use serde_json::Value;
use tokio::net::TcpListener;

use super::Finding;
use super::wait_line::WaitLine;

const CHECK: &str = "health port";
/// How long to wait for the answer of a running bot.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running bot.
pub(super) struct Running {
    /// Why it does not answer people.
    troubles: Vec<String>,
    /// The conditions that it waits for.
    pub(super) waits: Vec<WaitLine>,
    /// Deliveries that Slack did not sign.
    pub(super) unsigned: u64,
}

/// Checks the server on the port; also returns the bot of the workspace, if it is one.
pub(super) async fn check(health: HealthCheck, workspace: &str) -> (Finding, Option<Running>) {
    let address = SocketAddr::new(health.address, health.port);
    let error = match TcpListener::bind(address).await {
        Ok(_) => {
            return (
                Finding::good(CHECK, format!("{address} is free: no bot runs here")),
                None,
            );
        }
        Err(error) => error,
    };
    match running(address, workspace).await {
        Some(bot) if bot.troubles.is_empty() => (
            Finding::good(CHECK, format!("a bot runs at {address}, and is well")),
            Some(bot),
        ),
        Some(bot) => {
            let found = format!(
                "a bot runs at {address}, and does not answer people: {}",
                bot.troubles.join("; ")
            );
            (Finding::warning(CHECK, found), Some(bot))
        }
        None => {
            let found = format!("cannot listen at {address} ({error}), and no bot answers there");
            let advice = "set another health_check.port, or stop the program that has it";
            (Finding::bad(CHECK, found).with_advice(advice), None)
        }
    }
}

/// The bot at the address, of several that of the workspace; `None` if there is none.
async fn running(address: SocketAddr, workspace: &str) -> Option<Running> {
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(host, address.port());
    let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE);
    let client = client.build().ok()?;
    let live = client.get(format!("http://{address}/live")).send().await;
    let live = live.ok()?.text().await.ok()?;
    if live.trim() != "ok" {
        return None;
    }
    let told = client.get(format!("http://{address}/health/answers"));
    let told: Value = told.send().await.ok()?.json().await.ok()?;
    let told = match told.get("workspaces") {
        Some(workspaces) => workspaces.get(workspace)?,
        None => &told,
    };
    let troubles = told.get("troubles")?.as_array()?;
    let names = troubles.iter().filter_map(|trouble| trouble.as_str());
    let waits = told.get("waits").and_then(Value::as_array);
    let metrics = client.get(format!("http://{address}/metrics")).send().await;
    let metrics = metrics.ok()?.text().await.ok()?;
    Some(Running {
        troubles: names.map(str::to_owned).collect(),
        waits: waits.into_iter().flatten().filter_map(wait).collect(),
        unsigned: unsigned(&metrics, workspace),
    })
}

/// The number of deliveries without Slack's signature. Of several bots, each line has the name of its workspace.
fn unsigned(metrics: &str, workspace: &str) -> u64 {
    let of_others = |labels: &str| {
        labels.contains("workspace=") && !labels.contains(&format!("workspace=\"{workspace}\""))
    };
    let counts = metrics.lines().filter_map(|line| {
        let (labels, count) = line
            .strip_prefix("myao_deliveries_total{")?
            .rsplit_once("} ")?;
        let counts = labels.contains("kind=\"unsigned\"") && !of_others(labels);
        counts.then(|| count.parse::<u64>().ok())?
    });
    counts.sum()
}

fn wait(wait: &Value) -> Option<WaitLine> {
    let text = |key: &str| wait.get(key)?.as_str();
    let (kind, what) = (text("kind")?, text("what")?);
    Some(WaitLine::new(kind, what, text("until")?, text("why")?))
}
