//! A backfill makes what a bot made that ran at every tick.

use std::sync::Arc;

use myao_plugin::state::Workspace as _;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::Memory;
use myao_plugin::{MemoryType, Place, Scope, Settings, run};
use myao_sql::SqlWorkspace;
use myao_testkit::ScriptedLlm;
use myao_tests::backfills::{backfill_all, small_steps, telling_plugin, telling_settings};
use myao_tests::conversation::{Random, START, Shape, history};
use myao_tests::merges::{
    assert_long_term_tells_of_each_version, assert_merged_once_in_order, assert_same_dump,
};
use myao_tests::store::{TestStore, utc};
use myao_tests::telling::telling_llm;

const DAY: i64 = 86_400;
const INTERVALS: [u32; 3] = [600, 3600, 86_400];

const SHAPE: Shape = Shape {
    channels: 3,
    days: 9,
    burst: 60,
};

/// A run at every tick of the interval, as a bot makes them.
async fn tick(workspace: &SqlWorkspace, settings: Settings, interval: u32, until: i64) {
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
    let settings = telling_settings()
        .with(|settings| settings.set("memory.short_term_history.enabled", false));
    compare(4, SHAPE, settings, 3600).await;
}

#[tokio::test]
async fn a_backfill_that_merges_the_workspace_per_channel_makes_what_a_bot_made() {
    let settings = small_steps().with(|settings| {
        settings.set("memory.workspace_merge_per_channel", true);
    });
    compare(5, SHAPE, settings, 3600).await;
}

#[tokio::test]
async fn a_backfill_with_the_retired_workspace_memory_makes_what_a_bot_made() {
    let settings = small_steps().with(|settings| {
        settings.set("memory.legacy_workspace_short_term", true);
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

/// The current memories, without ids: what they are about, their texts and times.
async fn remembered(workspace: &SqlWorkspace, channel: Option<&str>) -> Vec<String> {
    let filter = MemoryFilter {
        with_text: true,
        ..MemoryFilter::default()
    };
    let memories = workspace.view(Place::Operator).memories(filter).await;
    let memories = memories.unwrap().into_iter().map(|stored| stored.memory);
    let wanted = memories.filter(|memory| {
        channel.is_none_or(|channel| memory.scope_id.split(':').next() == Some(channel))
    });
    let line = |memory: Memory| {
        let (about, version) = (memory.scope_id, memory.version);
        let (made, text) = (memory.updated_at.unix_seconds, memory.content);
        format!("{about} {:?} {version} {made} {text}", memory.memory_type)
    };
    wanted.map(line).collect()
}

#[tokio::test]
async fn a_rebuild_makes_what_the_bot_made() {
    let until = START + (SHAPE.days + 2) * DAY;
    let store = TestStore::of(&history(10, SHAPE)).into_workspace();
    tick(&store.1, small_steps(), 3600, until).await;
    let made = remembered(&store.1, None).await;
    assert!(made.len() > 20, "{} memories only", made.len());
    store.1.begin_again(None, until).await.unwrap();
    let plugin = telling_plugin(&store.1, small_steps());
    backfill_all(&plugin, &store.1, 3600, until).await;
    assert_eq!(remembered(&store.1, None).await, made);
}

#[tokio::test]
async fn a_rebuild_of_one_channel_shows_no_memory_of_later_and_merges_at_the_end() {
    const OVERVIEW: &str = "ワークスペースの概要";
    let until = START + (SHAPE.days + 2) * DAY;
    let store = TestStore::of(&history(11, SHAPE)).into_workspace();
    tick(&store.1, small_steps(), 3600, until).await;
    let of_workspace = remembered(&store.1, Some("default")).await;
    let channels = store.1.view(Place::Operator).channels().await.unwrap();
    let rebuilt = channels.first().unwrap().id.clone();
    let plugin_over = |llm: &Arc<ScriptedLlm>| {
        let places = Arc::new(store.1.clone());
        myao_tests::plugin(places, llm.clone(), small_steps())
    };

    store
        .1
        .begin_again(Some(rebuilt.clone()), until)
        .await
        .unwrap();
    let early = Arc::new(telling_llm());
    let stop = START + 3 * DAY;
    let outcomes = backfill_all(&plugin_over(&early), &store.1, 3600, stop).await;
    assert!(outcomes.made.len() > 3, "{:?}", outcomes.made);
    let shown = early
        .prompts()
        .into_iter()
        .filter(|prompt| prompt.contains(OVERVIEW));
    assert_eq!(shown.count(), 0, "a memory of later is shown");
    assert_eq!(remembered(&store.1, Some("default")).await, of_workspace);

    let rest = Arc::new(telling_llm());
    let outcomes = backfill_all(&plugin_over(&rest), &store.1, 3600, until + DAY).await;
    let last = outcomes.made.last().unwrap();
    assert_eq!(
        (last.scope, last.memory_type),
        (Scope::Workspace, MemoryType::LongTerm)
    );
    let of_workspace = outcomes
        .made
        .iter()
        .filter(|made| made.scope == Scope::Workspace);
    assert_eq!(of_workspace.count(), 1, "it is merged once, at the end");
    assert_long_term_tells_of_each_version(&store.1);
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
