//! Where the database is, and how to connect: an address as libpq takes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode as Negotiation};

use crate::address::Address;
use crate::error::PostgresError;

/// How long connecting to one address may take, if `connect_timeout` does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long what was sent may stay without an acknowledgement of the network. A server that has lost its power answers nothing.
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// How long a connection may be silent before its other end is asked whether it is there. Without it, a server that has lost its
/// power while nobody asked it anything is noticed after two hours.
const KEEPALIVES_IDLE: Duration = Duration::from_secs(30);

/// How long an answer to that is waited for.
const KEEPALIVES_INTERVAL: Duration = Duration::from_secs(10);

/// How often it is asked.
const KEEPALIVES_RETRIES: u32 = 3;

/// How many connections one process has, if nothing else is said.
const CONNECTIONS: usize = 16;

/// The options that the driver reads itself. Others are refused by name, rather than ignored.
const KNOWN: [&str; 17] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// How much TLS must do, as libpq's `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SslMode {
    /// No TLS.
    Disable,
    /// TLS if the server refuses anything else.
    Allow,
    /// TLS if the server can.
    #[default]
    Prefer,
    /// TLS with any certificate; if `sslrootcert` is given, as [`SslMode::VerifyCa`].
    Require,
    /// TLS with a certificate that `sslrootcert` vouches for.
    VerifyCa,
    /// As [`SslMode::VerifyCa`], with the host's name in the certificate. Without `sslrootcert`, the operating system's
    /// certificates vouch for it.
    VerifyFull,
}

impl SslMode {
    fn parse(text: &str) -> Result<Self, PostgresError> {
        Ok(match text {
            "disable" => Self::Disable,
            "allow" => Self::Allow,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                return Err(refused(
                    "`sslmode` must be disable, allow, prefer, require, verify-ca or verify-full",
                ));
            }
        })
    }
}

/// Whose certificates vouch for the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Those of the operating system.
    System,
    /// Those in a file.
    File(PathBuf),
}

/// Where a database is, and how to connect to it.
///
/// It is parsed from an address (`postgres://user:password@host:port/database?sslmode=verify-full`) or from libpq's pairs
/// (`host=... dbname=...`). Shown or logged, it never contains the password.
#[derive(Clone)]
pub struct PostgresOptions {
    pub(crate) config: Config,
    pub(crate) ssl_mode: SslMode,
    pub(crate) roots: Option<Roots>,
    pub(crate) connections: usize,
}

impl PostgresOptions {
    /// How many connections this process may have at once; a statement waits for one. Default 16.
    #[must_use]
    pub fn connections(mut self, most: usize) -> Self {
        self.connections = most.max(1);
        self
    }

    /// The database, as errors and logs name it.
    #[must_use]
    pub fn address(&self) -> Address {
        Address::of(&self.config)
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("address", &self.address())
            .field("ssl_mode", &self.ssl_mode)
            .finish_non_exhaustive()
    }
}

impl FromStr for PostgresOptions {
    type Err = PostgresError;

    fn from_str(text: &str) -> Result<Self, PostgresError> {
        let Parts {
            text,
            ssl_mode,
            roots,
            given,
        } = split(text.trim())?;
        // The driver's errors name an option, and never what it is set to.
        let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            refused(cause.unwrap_or_else(|| error.to_string()))
        })?;
        let is_given = |name: &str| given.iter().any(|given| given == name);
        if !is_given("application_name") {
            config.application_name("myao");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if !is_given("keepalives_idle") {
            config.keepalives_idle(KEEPALIVES_IDLE);
        }
        if !is_given("keepalives_interval") {
            config.keepalives_interval(KEEPALIVES_INTERVAL);
        }
        if !is_given("keepalives_retries") {
            config.keepalives_retries(KEEPALIVES_RETRIES);
        }
        if !is_given("tcp_user_timeout") {
            config.tcp_user_timeout(UNACKNOWLEDGED);
        }
        name_hosts(&mut config);
        let ssl_mode = ssl_mode
            .as_deref()
            .map_or(Ok(SslMode::default()), SslMode::parse)?;
        let (ssl_mode, roots) = roots_for(ssl_mode, roots)?;
        let has_tls = config
            .get_hosts()
            .iter()
            .any(|host| matches!(host, Host::Tcp(_)));
        // A socket of this machine needs no TLS, and the server offers none there.
        let ssl_mode = if has_tls { ssl_mode } else { SslMode::Disable };
        config.ssl_mode(match ssl_mode {
            SslMode::Disable | SslMode::Allow => Negotiation::Disable,
            SslMode::Prefer => Negotiation::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Negotiation::Require,
        });
        Ok(Self {
            config,
            ssl_mode,
            roots,
            connections: CONNECTIONS,
        })
    }
}

/// Gives each address a name, which TLS needs.
fn name_hosts(config: &mut Config) {
    if !config.get_hosts().is_empty() {
        return;
    }
    let addresses: Vec<String> = config
        .get_hostaddrs()
        .iter()
        .map(ToString::to_string)
        .collect();
    if addresses.is_empty() {
        config.host("localhost");
    }
    for address in addresses {
        config.host(address);
    }
}

/// The checks, as libpq has them.
fn roots_for(
    mode: SslMode,
    file: Option<String>,
) -> Result<(SslMode, Option<Roots>), PostgresError> {
    Ok(match (mode, file.as_deref()) {
        (SslMode::VerifyFull, None | Some("system")) => (mode, Some(Roots::System)),
        (_, Some("system")) => {
            return Err(refused("`sslrootcert=system` needs `sslmode=verify-full`"));
        }
        (SslMode::VerifyCa, None) => {
            return Err(refused("`sslmode=verify-ca` needs `sslrootcert`"));
        }
        (SslMode::Require, Some(file)) => (SslMode::VerifyCa, Some(Roots::File(file.into()))),
        (SslMode::VerifyCa | SslMode::VerifyFull, Some(file)) => {
            (mode, Some(Roots::File(file.into())))
        }
        (SslMode::Disable | SslMode::Allow | SslMode::Prefer | SslMode::Require, _) => (mode, None),
    })
}

/// An address without what the driver does not know.
#[derive(Default)]
struct Parts {
    text: String,
    ssl_mode: Option<String>,
    roots: Option<String>,
    /// The names of the options in it.
    given: Vec<String>,
}

impl Parts {
    /// Returns true if an option is for the driver.
    fn take(&mut self, name: &str, value: String) -> Result<bool, PostgresError> {
        match name {
            "sslmode" => self.ssl_mode = Some(value),
            "sslrootcert" => self.roots = Some(value),
            known if KNOWN.contains(&known) => {
                self.given.push(known.to_owned());
                return Ok(true);
            }
            // Only what looks like a name is repeated: it may be a piece of a password that was not quoted.
            name if LIBPQ_ONLY.contains(&name) => {
                return Err(refused(format!("myao does not have the option `{name}`")));
            }
            _ => {
                return Err(refused(
                    "it has an option that PostgreSQL does not know: quote or percent-encode a password with special characters",
                ));
            }
        }
        Ok(false)
    }
}

/// Options of libpq that neither the driver nor myao has.
const LIBPQ_ONLY: [&str; 18] = [
    "client_encoding",
    "fallback_application_name",
    "gssencmode",
    "gsslib",
    "krbsrvname",
    "keepalives_count",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "service",
    "sslcert",
    "sslcrl",
    "sslkey",
    "sslnegotiation",
    "sslpassword",
    "sslsni",
    "ssl_min_protocol_version",
];

fn refused(text: impl Into<String>) -> PostgresError {
    PostgresError::Options(text.into())
}

fn split(text: &str) -> Result<Parts, PostgresError> {
    let is_url = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if is_url {
        split_url(text)
    } else {
        split_pairs(text)
    }
}

fn split_url(text: &str) -> Result<Parts, PostgresError> {
    let mut parts = Parts::default();
    // A password may contain a question mark.
    let after_user = text.find('@').map_or(0, |at| at + 1);
    let start = text
        .get(after_user..)
        .and_then(|rest| rest.find('?'))
        .map_or(text.len(), |at| after_user + at);
    let (before, query) = text.split_at(start);
    let mut kept = Vec::new();
    for pair in query
        .trim_start_matches('?')
        .split('&')
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| refused("an option after `?` has no value"))?;
        let value = percent_decode_str(value)
            .decode_utf8()
            .map_err(|_| refused("an option after `?` is not UTF-8"))?;
        if parts.take(name, value.into_owned())? {
            kept.push(pair);
        }
    }
    parts.text = before.to_owned();
    if !kept.is_empty() {
        parts.text.push('?');
        parts.text.push_str(&kept.join("&"));
    }
    Ok(parts)
}

fn split_pairs(text: &str) -> Result<Parts, PostgresError> {
    let mut parts = Parts::default();
    let mut rest = text.trim_start();
    let unlike = || {
        refused(
            "it is neither an address that begins with `postgres://` nor pairs such as `host=...`",
        )
    };
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or_else(unlike)?;
        let after = after.trim_start();
        let (value, end) = pair_value(after).ok_or_else(unlike)?;
        if parts.take(name.trim(), value)? {
            let pair = after.get(..end).unwrap_or_default();
            parts.text.push_str(&format!("{}={pair} ", name.trim()));
        }
        rest = after.get(end..).unwrap_or_default().trim_start();
    }
    if parts.given.is_empty() {
        return Err(unlike());
    }
    Ok(parts)
}

/// The value at the beginning, and where it ends. `\` escapes, `'` quotes.
fn pair_value(text: &str) -> Option<(String, usize)> {
    let is_quoted = text.starts_with('\'');
    let mut chars = text.char_indices().skip(usize::from(is_quoted));
    let mut value = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if is_quoted => return Some((value, at + 1)),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c if c.is_whitespace() && !is_quoted => return Some((value, at)),
            c => value.push(c),
        }
    }
    (!is_quoted).then_some((value, text.len()))
}

#[cfg(test)]
mod tests;
