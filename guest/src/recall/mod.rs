//! Finds messages by what they say: makes terms of a question, asks the host for candidates, and ranks them.

mod concepts;
mod forms;
mod rank;
mod times;

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate};

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest, SearchResult};
use crate::bindings::recall::{Candidates, FoundMessage, RecallQuery};
use crate::bindings::types::Timestamp;
use crate::extractive::text::fold;
use crate::ports::{Recall, Storage};
use crate::ts::{MAX_SEQUENCE, Ts};
use concepts::{Concepts, without_request};
pub(crate) use rank::only_asks;
use times::AskedTime;

/// How many candidates are ranked, and how many of a time that is asked for.
const CANDIDATES: u32 = 200;
const CANDIDATES_OF_TIME: u32 = 100;
/// Of each candidate, so many messages before and after it are looked at.
const NEIGHBOURS: u32 = 1;

/// Searches as of a time.
pub struct Searcher<'a> {
    recall: &'a dyn Recall,
    storage: &'a dyn Storage,
    now: Timestamp,
    ignores: Option<&'a dyn Fn(&FoundMessage) -> bool>,
}

/// A request as it is understood.
struct Understood {
    concepts: Concepts,
    channels: Vec<String>,
    since: Option<Ts>,
    until: Ts,
    /// The first and the last message of the time in which it was written in all likelihood.
    likely: Option<(Ts, Ts)>,
    /// Whether it names a time or a channel, and nothing that was said then and there.
    is_overview: bool,
}

impl<'a> Searcher<'a> {
    /// A search over what the host finds.
    #[must_use]
    pub fn new(recall: &'a dyn Recall, storage: &'a dyn Storage, now: Timestamp) -> Self {
        Self {
            recall,
            storage,
            now,
            ignores: None,
        }
    }

    /// The same without some messages: they are no hits, and no message gains by standing beside them.
    #[must_use]
    pub fn ignoring(mut self, ignores: &'a dyn Fn(&FoundMessage) -> bool) -> Self {
        self.ignores = Some(ignores);
        self
    }

    /// The messages that fit best, the best first.
    ///
    /// # Errors
    /// If the host fails.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResult, Error> {
        let understood = self.understand(request)?;
        self.find(understood, request.limit)
    }

    /// The messages of the time and the channels that a request names, the newest first; `None` if it asks for something that
    /// was said.
    ///
    /// # Errors
    /// If the host fails.
    pub fn overview(&self, request: &SearchRequest) -> Result<Option<SearchResult>, Error> {
        let understood = self.understand(request)?;
        if !understood.is_overview {
            return Ok(None);
        }
        self.find(understood, request.limit).map(Some)
    }

    fn find(&self, mut understood: Understood, limit: u32) -> Result<SearchResult, Error> {
        let since = understood.likely.map(|(first, _)| first);
        let since = since.max(understood.since);
        let asks_for_time = since.is_some() || understood.until < Ts::last_of(self.now);
        let last = understood.likely.map(|(_, last)| last);
        let until = last.map_or(understood.until, |last| last.min(understood.until));
        let mut hits = if understood.concepts.is_empty() {
            let found = self.candidates(&understood, Vec::new(), (since, until), limit, 0)?;
            newest_first(found.messages)
        } else {
            self.ranked(&mut understood)?
        };
        hits.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(SearchResult {
            hits,
            since: since.map(|ts| self.timestamp(ts)),
            until: asks_for_time.then(|| self.timestamp(until)),
        })
    }

    fn understand(&self, request: &SearchRequest) -> Result<Understood, Error> {
        let text = fold(&request.text);
        let (text, channels) = self.channels(&text)?;
        let asked = match self.today() {
            Some(today) => times::read(&text, today),
            None => AskedTime {
                rest: text.clone(),
                subject: text,
                ..AskedTime::default()
            },
        };
        let first = |day: NaiveDate| Ts::first_of(self.seconds(day));
        let last = |end: NaiveDate| Ts {
            seconds: u64::try_from(self.seconds(end))
                .unwrap_or(0)
                .saturating_sub(1),
            sequence: MAX_SEQUENCE,
        };
        let mut concepts = Concepts::of(self.recall.terms(&asked.rest));
        let (mut first_day, mut end) = (asked.since, asked.end);
        let mut likely = asked.likely.filter(|_| !asked.may_be_ahead);
        let names_time = asked.widest != (None, None) || asked.likely.is_some();
        let mut is_overview = false;
        if names_time || !channels.is_empty() {
            let subject = Concepts::of(self.recall.terms(&without_request(&asked.subject)));
            if subject.say_nothing() {
                is_overview = true;
                concepts = Concepts::default();
                (first_day, end) = asked.widest;
                likely = asked.likely;
            }
        }
        let since = request.since.map(|since| Ts::first_of(since.unix_seconds));
        let until = Ts::last_of(request.until.unwrap_or(self.now));
        let until = until.min(Ts::last_of(self.now));
        Ok(Understood {
            concepts,
            channels,
            since: since.max(first_day.map(first)),
            until: end.map_or(until, |end| last(end).min(until)),
            likely: likely.map(|days| (first(days.first), last(days.end))),
            is_overview,
        })
    }

    /// The text without the names of channels in it, and their ids. What is no channel's name is text.
    fn channels(&self, text: &str) -> Result<(String, Vec<String>), Error> {
        if !text.contains('#') {
            return Ok((text.to_owned(), Vec::new()));
        }
        let channels = self.storage.list_channels().map_err(Error::Storage)?;
        let (mut rest, mut ids) = (String::new(), Vec::new());
        for (number, part) in text.split('#').enumerate() {
            let named = channels.iter().filter(|_| number > 0);
            let named = named.filter(|channel| begins_with_name(part, &channel.name));
            if let Some(channel) = named.max_by_key(|channel| channel.name.len()) {
                ids.push(channel.id.clone());
                rest.push(' ');
                rest.push_str(part.get(channel.name.len()..).unwrap_or_default());
            } else {
                rest.extend((number > 0).then_some('#'));
                rest.push_str(part);
            }
        }
        Ok((rest, ids))
    }

    fn ranked(&self, understood: &mut Understood) -> Result<Vec<Hit>, Error> {
        let all = (understood.since, understood.until);
        let terms = understood.concepts.terms();
        let mut found = self.candidates(understood, terms, all, CANDIDATES, NEIGHBOURS)?;
        understood.concepts.count(&found.counts);
        let corrections = understood.concepts.corrections();
        if !corrections.is_empty() {
            let more = self.candidates(understood, corrections, all, CANDIDATES, NEIGHBOURS)?;
            understood.concepts.correct(&more.counts);
            found.messages.extend(more.messages);
        }
        if let Some((first, last)) = understood.likely {
            let terms = understood.concepts.terms();
            let then = (
                understood.since.max(Some(first)),
                last.min(understood.until),
            );
            let more = self.candidates(understood, terms, then, CANDIDATES_OF_TIME, NEIGHBOURS)?;
            found.messages.extend(more.messages);
        }
        let messages: BTreeMap<(String, String), FoundMessage> = found
            .messages
            .into_iter()
            .map(|found| ((found.at.channel_id.clone(), found.at.ts.clone()), found))
            .collect();
        Ok(rank::rank(
            messages.into_values().collect(),
            &understood.concepts,
            found.message_count,
            understood.likely,
        ))
    }

    fn candidates(
        &self,
        understood: &Understood,
        terms: Vec<String>,
        (since, until): (Option<Ts>, Ts),
        limit: u32,
        neighbours: u32,
    ) -> Result<Candidates, Error> {
        let query = RecallQuery {
            terms,
            channels: understood.channels.clone(),
            since: since.map(|ts| ts.to_string()),
            until: until.to_string(),
            limit,
            neighbours,
        };
        let found = self.recall.find_candidates(&query);
        let mut found = found.map_err(Error::Storage)?;
        if let Some(ignores) = self.ignores {
            found.messages.retain(|message| !ignores(message));
        }
        Ok(found)
    }

    /// The local day of the search; `None` if it is outside the calendar.
    fn today(&self) -> Option<NaiveDate> {
        let offset = i64::from(self.now.utc_offset_seconds);
        let local = self.now.unix_seconds.checked_add(offset)?;
        Some(DateTime::from_timestamp(local, 0)?.date_naive())
    }

    /// When a local day begins, in Unix seconds.
    fn seconds(&self, day: NaiveDate) -> i64 {
        let midnight = day.and_time(chrono::NaiveTime::MIN).and_utc();
        midnight.timestamp() - i64::from(self.now.utc_offset_seconds)
    }

    fn timestamp(&self, ts: Ts) -> Timestamp {
        Timestamp {
            unix_seconds: i64::try_from(ts.seconds).unwrap_or(i64::MAX),
            ..self.now
        }
    }
}

/// Whether a text begins with the name of a channel, and not with a longer name.
fn begins_with_name(text: &str, name: &str) -> bool {
    let behind = text.strip_prefix(name).filter(|_| !name.is_empty());
    behind.is_some_and(|behind| {
        let next = behind.chars().next();
        !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    })
}

/// What a question finds that names only a time or a channel.
fn newest_first(messages: Vec<FoundMessage>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = messages
        .into_iter()
        .map(|found| hit(found, 0.0, Vec::new()))
        .collect();
    hits.sort_by_cached_key(|hit| {
        let ts = Ts::parse(&hit.at.ts).ok();
        (std::cmp::Reverse(ts), hit.at.channel_id.clone())
    });
    hits
}

fn hit(found: FoundMessage, score: f64, terms: Vec<String>) -> Hit {
    Hit {
        at: found.at,
        channel_name: found.channel_name,
        message: found.message,
        score,
        terms,
    }
}

#[cfg(test)]
mod tests;
