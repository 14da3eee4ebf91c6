//! Nothing stays of what people take back, over random histories of posts, edits, deletions, conversions, pins, corrections,
//! requests to forget, retention, imports, catch-ups, runs and answers, and of events that are set aside or never come; with the
//! host's clock right, or a day off. A deletion without an event counts from the time at which the channel is compared.
//!
//! After each step exactly those messages are known as marked that are. No memory and no column of the database holds what
//! nobody says any more, and no prompt and no answer what nobody said before it. In the
//! end no byte of the files holds it, after a vacuum in one history of 50 at most, and everything else is remembered that no correction replaces.
//!
//! `MYAO_TEST_HISTORIES` sets the number of histories, `MYAO_TEST_HISTORIES_OVER_POSTGRES` that over a server, `MYAO_TEST_SEED` the
//! seed of the first, and `MYAO_TEST_KILLS` how often processes are killed.

mod bot;
mod gatemem;
mod history;
mod run;
mod texts;
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use bot::{Store, columns};
use futures::FutureExt as _;
use history::History;
use myao_tests::disk::{Disk, Trouble, assert_sound};
use myao_tests::kills::kills;
use myao_tests::postgres::ServerDatabase;
use myao_tests::store::{TestStore, workspace};
use run::{Counts, play};
use rusqlite::Connection;
use world::World;

const HISTORIES: u64 = 200;
const DATABASE: &str = "MYAO_TEST_DATABASE";
const SEED: &str = "MYAO_TEST_SEED";
/// How often one history is killed.
const KILLS_EACH: u32 = 5;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Over a server, where each takes longer.
const HISTORIES_OVER_POSTGRES: u64 = 10;

/// Plays a history in a store of its own; the first thing that is wrong.
fn played(history: &History, is_over_postgresql: bool) -> Result<Counts, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let file = TestStore::empty();
    let store = match is_over_postgresql {
        true => Store::Server(ServerDatabase::with_tables().into()),
        false => Store::File(file.path()),
    };
    let playing = AssertUnwindSafe(play(history, store, 0, &|_| ())).catch_unwind();
    let mut counts = runtime.block_on(playing).map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        said.unwrap_or_else(|| "it panicked".to_owned())
    })?;
    let gone = gone(history);
    let left = || gone.iter().find(|mark| in_bytes(&file.path(), mark));
    if left().is_some() {
        counts.left += 1;
        let vacuumed = Connection::open(file.path()).map(|file| file.execute_batch("VACUUM"));
        vacuumed.unwrap().unwrap();
    }
    if let Some(mark) = left() {
        return Err(format!("`{mark}` is left in the bytes of the database"));
    }
    Ok(counts)
}

/// What nobody says any more in the end.
fn gone(history: &History) -> BTreeSet<String> {
    let (mut world, _) = World::new();
    for (wait, step) in &history.steps {
        world.step(*wait, *step);
    }
    world.gone()
}

/// Whether the files of a database hold a text anywhere.
fn in_bytes(path: &Path, text: &str) -> bool {
    ["", "-wal", "-shm"].iter().any(|suffix| {
        let bytes = fs::read(format!("{}{suffix}", path.display())).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[test]
fn nothing_stays_of_what_is_taken_back() {
    check(number("MYAO_TEST_HISTORIES", HISTORIES), false);
}

#[test]
fn nothing_stays_of_what_is_taken_back_over_postgresql() {
    let count = number("MYAO_TEST_HISTORIES_OVER_POSTGRES", HISTORIES_OVER_POSTGRES);
    check(count, true);
}

/// Plays the histories of so many seeds.
fn check(count: u64, is_over_postgresql: bool) {
    let first = number(SEED, 1);
    let next = AtomicU64::new(first);
    let sum = Mutex::new(Counts::default());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    let history = History::of(seed);
                    match played(&history, is_over_postgresql) {
                        Ok(counts) => sum.lock().unwrap().add(&counts),
                        Err(_) => panic!("{}", explained(seed, history, is_over_postgresql)),
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    eprintln!("{count} histories from seed {first} on: {sum:?}");
    // SQLite leaves copies of rows that it moved, rarely, until a vacuum.
    assert!(
        sum.left <= 1 + usize::try_from(count).unwrap() / 50,
        "{sum:?}"
    );
    if count >= HISTORIES {
        let enough = usize::try_from(count).unwrap() / 4;
        for some in [
            sum.told_before,
            sum.prompts,
            sum.answers,
            sum.midway,
            sum.marks,
            sum.items,
            sum.changes,
            sum.vectors,
        ] {
            assert!(some > enough, "{sum:?}");
        }
    }
}

/// A failure with the shortest history that was found for it.
fn explained(seed: u64, mut history: History, is_over_postgresql: bool) -> String {
    let mut size = history.steps.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < history.steps.len() {
            let mut shorter = history.clone();
            let end = (at + size).min(shorter.steps.len());
            shorter.steps.drain(at..end);
            if played(&shorter, is_over_postgresql).is_err() {
                history = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    let steps = history.steps.iter();
    let steps: Vec<String> = steps.map(|step| format!("{step:?}")).collect();
    let wrong = played(&history, is_over_postgresql).err();
    format!(
        "seed {seed}, {:?}\n{}\n{wrong:?}",
        history.setup,
        steps.join("\n")
    )
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.told_before += other.told_before;
        self.prompts += other.prompts;
        self.answers += other.answers;
        self.midway += other.midway;
        self.marks += other.marks;
        self.items += other.items;
        self.changes += other.changes;
        self.vectors += other.vectors;
        self.left += other.left;
    }
}

/// The killed process. It is no test of its own: `killed` runs it.
#[tokio::test]
#[ignore = "run by the other tests of this file, in a process of its own"]
async fn child() {
    let Some(database) = std::env::var_os(DATABASE).map(PathBuf::from) else {
        panic!("only the other tests of this file run this one");
    };
    let history = History::of(number(SEED, 1)).without_races();
    let done = |steps: usize| {
        let new = progress(&database).with_extension("new");
        fs::write(&new, steps.to_string()).unwrap();
        fs::rename(new, progress(&database)).unwrap();
    };
    let from = steps_done(&database);
    play(&history, Store::File(database.clone()), from, &done).await;
}

/// Beside the database: how many steps are over.
fn progress(database: &Path) -> PathBuf {
    database.with_extension("progress")
}

fn steps_done(database: &Path) -> usize {
    fs::read_to_string(progress(database)).map_or(0, |steps| steps.parse().unwrap())
}

/// A process that plays a history. `at` is the call on the files before which it is killed.
fn spawn(seed: u64, database: &Path, disk: &Disk, at: Option<usize>) -> std::process::Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "erasing::child",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DATABASE, database)
        .env(SEED, seed.to_string())
        .envs(disk.variables(at.map(|at| (at, Trouble::Kill))))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.output().unwrap()
}

/// What a database must hold in the end, however often a process was killed.
const STATE: [&str; 6] = [
    "SELECT channel || ' ' || ts_key || ' ' || text || ' ' || (deleted_at IS NULL) \
        FROM messages ORDER BY channel, ts_key",
    "SELECT channel || ' ' || ts_key || ' ' || number || ' ' || text || ' ' || sending || ' ' || retracted \
        FROM reply_parts ORDER BY channel, ts_key, number",
    "SELECT channel || ' ' || ts_key || ' ' || source_channel || ' ' || source_key \
        FROM reply_sources ORDER BY channel, ts_key, source_channel, source_key",
    "SELECT event_id || ' ' || payload FROM events ORDER BY id",
    "SELECT channel || ' ' || ts_key || ' ' || source || ' ' || is_pinned FROM message_pins ORDER BY channel, ts_key, source",
    // The recorded calls, by the memories that they saved: a call that was killed may have been recorded, too.
    "SELECT DISTINCT scope || ' ' || scope_id || ' ' || memory_type || ' ' || text_digest \
        FROM recorded_saves WHERE memory IS NOT NULL ORDER BY 1",
];

/// Memories, messages, answers, events and recordings.
fn state(database: &Path) -> String {
    let mut state = workspace(database).dump().unwrap();
    let database = Connection::open(database).unwrap();
    for sql in STATE {
        let mut statement = database.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0));
        for row in rows.unwrap() {
            state.push('\n');
            state.push_str(&row.unwrap());
        }
    }
    state
}

/// Plays a history in processes that are killed, and compares its end. How often one was killed.
fn killed(seed: u64) -> u32 {
    let undisturbed = TestStore::empty();
    let disk = Disk::default();
    let ended = spawn(seed, &undisturbed.path(), &disk, None);
    assert!(ended.status.success(), "seed {seed}: {ended:?}");
    let calls = disk.count();
    let mut rng = fastrand::Rng::with_seed(seed);
    let store = TestStore::empty();
    let database = store.path();
    let mut kills = 0;
    for _ in 0..KILLS_EACH {
        let at = 1 + rng.usize(..calls / 2);
        let ended = spawn(seed, &database, &Disk::default(), Some(at));
        if ended.status.success() {
            break;
        }
        assert_eq!(ended.status.code(), None, "seed {seed}: {ended:?}");
        kills += 1;
        assert_sound(&database, &seed);
        let history = History::of(seed).without_races();
        let (mut world, _) = World::new();
        let (over, left) = history.steps.split_at(steps_done(&database));
        for (wait, step) in over {
            world.step(*wait, *step);
        }
        // What is half done may say something again.
        let gone = world.gone();
        if let Some((wait, step)) = left.first() {
            world.step(*wait, *step);
        }
        let gone = &gone & &world.gone();
        if database.exists() {
            for (place, text) in columns(&database) {
                run::assert_without(&text, &gone, &format!("seed {seed}, {place}"));
            }
        }
    }
    let ended = spawn(seed, &database, &Disk::default(), None);
    assert!(ended.status.success(), "seed {seed}: {ended:?}");
    assert_eq!(state(&database), state(&undisturbed.path()), "seed {seed}");
    kills
}

#[test]
fn nothing_comes_back_when_a_history_is_killed_again_and_again() {
    let wanted = kills(40, 20);
    let (seed, done) = (AtomicU64::new(1), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while *done.lock().unwrap() < wanted {
                    let kills = killed(seed.fetch_add(1, Ordering::Relaxed));
                    *done.lock().unwrap() += kills;
                }
            });
        }
    });
    eprintln!("killed {} times", done.into_inner().unwrap());
}
