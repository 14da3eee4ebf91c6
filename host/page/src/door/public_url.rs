//! The address at which people's browsers reach the page.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header};

use crate::route::Route;

/// The address at which people's browsers reach the page: `https://memory.example.org`. Without encryption only this machine
/// reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// Name and port, as the header `Host` has them.
    host: String,
    is_secure: bool,
}

/// Why an address is not one for people's browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicUrlError {
    /// It has another form.
    #[error(
        "it is not an address such as https://memory.example.org: scheme and name, perhaps a port, and nothing behind it"
    )]
    BadForm,
    /// It is not encrypted.
    #[error(
        "it does not begin with https://, so anybody on the way could read along: put a proxy with a certificate before the page"
    )]
    NotEncrypted,
}

impl PublicUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// [`PublicUrlError`].
    pub fn parse(text: &str) -> Result<Self, PublicUrlError> {
        let uri: Uri = text.parse().map_err(|_| PublicUrlError::BadForm)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(PublicUrlError::BadForm);
        };
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if !is_bare || authority.as_str().contains('@') || text.contains('#') {
            return Err(PublicUrlError::BadForm);
        }
        let name = authority.host();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        let is_here = name == "localhost"
            || address
                .parse()
                .is_ok_and(|address: IpAddr| address.is_loopback());
        let is_secure = match scheme {
            "https" => true,
            "http" if is_here => false,
            "http" => return Err(PublicUrlError::NotEncrypted),
            _ => return Err(PublicUrlError::BadForm),
        };
        let name = name.to_ascii_lowercase();
        let usual = if is_secure { 443 } else { 80 };
        let host = match authority.port_u16().filter(|port| *port != usual) {
            Some(port) => format!("{name}:{port}"),
            None => name,
        };
        Ok(Self { host, is_secure })
    }

    /// An address of the page.
    #[must_use]
    pub fn at(&self, path: &str) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.host)
    }

    /// The address at which the page answers a question.
    #[must_use]
    pub fn asking(&self, question: &str) -> String {
        let question = question.to_owned();
        self.at(&Route::Ask { question }.address())
    }

    /// The name of a cookie. Where it can be, no other page of the same site can set it.
    pub(super) fn cookie_name(&self, name: &str) -> String {
        let prefix = if self.is_secure { "__Host-" } else { "" };
        format!("{prefix}{name}")
    }

    /// A cookie that no script can read.
    pub(super) fn cookie(&self, name: &str, value: &str, more: &str) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.cookie_name(name);
        format!("{name}={value}; Path=/; HttpOnly{secure}; {more}")
    }

    /// Returns true if a request is for this address.
    pub(super) fn is_host_of(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).into_iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let usual = if self.is_secure { ":443" } else { ":80" };
        host.to_str().is_ok_and(|host| {
            let host = host.strip_suffix(usual).unwrap_or(host);
            host.eq_ignore_ascii_case(&self.host)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::{PublicUrl, PublicUrlError};

    #[test]
    fn only_an_address_that_nobody_can_read_along_is_taken() {
        for (text, expected) in [
            ("https://memory.example.org", "https://memory.example.org"),
            ("https://memory.example.org/", "https://memory.example.org"),
            (
                "https://Memory.example.org:443",
                "https://memory.example.org",
            ),
            (
                "https://memory.example.org:8443",
                "https://memory.example.org:8443",
            ),
            ("http://localhost:8040", "http://localhost:8040"),
            ("http://127.0.0.1:8040", "http://127.0.0.1:8040"),
            ("http://[::1]:8040", "http://[::1]:8040"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().at(""), expected, "{text}");
        }
        for (text, expected) in [
            ("http://memory.example.org", PublicUrlError::NotEncrypted),
            ("http://localhost.example.org", PublicUrlError::NotEncrypted),
            ("memory.example.org", PublicUrlError::BadForm),
            ("ftp://memory.example.org", PublicUrlError::BadForm),
            ("https://memory.example.org/memory", PublicUrlError::BadForm),
            ("https://memory.example.org?a=b", PublicUrlError::BadForm),
            ("https://memory.example.org#a", PublicUrlError::BadForm),
            ("https://me@memory.example.org", PublicUrlError::BadForm),
            ("", PublicUrlError::BadForm),
        ] {
            assert_eq!(PublicUrl::parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn cookies_of_an_encrypted_page_are_sent_nowhere_else() {
        let url = PublicUrl::parse("https://memory.example.org").unwrap();
        let cookie = url.cookie("myao", "x", "SameSite=Strict");
        assert_eq!(
            cookie,
            "__Host-myao=x; Path=/; HttpOnly; Secure; SameSite=Strict"
        );
    }

    #[test]
    fn names_that_somebody_else_can_direct_here_are_refused() {
        let url = PublicUrl::parse("https://memory.example.org").unwrap();
        for (host, is_own) in [
            ("memory.example.org", true),
            ("Memory.Example.org:443", true),
            ("memory.example.org:80", false),
            ("memory.example.org.evil.example", false),
            ("127.0.0.1", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_str(host).unwrap());
            assert_eq!(url.is_host_of(&headers), is_own, "{host}");
        }
        assert!(!url.is_host_of(&HeaderMap::new()));
    }
}
