//! A PostgreSQL server for the tests of one process.
//!
//! It is started once, with a data folder of its own, and listens on a socket in that folder and on a free port of this machine.
//! A shell watches over it: when the process of the tests ends, however it ends, the shell stops the server and removes the folder.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod owner;

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use owner::Owner;

/// The password of the server's superuser, which is asked for on the port only.
pub const PASSWORD: &str = "correct horse";

/// Fills a database with many workspaces, for tests of plans and for measurements.
pub const MANY: &str = include_str!("many.sql");

/// The server's superuser.
pub const SUPERUSER: &str = "postgres";

/// How long the server may take to start.
const START: Duration = Duration::from_secs(60);

/// A running server.
pub struct PostgresServer {
    folder: PathBuf,
    port: u16,
    binaries: PathBuf,
    databases: AtomicU32,
    /// As PostgreSQL counts it: 150004 is 15.4.
    version: u32,
    /// The server lives as long as this one's standard input is open.
    watch: Child,
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
        let folder = owner.folder();
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
        Self::launch(&owner, binaries, folder, more)
    }

    /// Starts a server that follows this one, and only reads.
    #[must_use]
    pub fn replica(&self) -> Self {
        let owner = Owner::of_the_server();
        let folder = owner.folder();
        let made = owner
            .command(&self.binaries.join("pg_basebackup"))
            .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"])
            .args(["--username", SUPERUSER, "--port", &self.port.to_string()])
            .arg("--host")
            .arg(&self.folder)
            .arg("--pgdata")
            .arg(folder.join("data"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "pg_basebackup failed: {said}");
        Self::launch(&owner, self.binaries.clone(), folder, Vec::new())
    }

    /// Starts a server over the data in a folder.
    fn launch(owner: &Owner, binaries: PathBuf, folder: PathBuf, more: Vec<String>) -> Self {
        let data = folder.join("data");
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
            watch,
        };
        this.wait_until_ready();
        let version = this.run("postgres", "SHOW server_version_num").unwrap();
        this.version = version.parse().unwrap();
        this
    }

    fn wait_until_ready(&self) {
        let begun = Instant::now();
        let is_ready = || {
            let text = fs::read_to_string(self.status()).unwrap_or_default();
            text.lines()
                .nth(7)
                .is_some_and(|line| line.trim() == "ready")
        };
        while !is_ready() {
            let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            // A server that starts again has refused clients before.
            let is_refused = self.version == 0 && log.contains("FATAL");
            let is_late = begun.elapsed() > START || is_refused;
            assert!(!is_late, "PostgreSQL does not start: {log}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Where the server says how far it is; the file is there as long as it runs.
    fn status(&self) -> PathBuf {
        self.folder.join("data/postmaster.pid")
    }

    /// Stops it at once, as a crash does.
    pub fn stop(&self) {
        self.tell("stop");
        let begun = Instant::now();
        while self.status().exists() {
            assert!(begun.elapsed() < START, "PostgreSQL does not stop");
            sleep(Duration::from_millis(20));
        }
    }

    /// Starts it again after [`PostgresServer::stop`].
    pub fn start_again(&self) {
        self.tell("start");
        self.wait_until_ready();
    }

    fn tell(&self, word: &str) {
        let mut input = self.watch.stdin.as_ref().unwrap();
        writeln!(input, "{word}").unwrap();
        input.flush().unwrap();
    }

    /// Gives a folder to the user that the server runs as.
    pub fn give(&self, folder: &Path) {
        Owner::of_the_server().give(folder);
    }

    /// A client that has a connection until its standard input ends.
    #[must_use]
    pub fn client(&self, user: &str, database: &str) -> Child {
        Command::new(self.binaries.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--username", user])
            .args(["--port", &self.port.to_string(), "--dbname", database])
            .arg("--host")
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
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
        drop(self.watch.stdin.take());
        let _ = self.watch.wait();
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
