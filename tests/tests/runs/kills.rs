//! A backfill that is killed anywhere: processes of their own, that end in the middle of their work.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_plugin::MemoryPlugin;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_sql::SqlWorkspace;
use myao_testkit::{Call, Recorder, blocking};
use myao_tests::abort::{Abort, CALL_MARK, Moment};
use myao_tests::backfills::{backfill_all, small_steps, tapped_plugin, telling_plugin};
use myao_tests::conversation::{History, START, Shape, history};
use myao_tests::merges::{
    assert_long_term_tells_of_each_version, assert_merged_once_in_order, assert_same_dump,
};
use myao_tests::store::{TestStore, workspace};

const DATABASE: &str = "MYAO_TEST_DATABASE";
const KILL_AT: &str = "MYAO_TEST_KILL_AT";
const HOUR: i64 = 3600;
const INTERVAL: u32 = 8 * 3600;
const DAYS: i64 = 1;
const UNTIL: i64 = START + (DAYS * 24 + 12) * HOUR;

fn conversation() -> History {
    history(
        7,
        Shape {
            channels: 2,
            days: DAYS,
            burst: 16,
        },
    )
}

/// The killed process. It is no test of its own: `Killed::spawn` runs it.
#[tokio::test]
#[ignore = "run by the other tests of this file, in a process of its own"]
async fn child() {
    let database =
        std::env::var_os(DATABASE).expect("only the other tests of this file run this one");
    let kill_at = std::env::var(KILL_AT).ok().map(|at| {
        let (number, moment) = at.split_once(' ').unwrap();
        let moment = if moment == "before" {
            Moment::Before
        } else {
            Moment::After
        };
        (number.parse().unwrap(), moment)
    });
    let workspace = workspace(Path::new(&database));
    let plugin = tapped_plugin(&workspace, small_steps(), Arc::new(Abort(kill_at)));
    let plugin = journaled(plugin, &workspace).await;
    backfill_all(&plugin, &workspace, INTERVAL, UNTIL).await;
}

fn spawn(database: &Path, kill_at: Option<(usize, Moment)>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "runs::kills::child",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DATABASE, database)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some((number, moment)) = kill_at {
        let moment = if moment == Moment::Before {
            "before"
        } else {
            "after"
        };
        command.env(KILL_AT, format!("{number} {moment}"));
    }
    command.spawn().unwrap()
}

/// The same plugin with a journal of the model's calls.
async fn journaled(plugin: MemoryPlugin, workspace: &SqlWorkspace) -> MemoryPlugin {
    let journal = Arc::new(workspace.clone());
    plugin.with_journal(journal)
}

/// How often the model was asked.
fn asked(workspace: &SqlWorkspace) -> usize {
    let calls = blocking(workspace.calls(0, i64::MAX)).unwrap();
    calls.iter().filter(|call| !call.is_recall()).count()
}

/// What an undisturbed backfill calls and makes.
struct Undisturbed {
    imported: TestStore,
    calls: Vec<Call>,
    asked: usize,
    dump: String,
}

impl Undisturbed {
    async fn run() -> Self {
        let imported = TestStore::of(&conversation());
        let store = TestStore::copy_of(&imported);
        let workspace = store.workspace();
        let recorder = Arc::new(Recorder::default());
        let plugin = tapped_plugin(&workspace, small_steps(), recorder.clone());
        let plugin = journaled(plugin, &workspace).await;
        backfill_all(&plugin, &workspace, INTERVAL, UNTIL).await;
        assert!(assert_merged_once_in_order(&workspace) >= 6);
        assert_long_term_tells_of_each_version(&workspace);
        let mut calls: Vec<Call> = recorder.take().into_iter().map(|made| made.call).collect();
        calls.retain(Call::can_fail);
        Self {
            imported,
            asked: asked(&workspace),
            calls,
            dump: workspace.dump().unwrap(),
        }
    }

    /// Goes on in a database that somebody died over, and compares.
    async fn assert_continued(&self, database: &TestStore, killed: &str) {
        let workspace = database.workspace();
        let plugin = telling_plugin(&workspace, small_steps());
        let plugin = journaled(plugin, &workspace).await;
        backfill_all(&plugin, &workspace, INTERVAL, UNTIL).await;
        assert_merged_once_in_order(&workspace);
        assert_long_term_tells_of_each_version(&workspace);
        assert_same_dump(&workspace, &self.dump, killed);
    }

    /// Before and after every save, before every answer, and before some of the other calls: what only reads
    /// leaves the database as it is.
    fn moments(&self) -> Vec<(usize, Moment)> {
        let calls = self.calls.iter().enumerate();
        calls
            .flat_map(|(n, Call { number, import, .. })| match *import {
                "storage.save-memory" => vec![(*number, Moment::Before), (*number, Moment::After)],
                "llm.complete" => vec![(*number, Moment::Before)],
                _ if n % 5 == 0 => vec![(*number, Moment::Before)],
                _ => Vec::new(),
            })
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_killed_at_any_call_is_continued_as_if_nothing_had_been() {
    let undisturbed = Arc::new(Undisturbed::run().await);
    let moments = Arc::new(undisturbed.moments());
    let next = Arc::new(AtomicUsize::new(0));
    let workers = (0..2).map(|_| {
        let (undisturbed, moments, next) = (undisturbed.clone(), moments.clone(), next.clone());
        tokio::spawn(async move {
            while let Some(moment) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
                let database = TestStore::copy_of(&undisturbed.imported);
                let killed = format!("{moment:?}");
                let path = database.path();
                let moment = *moment;
                let status = tokio::task::spawn_blocking(move || {
                    spawn(&path, Some(moment))
                        .wait_with_output()
                        .unwrap()
                        .status
                });
                assert_eq!(
                    status.await.unwrap().code(),
                    None,
                    "{killed}: it was not killed"
                );
                undisturbed.assert_continued(&database, &killed).await;
                // A kill between an answer and its save costs no second call.
                assert_eq!(asked(&database.workspace()), undisturbed.asked, "{killed}");
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    eprintln!(
        "killed {} times, of {} calls",
        moments.len(),
        undisturbed.calls.len()
    );
}

/// Reads what the child tells until its `number`th call.
#[allow(
    clippy::unbuffered_bytes,
    reason = "a buffer would swallow the calls that are waited for next"
)]
fn wait_for_call(child: &mut Child, number: usize) -> bool {
    let out = child.stdout.as_mut().unwrap();
    let calls = out
        .bytes()
        .map_while(Result::ok)
        .filter(|byte| *byte == CALL_MARK);
    calls.take(number).count() == number
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_killed_from_outside_again_and_again_is_continued() {
    let undisturbed = Undisturbed::run().await;
    for step in [1, 5, 11] {
        let database = TestStore::copy_of(&undisturbed.imported);
        let mut kills = 0;
        loop {
            let mut child = spawn(&database.path(), None);
            let alive = wait_for_call(&mut child, step + kills);
            // It works on while it is killed: the moment is any.
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            if !alive && ended.success() {
                break;
            }
            kills += 1;
            assert!(kills < 1000, "it comes no further");
        }
        assert!(kills > 3);
        undisturbed
            .assert_continued(&database, &format!("{kills} times"))
            .await;
    }
}
