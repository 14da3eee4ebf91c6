//! The port on which a bot says that it is well: free, or taken by a bot that runs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use myao::config::HealthCheck;
use serde_json::Value;
use tokio::net::TcpListener;

use super::Finding;

const CHECK: &str = "health port";
/// How long a running bot may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is at the port, and whether that is a bot.
pub(super) async fn check(health: HealthCheck) -> (Finding, bool) {
    let address = SocketAddr::new(health.address, health.port);
    let error = match TcpListener::bind(address).await {
        Ok(_) => {
            return (
                Finding::good(CHECK, format!("{address} is free: no bot runs here")),
                false,
            );
        }
        Err(error) => error,
    };
    match troubles(address).await {
        Some(troubles) if troubles.is_empty() => (
            Finding::good(CHECK, format!("a bot runs at {address}, and is well")),
            true,
        ),
        Some(troubles) => {
            let found = format!(
                "a bot runs at {address}, and is not ready: {}",
                troubles.join("; ")
            );
            (Finding::warning(CHECK, found), true)
        }
        None => {
            let found = format!("cannot listen at {address} ({error}), and no bot answers there");
            let advice = "set another health_check.port, or stop the program that has it";
            (Finding::bad(CHECK, found).with_advice(advice), false)
        }
    }
}

/// What a bot at the address lacks; none where there is no bot.
async fn troubles(address: SocketAddr) -> Option<Vec<String>> {
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
    let ready = client.get(format!("http://{address}/ready")).send().await;
    let ready: Value = ready.ok()?.json().await.ok()?;
    let troubles = ready.get("troubles")?.as_array()?;
    let told = troubles.iter().filter_map(|trouble| trouble.as_str());
    Some(told.map(str::to_owned).collect())
}
