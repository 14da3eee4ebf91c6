//! A storm of events with everything that can happen on their way, and a kill in the middle.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use myao_fake_slack::{BOT_USER, FakeSlack, StormPlan, StormReport, World};
use myao_tests::bot::{Bot, Said, now, said, said_by};
use myao_tests::llm_server::answer;
use myao_tests::program::Program;
use tokio::runtime::Builder;

use super::common::{config, model, number, rows, wait_until_idle};

const SECONDS: usize = 60;
const PER_SECOND: u32 = 200;

fn plan() -> StormPlan {
    StormPlan {
        events: SECONDS * PER_SECOND as usize,
        per_second: PER_SECOND,
        mentions_ratio: 0.01,
        ..StormPlan::default()
    }
}

#[test]
fn a_storm_with_drops_and_a_kill_leaves_what_the_clean_sequence_leaves() {
    let faulty = StormPlan {
        duplicates_ratio: 0.1,
        reorder_window: 20,
        drops_at: vec![2_000, 4_500, 9_000],
        ..plan()
    };
    let stormy = Storm::begin(&faulty);
    let playing = stormy.play(move |slack| play_to_the_end(slack.storm(&faulty)));
    let mut bot = stormy.bot;
    // Early enough that the storm goes on where answers are slow.
    bot.until("some of the answers", |_| {
        (stormy.slack.posts().len() >= 20).then_some(())
    });
    let sent_before = stormy.slack.deliveries().len();
    let mut bot = Bot::start(bot.kill(), &stormy.config);
    assert!(!playing.is_finished(), "the kill came after the storm");
    let report = playing.join().unwrap();
    wait_until_idle(&mut bot);
    let program = bot.stop();
    print(&report, sent_before);
    // As many as there were, and no duplicate among them.
    let happened = stormy.slack.events();
    let kept = number(&program, "SELECT COUNT(*) FROM events");
    assert_eq!(usize::try_from(kept).unwrap(), happened.len());
    is_what_slack_shows(&program, &stormy.slack.world());
    every_mention_is_answered_once(&stormy.slack);

    let clean = Storm::begin(&plan());
    let playing = clean.play(|slack| play_to_the_end(slack.storm_clean(&plan())));
    playing.join().unwrap();
    let mut bot = clean.bot;
    bot.until("every event took effect", |program| {
        (number(program, "SELECT COUNT(*) FROM events WHERE state <> 1") == 0).then_some(())
    });
    let clean_program = bot.kill();
    let left = |program: &Program, began| rows(program, include_str!("left.sql"), began);
    same(
        &left(&program, stormy.began),
        &left(&clean_program, clean.began),
    );
    for program in [&program, &clean_program] {
        let miscounted = rows(program, include_str!("miscounted.sql"), 0);
        assert!(miscounted.is_empty(), "{miscounted:#?}");
    }
}

/// A Slack in which a storm will play, and a bot that has read all there is.
struct Storm {
    slack: FakeSlack,
    bot: Bot,
    config: String,
    /// Microseconds since 1970.
    began: i64,
}

impl Storm {
    fn begin(plan: &StormPlan) -> Self {
        let slack = FakeSlack::start_on_own_thread();
        slack.keep_while_away(true);
        slack.set_clock(&format!("{}.000000", now() - 60));
        slack.prepare_storm(plan);
        let llm = model(|_| answer("Aye, aye."));
        let config = config(&slack, &llm);
        let mut bot = Bot::start(Program::default(), &config);
        bot.caught_up();
        // The machine's time is Slack's; what the bot has read until now is older.
        let began = now() + 1;
        slack.set_clock(&format!("{began}.000000"));
        Self {
            slack,
            bot,
            config,
            began: i64::try_from(began).unwrap() * 1_000_000,
        }
    }

    /// Lets it storm on a thread.
    fn play(
        &self,
        storm: impl FnOnce(&FakeSlack) -> StormReport + Send + 'static,
    ) -> thread::JoinHandle<StormReport> {
        let slack = self.slack.clone();
        thread::spawn(move || storm(&slack))
    }
}

/// Runs a storm on this thread.
pub(crate) fn play_to_the_end(storm: impl Future<Output = StormReport>) -> StormReport {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(storm)
}

fn print(report: &StormReport, sent_before: usize) {
    let StormReport {
        events,
        deliveries,
        elapsed,
        ..
    } = report;
    let per_second = *events as f64 / elapsed.as_secs_f64();
    println!(
        "{events} events in {:.1} s ({per_second:.0}/s) until the last was acknowledged; {deliveries} deliveries, \
         {sent_before} of them before the kill",
        elapsed.as_secs_f64()
    );
}

/// The first difference between two lists, where there is one.
#[track_caller]
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) {
    let differ = found.iter().zip(expected).position(|(a, b)| a != b);
    let differ =
        differ.or((found.len() != expected.len()).then_some(found.len().min(expected.len())));
    if let Some(at) = differ {
        let around =
            |list: &[T]| format!("{:#?}", &list[at.saturating_sub(1)..list.len().min(at + 2)]);
        panic!(
            "row {at} of {}, {} expected: {}\nexpected: {}",
            found.len(),
            expected.len(),
            around(found),
            around(expected)
        );
    }
}

/// Each channel has its name, and the messages that stand in it, the bot's too.
#[track_caller]
pub(crate) fn is_what_slack_shows(program: &Program, world: &World) {
    let shown = |id: &str| world.users[id].real_name.clone();
    for (id, channel) in &world.channels {
        let expected: Vec<Said> = channel
            .messages
            .values()
            .filter(|message| is_said(message.subtype.as_deref()))
            .filter(|message| !is_retracted(program, id, &message.ts.to_string()))
            .map(|message| {
                let thread = message.thread_ts.map(|ts| ts.to_string());
                let author = shown(message.author.user().unwrap());
                let text = readable(&message.text, world);
                said_by(&author, &message.ts.to_string(), thread.as_deref(), &text)
            })
            .collect();
        same(&said(program, id), &expected);
    }
}

/// Whether the bot took a post back: Slack shows a note in its place, and the database nothing.
fn is_retracted(program: &Program, channel: &str, ts: &str) -> bool {
    let key = ts.replace('.', "");
    let retracted = format!(
        "SELECT COUNT(*) FROM reply_parts AS p JOIN channels AS c ON c.key = p.channel \
         WHERE c.id = '{channel}' AND p.posted_key = {key} AND p.retracted > 0"
    );
    number(program, &retracted) > 0
}

/// Whether a message still stands there, and not only its replies.
fn is_said(subtype: Option<&str>) -> bool {
    subtype != Some("tombstone")
}

/// A text as people read it.
fn readable(text: &str, world: &World) -> String {
    let named = text.split_once("<@").and_then(|(before, rest)| {
        let (id, after) = rest.split_once('>')?;
        Some(format!("{before}@{}{after}", world.users[id].real_name))
    });
    named
        .unwrap_or_else(|| text.to_owned())
        .replace("&amp;", "&")
}

/// Each mention is answered once; one that was deleted may have been answered before.
#[track_caller]
pub(crate) fn every_mention_is_answered_once(slack: &FakeSlack) {
    let mut answers: BTreeMap<(String, String), usize> = BTreeMap::new();
    for post in slack.posts() {
        let metadata = post.metadata.unwrap();
        let answered = metadata["event_payload"]["answers"]
            .as_str()
            .unwrap()
            .to_owned();
        *answers.entry((post.channel, answered)).or_default() += 1;
    }
    let twice: Vec<_> = answers.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "answered more than once: {twice:?}");
    let world = slack.world();
    let mentions = slack
        .events()
        .into_iter()
        .filter(|event| event.event_type == "app_mention");
    let asked: BTreeSet<(String, String)> = mentions
        .map(|event| {
            let text = |key: &str| event.payload["event"][key].as_str().unwrap().to_owned();
            assert!(text("text").contains(BOT_USER));
            (text("channel"), text("ts"))
        })
        .collect();
    let stands = |(channel, ts): &&(String, String)| {
        let messages = &world.channels[channel].messages;
        messages
            .values()
            .any(|message| message.ts.to_string() == *ts && is_said(message.subtype.as_deref()))
    };
    let unanswered: Vec<_> = asked
        .iter()
        .filter(stands)
        .filter(|asked| !answers.contains_key(*asked))
        .collect();
    assert!(unanswered.is_empty(), "not answered: {unanswered:?}");
    let unasked: Vec<_> = answers
        .keys()
        .filter(|answered| !asked.contains(*answered))
        .collect();
    assert!(unasked.is_empty(), "answered and not asked: {unasked:?}");
    println!("{} mentions, {} answers", asked.len(), answers.len());
}
