//! The page of a team: a browser whose person signs in with Slack.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing)]

use std::net::SocketAddr;

use myao_fake_slack::{CLIENT_ID, CLIENT_SECRET, FakeSlack};

use crate::page::{Answer, ask, send};
use crate::peer::free_address;

/// A place for the page, and what the configuration says about it: keys of `slack`, and more.
#[must_use]
pub fn page_keys() -> (SocketAddr, String, String) {
    let address = free_address();
    let keys = format!("client_id: '{CLIENT_ID}', client_secret: {CLIENT_SECRET}");
    let more = format!("page: {{ listen: '{address}', public_url: 'http://{address}' }}\n");
    (address, keys, more)
}

/// A browser.
pub struct Browser {
    address: SocketAddr,
    /// Names and values.
    pub cookies: Vec<(String, String)>,
}

impl Browser {
    /// A new one, for a page.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            cookies: Vec::new(),
        }
    }

    fn headers(&self, more: &[&str]) -> Vec<String> {
        let cookies = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<String> = cookies.collect();
        let own = [
            format!("Host: {}", self.address),
            format!("Cookie: {}", cookies.join("; ")),
        ];
        own.into_iter()
            .chain(more.iter().map(|line| (*line).to_owned()))
            .collect()
    }

    fn keep(&mut self, answer: &Answer) {
        for cookie in answer.headers("set-cookie") {
            let (name, rest) = cookie.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            self.cookies.retain(|(other, _)| other != name);
            if !rest.contains("Max-Age=0") {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// Asks for a page.
    pub fn get(&mut self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    /// The same with more headers.
    pub fn get_with(&mut self, path: &str, more: &[&str]) -> Answer {
        let headers = self.headers(more);
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let answer = ask(self.address, "GET", path, &headers);
        self.keep(&answer);
        answer
    }

    /// Sends a form.
    pub fn post(&mut self, path: &str, form: &str) -> Answer {
        let headers = self.headers(&[&format!("Content-Length: {}", form.len())]);
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let answer = send(self.address, "POST", path, &headers, form);
        self.keep(&answer);
        answer
    }

    /// Follows the way to Slack and back, as this user there.
    pub fn sign_in(&mut self, slack: &FakeSlack, user: &str) -> Answer {
        let back = self.allowed(slack, user);
        self.get_with(&back, &["Sec-Fetch-Site: cross-site"])
    }

    /// The way to Slack; the path with which it sends this user back.
    pub fn allowed(&mut self, slack: &FakeSlack, user: &str) -> String {
        self.allowed_by("/sign-in", slack, user)
    }

    /// The same from a link to sign in.
    pub fn allowed_by(&mut self, link: &str, slack: &FakeSlack, user: &str) -> String {
        let sent = self.get(link);
        assert_eq!(sent.status, 303, "{sent:?}");
        let to = sent.header("location").unwrap().to_owned();
        assert!(to.starts_with(&slack.origin()), "{to}");
        let path = to.replace(&slack.origin(), "");
        let allow = path.replace("/authorize?", &format!("/allow?user={user}&"));
        let slack_address: SocketAddr = slack.origin()[7..].parse().unwrap();
        let host = format!("Host: {slack_address}");
        let sent = ask(slack_address, "GET", &allow, &[&host, "Connection: close"]);
        let back = sent.header("location").unwrap().to_owned();
        back.strip_prefix(&format!("http://{}", self.address))
            .unwrap()
            .to_owned()
    }

    /// A new token for an agent of whoever is signed in.
    pub fn agent_token(&mut self) -> String {
        let me = self.get("/me");
        let issued = self.post("/me", &format!("token={}&do=issue&name=laptop", token(&me)));
        let (_, rest) = issued
            .body
            .split_once("Bearer ")
            .unwrap_or_else(|| panic!("{issued:?}"));
        rest.split('<').next().unwrap().to_owned()
    }
}

/// A browser of somebody who is signed in.
#[must_use]
pub fn signed_in(slack: &FakeSlack, address: SocketAddr, user: &str) -> Browser {
    let mut browser = Browser::new(address);
    let answer = browser.sign_in(slack, user);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("refresh"), Some("0; url=/workspace"));
    browser
}

/// The secret of a page's forms.
#[must_use]
pub fn token(page: &Answer) -> String {
    let (_, rest) = page.body.split_once("name=\"token\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}
