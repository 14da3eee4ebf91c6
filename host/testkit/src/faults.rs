//! Injected faults: calls that fail, are delayed, or let another writer go first.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, Semaphore};

use crate::call::{Answer, Call};
use crate::tap::{Fault, Tap};

/// A listener that injects faults into the chosen calls. See [`Imports::tapped`](crate::Imports::tapped).
///
/// ```
/// use std::sync::Arc;
///
/// use myao_plugin::storage::StorageError;
/// use myao_plugin::{Place, Places as _};
/// use myao_testkit::{Calls, Faults, Imports, MemoryStorage, ScriptedLlm};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let faults = Arc::new(Faults::default());
/// let full = StorageError::Unavailable("the disk is full".to_owned());
/// faults.before(Calls::of("storage").nth(1), full.clone());
///
/// let llm = Arc::new(ScriptedLlm::answering("- a summary"));
/// let storage = Imports::new(Arc::new(MemoryStorage::new()), llm)
///     .tapped(faults.clone())
///     .storage
///     .at(Place::Operator);
/// assert!(storage.list_channels().await.is_ok());
/// assert_eq!(storage.list_channels().await.unwrap_err(), full);
/// assert!(storage.list_channels().await.is_ok());
/// # });
/// ```
#[derive(Default)]
pub struct Faults {
    rules: Mutex<Vec<Rule>>,
}

/// Selects calls.
pub struct Calls {
    matches: Box<dyn Fn(&Call) -> bool + Send + Sync>,
    first: usize,
    last: usize,
}

/// What happens to a call.
#[derive(Clone)]
#[non_exhaustive]
pub enum Strike {
    /// It fails.
    Fail(Fault),
    /// It never ends.
    Stall,
    /// It waits until the gate is opened.
    Wait(Gate),
    /// It waits for this time, by tokio's clock.
    Delay(Duration),
    /// This action runs in the meantime: another writer goes first.
    Let(Arc<Action>),
    /// Its result is changed; only possible after it was done.
    Alter(Arc<Alteration>),
}

/// An action of another writer.
pub type Action = dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Changes a result; `None` if it stays as it is.
pub type Alteration = dyn Fn(&Answer) -> Option<serde_json::Value> + Send + Sync;

/// Calls wait here until a test lets them through.
#[derive(Clone, Default)]
pub struct Gate(Arc<GateState>);

struct GateState {
    /// Has no permits; it is closed once the gate is open.
    opened: Semaphore,
    reached: Notify,
}

struct Rule {
    calls: Calls,
    moment: Moment,
    strike: Strike,
    /// Matching calls so far.
    seen: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

impl Faults {
    /// Injects a fault before calls are done: a call that fails is not done at all.
    pub fn before<S: Into<Strike>>(&self, calls: Calls, strike: S) {
        self.add(calls, Moment::Before, strike.into());
    }

    /// Injects a fault after calls are done, but before their caller gets the result.
    pub fn after<S: Into<Strike>>(&self, calls: Calls, strike: S) {
        self.add(calls, Moment::After, strike.into());
    }

    /// Removes all faults.
    pub fn lift(&self) {
        self.rules().clear();
    }

    fn add(&self, calls: Calls, moment: Moment, strike: Strike) {
        self.rules().push(Rule {
            calls,
            moment,
            strike,
            seen: 0,
        });
    }

    fn rules(&self) -> std::sync::MutexGuard<'_, Vec<Rule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the faults for a call, in the order in which they were added; each rule counts the calls that it
    /// matches.
    async fn strike(&self, call: &Call, answer: Option<&Answer>) -> Result<(), Fault> {
        let moment = answer.map_or(Moment::Before, |_| Moment::After);
        let strikes: Vec<Strike> = self
            .rules()
            .iter_mut()
            .filter(|rule| rule.moment == moment)
            .filter_map(|rule| {
                rule.calls
                    .take(call, &mut rule.seen)
                    .then(|| rule.strike.clone())
            })
            .collect();
        for strike in strikes {
            match strike {
                Strike::Fail(fault) => return Err(fault),
                Strike::Stall => std::future::pending().await,
                Strike::Wait(gate) => gate.pass().await,
                Strike::Delay(delay) => tokio::time::sleep(delay).await,
                Strike::Let(action) => action().await,
                Strike::Alter(alter) => {
                    let answer = answer.ok_or_else(no_result_yet)?;
                    if let Some(altered) = alter(answer) {
                        return Err(Fault::Instead(altered));
                    }
                }
            }
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Tap for Faults {
    async fn before(&self, call: &Call) -> Result<(), Fault> {
        self.strike(call, None).await
    }

    async fn after(&self, call: &Call, answer: &Answer) -> Result<(), Fault> {
        self.strike(call, Some(answer)).await
    }
}

impl Calls {
    /// Every call that can fail.
    #[must_use]
    pub fn all() -> Self {
        Self::that(|_| true)
    }

    /// The calls of one function (`storage.save-memory`) or of one interface (`storage`).
    #[must_use]
    pub fn of(import: &str) -> Self {
        let import = import.to_owned();
        Self::that(move |call| call.is_of(&import))
    }

    /// The calls that a function selects.
    #[must_use]
    pub fn that(picks: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self {
            matches: Box::new(picks),
            first: 0,
            last: usize::MAX,
        }
    }

    /// Only those of them whose arguments contain a text; see [`Call::mentions`].
    #[must_use]
    pub fn mentioning(self, text: &str) -> Self {
        let (text, matches) = (text.to_owned(), self.matches);
        Self {
            matches: Box::new(move |call| matches(call) && call.mentions(&text)),
            ..self
        }
    }

    /// Only the `n`th of them, counted from 0, from now on.
    #[must_use]
    pub fn nth(self, n: usize) -> Self {
        Self {
            first: n,
            last: n,
            ..self
        }
    }

    /// The `n`th of them and all later ones, as after a crash.
    #[must_use]
    pub fn from_nth(self, n: usize) -> Self {
        Self {
            first: n,
            last: usize::MAX,
            ..self
        }
    }

    fn take(&self, call: &Call, seen: &mut usize) -> bool {
        if !(self.matches)(call) {
            return false;
        }
        let n = *seen;
        *seen += 1;
        (self.first..=self.last).contains(&n)
    }
}

impl Strike {
    /// Runs an action of another writer in the meantime.
    pub fn letting<F>(action: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::Let(Arc::new(move || Box::pin(action())))
    }

    /// Changes the result of a successful call with a function: other ids, another order, more rows. The result has the
    /// type of the import: `Vec<Message>` for `storage.list-messages`.
    pub fn altering<T: Serialize + DeserializeOwned>(
        alter: impl Fn(&mut T) + Send + Sync + 'static,
    ) -> Self {
        Self::Alter(Arc::new(move |answer| {
            let mut result: T = answer.ok()?;
            alter(&mut result);
            serde_json::to_value(result).ok()
        }))
    }

    /// The call fails because the host behind it cannot be reached.
    #[must_use]
    pub fn unavailable(reason: &str) -> Self {
        Self::Fail(Fault::Unavailable(reason.to_owned()))
    }
}

impl<T: Into<Fault>> From<T> for Strike {
    fn from(fault: T) -> Self {
        Self::Fail(fault.into())
    }
}

fn no_result_yet() -> Fault {
    Fault::Unavailable(
        "a result is altered with `Faults::after`: before a call there is none".to_owned(),
    )
}

impl Gate {
    /// Lets through all waiting and all later calls.
    pub fn open(&self) {
        self.0.opened.close();
    }

    /// Waits until a call reaches the gate.
    pub async fn reached(&self) {
        self.0.reached.notified().await;
    }

    async fn pass(&self) {
        self.0.reached.notify_one();
        // There are no permits: this ends with an error when the gate is opened.
        drop(self.0.opened.acquire().await);
    }
}

impl Default for GateState {
    fn default() -> Self {
        Self {
            opened: Semaphore::new(0),
            reached: Notify::new(),
        }
    }
}

impl fmt::Debug for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fail(fault) => f.debug_tuple("Fail").field(fault).finish(),
            Self::Stall => f.write_str("Stall"),
            Self::Wait(_) => f.write_str("Wait"),
            Self::Delay(delay) => f.debug_tuple("Delay").field(delay).finish(),
            Self::Let(_) => f.write_str("Let"),
            Self::Alter(_) => f.write_str("Alter"),
        }
    }
}
