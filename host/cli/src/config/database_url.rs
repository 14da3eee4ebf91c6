//! `memory.database_url`: a database on a PostgreSQL server. It may contain a password, so nothing shows it as it is.

use std::fmt;

use myao_llm::expand::optional_expanded;
use percent_encoding::percent_decode_str;
use serde::Deserializer;
use serde::de::Error as _;

use super::Config;
use super::tree::Node;

/// How the address of a server begins.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The address of a database on a PostgreSQL server, perhaps with a password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Takes an address, if it begins as one.
    ///
    /// # Errors
    /// What is expected, without the text.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if !is_url(text) {
            return Err("expected an address, as in postgres://user@host/database");
        }
        // What comes after the first one would be taken for the host, and be shown.
        if text.matches('@').nth(1).is_some() {
            return Err(
                "expected one `@`, before the host: write those in a password or name as `%40`",
            );
        }
        Ok(Self(text.to_owned()))
    }

    /// The address with its password: only for whoever connects.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// The address without its password, and the password.
    #[must_use]
    pub fn without_password(&self) -> (String, Option<String>) {
        let mut password = None;
        // A password may contain a question mark.
        let host = self.0.find('@').map_or(0, |at| at + 1);
        let query = self.0.get(host..).and_then(|rest| rest.find('?'));
        let (before, query) = match query {
            Some(at) => self.0.split_at(host + at),
            None => (self.0.as_str(), ""),
        };
        let query = query.trim_start_matches('?');
        let mut address = before.to_owned();
        if let Some((user, host)) = before.split_once('@')
            && let Some((scheme, names)) = user.split_once("://")
            && let Some((user, secret)) = names.split_once(':')
        {
            address = format!("{scheme}://{user}@{host}");
            password = Some(decoded(secret));
        }
        let mut options = Vec::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.strip_prefix("password=") {
                Some(secret) => password = Some(decoded(secret)),
                None => options.push(option),
            }
        }
        if !options.is_empty() {
            address = format!("{address}?{}", options.join("&"));
        }
        (address, password)
    }
}

fn is_url(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// What percent-encoding stands for.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Without the password.
impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseUrl").finish_non_exhaustive()
    }
}

/// The address of a database; `None` if it is left out or null.
pub(super) fn database_url<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<DatabaseUrl>, D::Error> {
    let text = optional_expanded(deserializer)?;
    let url = text.map(|text| DatabaseUrl::parse(text.trim()).map_err(D::Error::custom));
    url.transpose()
}

/// Refuses a configuration that names two databases: of one of them nobody would know that it is not used.
pub(super) fn one_database(config: Config, text: &str) -> Result<Config, String> {
    let tree = config.memory.database_url.as_ref();
    let tree = tree.and_then(|_| Node::read(text));
    let place = |key| tree.as_ref()?.place(key);
    match (place("memory.database_path"), place("memory.database_url")) {
        (Some(path), Some(url)) => Err(format!(
            "{url}, `database_url`: there is `database_path` as well ({path}), and all memories are in one database: take one of \
             the keys out"
        )),
        _ => Ok(config),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::DatabaseUrl;

    #[test]
    fn an_address_is_split_from_its_password() {
        for (url, address, password) in [
            ("postgres://host/db", "postgres://host/db", None),
            ("postgres://ann@host/db", "postgres://ann@host/db", None),
            (
                "postgres://ann:a%20b%40@host:1/db?sslmode=require",
                "postgres://ann@host:1/db?sslmode=require",
                Some("a b@"),
            ),
            (
                "postgres://ann:a?b@host/db",
                "postgres://ann@host/db",
                Some("a?b"),
            ),
            (
                "postgres://host/db?user=ann&password=a%26b&sslmode=allow",
                "postgres://host/db?user=ann&sslmode=allow",
                Some("a&b"),
            ),
            ("postgres://[::1]:5/db", "postgres://[::1]:5/db", None),
        ] {
            let parsed = DatabaseUrl::parse(url).unwrap();
            let password = password.map(str::to_owned);
            assert_eq!(parsed.without_password(), (address.to_owned(), password));
        }
    }
}
