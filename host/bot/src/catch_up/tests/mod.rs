//! Nothing is lost, and what fails changes nothing, over random histories of talk, edits, deletions, people who come and go, and
//! conversions, of events that are lost with a gap or without one, come twice, late, or while an answer is under way, and of
//! calls and a database that fail.
//!
//! After each step: what was read is as Slack says, what could not be read is as it was, what was told is known, and nothing is
//! there that nobody said. When all is well again, and a day later a whole comparison is over, the store holds what Slack shows.
//! Histories keep to what can be known: the first message of a channel stays, and a channel has fewer messages than a page.
//!
//! `MYAO_TEST_HISTORIES` sets the number of histories, `MYAO_TEST_HISTORIES_OVER_POSTGRES` that over a server, `MYAO_TEST_SEED` the
//! seed of the first.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod bot;
mod history;
mod known;
mod people;
mod scene;
mod store;

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use futures::FutureExt as _;
use history::{Fate, History, Step};
use scene::{Counts, play};
use store::Store;
use tokio::runtime::Builder;

const HISTORIES: u64 = 60;
/// Over a server, where each takes longer.
const HISTORIES_OVER_POSTGRES: u64 = 6;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Plays a history in a store of its own, with a clock that moves only while all wait; the first thing that is wrong.
fn played(history: &History, open: fn() -> Store) -> Result<Counts, String> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let store = open();
    let playing = AssertUnwindSafe(play(history, &store)).catch_unwind();
    runtime.block_on(playing).map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        said.unwrap_or_else(|| "it panicked".to_owned())
    })
}

#[test]
fn what_slack_shows_is_stored_in_the_end_and_failures_change_nothing() {
    check(number("MYAO_TEST_HISTORIES", HISTORIES), Store::in_a_file);
}

#[test]
fn what_slack_shows_is_stored_in_the_end_over_postgresql() {
    let count = number("MYAO_TEST_HISTORIES_OVER_POSTGRES", HISTORIES_OVER_POSTGRES);
    check(count, Store::on_a_server);
}

/// Plays steps of which the bot is told, but for the last ones, in a quiet workspace.
fn goes_well(told: &[Step], silent: &[Step]) {
    let with = |fate| move |step: &Step| (40, *step, fate);
    let steps = told.iter().map(with(Fate::Told));
    let steps = steps.chain(silent.iter().map(with(Fate::Silent))).collect();
    played(&History { steps }, Store::in_a_file).unwrap();
}

#[test]
fn channel_that_comes_out_of_the_archive_is_the_bots_if_slack_says_so() {
    for channel in 0..history::CHANNELS {
        let step = Step::Archive { channel };
        goes_well(&[step, step, Step::Look, Step::Agree], &[]);
    }
}

#[test]
fn channel_that_the_bot_left_without_an_event_is_not_its_own_any_more() {
    let (channel, who) = (2, history::THE_BOT);
    let moves = Step::Move { channel, who };
    goes_well(&[], &[moves]);
    goes_well(&[moves, moves], &[moves]);
}

#[test]
fn channel_that_is_read_while_the_hosts_clock_is_ahead_becomes_private_when_slack_says_so() {
    let (channel, who) = (3, history::THE_BOT);
    let ahead = Step::SetClock { ahead: 3600 };
    let steps = [
        Step::Move { channel, who },
        ahead,
        Step::Look,
        Step::Convert { channel },
    ];
    goes_well(&steps, &[]);
}

/// Plays the histories of so many seeds.
fn check(count: u64, open: fn() -> Store) {
    let first = number("MYAO_TEST_SEED", 1);
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
                    match played(&history, open) {
                        Ok(counts) => sum.lock().unwrap().add(&counts),
                        Err(wrong) => panic!("{}", explained(seed, history, wrong, open)),
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    eprintln!("{count} histories from seed {first} on: {sum:?}");
    if count >= HISTORIES {
        let enough = usize::try_from(count).unwrap() / 10;
        for some in sum.all() {
            assert!(some > enough, "{sum:?}");
        }
    }
}

/// A failure with the shortest history that was found for it.
fn explained(seed: u64, mut history: History, mut wrong: String, open: fn() -> Store) -> String {
    let first = wrong.clone();
    let mut size = history.steps.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < history.steps.len() {
            let mut shorter = history.clone();
            let end = (at + size).min(shorter.steps.len());
            shorter.steps.drain(at..end);
            match played(&shorter, open) {
                Err(still) => (history, wrong) = (shorter, still),
                Ok(_) => at += size,
            }
        }
        size /= 2;
    }
    let steps = history.steps.iter();
    let steps: Vec<String> = steps.map(|step| format!("{step:?}")).collect();
    format!("seed {seed}: {first}\n{}\n{wrong}", steps.join("\n"))
}

impl Counts {
    fn all(&self) -> [usize; 8] {
        [
            self.away,
            self.not_kept,
            self.left_out,
            self.silent,
            self.silent_deletions,
            self.during,
            self.refused,
            self.messages,
        ]
    }

    fn add(&mut self, other: &Self) {
        self.away += other.away;
        self.not_kept += other.not_kept;
        self.left_out += other.left_out;
        self.silent += other.silent;
        self.silent_deletions += other.silent_deletions;
        self.during += other.during;
        self.refused += other.refused;
        self.messages += other.messages;
    }
}
