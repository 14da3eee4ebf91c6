//! Independent servers that myao is tried against, each a process on a free port of this machine that ends with its
//! test. `scripts/prepare-peer` installs them.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project_file;

/// Python and Node start slowly while others compile.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Below those that Linux and macOS hand out.
const PORTS: Range<u16> = 11_000..31_000;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A file of an installed peer, by its path under `target/peers`.
#[must_use]
pub fn peer_file(path: &str) -> PathBuf {
    let file = project_file("target/peers").join(path);
    assert!(
        file.exists(),
        "{} is not there; run `make test-peers` or `make test-llm`",
        file.display()
    );
    file
}

/// A running peer.
pub struct Peer {
    name: String,
    process: Mutex<Child>,
    address: SocketAddr,
    /// One more header of the requests to its pages.
    header: String,
}

impl Peer {
    /// Runs `command` with its port behind `port_option`, and waits until `health` answers with 200.
    #[must_use]
    pub fn start(command: &mut Command, port_option: impl AsRef<OsStr>, health: &str) -> Self {
        let address = free_address();
        command.arg(port_option).arg(address.port().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let process = command.spawn();
        let process = process.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let program = PathBuf::from(command.get_program());
        let peer = Self {
            name: program.display().to_string(),
            process: Mutex::new(process),
            address,
            header: "x-test: 1".to_owned(),
        };
        let deadline = Instant::now() + START_TIMEOUT;
        while !peer.is_ready(health) {
            peer.assert_running();
            assert!(
                Instant::now() < deadline,
                "the peer {command:?} does not get ready: that is its fault, or this machine's"
            );
            thread::sleep(POLL_INTERVAL);
        }
        peer
    }

    /// The same, asked for its pages with a key.
    #[must_use]
    pub fn with_key(mut self, key: &str) -> Self {
        self.header = format!("authorization: Bearer {key}");
        self
    }

    /// Fails with the peer's own end, if it has ended: what goes wrong then is not the fault of what is tried against it.
    pub fn assert_running(&self) {
        if let Some(end) = self.end() {
            panic!("{end}");
        }
    }

    /// How it ended by itself, `None` if it runs.
    fn end(&self) -> Option<String> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let status = process.try_wait().unwrap()?;
        Some(format!(
            "the peer {} {}: that is its own fault",
            self.name,
            end(status)
        ))
    }

    /// The address of one of its pages.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The content of a page.
    #[must_use]
    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, "")
    }

    /// The answer of a page to a body.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", path, &body.to_string())
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn is_ready(&self, health: &str) -> bool {
        self.exchange("GET", health, "")
            .is_ok_and(|answer| answer.status == 200)
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        let answer = self.exchange(method, path, body);
        if answer.is_err() {
            self.assert_running();
        }
        let answer = answer.unwrap();
        let is_success = (200..300).contains(&answer.status);
        assert!(is_success, "{method} {path}: {answer:?}");
        answer.json()
    }

    fn exchange(&self, method: &str, path: &str, body: &str) -> std::io::Result<Answer> {
        let headers = [self.header.as_str(), "content-type: application/json"];
        exchange(self.address, &format!("{method} {path}"), &headers, body)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(end) = self.end()
        {
            eprintln!("{end}, and so may be what failed above");
        }
        let process = self.process.get_mut();
        let process = process.unwrap_or_else(PoisonError::into_inner);
        // It may have ended by itself.
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// How a process ended.
fn end(status: ExitStatus) -> String {
    let signal = match status.signal() {
        None => return format!("ended with {status}"),
        Some(4) => {
            return "ended with SIGILL: this processor lacks instructions that it uses".to_owned();
        }
        Some(6) => "SIGABRT".to_owned(),
        Some(9) => "SIGKILL".to_owned(),
        Some(11) => "SIGSEGV".to_owned(),
        Some(other) => format!("signal {other}"),
    };
    format!("ended with {signal}")
}

/// The answer of a server.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends `target`, as in `GET /health`, with these headers. HTTP/1.0: the answer is in one piece.
///
/// # Errors
/// Where nobody answers, or not with HTTP.
pub fn exchange(
    address: SocketAddr,
    target: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    write!(
        stream,
        "{target} HTTP/1.0\r\nhost: {address}\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )?;
    read_answer(BufReader::new(stream))
}

/// The body ends where its length says, for a server that leaves the connection open, or with the connection.
fn read_answer(mut stream: BufReader<TcpStream>) -> std::io::Result<Answer> {
    let mut status_line = String::new();
    stream.read_line(&mut status_line)?;
    let status = status_line.split_whitespace().nth(1).map(str::parse);
    let Some(Ok(status)) = status else {
        return Err(std::io::Error::other(format!("not HTTP: {status_line}")));
    };
    let mut length = u64::MAX;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header)?;
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = String::new();
    stream.take(length).read_to_string(&mut body)?;
    Ok(Answer { status, body })
}

/// A port that nobody listens on, and never the same twice. It is none that the system hands out for connections: one
/// of those could take it before its user does.
#[must_use]
#[track_caller]
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test programs that run side by side begin at different places.
    let first = u16::try_from(std::process::id() % 97 * 200).unwrap();
    let candidates = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
    let mut ports = candidates
        .take(PORTS.len())
        .map(|number| PORTS.start + first.wrapping_add(number) % (PORTS.end - PORTS.start));
    let free = ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    SocketAddr::from((
        Ipv4Addr::LOCALHOST,
        free.unwrap_or_else(|| panic!("no port of {PORTS:?} is free")),
    ))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::process::Command;

    use super::Peer;

    /// How a test ends whose peer is this shell command.
    fn told_of(script: &str) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        let started = AssertUnwindSafe(|| Peer::start(&mut command, "--port", "/health"));
        let panic = catch_unwind(started).err().unwrap();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn a_peer_that_dies_is_named_with_the_cause() {
        for (script, end) in [
            (
                "kill -ILL $$",
                "ended with SIGILL: this processor lacks instructions that it uses",
            ),
            ("kill -SEGV $$", "ended with SIGSEGV"),
            ("exit 3", "ended with exit status: 3"),
        ] {
            let told = told_of(script);
            assert_eq!(told, format!("the peer sh {end}: that is its own fault"));
        }
    }

    #[test]
    fn a_program_that_dies_while_it_is_prepared_is_named_with_the_cause() {
        let script = ". scripts/say.sh; check_start llama sh -c 'kill -ILL $$'; echo started";
        let mut command = Command::new("bash");
        command.args(["-c", script]);
        let ran = command.current_dir(crate::project_file(".")).output();
        let ran = ran.unwrap();
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        let told = String::from_utf8(ran.stderr).unwrap();
        let expected =
            "error: llama ended with SIGILL: this processor lacks instructions that it uses";
        assert!(told.contains(expected), "{told}");
        assert_eq!(ran.stdout, b"");
    }
}
