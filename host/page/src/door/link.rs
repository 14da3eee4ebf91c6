//! The door of the operator: the one browser that opened the link, on an address that no other site can borrow.
//!
//! The link holds a random secret that works once. It is exchanged for a cookie that no script can read and that other
//! sites' requests do not carry. A site of another name that leads to this machine (DNS rebinding) is refused by the
//! `Host` header: a browser writes the name there.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};

use super::cookie;
use crate::secret::Secret;

/// The secret link that opens the page.
pub(crate) struct Access {
    /// `None` after it was used.
    link: Mutex<Option<Secret>>,
    session: Secret,
    /// Forms have it, so that another site cannot send them.
    form: Secret,
    /// Browsers share cookies between the ports of a machine.
    cookie_name: String,
    port: u16,
}

impl Access {
    /// New secrets, for a page on this port.
    pub(crate) fn random(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self {
            link: Mutex::new(Some(Secret::random()?)),
            session: Secret::random()?,
            form: Secret::random()?,
            cookie_name: format!("myao-{port}"),
            port,
        })
    }

    /// The secret of the link; `None` after it was used.
    pub(crate) fn link(&self) -> Option<String> {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        link.as_ref().map(|secret| secret.text().to_owned())
    }

    /// Makes another link, which works once.
    pub(crate) fn renew(&self) -> Result<(), getrandom::Error> {
        let secret = Secret::random()?;
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret);
        Ok(())
    }

    /// The cookie for whoever has the link's secret, the first time.
    pub(crate) fn exchange(&self, given: &str) -> Option<String> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        link.take_if(|secret| secret.is(given))?;
        Some(format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie_name,
            self.session.text()
        ))
    }

    /// The secret of forms.
    pub(crate) fn form_token(&self) -> &str {
        self.form.text()
    }

    /// Returns true if a request has the cookie.
    pub(crate) fn is_open(&self, headers: &HeaderMap) -> bool {
        cookie::values(headers, &self.cookie_name).any(|value| self.session.is(value))
    }

    /// Returns true if a request is for this machine by its address, or by the name that is never looked up.
    pub(crate) fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).into_iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let Some((name, port)) = host.to_str().ok().and_then(|host| host.rsplit_once(':')) else {
            return false;
        };
        let address = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name);
        let is_address = name == "localhost" || address.parse::<IpAddr>().is_ok();
        is_address && port == self.port.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::Access;

    fn headers(name: &str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn the_link_works_once_and_its_cookie_opens_the_page() {
        let access = Access::random(8000).unwrap();
        let secret = access.link().unwrap();
        assert_eq!(secret.len(), 64);
        assert!(access.exchange(&secret[1..]).is_none());
        assert!(access.exchange("").is_none());
        let cookie = access.exchange(&secret).unwrap();
        assert!(access.exchange(&secret).is_none());
        let (cookie, attributes) = cookie.split_once(';').unwrap();
        assert_eq!(attributes, " Path=/; HttpOnly; SameSite=Strict");
        assert!(!cookie.contains(&secret));
        for (cookies, is_open) in [
            (cookie.to_owned(), true),
            (format!("a=b; {cookie}"), true),
            (format!("{cookie}0"), false),
            (format!("myao-8000={secret}"), false),
            ("myao-8000=".to_owned(), false),
            (cookie.replace("8000", "8001"), false),
        ] {
            let headers = headers(header::COOKIE.as_str(), &cookies);
            assert_eq!(access.is_open(&headers), is_open, "{cookies}");
        }
        assert!(!access.is_open(&HeaderMap::new()));
    }

    #[test]
    fn another_link_opens_the_page_once_more() {
        let access = Access::random(8000).unwrap();
        let first = access.link().unwrap();
        let cookie = access.exchange(&first).unwrap();
        access.renew().unwrap();
        let second = access.link().unwrap();
        assert!(second != first && access.exchange(&first).is_none());
        assert_eq!(access.exchange(&second), Some(cookie));
        assert!(access.exchange(&second).is_none());
    }

    #[test]
    fn two_programs_have_different_secrets() {
        let [a, b] = [(), ()].map(|()| Access::random(8000).unwrap());
        assert_ne!(a.link(), b.link());
        assert_ne!(a.session.text(), b.session.text());
        assert_ne!(a.form_token(), b.form_token());
        assert_ne!(a.form_token(), a.session.text());
        assert_ne!(a.link().as_deref(), Some(a.session.text()));
    }

    #[test]
    fn names_that_somebody_else_can_direct_here_are_refused() {
        let access = Access::random(8000).unwrap();
        for (host, is_own) in [
            ("127.0.0.1:8000", true),
            ("localhost:8000", true),
            ("[::1]:8000", true),
            ("192.168.0.7:8000", true),
            ("127.0.0.1", false),
            ("127.0.0.1:80", false),
            ("evil.example:8000", false),
            ("localhost.evil.example:8000", false),
            ("127.0.0.1.evil.example:8000", false),
            ("127.0.0.1:8000:8000", false),
            ("", false),
        ] {
            let headers = headers("host", host);
            assert_eq!(access.is_own_host(&headers), is_own, "{host}");
        }
        let mut two = headers("host", "127.0.0.1:8000");
        two.append("host", HeaderValue::from_static("127.0.0.1:8000"));
        assert!(!access.is_own_host(&two));
        assert!(!access.is_own_host(&HeaderMap::new()));
    }
}
