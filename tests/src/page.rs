//! `myao serve` as a process, and requests to it.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::program::Program;

/// A page is made in far less, but the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running page, with its folder.
pub struct Served {
    process: Child,
    /// The output before the line with the link.
    pub before: String,
    /// The line with the link.
    pub link_line: String,
    /// Where it listens.
    pub address: SocketAddr,
    cookie: String,
    /// Its folder.
    pub program: Program,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

impl Answer {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The values of a header that may come several times.
    #[must_use]
    pub fn headers(&self, name: &str) -> Vec<&str> {
        let headers = self.headers.iter().filter(|(other, _)| other == name);
        headers.map(|(_, value)| value.as_str()).collect()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The addresses of all links.
    #[must_use]
    pub fn links(&self) -> Vec<String> {
        let parts = self.body.split(" href=\"").skip(1);
        let links = parts.map(|part| part.split('"').next().unwrap());
        links.map(|link| link.replace("&amp;", "&")).collect()
    }
}

/// A byte of an address, as a browser writes it.
fn in_address(byte: u8) -> String {
    match byte {
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

impl Served {
    /// Starts the page; nobody has opened its link yet.
    #[must_use]
    pub fn start(program: Program, arguments: &[&str]) -> Self {
        Self::by(program, &[&["serve"], arguments].concat())
    }

    /// Runs a command that shows the page in the end.
    #[must_use]
    pub fn by(program: Program, command: &[&str]) -> Self {
        let mut process = program
            .command(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(process.stdout.as_mut().unwrap());
        let mut before = String::new();
        let link_line = loop {
            let mut line = String::new();
            let read = stdout.read_line(&mut line).unwrap();
            assert!(read > 0, "no link after: {before}");
            if line.starts_with("http://") {
                break line.trim_end().to_owned();
            }
            before.push_str(&line);
        };
        let address = link_line.strip_prefix("http://").and_then(|rest| {
            let (address, _) = rest.split_once('/')?;
            address.parse().ok()
        });
        let address = address.unwrap_or_else(|| panic!("no link: {link_line}"));
        Self {
            process,
            before,
            link_line,
            address,
            cookie: String::new(),
            program,
        }
    }

    /// Starts the page, and opens its link.
    #[must_use]
    pub fn opened(program: Program) -> Self {
        let mut served = Self::start(program, &[]);
        let answer = served.get(&served.link());
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap();
        served.cookie = cookie.split(';').next().unwrap().to_owned();
        served
    }

    /// The path of the printed link.
    #[must_use]
    pub fn link(&self) -> String {
        let start = format!("http://{}", self.address);
        self.link_line.strip_prefix(&start).unwrap().to_owned()
    }

    /// The cookie of whoever opened the link.
    #[must_use]
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Asks for a page as a browser does that has opened the link.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        let host = format!("Host: {}", self.address);
        let cookie = format!("Cookie: {}", self.cookie);
        self.ask("GET", path, &[&host, &cookie])
    }

    /// The same, for a page that must be there.
    #[must_use]
    #[track_caller]
    pub fn page(&self, path: &str) -> Answer {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer
    }

    /// Sends a form as a browser does that has opened the link. A header replaces the browser's own.
    #[must_use]
    pub fn post(&self, path: &str, headers: &[&str], form: &str) -> Answer {
        let own = [
            format!("Host: {}", self.address),
            format!("Cookie: {}", self.cookie),
            format!("Content-Length: {}", form.len()),
        ];
        let name = |line: &str| line.split(':').next().unwrap().to_owned();
        let is_replaced = |line: &str| headers.iter().any(|header| name(header) == name(line));
        let own = own.iter().map(String::as_str);
        let own = own.filter(|line| !is_replaced(line));
        let all: Vec<&str> = own.chain(headers.iter().copied()).collect();
        send(self.address, "POST", path, &all, form)
    }

    /// Sends a request with these headers.
    #[must_use]
    pub fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        ask(self.address, method, path, headers)
    }

    /// Asks the program to stop; returns its exit code, what else it printed, and its standard error.
    #[must_use]
    pub fn stopped(mut self) -> (Option<i32>, String, String) {
        let id = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.unwrap().success());
        let code = self.process.wait().unwrap().code();
        let (mut out, mut error) = (String::new(), String::new());
        let process = &mut self.process;
        process
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        process
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut error)
            .unwrap();
        (code, out, error)
    }
}

/// Sends a request with these headers.
#[must_use]
pub fn ask(to: SocketAddr, method: &str, path: &str, headers: &[&str]) -> Answer {
    send(to, method, path, headers, "")
}

/// The same with a body.
#[must_use]
pub fn send(to: SocketAddr, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let path: String = path.bytes().map(in_address).collect();
    write!(stream, "{method} {path} HTTP/1.1\r\n{lines}\r\n{body}").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut head = head.lines();
    let status = head.next().unwrap().split(' ').nth(1).unwrap();
    let headers = head.map(|line| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    });
    Answer {
        status: status.parse().unwrap(),
        headers: headers.collect(),
        body: body.to_owned(),
    }
}

/// The address in a link to the page, and the path.
#[must_use]
pub fn parts(link: &str) -> (SocketAddr, String) {
    let rest = link.strip_prefix("http://").unwrap();
    let (address, path) = rest.split_once('/').unwrap();
    (address.parse().unwrap(), format!("/{path}"))
}
