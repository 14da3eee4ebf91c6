//! A disk that fails under the database of the program: `tests/faults/store.c`, preloaded.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::program::{Program, target_folder};
use crate::project_file;

/// The database, and what SQLite keeps beside it.
const FILES: [&str; 4] = ["myao.db", "myao.db-wal", "myao.db-shm", "myao.db-journal"];
/// All tests over failing disks do everything, and not a sample.
pub const ALL: &str = "MYAO_TEST_DISK_ALL";
/// Where the shim keeps what was synced.
const KEPT: &str = "MYAO_DISK_KEPT";

/// A fault of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// An input/output error, once.
    InputOutput,
    /// From here on the disk is full: half of a write is written.
    Full,
    /// Half of a write is written, once.
    ShortWrite,
    /// A signal interrupts the call, once.
    Interrupt,
    /// The process is killed (-9); the disk is well.
    Kill,
    /// The power goes: what was not synced is lost.
    PowerLoss,
    /// The power goes: of what was not synced, some sectors survive.
    PowerLossWithLeftovers,
}

impl Trouble {
    fn name(self) -> &'static str {
        match self {
            Self::InputOutput => "eio",
            Self::Full => "full",
            Self::ShortWrite => "short",
            Self::Interrupt => "eintr",
            Self::Kill | Self::PowerLoss | Self::PowerLossWithLeftovers => "power",
        }
    }

    /// Returns true if the process ends with it.
    #[must_use]
    pub fn is_power_loss(self) -> bool {
        matches!(self, Self::PowerLoss | Self::PowerLossWithLeftovers)
    }

    /// The faults that a call can have.
    fn of(call: &DiskCall) -> &'static [Self] {
        match call.kind.as_str() {
            "open" => &[
                Self::InputOutput,
                Self::Full,
                Self::Interrupt,
                Self::PowerLoss,
            ],
            "write" => &[
                Self::InputOutput,
                Self::Full,
                Self::ShortWrite,
                Self::Interrupt,
                Self::PowerLoss,
                Self::PowerLossWithLeftovers,
            ],
            "allocate" => &[Self::InputOutput, Self::Full],
            _ => &[
                Self::InputOutput,
                Self::PowerLoss,
                Self::PowerLossWithLeftovers,
            ],
        }
    }
}

/// A call on one of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskCall {
    /// Its number, from 1.
    pub number: usize,
    /// `open`, `write`, `sync`, `truncate`, `unlink`, `rename` or `allocate`.
    pub kind: String,
    /// `db`, `-wal`, `-shm`, `-journal` or `folder`.
    pub file: String,
    /// True if it is the faulty one.
    pub is_faulty: bool,
}

/// The disk of one run.
pub struct Disk {
    folder: TempDir,
}

impl Default for Disk {
    fn default() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("kept")).unwrap();
        Self { folder }
    }
}

impl Disk {
    /// Counts the calls of a program from now on.
    pub fn watch(&self, program: &mut Program) {
        self.prepare(program, None);
    }

    /// The same, and lets a call go wrong.
    pub fn strike(&self, program: &mut Program, at: usize, trouble: Trouble) {
        self.prepare(program, Some((at, trouble)));
    }

    fn prepare(&self, program: &mut Program, strike: Option<(usize, Trouble)>) {
        program.unset(KEPT);
        for (name, value) in self.variables(strike) {
            program.set(name, value);
        }
    }

    /// The environment of a process whose calls are counted, and one of which goes wrong.
    #[must_use]
    pub fn variables(&self, strike: Option<(usize, Trouble)>) -> Vec<(&'static str, OsString)> {
        let folder = self.folder.path();
        let mut variables: Vec<(&str, OsString)> = vec![
            ("LD_PRELOAD", shim().into()),
            ("MYAO_DISK_FILE", "myao.db".into()),
            ("MYAO_DISK_LOG", folder.join("log").into()),
        ];
        if strike.is_none_or(|(_, trouble)| trouble.is_power_loss()) {
            variables.push((KEPT, folder.join("kept").into()));
        }
        if let Some((at, trouble)) = strike {
            variables.push(("MYAO_DISK_AT", at.to_string().into()));
            variables.push(("MYAO_DISK_FAULT", trouble.name().into()));
            if trouble == Trouble::PowerLossWithLeftovers {
                // Xorshift takes some rounds to leave small numbers.
                let seed = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                variables.push(("MYAO_DISK_SEED", seed.to_string().into()));
            }
        }
        variables
    }

    /// The calls so far.
    ///
    /// # Panics
    /// If there is none: nothing was preloaded, or it did not see SQLite's calls.
    #[must_use]
    pub fn calls(&self) -> Vec<DiskCall> {
        let log = self.log();
        assert!(!log.is_empty(), "the failing disk saw no call");
        log.lines().map(call).collect()
    }

    /// How many there are so far; maybe none yet.
    #[must_use]
    pub fn count(&self) -> usize {
        self.log().lines().count()
    }

    /// Returns true if the fault has occurred.
    #[must_use]
    pub fn has_struck(&self) -> bool {
        self.log().contains(" fault\n")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Puts what a start after a power loss finds in place of a program's database.
    pub fn lose_what_was_not_synced(&self, program: &Program) {
        for name in FILES {
            let (kept, file) = (
                self.folder.path().join("kept").join(name),
                program.path(name),
            );
            if kept.exists() {
                std::fs::copy(kept, file).unwrap();
            } else if file.exists() {
                std::fs::remove_file(file).unwrap();
            }
        }
    }
}

fn call(line: &str) -> DiskCall {
    let mut words = line.split(' ');
    let mut next = || words.next().unwrap_or_default().to_owned();
    DiskCall {
        number: next().parse().unwrap(),
        kind: next(),
        file: next(),
        is_faulty: next() == "fault",
    }
}

/// The faults to try, with their places: each that a call can have. A sample has each fault of each kind of call on
/// each file `per_kind` times, spread over the run; `MYAO_TEST_DISK_ALL=1` asks for all.
#[must_use]
pub fn strikes(calls: &[DiskCall], per_kind: usize) -> Vec<Strike> {
    let all = calls.iter().flat_map(|call| {
        Trouble::of(call).iter().map(|trouble| Strike {
            call: call.clone(),
            trouble: *trouble,
        })
    });
    let mut all: Vec<Strike> = all.collect();
    if std::env::var_os(ALL).is_some() {
        return all;
    }
    let key = |strike: &Strike| {
        let DiskCall { kind, file, .. } = &strike.call;
        (kind.clone(), file.clone(), strike.trouble)
    };
    all.sort_by_key(key);
    let alike = all.chunk_by(|a, b| key(a) == key(b));
    alike
        .flat_map(|alike| {
            let count = per_kind.min(alike.len());
            // The middle of each of `count` equal parts.
            (0..count).filter_map(move |n| alike.get((2 * n + 1) * alike.len() / (2 * count)))
        })
        .cloned()
        .collect()
}

/// Something that goes wrong.
#[derive(Debug, Clone)]
pub struct Strike {
    /// Where.
    pub call: DiskCall,
    /// What.
    pub trouble: Trouble,
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DiskCall {
            number, kind, file, ..
        } = &self.call;
        write!(f, "{:?} at call {number}, {kind} of {file}", self.trouble)
    }
}

/// Asserts that SQLite finds nothing wrong in a database, if there is one, and no reference leads nowhere.
///
/// # Panics
/// If it does.
#[track_caller]
pub fn assert_sound(database: &Path, what: &dyn fmt::Display) {
    if !database.exists() {
        return;
    }
    let connection = Connection::open(database).unwrap();
    let found: Result<String, _> =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    assert_eq!(found.as_deref(), Ok("ok"), "{what}");
    let mut check = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(
        !check.exists([]).unwrap(),
        "{what}: a reference leads nowhere"
    );
}

/// The compiled shim.
fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let folder = target_folder();
        let shim = folder.join("test-store-faults.so");
        // Other test programs compile it at the same time.
        let own = folder.join(format!("test-store-faults-{}.so", std::process::id()));
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]);
        cc.arg(&own).arg(project_file("tests/faults/store.c"));
        cc.args(["-ldl", "-lpthread"]);
        let status = cc.status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{cc:?} fails: a C compiler for Linux is needed"
        );
        std::fs::rename(own, &shim).unwrap();
        shim
    })
}
