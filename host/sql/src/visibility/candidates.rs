//! Finds messages by their terms, as `wit/recall.wit` says.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::MessageRef;
use myao_plugin::embedder::Meaning;
use myao_plugin::storage::recall::{
    COMMON_MESSAGES, Candidates, FoundMessage, RecallQuery, TermCount, is_common, weight,
};

use crate::fault::Fault;
use crate::messages::lookup::terms_of_messages;
use crate::messages::stored::message;
use crate::place::Place;
use crate::rows;
use crate::search::code_cache::CodeCache;
use crate::search::index::{channel_of, key_of, row_of};
use crate::sight::{Sight, json_array};
use crate::visibility::similarities::Similarities;
use crate::visibility::visible::Visible;

/// A message with one of the terms, or a similar meaning.
pub(crate) fn candidates(
    connection: &Connection,
    codes: &CodeCache,
    place: &Place,
    query: &RecallQuery,
    meaning: Option<&Meaning>,
) -> Result<Candidates, Fault> {
    let until = rows::key(&query.until)?;
    let since = query
        .since
        .as_deref()
        .map(rows::key)
        .transpose()?
        .unwrap_or(0);
    let sight = Sight::of(connection, place)?;
    let visible = Visible::of(connection, place, &sight, until)?;
    let mut search = Search {
        connection,
        query,
        visible,
        since,
        until,
        counts: BTreeMap::new(),
        weights: HashMap::new(),
        similarities: Similarities::default(),
    };
    let common = search.look_for_terms()?;
    let mut picked = search.pick(&common)?;
    if let Some(meaning) = meaning {
        let channels = search.channels();
        let wanted = |channel| {
            channels
                .as_ref()
                .is_none_or(|channels| channels.contains(&channel))
        };
        search.similarities =
            Similarities::of(connection, codes, &search.visible, meaning, wanted, since)?;
        picked.extend(search.similarities.most());
    }
    let messages = search.messages(place, &picked)?;
    let counts = query.terms.iter().map(|term| TermCount {
        messages: search.counts.get(term.as_str()).copied().unwrap_or(0),
        term: term.clone(),
    });
    Ok(Candidates {
        messages,
        counts: counts.collect(),
        message_count: search.visible.total,
    })
}

struct Search<'a> {
    connection: &'a Connection,
    query: &'a RecallQuery,
    visible: Visible,
    since: i64,
    until: i64,
    /// How many messages have each term.
    counts: BTreeMap<&'a str, u32>,
    /// The weight of each row with a term that is not common.
    weights: HashMap<i64, u32>,
    similarities: Similarities,
}

impl<'a> Search<'a> {
    /// Looks for each term; returns those that are common.
    fn look_for_terms(&mut self) -> Result<HashSet<&'a str>> {
        let total = self.visible.total;
        let mut common = HashSet::new();
        let terms: BTreeSet<&str> = self.query.terms.iter().map(String::as_str).collect();
        let terms: Vec<&str> = terms.into_iter().filter(|term| is_term(term)).collect();
        let most = usize::try_from(COMMON_MESSAGES.max(total / 50)).unwrap_or(usize::MAX);
        let found = self
            .visible
            .rows_with(self.connection, &terms, most.saturating_add(1))?;
        for (term, found) in terms.into_iter().zip(found) {
            let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
            self.counts.insert(term, count);
            if is_common(count, total) {
                common.insert(term);
                continue;
            }
            for row in found {
                *self.weights.entry(row).or_default() += weight(count, total);
            }
        }
        self.estimate(&common)?;
        Ok(common)
    }

    /// Estimates how common the common terms are, from the newest messages.
    fn estimate(&mut self, common: &HashSet<&'a str>) -> Result<()> {
        if common.is_empty() {
            return Ok(());
        }
        let sample = self.visible.newest(self.connection, None, 0, newest())?;
        let mut having: BTreeMap<&str, u64> = BTreeMap::new();
        for terms in terms_of_messages(self.connection, sample.iter().copied())?.values() {
            let terms: HashSet<&str> = terms.split(' ').collect();
            for term in common.iter().filter(|term| terms.contains(*term)) {
                *having.entry(term).or_default() += 1;
            }
        }
        let sampled = u64::try_from(sample.len()).unwrap_or(u64::MAX).max(1);
        for &term in common {
            let having = having.get(term).copied().unwrap_or(0);
            let estimated = having * u64::from(self.visible.total) / sampled;
            let estimated = u32::try_from(estimated).unwrap_or(u32::MAX);
            let least = self.counts.entry(term).or_default();
            *least = estimated.max(*least);
        }
        Ok(())
    }

    /// The rows of the candidates: those that weigh the most, then the newest.
    fn pick(&mut self, common: &HashSet<&str>) -> Result<Vec<i64>> {
        let limit = usize::try_from(self.query.limit).unwrap_or(usize::MAX);
        let channels = self.channels();
        if let Some(channels) = &channels {
            self.weights
                .retain(|row, _| channels.contains(&channel_of(*row)));
        }
        if self.query.terms.is_empty() || !common.is_empty() {
            let newest =
                self.visible
                    .newest(self.connection, channels.as_ref(), self.since, newest())?;
            let terms = if self.query.terms.is_empty() {
                HashMap::new()
            } else {
                terms_of_messages(self.connection, newest.iter().copied())?
            };
            for row in newest {
                let has_one = |terms: &String| terms.split(' ').any(|term| common.contains(term));
                if self.query.terms.is_empty() || terms.get(&row).is_some_and(has_one) {
                    self.weights.entry(row).or_default();
                }
            }
        }
        let mut weighed: Vec<(Reverse<u32>, i64)> = self
            .weights
            .iter()
            .map(|(row, weight)| (Reverse(*weight), *row))
            .collect();
        weighed.sort_unstable();
        // Only messages that weigh the same are compared by time.
        let last = weighed
            .get(limit.saturating_sub(1))
            .map(|(weight, _)| *weight);
        if let Some(last) = last.filter(|_| self.since == 0) {
            weighed.retain(|(weight, _)| *weight <= last);
        }
        let mut dated = Vec::with_capacity(weighed.len());
        let times = self.times_of(weighed.iter().map(|(_, row)| *row))?;
        for (weight, row) in weighed {
            if let Some(&ts) = times.get(&key_of(row)).filter(|ts| **ts >= self.since) {
                dated.push((weight, Reverse(ts), row));
            }
        }
        dated.sort_unstable();
        dated.truncate(limit);
        Ok(dated.into_iter().map(|(.., row)| row).collect())
    }

    /// The message ids of rows, by the messages' keys.
    fn times_of(&self, rows: impl Iterator<Item = i64>) -> Result<HashMap<i64, i64>> {
        let sql = "SELECT m.key, m.ts_key FROM integers(?1) AS wanted CROSS JOIN messages AS m ON m.key = wanted.value";
        let keys = json_array(&rows.map(key_of).collect());
        let found = rows::list(self.connection, sql, params![keys], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The channels that are asked for; `None` for all.
    fn channels(&self) -> Option<HashSet<i64>> {
        let wanted: HashSet<&str> = self.query.channels.iter().map(String::as_str).collect();
        let channels = self.visible.channels.iter();
        let found = channels.filter(|(_, channel)| wanted.contains(channel.id.as_str()));
        (!wanted.is_empty()).then(|| found.map(|(key, _)| *key).collect())
    }

    /// These messages and their neighbours, in order of channel id and message id.
    fn messages(&mut self, place: &Place, picked: &[i64]) -> Result<Vec<FoundMessage>> {
        let mut keys: BTreeSet<i64> = picked.iter().map(|row| key_of(*row)).collect();
        keys.extend(self.neighbours(&keys)?);
        let sql = include_str!("../search/sql/found_messages.sql");
        let columns = params![json_array(&keys), self.until];
        let mut found: Vec<(i64, i64, FoundMessage)> = Vec::with_capacity(keys.len());
        self.connection.each(sql, columns, |row| -> Result<()> {
            let (ts, channel): (i64, i64) = (row.get(0)?, row.get(8)?);
            let index_row = row_of(channel, row.get(9)?);
            let Some(channel) = self.visible.channels.get(&channel) else {
                return Ok(());
            };
            let found_message = FoundMessage {
                at: MessageRef {
                    channel_id: channel.id.clone(),
                    ts: rows::ts(ts),
                },
                channel_name: channel.name.clone(),
                message: message(row, place)?,
                counts: Vec::new(),
                length: 0,
                similarity: None,
            };
            found.push((ts, index_row, found_message));
            Ok(())
        })?;
        found.sort_by(|(a, _, first), (b, _, second)| {
            (&first.at.channel_id, a).cmp(&(&second.at.channel_id, b))
        });
        let terms = terms_of_messages(self.connection, found.iter().map(|(_, row, _)| *row))?;
        let rows = found.iter().map(|(_, row, _)| *row).collect();
        self.similarities.add(self.connection, &rows)?;
        let counted = |(_, row, found)| {
            let (counts, length) = self.occurrences(terms.get(&row).map_or("", String::as_str));
            FoundMessage {
                counts,
                length,
                similarity: self.similarities.get(row),
                ..found
            }
        };
        Ok(found.into_iter().map(counted).collect())
    }

    /// The keys of the messages before and after these.
    fn neighbours(&self, of: &BTreeSet<i64>) -> Result<BTreeSet<i64>> {
        let sql = include_str!("../search/sql/neighbours.sql");
        let mut found = BTreeSet::new();
        let (mut backwards, mut forwards) = (of.clone(), of.clone());
        for step in 0..self.query.neighbours {
            let from: BTreeSet<i64> = backwards.union(&forwards).copied().collect();
            if from.is_empty() {
                break;
            }
            let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
            let columns = params![json_array(&from), self.since, self.until];
            self.connection.each(sql, columns, |row| -> Result<()> {
                let key: i64 = row.get(0)?;
                let beside = |column| row.get::<Option<i64>>(column);
                if backwards.contains(&key) {
                    let previous = beside(1)?;
                    before.extend(previous);
                    if previous.is_none() {
                        found.extend(beside(2)?);
                    }
                }
                if forwards.contains(&key) {
                    after.extend(beside(3)?);
                }
                if step == 0 {
                    after.extend(beside(4)?);
                }
                Ok(())
            })?;
            found.extend(before.union(&after));
            (backwards, forwards) = (before, after);
        }
        Ok(found)
    }

    /// How often each term of the query is among these, which spaces join, and how many they are.
    fn occurrences(&self, terms: &str) -> (Vec<u32>, u32) {
        let mut counts = vec![0; self.query.terms.len()];
        let mut length = 0;
        for term in terms.split_terminator(' ') {
            length += 1;
            for (count, wanted) in counts.iter_mut().zip(&self.query.terms) {
                *count += u32::from(wanted == term);
            }
        }
        (counts, length)
    }
}

/// How many of the newest messages a common term finds.
fn newest() -> usize {
    usize::try_from(COMMON_MESSAGES).unwrap_or(usize::MAX)
}

/// Returns true if texts can have this term: the tokenizer of the index would split another one.
fn is_term(term: &str) -> bool {
    myao_terms::terms(term)
        .last()
        .is_some_and(|last| last == term)
}
