//! A set of message ids, of eight bytes each: there may be millions.

use myao_plugin::ts::TsKey;

use super::{ImportError, limits::MemoryBudget};

/// A set of ids.
#[derive(Debug, Default)]
pub(super) struct TsSet(Vec<TsKey>);

impl TsSet {
    /// All ids in order, each once. Call [`TsSet::sort`] first.
    pub(super) fn as_slice(&self) -> &[TsKey] {
        &self.0
    }

    /// Returns true if it contains an id. Call [`TsSet::sort`] first.
    pub(super) fn contains(&self, id: TsKey) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Adds an id, and counts its memory.
    pub(super) fn add(&mut self, id: TsKey, budget: &mut MemoryBudget) -> Result<(), ImportError> {
        if self.0.last() == Some(&id) {
            return Ok(());
        }
        if self.0.len() == self.0.capacity() {
            self.sort();
            // Unless half of the room is free again, the room is doubled.
            if self.0.len() > self.0.capacity() / 2 {
                let more = self.0.capacity().max(8);
                budget.spend(more * size_of::<TsKey>())?;
                self.0
                    .reserve_exact(self.0.capacity() - self.0.len() + more);
            }
        }
        self.0.push(id);
        Ok(())
    }

    /// Sorts the ids. To be called after the last one was added.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;

    #[test]
    fn ids_are_kept_once_and_in_order_and_repetition_costs_nothing() {
        let (mut set, mut budget) = (TsSet::default(), MemoryBudget::new(Path::new("x")));
        for round in 0..100_000_i64 {
            let key = TsKey::from_database((round * 7919) % 1_000);
            set.add(key, &mut budget).unwrap();
        }
        set.sort();
        let all: Vec<i64> = set.as_slice().iter().map(|key| key.to_database()).collect();
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
        assert!(set.0.capacity() <= 4_000, "{}", set.0.capacity());
    }

    #[test]
    fn there_is_an_end_to_how_many_are_kept() {
        let (mut set, mut budget) = (TsSet::default(), MemoryBudget::new(Path::new("x")));
        let refused = (0..100_000_000).find_map(|key| {
            let added = set.add(TsKey::from_database(key), &mut budget);
            added.err().map(|error| (key, error))
        });
        let (count, error) = refused.unwrap();
        assert!((6_000_000..13_000_000).contains(&count), "{count}");
        assert!(
            matches!(error, ImportError::TooMuchToKeep { .. }),
            "{error}"
        );
    }
}
