//! A backfill makes what a bot made that ran at every tick.

use myao_plugin::{Settings, run};
use myao_sqlite::SqliteWorkspace;
use myao_tests::backfills::{backfill_all, small_steps, telling_plugin, telling_settings};
use myao_tests::conversation::{Random, START, Shape, history};
use myao_tests::merges::{
    assert_long_term_tells_of_each_version, assert_merged_once_in_order, assert_same_dump,
};
use myao_tests::store::{TestStore, utc};

const DAY: i64 = 86_400;
const INTERVALS: [u32; 3] = [600, 3600, 86_400];

const SHAPE: Shape = Shape {
    channels: 3,
    days: 9,
    burst: 60,
};

/// A run at every tick of the interval, as a bot makes them.
async fn tick(workspace: &SqliteWorkspace, settings: Settings, interval: u32, until: i64) {
    let plugin = telling_plugin(workspace, settings);
    for now in (START..=until).step_by(usize::try_from(interval).unwrap()) {
        let report = run::generate(&plugin, utc(now), 1, &|_| {}).await.unwrap();
        assert_eq!(report.now, utc(now));
    }
}

/// Compares both ways over one history, and returns how many short-term texts there were.
async fn compare(seed: u64, shape: Shape, settings: Settings, interval: u32) -> usize {
    let imported = TestStore::of(&history(seed, shape));
    let until = START + (shape.days + 2) * DAY;
    let bot = TestStore::copy_of(&imported).into_workspace();
    tick(&bot.1, settings.clone(), interval, until).await;
    let replayed = TestStore::copy_of(&imported).into_workspace();
    let plugin = telling_plugin(&replayed.1, settings);
    backfill_all(&plugin, &replayed.1, interval, until).await;
    assert_same_dump(
        &replayed.1,
        &bot.1.dump().unwrap(),
        &format!("seed {seed}, every {interval} s"),
    );
    assert_merged_once_in_order(&replayed.1)
}

#[tokio::test]
async fn a_backfill_makes_what_a_bot_made_at_every_tick() {
    for seed in [1, 2] {
        for interval in INTERVALS {
            let texts = compare(seed, SHAPE, small_steps(), interval).await;
            assert!(
                texts > 20,
                "seed {seed}, every {interval} s: {texts} texts only"
            );
        }
    }
}

#[tokio::test]
async fn a_burst_of_more_than_a_thousand_messages_makes_the_same_versions() {
    let shape = Shape {
        channels: 1,
        days: 4,
        burst: 2600,
    };
    for interval in [3600, 86_400] {
        assert!(compare(3, shape, telling_settings(), interval).await > 3);
    }
}

#[tokio::test]
async fn a_backfill_without_versions_makes_what_a_bot_made() {
    let settings = telling_settings().with(|settings| settings.short_term_history.enabled = false);
    compare(4, SHAPE, settings, 3600).await;
}

#[tokio::test]
async fn a_backfill_that_merges_the_workspace_per_channel_makes_what_a_bot_made() {
    let settings = small_steps().with(|settings| {
        settings.workspace_merge_per_channel = true;
    });
    compare(5, SHAPE, settings, 3600).await;
}

#[tokio::test]
async fn a_backfill_with_the_retired_workspace_memory_makes_what_a_bot_made() {
    let settings = small_steps().with(|settings| {
        settings.legacy_workspace_short_term = true;
    });
    compare(6, SHAPE, settings, 3600).await;
}

#[tokio::test]
async fn a_backfill_stopped_and_continued_at_any_time_makes_the_same() {
    let until = START + (SHAPE.days + 2) * DAY;
    for seed in [7, 8] {
        let imported = TestStore::of(&history(seed, SHAPE));
        let whole = TestStore::copy_of(&imported).into_workspace();
        let plugin = telling_plugin(&whole.1, small_steps());
        backfill_all(&plugin, &whole.1, 3600, until).await;
        assert_long_term_tells_of_each_version(&whole.1);

        let pieces = TestStore::copy_of(&imported).into_workspace();
        let mut random = Random(seed);
        let mut stop = START - DAY;
        while stop < until {
            stop += i64::try_from(random.below(14 * 3600)).unwrap();
            let plugin = telling_plugin(&pieces.1, small_steps());
            backfill_all(&plugin, &pieces.1, 3600, stop.min(until)).await;
        }
        assert_same_dump(&pieces.1, &whole.1.dump().unwrap(), &format!("seed {seed}"));
    }
}

#[tokio::test]
async fn a_finished_backfill_has_nothing_more_to_do() {
    let store = TestStore::of(&history(9, SHAPE)).into_workspace();
    let until = START + (SHAPE.days + 2) * DAY;
    let plugin = telling_plugin(&store.1, small_steps());
    assert!(
        !backfill_all(&plugin, &store.1, 3600, until)
            .await
            .made
            .is_empty()
    );
    let again = backfill_all(&plugin, &store.1, 3600, until + 30 * DAY).await;
    assert_eq!(again.made, []);
    assert!(
        again.ticks.is_none_or(|(first, last)| first == last),
        "{:?}",
        again.ticks
    );
}
