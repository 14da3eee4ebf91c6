//! Finds messages and memories by their terms, by looking at every text.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use myao_plugin::storage::StorageError;
use myao_plugin::storage::recall::{
    COMMON_MESSAGES, Candidates, FoundMemory, FoundMessage, RecallQuery, TermCount, is_common,
    weight,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{MessageRef, Place};
use myao_terms::terms;

use super::messages::Conversation;
use super::{State, key, most};

/// A message that may be seen.
struct Seen<'a> {
    channel_id: &'a str,
    conversation: &'a Conversation,
    ts: TsKey,
    terms: Vec<String>,
}

impl State {
    pub(super) fn find_candidates(
        &self,
        place: &Place,
        query: &RecallQuery,
    ) -> Result<Candidates, StorageError> {
        let until = key(&query.until)?;
        let since = query.since.as_deref().map(key).transpose()?;
        let since = since.unwrap_or(TsKey::first_of(0));
        let seen = self.seen(place, until);
        let total = u32::try_from(seen.len()).unwrap_or(u32::MAX);
        let count = |term: &String| {
            let having = seen.iter().filter(|seen| seen.terms.contains(term));
            u32::try_from(having.count()).unwrap_or(u32::MAX)
        };
        let counts: Vec<TermCount> = query
            .terms
            .iter()
            .map(|term| TermCount {
                messages: count(term),
                term: term.clone(),
            })
            .collect();
        let picked = pick(&seen, &counts, query, since);
        let mut keys: BTreeSet<(&str, TsKey)> = BTreeSet::new();
        for seen in &picked {
            keys.insert((seen.channel_id, seen.ts));
            let beside = neighbours(seen, since, until, most(query.neighbours));
            keys.extend(beside.into_iter().map(|ts| (seen.channel_id, ts)));
        }
        let messages = keys
            .into_iter()
            .filter_map(|(channel_id, ts)| self.found_message(channel_id, ts, until));
        Ok(Candidates {
            messages: messages.collect(),
            memories: self.found_memories(place, &counts, total, query, until),
            records: Vec::new(),
            counts,
            message_count: total,
        })
    }

    /// All messages up to a time, the newest first.
    fn seen(&self, place: &Place, until: TsKey) -> Vec<Seen<'_>> {
        let channels = self.channels.iter();
        let channels = channels.filter(|(id, _)| self.shows_channel(place, id));
        let mut seen: Vec<Seen<'_>> = channels
            .flat_map(|(id, conversation)| {
                let messages = conversation.all_shown();
                let messages = messages.filter(|(ts, _)| *ts <= until);
                messages.map(move |(ts, message)| Seen {
                    channel_id: id,
                    conversation,
                    ts,
                    terms: terms(&message.text),
                })
            })
            .collect();
        seen.sort_by_key(|seen| Reverse(seen.ts));
        seen
    }

    fn found_message(&self, channel_id: &str, ts: TsKey, until: TsKey) -> Option<FoundMessage> {
        let conversation = self.channels.get(channel_id)?;
        let message = self.shown_message(conversation, ts, until)?;
        Some(FoundMessage {
            at: MessageRef {
                channel_id: channel_id.to_owned(),
                ts: message.ts.clone(),
            },
            channel_name: conversation.shown_name(channel_id),
            terms: terms(&message.text),
            similarity: None,
            done_at: self.done_at(channel_id, ts, until),
            message,
        })
    }

    /// Since when a message is marked as done by somebody who is neither a program nor a stranger.
    fn done_at(&self, channel_id: &str, ts: TsKey, until: TsKey) -> Option<String> {
        let channel = self.channels.get(channel_id);
        let counts = |id: &str| channel.is_some_and(|channel| self.may_mark(channel, id));
        let since = self.done.since((channel_id, ts), until, counts);
        since.map(|since| since.to_string())
    }

    /// The memories with a term that is not common: those that weigh the most, then the newest.
    fn found_memories(
        &self,
        place: &Place,
        counts: &[TermCount],
        total: u32,
        query: &RecallQuery,
        until: TsKey,
    ) -> Vec<FoundMemory> {
        let mut found = Vec::new();
        for text in self.texts.values() {
            let memory = &text.memory;
            let latest = memory.source_latest_message_ts.as_deref();
            let is_later = memory.updated_at.unix_seconds > until.unix_seconds()
                || latest.and_then(|ts| key(ts).ok()) > Some(until);
            if text.superseded_at.is_some() || is_later || !self.shows(place, text) {
                continue;
            }
            let terms = terms(&memory.content);
            let weight = weigh(&terms, counts, total);
            if weight > 0 {
                let mut memory = memory.clone();
                memory.citations.clear();
                found.push((Reverse((weight, memory.id)), FoundMemory { memory, terms }));
            }
        }
        found.sort_by_key(|(order, _)| *order);
        found.truncate(most(query.limit));
        found.into_iter().map(|(_, found)| found).collect()
    }
}

/// The candidates: those that weigh the most, then the newest.
fn pick<'s>(
    seen: &'s [Seen<'s>],
    counts: &[TermCount],
    query: &RecallQuery,
    since: TsKey,
) -> Vec<&'s Seen<'s>> {
    let total = u32::try_from(seen.len()).unwrap_or(u32::MAX);
    let is_meant = |seen: &&Seen<'_>| {
        let is_of_channel = |id: &String| id == seen.channel_id;
        seen.ts >= since && (query.channels.is_empty() || query.channels.iter().any(is_of_channel))
    };
    let mut picked = Vec::new();
    for (number, seen) in seen.iter().filter(is_meant).enumerate() {
        let weight = weigh(&seen.terms, counts, total);
        let is_new = number < most(COMMON_MESSAGES);
        let has_term = query.terms.iter().any(|term| seen.terms.contains(term));
        if weight > 0 || (is_new && (has_term || query.terms.is_empty())) {
            picked.push((Reverse(weight), seen));
        }
    }
    // The sort is stable: the newest stay first.
    picked.sort_by_key(|(weight, _)| *weight);
    picked.truncate(most(query.limit));
    picked.into_iter().map(|(_, seen)| seen).collect()
}

/// What a text weighs by the terms that are not common.
fn weigh(terms: &[String], counts: &[TermCount], total: u32) -> u32 {
    let rare = counts
        .iter()
        .filter(|count| !is_common(count.messages, total) && terms.contains(&count.term));
    let rare: BTreeSet<(&str, u32)> = rare
        .map(|count| (count.term.as_str(), weight(count.messages, total)))
        .collect();
    rare.into_iter().map(|(_, weight)| weight).sum()
}

/// The messages before and after one: of its thread, or of the top level. The first message of a thread stands in both.
fn neighbours(seen: &Seen<'_>, since: TsKey, until: TsKey, count: usize) -> Vec<TsKey> {
    let conversation = seen.conversation;
    let between: Vec<TsKey> = conversation.between(Some(since), until).collect();
    let thread_of = |ts: &TsKey| conversation.shown(*ts).and_then(|message| message.thread);
    let own = thread_of(&seen.ts);
    let thread = own.unwrap_or(seen.ts);
    let in_thread = |ts: &&TsKey| **ts == thread || thread_of(ts) == Some(thread);
    let top_level = |ts: &&TsKey| own.is_none() && thread_of(ts).is_none();
    let mut found = beside(&between, seen.ts, count, in_thread);
    found.extend(beside(&between, seen.ts, count, top_level));
    found
}

fn beside(
    all: &[TsKey],
    at: TsKey,
    count: usize,
    is_meant: impl Fn(&&TsKey) -> bool,
) -> Vec<TsKey> {
    let before = all.iter().rev().filter(|ts| **ts < at && is_meant(ts));
    let after = all.iter().filter(|ts| **ts > at && is_meant(ts));
    let found = before.take(count).chain(after.take(count));
    found.copied().collect()
}
