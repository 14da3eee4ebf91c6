//! Counts of imported and of left-out messages.

use std::collections::BTreeMap;

use myao_plugin::audience::ChannelFacts;
use serde::Serialize;

use crate::{Closed, LeftOut};

/// Counts of imported and of left-out messages. Every message of the source is counted once, in `messages` or in
/// `left_out`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// Users imported.
    pub users: u64,
    /// Channels imported.
    pub channels: u64,
    /// Messages imported.
    pub messages: u64,
    /// Memories imported.
    pub memories: u64,
    /// How many records were left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// How many conversations were left out because no option takes them. Nothing of them is stored.
    #[serde(skip)]
    pub left_out_conversations: BTreeMap<Closed, u64>,
    /// How many of the channels count as private because the source does not say who reads them.
    pub unknown_audiences: u64,
    /// Warnings, each of one sentence.
    pub warnings: Vec<String>,
    /// The first records that cannot be read, each with its place and its fault.
    #[serde(skip)]
    pub(super) unreadable: Vec<String>,
}

/// How many records that cannot be read are named, and how many other things of one kind.
pub(super) const MAX_NAMED: usize = 20;
/// The longest text about one of them.
const MAX_DETAIL_BYTES: usize = 400;

impl ImportReport {
    /// Counts a record that is left out.
    pub(super) fn leave_out(&mut self, reason: LeftOut) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Counts a channel.
    pub(super) fn add_channel(&mut self, facts: ChannelFacts) {
        let ChannelFacts {
            is_private,
            is_shared,
            has_guests,
        } = facts;
        self.channels += 1;
        let is_unknown = [is_private, is_shared, has_guests].contains(&None);
        self.unknown_audiences += u64::from(is_unknown);
    }

    /// Counts a record that cannot be read. `detail` says where it is and what is wrong; it is called for the first ones
    /// only.
    pub(super) fn leave_out_unreadable(&mut self, detail: impl FnOnce() -> String) {
        self.leave_out(LeftOut::Unreadable);
        if self.unreadable.len() < MAX_NAMED {
            let mut detail = detail();
            if detail.len() > MAX_DETAIL_BYTES {
                detail.truncate(detail.floor_char_boundary(MAX_DETAIL_BYTES));
                detail.push('…');
            }
            self.unreadable.push(detail);
        }
    }

    /// Adds the messages that a part of the import left out.
    pub(super) fn add_left_out(&mut self, part: Self) {
        for (reason, count) in part.left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
        let free = MAX_NAMED.saturating_sub(self.unreadable.len());
        self.unreadable
            .extend(part.unreadable.into_iter().take(free));
    }

    /// Ends the report: adds a warning for each unreadable record.
    pub(super) fn finished(mut self) -> Self {
        let all = self
            .left_out
            .get(&LeftOut::Unreadable)
            .copied()
            .unwrap_or_default();
        let unnamed = all.saturating_sub(self.unreadable.len() as u64);
        let details = self.unreadable.drain(..);
        let named = details.map(|detail| format!("left out: {detail}"));
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
#[non_exhaustive]
pub struct Progress {
    /// Files that were read; a database counts as one.
    pub files_done: u64,
    /// Files that hold messages.
    pub files_total: u64,
    /// Messages imported.
    pub messages: u64,
}
