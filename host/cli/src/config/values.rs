//! Values of the configuration: paths, addresses, time zones, names, and numbers that cannot be 0.

use std::env::home_dir;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use myao_llm::expand::{expanded, optional_expanded};
use myao_page::PublicUrl;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A path in which each `${NAME}` is replaced from the environment, and `~` at its beginning by the home folder.
pub(super) fn expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PathBuf, D::Error> {
    from_home(expanded(deserializer)?, home_dir()).map_err(D::Error::custom)
}

/// The same, if the path may be left out or null.
pub(super) fn optional_expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    let path = optional_expanded(deserializer)?;
    let path = path.map(|path| from_home(path, home_dir()).map_err(D::Error::custom));
    path.transpose()
}

fn from_home(path: String, home: Option<PathBuf>) -> Result<PathBuf, &'static str> {
    let rest = match path.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return Ok(path.into()),
    };
    let home = home.filter(|home| home.is_absolute());
    let home = home.ok_or(
        "`~` is the home folder, which HOME does not name: set HOME, or write the whole path",
    )?;
    Ok(home.join(rest))
}

/// An IP address, or `localhost`.
pub(super) fn ip_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<IpAddr, D::Error> {
    let text = expanded(deserializer)?;
    numeric(&text)
        .parse()
        .map_err(|_| D::Error::custom("expected an IP address, as in 127.0.0.1, or localhost"))
}

/// An address with a port; `None` if it is left out or null.
pub(super) fn socket_address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let Some(text) = optional_expanded(deserializer)? else {
        return Ok(None);
    };
    let address = text
        .rsplit_once(':')
        .and_then(|(host, port)| format!("{}:{port}", numeric(host)).parse().ok());
    let address = address.ok_or_else(|| {
        D::Error::custom("expected an IP address, or localhost, and a port, as in 127.0.0.1:3000")
    });
    address.map(Some)
}

/// The address of a page; `None` if it is left out or null.
pub(super) fn public_url<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PublicUrl>, D::Error> {
    let text = optional_expanded(deserializer)?;
    let url = text.map(|text| PublicUrl::parse(&text).map_err(D::Error::custom));
    url.transpose()
}

/// The address of a host: of names only `localhost` is known.
fn numeric(host: &str) -> String {
    if host.eq_ignore_ascii_case("localhost") {
        Ipv4Addr::LOCALHOST.to_string()
    } else {
        host.to_owned()
    }
}

/// A text that says something.
pub(super) fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = expanded(deserializer)?;
    if name.trim().is_empty() {
        let text = "expected a text that is not empty; without the key it has its default";
        return Err(D::Error::custom(text));
    }
    Ok(name)
}

/// A time zone, as [`expanded`].
pub(super) fn time_zone<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<chrono_tz::Tz, D::Error> {
    let name = expanded(deserializer)?;
    name.parse().map_err(|_| {
        D::Error::custom(format!(
            "`{name}` is not a time zone; give an IANA name such as Asia/Tokyo, or UTC"
        ))
    })
}

/// A number that must not be 0.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("expected a whole number from 1 on")),
        number => Ok(number),
    }
}

pub(super) fn at_least_five<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0..5 => Err(D::Error::custom("expected a whole number from 5 on")),
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::from_home;

    #[test]
    fn tilde_at_the_beginning_is_the_home_folder() {
        let from_home = |path: &str| from_home(path.to_owned(), Some("/home/ann".into()));
        for (path, expected) in [
            ("~/myao/myao.db", "/home/ann/myao/myao.db"),
            ("~", "/home/ann"),
            ("./~/myao.db", "./~/myao.db"),
            ("~ben/myao.db", "~ben/myao.db"),
        ] {
            assert_eq!(from_home(path), Ok(PathBuf::from(expected)));
        }
        assert!(super::from_home("~/myao.db".to_owned(), None).is_err());
    }
}
