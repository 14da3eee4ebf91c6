//! Which database it is, as errors and logs name it: without the password.

use std::fmt;
use std::sync::Arc;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// A database, as errors and logs name it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Arc<str>);

impl Address {
    pub(crate) fn of(config: &Config) -> Self {
        let ports = config.get_ports();
        let port = |index: usize| ports.get(index).or_else(|| ports.first()).unwrap_or(&5432);
        let host = |(index, host): (usize, &Host)| match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]:{}", port(index)),
            Host::Tcp(name) => format!("{name}:{}", port(index)),
            #[cfg(unix)]
            Host::Unix(folder) => format!("{}:{}", folder.display(), port(index)),
        };
        let hosts: Vec<String> = config.get_hosts().iter().enumerate().map(host).collect();
        let user = config.get_user().unwrap_or_default();
        let database = config.get_dbname().unwrap_or(user);
        let at = if user.is_empty() { "" } else { "@" };
        Self(format!("postgres://{user}{at}{}/{database}", hosts.join(",")).into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
