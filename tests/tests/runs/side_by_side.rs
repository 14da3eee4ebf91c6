//! Channels side by side, and several hosts over one database.

use std::sync::Arc;

use myao_bot::backfill;
use myao_bot::backfill::Options;
use myao_plugin::{MemoryPlugin, Outcome, Timestamp, run};
use myao_testkit::{Call, Calls, Faults, Recorder, Strike};
use myao_tests::backfills::{backfill_all, small_steps, tapped_plugin, telling_plugin};
use myao_tests::conversation::{START, Shape, history};
use myao_tests::merges::{
    assert_every_message_is_a_source, assert_long_term_tells_of_each_version,
    assert_merged_once_in_order, assert_same_dump,
};
use myao_tests::store::{TestStore, utc};

const HOUR: i64 = 3600;
const SHAPE: Shape = Shape {
    channels: 6,
    days: 3,
    burst: 40,
};
const UNTIL: i64 = START + 4 * 24 * HOUR;

fn ticks() -> impl Iterator<Item = Timestamp> {
    (START..=UNTIL).step_by(6 * 3600).map(utc)
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_side_by_side_make_the_memories_of_one_call() {
    let legacy = small_steps().with(|settings| {
        settings.set("memory.legacy_workspace_short_term", true);
    });
    let per_channel = small_steps().with(|settings| {
        settings.set("memory.workspace_merge_per_channel", true);
    });
    for (seed, settings) in [
        (11, small_steps()),
        (12, small_steps()),
        (13, legacy),
        (14, per_channel),
    ] {
        let imported = TestStore::of(&history(seed, SHAPE));
        let (_file, one_call) = TestStore::copy_of(&imported).into_workspace();
        let plugin = telling_plugin(&one_call, settings.clone());
        let mut made = Vec::new();
        for now in ticks() {
            let report = plugin.generate(now).await.unwrap();
            made.extend(report.entries.into_iter().flat_map(|entry| entry.made));
        }
        assert!(made.len() > 50, "seed {seed}: {} memories only", made.len());
        for in_flight in [1, 2, 16] {
            let (_file, steps) = TestStore::copy_of(&imported).into_workspace();
            let plugin = telling_plugin(&steps, settings.clone());
            let mut made_in_steps = Vec::new();
            for now in ticks() {
                let report = run::generate(&plugin, now, in_flight, &|_| {})
                    .await
                    .unwrap();
                made_in_steps.extend(report.entries.into_iter().flat_map(|entry| entry.made));
            }
            assert_eq!(made_in_steps, made, "seed {seed}, {in_flight} in flight");
            let what = format!("seed {seed}, {in_flight} in flight");
            assert_same_dump(&steps, &one_call.dump().unwrap(), &what);
        }
    }
}

#[tokio::test]
async fn progress_counts_every_thread_and_channel() {
    let (_file, workspace) = TestStore::of(&history(15, SHAPE)).into_workspace();
    let plugin = telling_plugin(&workspace, small_steps());
    let now = utc(START + 24 * HOUR);
    let seen = std::sync::Mutex::new(Vec::new());
    let note = |progress| seen.lock().unwrap().push(progress);
    let report = run::generate(&plugin, now, 4, &note).await.unwrap();
    let seen = seen.into_inner().unwrap();
    let total = report.entries.len() - 1;
    assert!(total > 5);
    assert!(seen.iter().all(|progress| progress.total == total));
    assert_eq!(
        seen.iter()
            .map(|progress| progress.done)
            .collect::<Vec<_>>(),
        Vec::from_iter(0..=total)
    );
}

/// Before the `n`th call, another host makes a whole run.
fn other_first(n: usize, other: MemoryPlugin, now: Timestamp) -> Arc<Faults> {
    let faults = Arc::new(Faults::default());
    let run = Strike::letting(move || {
        let other = other.clone();
        async move {
            let report = run::generate(&other, now, 1, &|_| {}).await.unwrap();
            assert!(
                !report
                    .entries
                    .iter()
                    .any(|entry| matches!(entry.outcome, Outcome::Failed(_)))
            );
        }
    });
    faults.before(Calls::all().nth(n), run);
    faults
}

#[derive(Clone, Copy)]
enum How {
    Steps,
    OneCall,
}

async fn assert_another_run_at_any_call_does_no_harm(how: How) {
    let now = utc(START + 24 * HOUR);
    let small = Shape {
        channels: 2,
        days: 1,
        burst: 30,
    };
    let imported = TestStore::of(&history(16, small));
    let (_file, alone) = TestStore::copy_of(&imported).into_workspace();
    let recorder = Arc::new(Recorder::default());
    run(
        how,
        &tapped_plugin(&alone, small_steps(), recorder.clone()),
        now,
    )
    .await;
    let expected = alone.dump().unwrap();
    let versions = assert_merged_once_in_order(&alone);
    let mut calls: Vec<Call> = recorder.take().into_iter().map(|made| made.call).collect();
    calls.retain(Call::can_fail);
    let mut repeated = Vec::new();
    for (n, Call { import, .. }) in calls.iter().enumerate() {
        let (file, workspace) = TestStore::copy_of(&imported).into_workspace();
        let other = telling_plugin(&file.workspace(), small_steps());
        let tap = other_first(n, other, now);
        run(how, &tapped_plugin(&workspace, small_steps(), tap), now).await;
        run(how, &telling_plugin(&workspace, small_steps()), now).await;
        let made = assert_merged_once_in_order(&workspace);
        assert_long_term_tells_of_each_version(&workspace);
        assert_every_message_is_a_source(&workspace).await;
        if made != versions || workspace.dump().unwrap() != expected {
            repeated.push((n, *import, made));
        }
    }
    assert_eq!(repeated, [], "{versions} versions without the other run");
}

async fn run(how: How, plugin: &MemoryPlugin, now: Timestamp) {
    match how {
        How::Steps => drop(run::generate(plugin, now, 1, &|_| {}).await.unwrap()),
        How::OneCall => drop(plugin.generate(now).await.unwrap()),
    }
}

#[tokio::test]
async fn another_run_between_any_two_calls_of_the_steps_repeats_no_version() {
    assert_another_run_at_any_call_does_no_harm(How::Steps).await;
}

#[tokio::test]
async fn another_run_between_any_two_calls_of_one_call_repeats_no_version() {
    assert_another_run_at_any_call_does_no_harm(How::OneCall).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn hosts_that_backfill_one_workspace_at_once_merge_each_version_once() {
    let file = TestStore::of(&history(17, SHAPE));
    let hosts = (0..3).map(|_| {
        let workspace = file.workspace();
        tokio::spawn(async move {
            let plugin = telling_plugin(&workspace, small_steps());
            // Who loses a race reports a conflict, and goes on.
            let options = Options::until(utc(UNTIL)).with(|options| {
                options.interval_seconds = 6 * 3600;
                options.in_flight = 4;
                options.keep_going = true;
            });
            let outcomes = backfill::backfill(&plugin, &workspace, options, &utc, &|_| {})
                .await
                .unwrap();
            outcomes.failed.len()
        })
    });
    let mut conflicts = 0;
    for host in hosts.collect::<Vec<_>>() {
        conflicts += host.await.unwrap();
    }
    let workspace = file.workspace();
    backfill_all(
        &telling_plugin(&workspace, small_steps()),
        &workspace,
        6 * 3600,
        UNTIL,
    )
    .await;
    run::generate(
        &telling_plugin(&workspace, small_steps()),
        utc(UNTIL),
        1,
        &|_| {},
    )
    .await
    .unwrap();
    eprintln!("{conflicts} conflicts");
    assert_merged_once_in_order(&workspace);
    assert_long_term_tells_of_each_version(&workspace);
    assert_every_message_is_a_source(&workspace).await;
}
