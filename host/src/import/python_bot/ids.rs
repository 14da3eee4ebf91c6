//! Message ids for messages that have none.
//!
//! The bot gave its own posts random ids in place of the id that Slack answered with. Such a message gets
//! an id from the time it was stored, and what refers to it follows.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::ts::TsKey;

/// How many ids a second has.
const SEQUENCES: i64 = 1_000_000;

/// The ids of one channel.
#[derive(Debug, Default)]
pub(super) struct ChannelIds {
    taken: HashSet<TsKey>,
    waiting: Vec<(String, DateTime<Utc>)>,
    made: HashMap<String, TsKey>,
    named_threads: HashSet<String>,
    threads: HashSet<TsKey>,
}

impl ChannelIds {
    /// Takes note of a valid id.
    pub(super) fn take(&mut self, ts: TsKey) {
        self.taken.insert(ts);
    }

    /// Takes note of a message that needs an id.
    pub(super) fn wait(&mut self, message_id: String, stored_at: DateTime<Utc>) {
        self.waiting.push((message_id, stored_at));
    }

    /// Takes note of a thread that a message belongs to.
    pub(super) fn name_thread(&mut self, message_id: String) {
        self.named_threads.insert(message_id);
    }

    /// Makes the missing ids, once all messages are noted: the second in which a message was stored, and
    /// from its microsecond on the first sequence that is free.
    pub(super) fn make(&mut self) {
        for (message_id, stored_at) in std::mem::take(&mut self.waiting) {
            let second = TsKey::first_of(stored_at.timestamp()).to_database();
            let first = i64::from(stored_at.timestamp_subsec_micros());
            let free = (0..SEQUENCES)
                .map(|step| TsKey::from_database(second + (first + step) % SEQUENCES))
                .find(|ts| !self.taken.contains(ts));
            if let (Some(ts), false) = (free, self.made.contains_key(&message_id)) {
                self.taken.insert(ts);
                self.made.insert(message_id, ts);
            }
        }
        self.threads = self
            .named_threads
            .iter()
            .filter_map(|id| self.find(id))
            .collect();
    }

    /// The id of a message, whichever way it is called.
    pub(super) fn find(&self, message_id: &str) -> Option<TsKey> {
        TsKey::parse(message_id)
            .ok()
            .or_else(|| self.made.get(message_id).copied())
    }

    /// Whether messages reply to this one.
    pub(super) fn is_thread(&self, ts: TsKey) -> bool {
        self.threads.contains(&ts)
    }

    /// How many ids were made.
    pub(super) fn made(&self) -> usize {
        self.made.len()
    }
}
