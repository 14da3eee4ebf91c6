//! Finds candidates by looking at every message, as `wit/recall.wit` says.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::bindings::recall::{Candidates, FoundMessage, RecallQuery, TermCount};
use crate::bindings::storage::StorageError;
use crate::bindings::types::{Message, MessageRef};
use crate::ports::Recall;
use crate::testing::MemoryStorage;
use crate::ts::Ts;

/// A term in more messages, and in more than one of fifty, is common; it finds so many of the newest.
const COMMON: usize = 1000;

/// A message, and its terms.
struct Said {
    found: FoundMessage,
    terms: Vec<String>,
}

/// The messages of all channels.
#[derive(Default)]
pub(crate) struct PlainRecall {
    messages: Vec<Said>,
    /// How similar the messages with these texts are to any question.
    pub(crate) similarities: BTreeMap<String, f32>,
    pub(crate) queries: RefCell<Vec<RecallQuery>>,
}

impl PlainRecall {
    /// Messages come in order of time.
    pub(crate) fn add(&mut self, channel_id: &str, message: Message) {
        self.add_to(channel_id, channel_id.to_lowercase(), message);
    }

    /// The same, with the name of the channel.
    pub(crate) fn add_to(&mut self, channel_id: &str, channel_name: String, message: Message) {
        let terms = myao_terms::terms(&message.text);
        let found = FoundMessage {
            at: MessageRef {
                channel_id: channel_id.to_owned(),
                ts: message.ts.clone(),
            },
            channel_name,
            counts: Vec::new(),
            length: u32::try_from(terms.len()).unwrap(),
            similarity: None,
            message,
        };
        self.messages.push(Said { found, terms });
    }

    fn seen(&self, until: &str) -> Vec<&Said> {
        let until = key(until);
        let messages = self.messages.iter();
        messages
            .filter(|said| key(&said.found.at.ts) <= until)
            .collect()
    }

    /// The messages beside one, in its thread or the top level of its channel.
    fn beside<'a>(&self, seen: &[&'a Said], at: usize, count: usize) -> Vec<&'a Said> {
        let group = |Said { found, .. }: &Said| {
            let thread = found.message.thread_ts.clone();
            (found.at.channel_id.clone(), thread)
        };
        let is_beside = |other: &&&Said| group(other) == group(seen[at]);
        let before = seen[..at].iter().rev().filter(is_beside).take(count);
        let after = seen[at + 1..].iter().filter(is_beside).take(count);
        before.chain(after).copied().collect()
    }
}

impl Recall for PlainRecall {
    fn find_candidates(&self, query: &RecallQuery) -> Result<Candidates, StorageError> {
        self.queries.borrow_mut().push(query.clone());
        let similarity = |found: &FoundMessage| {
            let known = self.similarities.get(&found.message.text).copied();
            known.filter(|_| !query.text.is_empty())
        };
        let seen = self.seen(&query.until);
        let having = |term: &String| seen.iter().filter(|said| said.terms.contains(term)).count();
        let counts: Vec<(String, usize)> = query
            .terms
            .iter()
            .map(|term| (term.clone(), having(term)))
            .collect();
        let is_rare = |count: usize| count <= COMMON.max(seen.len() / 50);
        let since = query.since.as_deref().map(key);
        let mut picked: Vec<(u32, usize)> = Vec::new();
        let mut newest = 0;
        for (at, Said { found, terms }) in seen.iter().enumerate().rev() {
            let channels = &query.channels;
            if since.is_some_and(|since| key(&found.at.ts) < since)
                || !(channels.is_empty() || channels.contains(&found.at.channel_id))
            {
                continue;
            }
            newest += 1;
            let terms: BTreeSet<&String> = terms.iter().collect();
            let rare = counts.iter().filter(|(_, count)| is_rare(*count));
            let weight: u32 = rare
                .filter(|(term, _)| terms.contains(term))
                .map(|(_, count)| (seen.len() / count).ilog2() + 1)
                .sum();
            let has_term = query.terms.iter().any(|term| terms.contains(term));
            let is_similar = similarity(found).is_some();
            if weight > 0 || is_similar || query.terms.is_empty() || (has_term && newest <= COMMON)
            {
                picked.push((weight, at));
            }
        }
        picked.sort_by_key(|(weight, at)| (Reverse(*weight), Reverse(*at)));
        picked.truncate(usize::try_from(query.limit).unwrap());
        let count = usize::try_from(query.neighbours).unwrap();
        let counted = |Said { found, terms }: &Said| {
            let count = |term| terms.iter().filter(|other| *other == term).count();
            let counts = query
                .terms
                .iter()
                .map(|term| u32::try_from(count(term)).unwrap());
            FoundMessage {
                counts: counts.collect(),
                ..found.clone()
            }
        };
        let mut messages: Vec<FoundMessage> = Vec::new();
        for (_, at) in picked {
            messages.push(counted(seen[at]));
            let beside = self.beside(&seen, at, count).into_iter();
            let beside =
                beside.filter(|said| since.is_none_or(|since| key(&said.found.at.ts) >= since));
            messages.extend(beside.map(counted));
        }
        messages.sort_by_key(|found| (found.at.channel_id.clone(), key(&found.at.ts)));
        messages.dedup_by_key(|found| found.at.clone());
        for found in &mut messages {
            found.similarity = similarity(found);
        }
        let counts = counts.into_iter().map(|(term, count)| TermCount {
            term,
            messages: u32::try_from(count).unwrap(),
        });
        Ok(Candidates {
            messages,
            counts: counts.collect(),
            message_count: u32::try_from(seen.len()).unwrap(),
        })
    }

    fn terms(&self, text: &str) -> Vec<String> {
        myao_terms::terms(text)
    }
}

/// Finds the store's messages, unless it is told not to search.
impl Recall for MemoryStorage {
    fn find_candidates(&self, query: &RecallQuery) -> Result<Candidates, StorageError> {
        let mut recall = PlainRecall::default();
        if !self.cannot_search.get() {
            for (channel, message) in self.all_messages() {
                recall.add_to(&channel.id, channel.name, message);
            }
        }
        recall.find_candidates(query)
    }

    fn terms(&self, text: &str) -> Vec<String> {
        if self.cannot_search.get() {
            return Vec::new();
        }
        myao_terms::terms(text)
    }
}

fn key(ts: &str) -> Ts {
    Ts::parse(ts).unwrap()
}
