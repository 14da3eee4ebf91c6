//! A disk that fails at any call on the database's files, while an import, a generation run or a backfill works: the database
//! stays sound, what was reported is there, and the same command without the fault ends where an undisturbed one does.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_tests::disk::{Disk, DiskCall, Strike, assert_sound, strikes};
use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::{Program, Ran, demo_export};
use myao_tests::telling;

/// A command that works on the database to an end.
struct Work {
    config: String,
    /// What is there before; `None` for no database.
    before: Option<Program>,
    arguments: Vec<String>,
    state: fn(&Program) -> String,
}

/// What an undisturbed run does.
struct Undisturbed {
    calls: Vec<DiskCall>,
    state: String,
}

impl Work {
    fn program(&self) -> Program {
        let program = Program::with_config(&self.config);
        if let Some(before) = &self.before {
            std::fs::copy(before.path("myao.db"), program.path("myao.db")).unwrap();
        }
        program
    }

    fn run(&self, program: &Program) -> Ran {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        program.run(&arguments)
    }

    fn undisturbed(&self) -> Undisturbed {
        let mut program = self.program();
        let disk = Disk::default();
        disk.watch(&mut program);
        self.run(&program).succeeded();
        program.unset_all();
        // At its end everything that it reported is on the disk.
        disk.lose_what_was_not_synced(&program);
        assert_sound(&program.path("myao.db"), &"power loss after the end");
        Undisturbed {
            calls: disk.calls(),
            state: (self.state)(&program),
        }
    }

    fn is_survived(&self, undisturbed: &Undisturbed, strike: &Strike) {
        let mut program = self.program();
        let disk = Disk::default();
        disk.strike(&mut program, strike.call.number, strike.trouble);
        let ran = self.run(&program);
        program.unset_all();
        assert!(disk.has_struck(), "{strike}: it did not come so far");
        if strike.trouble.is_power_loss() {
            assert_eq!(ran.code, None, "{strike}: {ran:#?}");
            disk.lose_what_was_not_synced(&program);
        } else {
            assert!(ran.code.is_some(), "{strike}: {ran:#?}");
        }
        assert_sound(&program.path("myao.db"), strike);
        if ran.code == Some(0) {
            assert_eq!(
                (self.state)(&program),
                undisturbed.state,
                "{strike}: {ran:#?}"
            );
        }
        let again = self.run(&program);
        assert_eq!(again.code, Some(0), "{strike}: {ran:#?}, then {again:#?}");
        let (state, expected) = ((self.state)(&program), undisturbed.state.clone());
        if ran.code == Some(1) && ran.stdout.contains("failed: ") {
            // The others went on without the one that failed, and nothing is left to do.
            assert_eq!(made_of(&state), made_of(&expected), "{strike}: {ran:#?}");
            assert_eq!(self.run(&program).code, Some(0), "{strike}");
            assert_eq!((self.state)(&program), state, "{strike}: {ran:#?}");
        } else {
            assert_eq!(state, expected, "{strike}: {ran:#?}");
        }
        assert_sound(&program.path("myao.db"), strike);
    }

    /// Kinds are what must be seen of SQLite's calls, each on its file.
    fn survives_every_strike(&self, kinds: &[(&str, &str)], per_kind: usize) {
        let undisturbed = self.undisturbed();
        for (kind, file) in kinds {
            let is_this = |call: &&DiskCall| call.kind == *kind && call.file == *file;
            let count = undisturbed.calls.iter().filter(is_this).count();
            assert!(
                count > 0,
                "no {kind} of {file} was seen: {:?}",
                undisturbed.calls
            );
        }
        let strikes = strikes(&undisturbed.calls, per_kind);
        assert!(strikes.len() >= kinds.len());
        let next = AtomicUsize::new(0);
        let differing = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(strike) = strikes.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let survived =
                            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                                self.is_survived(&undisturbed, strike);
                            }));
                        if survived.is_err() {
                            differing.lock().unwrap().push(strike.to_string());
                        }
                    }
                });
            }
        });
        let differing = differing.into_inner().unwrap();
        assert!(differing.is_empty(), "not survived: {differing:#?}");
        eprintln!(
            "{} calls on the database's files, {} struck",
            undisturbed.calls.len(),
            strikes.len()
        );
    }
}

/// The memories of channels and threads in a dump, without their texts: which messages went into which, and what was merged. A text
/// may show another one of the workspace, which has one more merge.
fn made_of(dump: &str) -> Vec<String> {
    let is_text = |line: &&str| line.starts_with("  \"") || line.starts_with("  truncated ");
    let mut made: Vec<String> = Vec::new();
    for line in dump.lines().filter(|line| !is_text(line)) {
        let line = line.split(", from: ").next().unwrap_or_default();
        match made.last_mut() {
            Some(memory) if line.starts_with(' ') => *memory = format!("{memory}\n{line}"),
            _ => made.push(line.to_owned()),
        }
    }
    made.retain(|memory| !memory.starts_with("workspace "));
    made
}

/// Calls that every new database has: its first steps are in a rollback journal, all others in the WAL.
const NEW_DATABASE: [(&str, &str); 14] = [
    ("open", "db"),
    ("open", "-journal"),
    ("open", "-wal"),
    ("open", "-shm"),
    ("write", "db"),
    ("write", "-journal"),
    ("write", "-wal"),
    ("write", "-shm"),
    ("sync", "db"),
    ("sync", "-journal"),
    ("sync", "-wal"),
    ("sync", "folder"),
    ("truncate", "-shm"),
    ("unlink", "-journal"),
];

const OLD_DATABASE: [(&str, &str); 8] = [
    ("open", "db"),
    ("open", "-wal"),
    ("open", "-shm"),
    ("write", "db"),
    ("write", "-wal"),
    ("sync", "db"),
    ("sync", "-wal"),
    ("unlink", "-wal"),
];

/// Every row.
fn rows(program: &Program) -> String {
    program.rows().join("\n")
}

#[test]
fn an_import_survives_a_disk_that_fails_at_any_call() {
    let import = Work {
        config: String::new(),
        before: None,
        arguments: vec!["import".to_owned(), demo_export()],
        state: rows,
    };
    import.survives_every_strike(&NEW_DATABASE, 1);
}

fn posts() -> Vec<Post> {
    vec![
        post("alpha", 10, "ann", "We release Harbour on 4 March."),
        post("alpha", 13, "bob", "I will write the notes.").in_thread(10),
        post("beta", 11, "ann", "The crane costs 300 euros."),
        post("beta", 200, "bob", "It is ordered."),
    ]
}

fn generation(arguments: &[&str]) -> (LlmServer, Work) {
    let server = LlmServer::start(|call| answer(&telling::answer(call.prompt())));
    let work = Work {
        config: format!("{}memory: {{ channels_in_flight: 1 }}\n", server.config()),
        before: Some(program_with("", &posts())),
        arguments: arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect(),
        state: Program::memories,
    };
    (server, work)
}

#[test]
fn a_generation_run_survives_a_disk_that_fails_at_any_call() {
    let (_server, run) = generation(&["generate", "--now", &time(400)]);
    run.survives_every_strike(&OLD_DATABASE, 1);
}

#[test]
fn a_backfill_survives_a_disk_that_fails_at_any_call() {
    let (_server, backfill) = generation(&["backfill", "--until", &time(600)]);
    backfill.survives_every_strike(&OLD_DATABASE, 1);
}
