//! `myao run` as a process: started, waited for, looked at and stopped.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::fs::File;
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::export::with_japanese_prompts;
use crate::peer::{Answer, exchange, free_address};
use crate::program::Program;
use serde_json::Value;

/// A peer and the program start slowly while others compile.
const PATIENCE: Duration = Duration::from_secs(180);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The output of the program, in its folder.
const LOG: &str = "run.log";

/// A running bot, with its folder.
pub struct Bot {
    process: Process,
    program: Program,
    health: SocketAddr,
    /// The length of earlier runs' output, in bytes.
    log_before: usize,
}

/// Ends with its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One message of a channel, as the database has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its id.
    pub ts: String,
    /// None at the top level, and for the first message of a thread.
    pub thread: Option<String>,
    /// The name of who wrote it.
    pub author: String,
    /// The text.
    pub text: String,
}

/// A message; `thread` as in [`Said`].
pub fn said_by(author: &str, ts: &str, thread: Option<&str>, text: &str) -> Said {
    Said {
        ts: ts.to_owned(),
        thread: thread.map(str::to_owned),
        author: author.to_owned(),
        text: text.to_owned(),
    }
}

impl Bot {
    /// Runs it in the folder of `program` with this configuration, and waits until it is ready.
    pub fn start(program: Program, config: &str) -> Self {
        let mut bot = Self::launch(program, config, &[]);
        bot.ready();
        bot
    }

    /// Runs it with more arguments in front of `run`, and waits for nothing.
    pub fn launch(program: Program, config: &str, arguments: &[&str]) -> Self {
        let health = free_address();
        configure(&program, config, health);
        let command = program.command(&[arguments, &["run"]].concat());
        Self {
            log_before: std::fs::read(program.path(LOG)).map_or(0, |log| log.len()),
            process: spawn(&program, command),
            program,
            health,
        }
    }

    /// Runs it in a shell, in whose `script` `"$@"` is the program, and waits until it is ready. A script that ends in
    /// `exec "$@"` runs it as the process that is watched, stopped and killed.
    pub fn start_in_shell(program: Program, config: &str, script: &str) -> Self {
        let health = free_address();
        configure(&program, config, health);
        let mut bot = Self {
            log_before: std::fs::read(program.path(LOG)).map_or(0, |log| log.len()),
            process: spawn(&program, program.shell(script, &["run"])),
            program,
            health,
        };
        bot.ready();
        bot
    }

    /// Waits until it says that it is ready.
    #[track_caller]
    pub fn ready(&mut self) {
        let health = self.health;
        self.until("ready", |_| {
            let answer = exchange(health, "GET /ready", &[], "");
            answer
                .is_ok_and(|answer| answer.status == 200)
                .then_some(())
        });
    }

    /// Where it says that it is well.
    pub fn health(&self) -> SocketAddr {
        self.health
    }

    /// Its folder.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Gives it another configuration, which it reads at the next reload.
    pub fn configure(&self, config: &str) {
        configure(&self.program, config, self.health);
    }

    /// Looks until it sees something.
    #[track_caller]
    pub fn until<T>(&mut self, what: &str, mut look: impl FnMut(&Program) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look(&self.program) {
                return found;
            }
            let ended = self.process.0.try_wait().unwrap();
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "not seen: {what} (ended: {ended:?}). The program says:\n{}",
                self.log()
            );
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Looks until it sees something, or until the program ends by itself.
    #[track_caller]
    pub fn until_over(&mut self, what: &str, mut look: impl FnMut(&Program) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while self.process.0.try_wait().unwrap().is_none() && !look(&self.program) {
            let log = self.log();
            assert!(
                Instant::now() < deadline,
                "not seen: {what}. The program says:\n{log}"
            );
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until it has read what it missed. One that stops before that does not know where its next gap begins.
    #[track_caller]
    pub fn caught_up(&mut self) {
        let before = self.log_before;
        self.until("the end of catching up", |program| {
            let log = read_log(program);
            log.get(before..)?.contains("caught up: ").then_some(())
        });
    }

    /// The messages of a channel, once the database has so many.
    #[track_caller]
    pub fn messages(&mut self, channel: &str, count: usize) -> Vec<Said> {
        self.until(&format!("{count} messages in {channel}"), |program| {
            let said = said(program, channel);
            (said.len() >= count).then_some(said)
        })
    }

    /// Kills it, so that it can end nothing in order. The folder stays.
    #[must_use]
    pub fn kill(mut self) -> Program {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
        self.program
    }

    /// Sends it a signal: `HUP`, …
    pub fn signal(&self, name: &str) {
        let id = self.process.0.id().to_string();
        let signal = format!("-{name}");
        let sent = Command::new("kill").args([&signal, &id]).status().unwrap();
        assert!(sent.success(), "{sent:?}");
    }

    /// The output so far.
    pub fn log(&self) -> String {
        read_log(&self.program)
    }

    /// Waits until it ends by itself: its exit code, what it wrote, the folder.
    #[track_caller]
    pub fn ended(mut self) -> (Option<i32>, String, Program) {
        let ended = wait(&mut self.process.0);
        (ended.code(), self.log(), self.program)
    }

    /// Asks it to stop; it ends well. The folder stays.
    #[track_caller]
    pub fn stop(mut self) -> Program {
        self.signal("TERM");
        let ended = wait(&mut self.process.0);
        let log = self.log();
        assert_eq!(ended.code(), Some(0), "{log}");
        assert!(!log.contains("panicked"), "{log}");
        self.program
    }
}

/// The output and exit code of a bot that ends by itself.
pub fn refusal(program: &Program, config: &str) -> (Option<i32>, String) {
    configure(program, config, free_address());
    let mut process = spawn(program, program.command(&["run"]));
    let ended = wait(&mut process.0);
    (ended.code(), read_log(program))
}

fn configure(program: &Program, config: &str, health: SocketAddr) {
    let port = health.port();
    program.configure(&with_japanese_prompts(&format!(
        "{config}health_check: {{ port: {port} }}\n"
    )));
}

fn spawn(program: &Program, mut command: Command) -> Process {
    let log = File::options()
        .create(true)
        .append(true)
        .open(program.path(LOG))
        .unwrap();
    command.stdin(Stdio::null());
    command.stdout(log.try_clone().unwrap()).stderr(log);
    let process = command.spawn();
    Process(process.unwrap_or_else(|error| panic!("{command:?}: {error}")))
}

#[track_caller]
fn wait(process: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(ended) = process.try_wait().unwrap() {
            return ended;
        }
        assert!(Instant::now() < deadline, "the program does not end");
        thread::sleep(POLL_INTERVAL);
    }
}

/// The output of the program so far.
pub fn read_log(program: &Program) -> String {
    std::fs::read_to_string(program.path(LOG)).unwrap()
}

/// The messages of a channel so far.
pub fn said(program: &Program, channel: &str) -> Vec<Said> {
    let sql = include_str!("said.sql").replace("?1", &format!("'{channel}'"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let said = |row: &Value| Said {
        ts: ts(row["ts_key"].as_i64().unwrap()),
        thread: row["thread_key"].as_i64().map(ts),
        author: text(&row["author"]),
        text: text(&row["text"]),
    };
    program.query(&sql).iter().map(said).collect()
}

/// A message id of the database (seconds × 1,000,000 + sequence) as Slack writes it.
fn ts(key: i64) -> String {
    format!("{}.{:06}", key / 1_000_000, key % 1_000_000)
}

/// Unix seconds.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

/// A request as Slack sends it to an app's address.
pub struct Signed<'a> {
    /// `application/json`, …
    pub content_type: &'a str,
    /// Unix seconds, as the header has them.
    pub timestamp: u64,
    /// `v0=…`
    pub signature: &'a str,
    /// The signed text.
    pub body: &'a str,
}

/// Sends it to the bot.
pub fn send(to: SocketAddr, path: &str, request: &Signed<'_>) -> Answer {
    let Signed {
        content_type,
        timestamp,
        signature,
        body,
    } = request;
    let headers = [
        format!("content-type: {content_type}"),
        format!("x-slack-request-timestamp: {timestamp}"),
        format!("x-slack-signature: {signature}"),
    ];
    let headers = headers.each_ref().map(String::as_str);
    exchange(to, &format!("POST {path}"), &headers, body).unwrap()
}

/// The standard output of a command, given `input`.
pub fn piped(command: &mut Command, input: &str) -> String {
    use std::io::Write as _;

    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}
