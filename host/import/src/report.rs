//! What an import did, and what it left out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::LeftOut;

/// What an import handed to the store, and what it did not. Every message of the source is counted
/// once, either in `messages` or in `left_out`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Users handed to the store.
    pub users: u64,
    /// Channels handed to the store.
    pub channels: u64,
    /// Messages handed to the store.
    pub messages: u64,
    /// Memories handed to the store.
    pub memories: u64,
    /// How many records were left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// What the reader should look at: one sentence each.
    pub warnings: Vec<String>,
    /// The first odd records.
    #[serde(skip)]
    pub(super) odd: Vec<String>,
}

/// How many odd records are named, and how many other things of one kind.
pub(super) const NAMED: usize = 20;
/// How much is said of one of them, in bytes.
const SAID: usize = 400;

impl ImportReport {
    /// Counts a record that is left out.
    pub(super) fn leave_out(&mut self, reason: LeftOut) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Counts a record that cannot be read. `said` is where it is, and what is wrong with it; it is asked for the first ones.
    pub(super) fn leave_out_unreadable(&mut self, said: impl FnOnce() -> String) {
        self.leave_out(LeftOut::Unreadable);
        if self.odd.len() < NAMED {
            let mut said = said();
            if said.len() > SAID {
                said.truncate(said.floor_char_boundary(SAID));
                said.push('…');
            }
            self.odd.push(said);
        }
    }

    /// Adds what a part of the import left out.
    pub(super) fn add_left_out(&mut self, part: Self) {
        for (reason, count) in part.left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
        let free = NAMED.saturating_sub(self.odd.len());
        self.odd.extend(part.odd.into_iter().take(free));
    }

    /// Ends the report: what was odd is named among the warnings.
    pub(super) fn finished(mut self) -> Self {
        let all = self
            .left_out
            .get(&LeftOut::Unreadable)
            .copied()
            .unwrap_or_default();
        let unnamed = all.saturating_sub(self.odd.len() as u64);
        let named = self.odd.drain(..).map(|said| format!("left out: {said}"));
        self.warnings.extend(named);
        if unnamed > 0 {
            self.warnings.push(format!(
                "left out: {unnamed} more records that cannot be read"
            ));
        }
        self
    }
}

/// How far an import is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files whose messages are in the store; a database counts as one.
    pub files_done: u64,
    /// Files that hold messages.
    pub files_total: u64,
    /// Messages handed to the store.
    pub messages: u64,
}
