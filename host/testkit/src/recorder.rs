//! Records every call with its arguments and its result.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::call::{Answer, Call};
use crate::tap::{Fault, Tap};

/// A listener that records all calls, in the order in which they ended. See
/// [`Imports::tapped`](crate::Imports::tapped).
///
/// ```
/// use std::sync::Arc;
///
/// use myao_plugin::{Place, Places as _};
/// use myao_testkit::{Imports, MemoryStorage, Recorder, ScriptedLlm};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let recorder = Arc::new(Recorder::default());
/// let llm = Arc::new(ScriptedLlm::answering("- a summary"));
/// let imports = Imports::new(Arc::new(MemoryStorage::new()), llm).tapped(recorder.clone());
///
/// // The component calls it so, and a test may do the same.
/// imports.storage.at(Place::Operator).list_channels().await.unwrap();
///
/// assert_eq!(recorder.imports(), ["storage.list-channels"]);
/// assert_eq!(recorder.to_string(), "0 storage.list-channels null -> []\n");
/// # });
/// ```
#[derive(Debug, Default)]
pub struct Recorder {
    calls: Mutex<Vec<Recorded>>,
}

/// A call and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The call.
    pub call: Call,
    /// What it returned.
    pub answer: Answer,
}

impl Recorder {
    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Recorded> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The calls so far of one function (`storage.save-memory`) or of one interface (`storage`).
    #[must_use]
    pub fn calls_of(&self, import: &str) -> Vec<Recorded> {
        let mut calls = self.calls();
        calls.retain(|recorded| recorded.call.is_of(import));
        calls
    }

    /// The functions that were called, in order: `storage.list-due`, …
    #[must_use]
    pub fn imports(&self) -> Vec<&'static str> {
        let calls = self.calls();
        calls.iter().map(|recorded| recorded.call.import).collect()
    }

    /// How often each function was called.
    #[must_use]
    pub fn tally(&self) -> BTreeMap<&'static str, usize> {
        let mut tally = BTreeMap::new();
        for import in self.imports() {
            *tally.entry(import).or_default() += 1;
        }
        tally
    }

    /// Removes the calls so far, and returns them.
    pub fn take(&self) -> Vec<Recorded> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, call: &Call, answer: &Answer) {
        let recorded = Recorded {
            call: call.clone(),
            answer: answer.clone(),
        };
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(recorded);
    }
}

/// One line for each call: number, import, arguments, result.
impl fmt::Display for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Recorded { call, answer } in self.calls() {
            writeln!(f, "{call} -> {answer}")?;
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Tap for Recorder {
    async fn after(&self, call: &Call, answer: &Answer) -> Result<(), Fault> {
        self.keep(call, answer);
        Ok(())
    }

    fn told(&self, call: &Call, answer: &Answer) {
        self.keep(call, answer);
    }
}
