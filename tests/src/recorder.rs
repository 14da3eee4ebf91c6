//! Writes down every call, and how much it returned.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use myao::storage::StorageError;

use crate::tap::{Call, Tap};

/// A tap that counts.
#[derive(Debug, Default)]
pub struct Recorder {
    calls: Mutex<Vec<(&'static str, usize)>>,
}

impl Recorder {
    /// The names of the calls with the rows that each returned, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<(&'static str, usize)> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How many calls there were of each name.
    #[must_use]
    pub fn tally(&self) -> BTreeMap<&'static str, usize> {
        let mut tally = BTreeMap::new();
        for (name, _) in self.calls() {
            *tally.entry(name).or_default() += 1;
        }
        tally
    }
}

#[async_trait::async_trait]
impl Tap for Recorder {
    async fn after(&self, call: Call, items: usize) -> Result<(), StorageError> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((call.name, items));
        Ok(())
    }
}
