//! What is said in private changes nothing elsewhere: non-interference, over random histories.
//!
//! Each history happens in two workspaces that differ only in what is said in some channels (`texts`). Whatever can be
//! seen elsewhere while these channels are not open to everybody must be the same, byte for byte (`observe`): prompts,
//! memories, answers, App Home, `/memory`, contexts, reports, output of commands, the log and the metrics.
//!
//! A closed account, and the members of a private channel that the bot has left, see no secret either, until the account is open
//! again, and the bot back and has read what it missed.
//!
//! A channel may be public for a while. What was said there is a secret again when it no longer is. Meanwhile nothing is
//! compared, and nobody is answered elsewhere: what was posted in Slack stays there.
//!
//! `MYAO_TEST_HISTORIES` sets the number of histories, `MYAO_TEST_HISTORIES_OVER_POSTGRES` that over a server, and `MYAO_TEST_SEED`
//! the seed of the first.

mod answers;
mod history;
mod log;
mod observe;
mod printed;
mod run;
mod set_aside;
pub(crate) mod slack;
mod texts;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use history::{History, Store};
use run::{Counts, Run, Seen};
use texts::Side;

const HISTORIES: u64 = 250;
/// Over a server, where each takes longer.
const HISTORIES_OVER_POSTGRES: u64 = 10;
const FIRST_SEED: u64 = 1;
/// So many come across everything.
const ENOUGH: u64 = 200;
/// How many shorter histories are tried after a failure.
const SHORTER: usize = 400;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

#[test]
fn what_is_said_in_private_changes_nothing_elsewhere() {
    let count = number("MYAO_TEST_HISTORIES", HISTORIES);
    let sum = check(count, History::of);
    assert!(count < ENOUGH || sum.with_printed > 0, "{sum:#?}");
}

#[test]
fn what_is_said_in_private_changes_nothing_elsewhere_over_postgresql() {
    let count = number("MYAO_TEST_HISTORIES_OVER_POSTGRES", HISTORIES_OVER_POSTGRES);
    check(count, |seed| History::of(seed).over(Store::Postgres));
}

/// Compares the histories of so many seeds.
fn check(count: u64, history_of: impl Fn(u64) -> History + Sync) -> Sum {
    let first = number("MYAO_TEST_SEED", FIRST_SEED);
    let began = Instant::now();
    let next = AtomicU64::new(first);
    let failed = AtomicBool::new(false);
    let sum = Mutex::new(Sum::default());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count || failed.load(Ordering::Relaxed) {
                        return;
                    }
                    let history = history_of(seed);
                    match compare(&history) {
                        Ok(counts) => sum.lock().unwrap().add(&counts),
                        Err(difference) => {
                            failed.store(true, Ordering::Relaxed);
                            panic!("{}", explained(seed, history, *difference));
                        }
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    eprintln!(
        "seeds {first} to {}, {:.1?}: {sum:#?}",
        first + count - 1,
        began.elapsed()
    );
    if count >= ENOUGH {
        sum.assert_not_empty();
    }
    sum
}

/// What all histories together came across.
#[derive(Debug, Default)]
struct Sum {
    histories: usize,
    /// Histories with prompts that were compared, and histories in which the secret came as far as it may.
    with_prompts: usize,
    with_answers: usize,
    with_secret_prompts: usize,
    with_secret_memories: usize,
    with_secret_answers: usize,
    with_people: usize,
    with_similar: usize,
    with_items: usize,
    /// Of a database in a file, which the command line reads.
    with_printed: usize,
    with_withdrawn: usize,
    with_midway: usize,
    with_left: usize,
    with_strangers: usize,
    prompts: BTreeMap<String, usize>,
}

impl Sum {
    fn add(&mut self, counts: &Counts) {
        self.histories += 1;
        for (sum, count) in [
            (&mut self.with_prompts, counts.prompts.len()),
            (&mut self.with_answers, counts.answers),
            (&mut self.with_secret_prompts, counts.secret_prompts),
            (&mut self.with_secret_memories, counts.secret_memories),
            (&mut self.with_secret_answers, counts.secret_answers),
            (&mut self.with_people, counts.people),
            (&mut self.with_similar, counts.similar),
            (&mut self.with_items, counts.items),
            (&mut self.with_printed, counts.printed),
            (&mut self.with_withdrawn, counts.withdrawn),
            (&mut self.with_midway, counts.midway),
            (&mut self.with_left, counts.left),
            (&mut self.with_strangers, counts.strangers),
        ] {
            *sum += usize::from(count > 0);
        }
        for (what, count) in &counts.prompts {
            *self.prompts.entry(what.clone()).or_default() += count;
        }
    }

    /// The property holds of nothing, too.
    fn assert_not_empty(&self) {
        let most = self.histories / 2;
        assert!(self.with_prompts > most, "{self:#?}");
        assert!(self.with_secret_prompts > most, "{self:#?}");
        assert!(self.with_secret_memories > most, "{self:#?}");
        for some in [
            self.with_answers,
            self.with_secret_answers,
            self.with_people,
            self.with_similar,
            self.with_items,
            self.with_withdrawn,
            self.with_midway,
            self.with_left,
            self.with_strangers,
        ] {
            assert!(some > self.histories / 20, "{self:#?}");
        }
        // Of channels and threads both types, of the workspace too; answers and judgments.
        assert!(self.prompts.len() >= 6, "{self:#?}");
    }
}

/// The first thing that differs.
struct Difference {
    left: Option<Seen>,
    right: Option<Seen>,
}

/// Runs a history in both workspaces.
fn compare(history: &History) -> Result<Counts, Box<Difference>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let (left, counts) = runtime.block_on(Run::of(history, Side::Left));
    let (right, _) = runtime.block_on(Run::of(history, Side::Right));
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    loop {
        let (left, right) = (left.next(), right.next());
        if left != right {
            return Err(Box::new(Difference { left, right }));
        }
        if left.is_none() {
            return Ok(counts);
        }
    }
}

/// A failure with the shortest history that was found for it.
fn explained(seed: u64, mut history: History, first: Difference) -> String {
    let mut left = SHORTER;
    let mut size = history.steps.len() / 2;
    while size > 0 && left > 0 {
        let mut at = 0;
        while at < history.steps.len() && left > 0 {
            let mut shorter = history.clone();
            let end = (at + size).min(shorter.steps.len());
            shorter.steps.drain(at..end);
            left -= 1;
            if compare(&shorter).is_err() {
                history = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    let mut told = format!(
        "a secret is seen elsewhere, seed {seed}\n{:?}\n",
        history.setup
    );
    for (number, plan) in history.channels.iter().enumerate() {
        writeln!(told, "C{number} {plan:?}").unwrap();
    }
    for (number, (wait, step)) in history.steps.iter().enumerate() {
        writeln!(told, "{number:3} after {wait} s: {step:?}").unwrap();
    }
    match compare(&history) {
        Ok(_) => told + "it is not seen again; at first it was\n" + &first.told(),
        Err(difference) => told + &difference.told(),
    }
}

impl Difference {
    fn told(&self) -> String {
        let (Some(left), Some(right)) = (&self.left, &self.right) else {
            return format!("seen on one side only: {:#?} {:#?}", self.left, self.right);
        };
        let mut told = String::new();
        for seen in [left, right] {
            writeln!(
                told,
                "after step {}, {}: {}",
                seen.step, seen.place, seen.what
            )
            .unwrap();
        }
        let mut lines = left.text.lines().zip(right.text.lines());
        match lines.find(|(left, right)| left != right) {
            Some((left, right)) => writeln!(told, "< {left}\n> {right}").unwrap(),
            None => writeln!(told, "< {}\n> {}", left.text, right.text).unwrap(),
        }
        told
    }
}
