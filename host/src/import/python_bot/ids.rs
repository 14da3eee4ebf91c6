//! Message ids for messages that have none.
//!
//! The bot gave its own posts random ids in place of the id that Slack answered with. Replies know the
//! right one: where a reply names a message that is not there, and the bot stored a post within a few
//! seconds of that id, the post is that message. Any other post gets an id from the time it was stored.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::ts::TsKey;

/// How many ids a second has.
const SEQUENCES: i64 = 1_000_000;
/// How far the time when a post was stored may lie from its id, in seconds: the bot stored it right
/// before or after the call to Slack.
const CALL_SECONDS: i64 = 5;

/// The ids of one channel.
#[derive(Debug, Default)]
pub(super) struct ChannelIds {
    taken: HashSet<TsKey>,
    /// Messages that need an id, in order of time. The number, in order of reading, tells apart those of
    /// one microsecond.
    waiting: BTreeMap<(TsKey, usize), Post>,
    made: HashMap<String, TsKey>,
    named_threads: HashSet<String>,
    threads: HashSet<TsKey>,
}

#[derive(Debug)]
struct Post {
    message_id: String,
    is_reply: bool,
}

impl ChannelIds {
    /// Takes note of a valid id.
    pub(super) fn take(&mut self, ts: TsKey) {
        self.taken.insert(ts);
    }

    /// Takes note of a message that needs an id.
    pub(super) fn wait(&mut self, message_id: String, stored_at: DateTime<Utc>, is_reply: bool) {
        let second = TsKey::first_of(stored_at.timestamp()).to_database();
        let stored_at =
            TsKey::from_database(second + i64::from(stored_at.timestamp_subsec_micros()));
        let number = self.waiting.len();
        self.waiting.insert(
            (stored_at, number),
            Post {
                message_id,
                is_reply,
            },
        );
    }

    /// Takes note of a thread that a message belongs to.
    pub(super) fn name_thread(&mut self, message_id: String) {
        self.named_threads.insert(message_id);
    }

    /// Makes the missing ids, once all messages are noted.
    pub(super) fn make(&mut self) {
        self.recover();
        for ((stored_at, _), post) in std::mem::take(&mut self.waiting) {
            let second = TsKey::first_of(stored_at.unix_seconds()).to_database();
            let first = stored_at.to_database() - second;
            let free = (0..SEQUENCES)
                .map(|step| TsKey::from_database(second + (first + step) % SEQUENCES))
                .find(|ts| !self.taken.contains(ts));
            if let (Some(ts), false) = (free, self.made.contains_key(&post.message_id)) {
                self.taken.insert(ts);
                self.made.insert(post.message_id, ts);
            }
        }
        self.threads = self
            .named_threads
            .iter()
            .filter_map(|id| self.find(id))
            .collect();
    }

    /// Gives the ids that replies name, and that no message has, to the posts stored nearest to them.
    fn recover(&mut self) {
        let mut missing: Vec<TsKey> = self
            .named_threads
            .iter()
            .filter_map(|id| TsKey::parse(id).ok())
            .collect();
        missing.retain(|ts| !self.taken.contains(ts));
        missing.sort_unstable();
        missing.dedup();
        for ts in missing {
            let around =
                |seconds: i64| TsKey::from_database(ts.to_database() + seconds * SEQUENCES);
            let nearest = self
                .waiting
                .range((around(-CALL_SECONDS), 0)..=(around(CALL_SECONDS), usize::MAX))
                .filter(|(_, post)| !post.is_reply)
                .min_by_key(|((stored_at, _), _)| {
                    (stored_at.to_database() - ts.to_database()).abs()
                })
                .map(|(key, _)| *key);
            if let Some(post) = nearest.and_then(|key| self.waiting.remove(&key)) {
                self.taken.insert(ts);
                self.made.insert(post.message_id, ts);
            }
        }
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
