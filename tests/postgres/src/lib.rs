//! A PostgreSQL server for the tests of one process.
//!
//! It is started once, with a data folder of its own, and listens on a socket in that folder and on a free port of this machine.
//! A shell watches over it: when the process of the tests ends, however it ends, the shell stops the server and removes the folder.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The password of the server's superuser, which is asked for on the port only.
pub const PASSWORD: &str = "correct horse";

/// The server's superuser.
pub const SUPERUSER: &str = "postgres";

/// How long the server may take to start.
const START: Duration = Duration::from_secs(60);

/// Stops the server when standard input ends.
const WATCH: &str = "folder=$1; shift
\"$@\" >\"$folder/log\" 2>&1 &
server=$!
read -r line
kill -QUIT $server
wait $server
rm -rf \"$folder\"";

/// A running server.
pub struct PostgresServer {
    folder: PathBuf,
    port: u16,
    binaries: PathBuf,
    databases: AtomicU32,
    /// As PostgreSQL counts it: 150004 is 15.4.
    version: u32,
    /// The server lives as long as this one's standard input is open.
    _watch: Child,
}

/// The server of this process.
pub fn server() -> &'static PostgresServer {
    static SERVER: OnceLock<PostgresServer> = OnceLock::new();
    SERVER.get_or_init(|| PostgresServer::start(|_| Vec::new()))
}

impl PostgresServer {
    /// Starts a server with more settings (`name=value`), which may need files in its data folder.
    pub fn start(settings: impl FnOnce(&Path) -> Vec<String>) -> Self {
        let binaries = binaries();
        let owner = Owner::of_the_server();
        let folder = tempfile::Builder::new()
            .prefix("myao-postgres-")
            .tempdir()
            .unwrap()
            .keep();
        owner.give(&folder);
        let (data, password) = (folder.join("data"), folder.join("password"));
        fs::write(&password, PASSWORD).unwrap();
        owner.give(&password);
        let made = owner
            .command(&binaries.join("initdb"))
            .args([
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
                "--auth-local=trust",
            ])
            .args(["--auth-host=scram-sha-256", "--username", SUPERUSER])
            .arg("--pwfile")
            .arg(&password)
            .arg("--pgdata")
            .arg(&data)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "initdb failed: {said}");
        let more = settings(&data);
        for file in fs::read_dir(&data).unwrap() {
            owner.give(&file.unwrap().path());
        }
        let port = free_port();
        let mut settings = vec![
            format!("port={port}"),
            format!("unix_socket_directories={}", folder.display()),
            "listen_addresses=127.0.0.1".to_owned(),
            "max_connections=300".to_owned(),
            "fsync=off".to_owned(),
            "full_page_writes=off".to_owned(),
            "synchronous_commit=off".to_owned(),
            "timezone=UTC".to_owned(),
        ];
        settings.extend(more);
        let watch = owner.watch(&folder, &binaries.join("postgres"), &data, &settings);
        let mut this = Self {
            folder,
            port,
            binaries,
            databases: AtomicU32::new(0),
            version: 0,
            _watch: watch,
        };
        this.wait_until_ready();
        let version = this.run("postgres", "SHOW server_version_num").unwrap();
        this.version = version.parse().unwrap();
        this
    }

    fn wait_until_ready(&self) {
        let begun = Instant::now();
        let status = self.folder.join("data/postmaster.pid");
        let is_ready = || {
            let text = fs::read_to_string(&status).unwrap_or_default();
            text.lines()
                .nth(7)
                .is_some_and(|line| line.trim() == "ready")
        };
        while !is_ready() {
            let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            let is_late = begun.elapsed() > START || log.contains("FATAL");
            assert!(!is_late, "PostgreSQL does not start: {log}");
            sleep(Duration::from_millis(20));
        }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a database on the port, with the superuser's password.
    pub fn url(&self, database: &str) -> String {
        let password = PASSWORD.replace(' ', "%20");
        format!(
            "postgres://{SUPERUSER}:{password}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    /// The address of a database on the socket, where nobody is asked for a password.
    pub fn socket_url(&self, user: &str, database: &str) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{user}@{folder}:{}/{database}", self.port)
    }

    /// Runs statements in a database as the superuser.
    pub fn run(&self, database: &str, sql: &str) -> Result<String, String> {
        let ran = Command::new(self.binaries.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--username", SUPERUSER])
            .args(["--host", &self.folder.to_string_lossy()])
            .args(["--port", &self.port.to_string()])
            .args(["--dbname", database, "--command", sql])
            .output()
            .unwrap();
        if ran.status.success() {
            Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
        } else {
            Err(String::from_utf8_lossy(&ran.stderr).trim().to_owned())
        }
    }

    /// Creates a database: empty, or a copy of another one. Returns its name.
    pub fn create(&self, template: Option<&str>) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let template = template.unwrap_or("template0");
        // The usual strategy of newer servers writes all pages into the log, which takes five times as long.
        let strategy = if self.version >= 150_000 {
            "STRATEGY file_copy"
        } else {
            ""
        };
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}");
        let begun = Instant::now();
        // A connection to the template that was just closed may still be there for a moment.
        while let Err(error) = self.run("postgres", &sql) {
            assert!(begun.elapsed() < START, "{error}");
            sleep(Duration::from_millis(50));
        }
        name
    }

    /// Removes a database, with all its connections.
    pub fn drop_database(&self, name: &str) {
        let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        if let Err(error) = self.run("postgres", &sql) {
            eprintln!("{name} stays: {error}");
        }
    }
}

impl Drop for PostgresServer {
    /// For servers of one test; that of the process ends with it.
    fn drop(&mut self) {
        drop(self._watch.stdin.take());
        let _ = self._watch.wait();
    }
}

/// Who the server runs as: it refuses to run as root.
enum Owner {
    Myself,
    Other { uid: u32, gid: u32 },
}

impl Owner {
    fn of_the_server() -> Self {
        let number = |args: &[&str]| {
            let said = Command::new("id").args(args).output().unwrap().stdout;
            String::from_utf8_lossy(&said).trim().parse::<u32>().ok()
        };
        if number(&["-u"]) != Some(0) {
            return Self::Myself;
        }
        for user in ["postgres", "nobody"] {
            if let (Some(uid), Some(gid)) = (number(&["-u", user]), number(&["-g", user])) {
                return Self::Other { uid, gid };
            }
        }
        panic!("PostgreSQL refuses to run as root: add a user `postgres`");
    }

    fn give(&self, path: &Path) {
        if let Self::Other { uid, gid } = *self {
            chown(path, Some(uid), Some(gid)).unwrap();
        }
    }

    /// The words before a command that make it run as this user.
    fn prefix(&self) -> Vec<String> {
        match *self {
            Self::Myself => Vec::new(),
            Self::Other { uid, gid } => vec![
                "setpriv".to_owned(),
                format!("--reuid={uid}"),
                format!("--regid={gid}"),
                "--clear-groups".to_owned(),
            ],
        }
    }

    fn command(&self, program: &Path) -> Command {
        let mut words = self.prefix().into_iter();
        let mut command = match words.next() {
            None => Command::new(program),
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(program);
                command
            }
        };
        command.current_dir("/");
        command
    }

    fn watch(&self, folder: &Path, program: &Path, data: &Path, settings: &[String]) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", WATCH, "sh"]).arg(folder);
        command.args(self.prefix()).arg(program).arg("-D").arg(data);
        for setting in settings {
            command.args(["-c", setting]);
        }
        // Keys that stop the tests do not stop the shell, which cleans up after them.
        command
            .process_group(0)
            .current_dir("/")
            .stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.as_mut().unwrap().flush().unwrap();
        child
    }
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The folder of `initdb` and `postgres`: the newest version that is installed.
fn binaries() -> PathBuf {
    let mut folders = Vec::new();
    if let Ok(said) = Command::new("pg_config").arg("--bindir").output() {
        folders.push(PathBuf::from(String::from_utf8_lossy(&said.stdout).trim()));
    }
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.path().join("bin"))
                .collect()
        })
        .unwrap_or_default();
    versions.sort();
    folders.extend(versions.into_iter().rev());
    folders.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "psql"]
            .iter()
            .all(|program| folder.join(program).is_file())
    };
    folders.into_iter().find(has_all).unwrap_or_else(|| {
        panic!(
            "these tests need a PostgreSQL server (14 or newer): install it with `apt-get install postgresql`"
        )
    })
}
