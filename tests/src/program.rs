//! The program `myao`, run as a process: each test in a folder of its own, with nothing of the
//! caller's environment.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;
use tempfile::TempDir;

use crate::export::with_memory_key;
use crate::kills::workspace;
use crate::postgres::ServerDatabase;
use crate::project_file;

/// A folder in which the program runs, with its configuration `myao.yaml` and database `myao.db`.
pub struct Program {
    folder: TempDir,
    variables: BTreeMap<&'static str, OsString>,
    /// The database, if it is not the file.
    server: Option<ServerDatabase>,
}

impl Default for Program {
    fn default() -> Self {
        Self::with_config("")
    }
}

impl Program {
    /// A new folder whose `myao.yaml` is `config`.
    #[must_use]
    pub fn with_config(config: &str) -> Self {
        let program = Self {
            folder: TempDir::new().unwrap(),
            variables: BTreeMap::new(),
            server: None,
        };
        program.write("myao.yaml", config);
        program
    }

    /// A new folder for a bot. Its database is on a PostgreSQL server if `MYAO_TEST_STORE` is `postgres`.
    #[must_use]
    pub fn of_bot() -> Self {
        let is_on_server =
            std::env::var_os("MYAO_TEST_STORE").is_some_and(|store| store == "postgres");
        if is_on_server {
            Self::on_server()
        } else {
            Self::default()
        }
    }

    /// A new folder for a bot whose database is on a PostgreSQL server.
    fn on_server() -> Self {
        let mut program = Self::default();
        program.variables.extend([ServerDatabase::variable()]);
        program.server = Some(ServerDatabase::default());
        program.configure("");
        program
    }

    /// Writes its configuration, with the address of its database.
    pub fn configure(&self, config: &str) {
        let config = match &self.server {
            Some(server) => with_memory_key(config, &server.key("")),
            None => config.to_owned(),
        };
        self.write("myao.yaml", config);
    }

    /// The rows that a query of its database gives, as objects.
    #[must_use]
    pub fn query(&self, sql: &str) -> Vec<Value> {
        let Some(server) = &self.server else {
            return query(&self.path("myao.db"), sql);
        };
        let rows = server.run(&format!("SELECT row_to_json(t) FROM ({sql}) AS t"));
        let rows = rows.lines().map(serde_json::from_str);
        rows.map(Result::unwrap).collect()
    }

    /// The one number that a query gives.
    #[must_use]
    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        let rows = self.query(sql);
        let value = |row: &Value| row.as_object()?.values().next()?.as_i64();
        let number = rows.first().and_then(value);
        number.unwrap_or_else(|| panic!("no number: {rows:?}"))
    }

    /// The texts of the one column that a query gives.
    #[must_use]
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let text = |row: &Value| Some(row.as_object()?.values().next()?.as_str()?.to_owned());
        self.query(sql).iter().filter_map(text).collect()
    }

    /// Changes its database.
    pub fn change(&self, sql: &str) {
        match &self.server {
            Some(server) => {
                let _ = server.run(sql);
            }
            None => Connection::open(self.path("myao.db"))
                .unwrap()
                .execute_batch(sql)
                .unwrap(),
        }
    }

    /// A new folder with the demo's export imported.
    #[must_use]
    pub fn with_demo() -> Self {
        let program = Self::default();
        program.run(&["import", &demo_export()]).succeeded();
        program
    }

    /// Sets an environment variable of the commands that follow.
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.variables.insert(name, value.into());
    }

    /// Takes it away again.
    pub fn unset(&mut self, name: &'static str) {
        self.variables.remove(name);
    }

    /// Takes all of them away.
    pub fn unset_all(&mut self) {
        self.variables.clear();
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file in the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in the folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A command that runs the program here; its standard input is empty.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(["--config", "myao.yaml"]).args(arguments);
        self.isolate(&mut command);
        command.envs(&self.variables);
        command
    }

    /// A shell that runs `script` here, in which `"$@"` is the program with its arguments.
    #[must_use]
    pub fn shell(&self, script: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(binary());
        command.args(["--config", "myao.yaml"]).args(arguments);
        self.isolate(&mut command);
        command
    }

    /// A `bash` that runs `script` here, up to the first command that fails. `tools` is a folder of more programs,
    /// which find this one as `$REAL_MYAO`.
    #[must_use]
    pub fn bash(&self, script: &str, tools: &Path) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(tools.to_owned()).chain(std::env::split_paths(&path));
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail", "-c", script]);
        self.isolate(&mut command);
        command
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("REAL_MYAO", binary());
        command
    }

    fn isolate(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder())
            .env("XDG_CACHE_HOME", cache_folder())
            .current_dir(self.folder())
            .stdin(Stdio::null());
    }

    /// Runs the program.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Runs the program with `input` on its standard input.
    #[must_use]
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let written = child.stdin.take().unwrap().write_all(input.as_bytes());
        match written {
            // A program that refuses its arguments ends without reading.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        Ran::new(&command, &child.wait_with_output().unwrap())
    }

    /// All memories, in a form that does not depend on the order in which they were made.
    #[must_use]
    pub fn memories(&self) -> String {
        workspace(self).dump().unwrap()
    }

    /// Every row of every table of the database.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        rows(&self.path("myao.db"))
    }
}

/// The rows that a query of an SQLite file gives, as objects.
fn query(database: &Path, sql: &str) -> Vec<Value> {
    let connection = Connection::open(database).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let cell = |cell: Cell| match cell {
        Cell::Integer(number) => number.into(),
        Cell::Real(number) => number.into(),
        Cell::Text(text) => text.into(),
        Cell::Null | Cell::Blob(_) => Value::Null,
    };
    let rows = statement.query_map([], |row| {
        let cells = names.iter().enumerate();
        let cells = cells.map(|(n, name)| Ok((name.clone(), cell(row.get(n)?))));
        cells.collect::<rusqlite::Result<serde_json::Map<_, _>>>()
    });
    rows.unwrap().map(|row| row.unwrap().into()).collect()
}

/// Every row of every table of a database.
#[must_use]
pub fn rows(database: &Path) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let query = |sql: &str| -> Vec<Vec<Cell>> {
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|n| row.get(n)).collect());
        rows.unwrap().map(Result::unwrap).collect()
    };
    let mut all = Vec::new();
    for table in query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        let [Cell::Text(table)] = table.as_slice() else {
            panic!("no name: {table:?}")
        };
        let mut rows: Vec<String> = query(&format!("SELECT * FROM \"{table}\""))
            .iter()
            .map(|row| format!("{table} {row:?}"))
            .collect();
        rows.sort();
        all.extend(rows);
    }
    all
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    /// The program and its arguments.
    pub command: String,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Runs a command to its end.
    #[must_use]
    pub fn of(command: &mut Command) -> Self {
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self::new(command, &output)
    }

    fn new(command: &Command, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let ran = Self {
            command: format!("{command:?}"),
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
        assert!(!ran.stderr.contains("backtrace"), "{ran:#?}");
        ran
    }

    /// Its output; it ended well and had nothing to say on standard error.
    #[must_use]
    #[track_caller]
    pub fn output(self) -> String {
        assert_eq!(
            (self.code, self.stderr.as_str()),
            (Some(0), ""),
            "{self:#?}"
        );
        self.stdout
    }

    /// The same where the output does not matter.
    #[track_caller]
    pub fn succeeded(self) {
        let _ = self.output();
    }

    /// Its output as JSON; it ended well.
    #[must_use]
    #[track_caller]
    pub fn json(self) -> Value {
        let output = self.output();
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }

    /// The one line on standard error of a run that refused and printed nothing.
    #[must_use]
    #[track_caller]
    pub fn refusal(self) -> String {
        assert_eq!(
            (self.code, self.stdout.as_str()),
            (Some(1), ""),
            "{self:#?}"
        );
        let line = self
            .stderr
            .strip_suffix('\n')
            .and_then(|text| text.strip_prefix("myao: "));
        match line {
            Some(line) if !line.contains('\n') => line.to_owned(),
            _ => panic!("not one line: {self:#?}"),
        }
    }

    /// Asserts that it was refused in one line that holds all of `words`.
    #[track_caller]
    pub fn is_refused_with(self, words: &[&str]) {
        let line = self.refusal();
        for word in words {
            assert!(line.contains(word), "no `{word}` in: {line}");
        }
    }
}

/// The folder of the demo's export.
#[must_use]
pub fn demo_export() -> String {
    project_file("tests/fixtures/slack-export")
        .to_str()
        .unwrap()
        .to_owned()
}

/// The specification's context.
#[must_use]
pub fn golden_context() -> String {
    project_file("tests/goldens/context.json")
        .to_str()
        .unwrap()
        .to_owned()
}

/// The program: the one that `MYAO_TEST_BINARY` names; without it, built now, so that an old one is never
/// tested.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let binary = std::env::var_os("MYAO_TEST_BINARY").map_or_else(build, PathBuf::from);
        keep_compiled_component(&binary);
        binary
    })
}

/// Builds as `make build` does, into the folder of this test program.
fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args([
        "build",
        "--quiet",
        "--release",
        "--workspace",
        "--bin",
        "myao",
    ]);
    let status = build.current_dir(project_file("")).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "`make build` fails"
    );
    target_folder().join("release/myao")
}

/// `target`, or where `CARGO_TARGET_DIR` says.
pub(crate) fn target_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().to_owned()
}

/// Where compiled components are kept between tests.
fn cache_folder() -> PathBuf {
    target_folder().join("test-cache")
}

/// Compiles the component once, before the tests do it side by side.
fn keep_compiled_component(binary: &Path) {
    let mut prompt = Command::new(binary);
    prompt.args([
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
    ]);
    prompt
        .arg(golden_context())
        .env("XDG_CACHE_HOME", cache_folder());
    let output = prompt
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
    assert!(output.status.success(), "{output:?}");
}
