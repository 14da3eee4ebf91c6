//! Makes ids for messages that have none.
//!
//! The bot gave its own posts random ids in place of Slack's. Replies have the right id: if a reply names a message that
//! does not exist, and the bot stored a post within a few seconds of that id, the post is that message. All other posts get
//! an id from the time at which they were stored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use myao_plugin::ts::TsKey;

use crate::ImportError;
use crate::limits::MemoryBudget;
use crate::ts_set::TsSet;

/// How many ids a second has.
const SEQUENCES: i64 = 1_000_000;
/// The longest time between a post's id and its storing, in seconds: the bot stored it directly before or after the call
/// to Slack.
const CALL_SECONDS: i64 = 5;
/// The memory for a message without an id, and for a thread, without their names.
const WAITING_BYTES: usize = 250;
const THREAD_BYTES: usize = 120;

/// The ids of one channel.
#[derive(Debug, Default)]
pub(super) struct ChannelIds {
    taken: TsSet,
    /// Messages that need an id, in order of time. The number, in order of reading, distinguishes those of the same
    /// microsecond.
    waiting: BTreeMap<(TsKey, usize), String>,
    /// Those that are not replies.
    posts: BTreeSet<(TsKey, usize)>,
    made: HashMap<String, TsKey>,
    /// The ids that were made.
    given: HashSet<TsKey>,
    named_threads: HashSet<String>,
    threads: HashSet<TsKey>,
}

/// Finds the free ids of a second. Requests come in order of time, so that no id is checked twice.
struct Second {
    first: i64,
    /// All steps from the last request up to this one are taken.
    next: i64,
    /// All steps from 0 up to this one are taken.
    wrapped: i64,
}

impl ChannelIds {
    /// Adds a valid id.
    pub(super) fn add(&mut self, ts: TsKey, budget: &mut MemoryBudget) -> Result<(), ImportError> {
        self.taken.add(ts, budget)
    }

    /// Adds a message that needs an id.
    pub(super) fn add_without_id(
        &mut self,
        message_id: String,
        stored_at: DateTime<Utc>,
        is_reply: bool,
        budget: &mut MemoryBudget,
    ) -> Result<(), ImportError> {
        budget.spend(WAITING_BYTES + message_id.len())?;
        let second = TsKey::first_of(stored_at.timestamp()).to_database();
        let stored_at =
            TsKey::from_database(second + i64::from(stored_at.timestamp_subsec_micros()));
        let place = (stored_at, self.waiting.len());
        self.waiting.insert(place, message_id);
        if !is_reply {
            self.posts.insert(place);
        }
        Ok(())
    }

    /// Adds a thread that a message belongs to.
    pub(super) fn name_thread(
        &mut self,
        message_id: String,
        budget: &mut MemoryBudget,
    ) -> Result<(), ImportError> {
        if !self.named_threads.contains(&message_id) {
            budget.spend(THREAD_BYTES + message_id.len())?;
            self.named_threads.insert(message_id);
        }
        Ok(())
    }

    /// Makes the missing ids. To be called after all messages were added.
    pub(super) fn make(&mut self) {
        self.taken.sort();
        self.recover();
        let mut second = Second::of(0);
        for ((stored_at, _), message_id) in std::mem::take(&mut self.waiting) {
            let first = TsKey::first_of(stored_at.unix_seconds()).to_database();
            if first != second.first {
                second = Second::of(first);
            }
            if self.made.contains_key(&message_id) {
                continue;
            }
            if let Some(ts) = second.find_free(stored_at, |ts| self.is_taken(ts)) {
                self.give(message_id, ts);
            }
        }
        self.threads = self
            .named_threads
            .iter()
            .filter_map(|id| self.find(id))
            .collect();
    }

    fn is_taken(&self, ts: TsKey) -> bool {
        self.taken.contains(ts) || self.given.contains(&ts)
    }

    fn give(&mut self, message_id: String, ts: TsKey) {
        self.given.insert(ts);
        self.made.insert(message_id, ts);
    }

    /// Gives the ids that replies name and no message has to the posts that were stored nearest to them.
    fn recover(&mut self) {
        let mut missing: Vec<TsKey> = self
            .named_threads
            .iter()
            .filter_map(|id| TsKey::parse(id).ok())
            .collect();
        missing.retain(|ts| !self.taken.contains(*ts));
        missing.sort_unstable();
        missing.dedup();
        for ts in missing {
            if let Some(place) = self.nearest_post(ts)
                && let Some(message_id) = self.waiting.remove(&place)
            {
                self.posts.remove(&place);
                self.give(message_id, ts);
            }
        }
    }

    /// The post that was stored nearest to an id; of two, the earlier one, or the one that was read first.
    fn nearest_post(&self, ts: TsKey) -> Option<(TsKey, usize)> {
        let after = |steps: i64| TsKey::from_database(ts.to_database() + steps);
        let reach = CALL_SECONDS * SEQUENCES;
        let before = self
            .posts
            .range((after(-reach), 0)..=(ts, usize::MAX))
            .next_back()
            .and_then(|(stored_at, _)| self.posts.range((*stored_at, 0)..).next());
        let later = self
            .posts
            .range((after(1), 0)..=(after(reach), usize::MAX))
            .next();
        before
            .into_iter()
            .chain(later)
            .min_by_key(|(stored_at, _)| (stored_at.to_database() - ts.to_database()).abs())
            .copied()
    }

    /// The id of a message, by its id in Slack or in the database.
    pub(super) fn find(&self, message_id: &str) -> Option<TsKey> {
        TsKey::parse(message_id)
            .ok()
            .or_else(|| self.made.get(message_id).copied())
    }

    /// Whether a message has replies.
    pub(super) fn is_thread(&self, ts: TsKey) -> bool {
        self.threads.contains(&ts)
    }

    /// How many ids were made.
    pub(super) fn made(&self) -> usize {
        self.made.len()
    }
}

impl Second {
    fn of(first: i64) -> Self {
        Self {
            first,
            next: 0,
            wrapped: 0,
        }
    }

    /// The next free id at or after a time of this second; if there is none, the first free one before that time.
    fn find_free(&mut self, stored_at: TsKey, is_taken: impl Fn(TsKey) -> bool) -> Option<TsKey> {
        let step = stored_at.to_database() - self.first;
        let free_from = |from: i64, until: i64| {
            (from..until).find(|step| !is_taken(TsKey::from_database(self.first + step)))
        };
        self.next = self.next.max(step);
        let free = free_from(self.next, SEQUENCES);
        self.next = free.map_or(SEQUENCES, |free| free + 1);
        let found = free.or_else(|| {
            let free = free_from(self.wrapped, step);
            self.wrapped = free.map_or(step.max(self.wrapped), |free| free + 1);
            free
        });
        found.map(|step| TsKey::from_database(self.first + step))
    }
}
