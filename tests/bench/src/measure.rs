//! Times of two things, taken in turns, so that whatever else the machine does hits both.

use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::row::shown;

/// A measurement takes at least so long, so that the clock's own cost does not count.
const SHORTEST: Duration = Duration::from_millis(2);
/// Rounds before the ones that count.
const WARM_UP: usize = 3;

/// Two things, measured in the same rounds.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The median time of the one.
    pub one: Duration,
    /// The median time of the other.
    pub other: Duration,
    /// The median of the rounds' ratios, one by other.
    pub ratio: f64,
    /// The rounds.
    pub rounds: usize,
}

impl Pair {
    /// Both medians and the number of rounds, for a row.
    #[must_use]
    pub fn detail(&self) -> String {
        format!(
            "{} against {}; {} rounds",
            shown(self.one),
            shown(self.other),
            self.rounds
        )
    }
}

/// Does the one and the other in turns, `rounds` times each, and takes medians.
///
/// # Errors
/// The first error of either.
pub fn in_turns<E>(
    rounds: usize,
    mut one: impl FnMut() -> Result<(), E>,
    mut other: impl FnMut() -> Result<(), E>,
) -> Result<Pair, E> {
    let (repeat_one, repeat_other) = (repetitions(&mut one)?, repetitions(&mut other)?);
    in_turns_timed(
        rounds,
        || timed(repeat_one, &mut one),
        || timed(repeat_other, &mut other),
    )
}

/// The same for things that take their own time, for example in another process.
///
/// # Errors
/// The first error of either.
pub fn in_turns_timed<E>(
    rounds: usize,
    mut one: impl FnMut() -> Result<Duration, E>,
    mut other: impl FnMut() -> Result<Duration, E>,
) -> Result<Pair, E> {
    for _ in 0..WARM_UP.min(rounds) {
        one()?;
        other()?;
    }
    let mut times = Vec::new();
    for _ in 0..rounds {
        times.push((one()?, other()?));
    }
    Ok(pair(&times))
}

fn pair(times: &[(Duration, Duration)]) -> Pair {
    let median_of = |of: fn(&(Duration, Duration)) -> f64| median(times.iter().map(of).collect());
    Pair {
        one: Duration::from_secs_f64(median_of(|(one, _)| one.as_secs_f64())),
        other: Duration::from_secs_f64(median_of(|(_, other)| other.as_secs_f64())),
        ratio: median_of(|(one, other)| one.as_secs_f64() / other.as_secs_f64()),
        rounds: times.len(),
    }
}

/// The middle one; of an even number the upper of the two.
#[must_use]
pub fn median(values: Vec<f64>) -> f64 {
    at_percent(values, 50)
}

/// The first that is not below so many percent of them.
#[must_use]
pub fn at_percent(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = values.len() * percent / 100;
    values.get(at).copied().unwrap_or(f64::NAN)
}

/// How often something must be done for one measurement.
fn repetitions<E>(what: &mut impl FnMut() -> Result<(), E>) -> Result<u32, E> {
    let mut repeat = 1;
    loop {
        if timed(repeat, what)? * repeat >= SHORTEST {
            return Ok(repeat);
        }
        repeat *= 2;
    }
}

/// Works on one core: in a thread that stays there, as do the threads that it starts.
///
/// # Errors
/// The work's, and where `taskset` is missing or refuses.
pub fn on_one_core<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pinned = || {
        stay_on_one_core()?;
        work()
    };
    let done = thread::scope(|scope| scope.spawn(pinned).join());
    done.map_err(|_| anyhow!("the work on one core panicked"))?
}

fn stay_on_one_core() -> Result<()> {
    // It ends in the thread's own id.
    let this = fs::read_link("/proc/thread-self")?;
    let id = this
        .file_name()
        .context("/proc/thread-self names no thread")?;
    let output = Command::new("taskset")
        .args(["--cpu-list", "--pid", "0"])
        .arg(id)
        .output()
        .context("taskset (of util-linux) does not start")?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "cannot stay on core 0 (run where it is allowed): {}",
        told.trim()
    );
    Ok(())
}

/// The time of each of several repetitions.
/// Does something so many times; the time that one took.
///
/// # Errors
/// Its first error.
pub fn timed<E>(repeat: u32, what: &mut impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let begun = Instant::now();
    for _ in 0..repeat {
        what()?;
    }
    Ok(begun.elapsed() / repeat)
}
