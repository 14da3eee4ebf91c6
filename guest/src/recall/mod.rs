//! Finds messages by what they say: makes terms of a question, asks the host for candidates, and ranks them.

mod rank;
mod requests;

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate};

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest, SearchResult};
use crate::bindings::recall::{Candidates, FoundMessage, RecallQuery};
use crate::bindings::types::{MessageRef, Timestamp};
use crate::now::local;
use crate::ports::{Recall, Storage};
use crate::text::dates::Dates;
use crate::text::fold;
use crate::text::terms::terms as content_words;
use crate::text::times::{self, AskedTime};
use crate::text::values::normal;
use crate::text::values::reading::read as read_values;
use crate::ts::{MAX_SEQUENCE, Ts};
use requests::{
    say_nothing, subject_terms, without_decision_request, without_done_request,
    without_open_request, without_request,
};

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
#[derive(Clone)]
struct Understood {
    /// The terms that say what it is about.
    terms: Vec<String>,
    channels: Vec<String>,
    since: Option<Ts>,
    until: Ts,
    /// The first and the last message of the time in which it was written in all likelihood.
    likely: Option<(Ts, Ts)>,
    /// The days that it names.
    days: BTreeSet<NaiveDate>,
    /// The request in words, for a host that finds messages by their meaning.
    text: String,
    /// The overview that it asks for.
    overview: Option<Overview>,
}

impl Understood {
    /// Not before the first, if there is one, and not after the second.
    fn bounds(&self) -> (Option<Ts>, Ts) {
        let since = self.likely.map(|(first, _)| first).max(self.since);
        let last = self.likely.map(|(_, last)| last);
        (since, last.map_or(self.until, |last| last.min(self.until)))
    }

    /// Returns true if a message was written in the time in which it was in all likelihood, or is of a day that is named.
    fn is_of_its_time(&self, found: &FoundMessage) -> bool {
        let is_then = |(first, last)| {
            let ts = Ts::parse(&found.at.ts);
            ts.is_ok_and(|ts| first <= ts && ts <= last)
        };
        let message = &found.message;
        let named = || {
            let day = local(message.timestamp)?.date();
            let mut days = days_named(&message.text, day);
            days.remove(&day);
            Some(days)
        };
        self.likely.is_some_and(is_then)
            || !self.days.is_empty() && named().is_some_and(|days| !days.is_disjoint(&self.days))
    }
}

/// The kind of an overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverviewOf {
    /// All that was said in a time or a channel.
    All,
    /// Decisions, in a time or a channel or at all.
    Decisions,
    /// Questions and tasks that are open.
    Open,
    /// Questions and tasks that were done in a time, whenever it was said that they are to do.
    Done,
}

/// An overview that somebody asks for.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The kind that was asked for.
    pub of: OverviewOf,
    /// The words of what it is about; empty for everything.
    pub about: Vec<String>,
    /// The channels that it names; empty for all.
    pub channels: Vec<String>,
    /// The first and the last message of its time.
    pub bounds: (Option<Ts>, Ts),
}

fn place(at: &MessageRef) -> (String, String) {
    (at.channel_id.clone(), at.ts.clone())
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

    /// The overview that a request asks for; `None` if it asks for something that was said.
    ///
    /// # Errors
    /// If the host fails.
    pub fn overview(&self, request: &SearchRequest) -> Result<Option<Overview>, Error> {
        Ok(self.understand(request)?.overview)
    }

    /// The newest messages of an overview's time and channels, the newest first.
    ///
    /// # Errors
    /// If the host fails.
    pub fn newest(&self, overview: &Overview, limit: u32) -> Result<Vec<Hit>, Error> {
        let (since, until) = overview.bounds;
        let query = RecallQuery {
            text: String::new(),
            terms: Vec::new(),
            channels: overview.channels.clone(),
            since: since.map(|ts| ts.to_string()),
            until: until.to_string(),
            limit,
            neighbours: 0,
        };
        let found = self.recall.find_candidates(&query);
        Ok(newest_first(found.map_err(Error::Storage)?.messages))
    }

    fn find(&self, understood: Understood, limit: u32) -> Result<SearchResult, Error> {
        let (since, until) = understood.bounds();
        let asks_for_time = since.is_some() || understood.until < Ts::last_of(self.now);
        let mut hits = if understood.terms.is_empty() {
            let found = self.candidates(&understood, (Vec::new(), ""), (since, until), limit, 0)?;
            newest_first(found.messages)
        } else {
            self.ranked(&understood)?
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
        let mut terms = subject_terms(self.recall.terms(&asked.rest));
        let (mut first_day, mut end) = (asked.since, asked.end);
        let mut likely = asked.likely.filter(|_| !asked.may_be_ahead);
        let names_time = asked.widest != (None, None) || asked.likely.is_some();
        let (subject, asks_for_decisions) = without_decision_request(&asked.subject);
        let (subject, asks_for_open) = without_open_request(&subject);
        let (subject, asks_for_done) = without_done_request(&subject);
        let asks = [
            (asks_for_decisions, OverviewOf::Decisions),
            (asks_for_open, OverviewOf::Open),
            (asks_for_done, OverviewOf::Done),
        ];
        let asked_for = asks.into_iter().find(|(asks, _)| *asks).map(|(_, of)| of);
        let mut asks_for = None;
        if names_time || !channels.is_empty() || asked_for.is_some() {
            let words = without_request(&subject);
            let subject = subject_terms(self.recall.terms(&words));
            let says_nothing = say_nothing(&subject);
            if says_nothing && !asks_for_decisions {
                terms.clear();
            }
            if says_nothing {
                (first_day, end) = asked.widest;
                likely = asked.likely;
                asks_for = Some((asked_for.unwrap_or(OverviewOf::All), Vec::new()));
            } else if let Some(of) = asked_for {
                asks_for = Some((of, content_words(&words)));
            }
        }
        let since = request.since.map(|since| Ts::first_of(since.unix_seconds));
        let until = Ts::last_of(request.until.unwrap_or(self.now));
        let until = until.min(Ts::last_of(self.now));
        let mut understood = Understood {
            terms,
            channels,
            since: since.max(first_day.map(first)),
            until: end.map_or(until, |end| last(end).min(until)),
            likely: likely.map(|days| (first(days.first), last(days.end))),
            days: self
                .today()
                .map_or_else(BTreeSet::new, |today| days_named(&request.text, today)),
            text: asked.rest.trim().to_owned(),
            overview: None,
        };
        understood.overview = asks_for.map(|(of, about)| Overview {
            of,
            about,
            channels: understood.channels.clone(),
            bounds: understood.bounds(),
        });
        Ok(understood)
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

    fn ranked(&self, understood: &Understood) -> Result<Vec<Hit>, Error> {
        let asked = || (understood.terms.clone(), understood.text.as_str());
        let all = (understood.since, understood.until);
        let mut found = self.candidates(understood, asked(), all, CANDIDATES, NEIGHBOURS)?;
        if understood.likely.is_some() {
            let then = understood.bounds();
            let more =
                self.candidates(understood, asked(), then, CANDIDATES_OF_TIME, NEIGHBOURS)?;
            found.messages.extend(more.messages);
        }
        let mut seen = BTreeSet::new();
        found.messages.retain(|found| seen.insert(place(&found.at)));
        let terms_of = |name: &str| self.recall.terms(&fold(name));
        let is_likely = |found: &FoundMessage| understood.is_of_its_time(found);
        Ok(rank::rank(
            found,
            &understood.text,
            &understood.terms,
            &is_likely,
            &terms_of,
        ))
    }

    fn candidates(
        &self,
        understood: &Understood,
        (terms, text): (Vec<String>, &str),
        (since, until): (Option<Ts>, Ts),
        limit: u32,
        neighbours: u32,
    ) -> Result<Candidates, Error> {
        let query = RecallQuery {
            text: text.to_owned(),
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

/// Returns true if a text begins with the name of a channel, and not with a longer name.
fn begins_with_name(text: &str, name: &str) -> bool {
    let behind = text.strip_prefix(name).filter(|_| !name.is_empty());
    behind.is_some_and(|behind| {
        let next = behind.chars().next();
        !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    })
}

/// The days that a text of that day names.
fn days_named(text: &str, today: NaiveDate) -> BTreeSet<NaiveDate> {
    let text = normal(text);
    Dates::of(&text, &read_values(&text), today).meant
}

/// The hits of a question that names only a time or a channel.
fn newest_first(messages: Vec<FoundMessage>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = messages
        .into_iter()
        .map(|found| hit(found, 0.0, &[]))
        .collect();
    hits.sort_by_cached_key(|hit| {
        let ts = Ts::parse(&hit.at.ts).ok();
        (std::cmp::Reverse(ts), hit.at.channel_id.clone())
    });
    hits
}

/// A hit for the terms of a question.
fn hit(found: FoundMessage, score: f64, terms: &[String]) -> Hit {
    let had = terms.iter().zip(&found.counts);
    let had = had.filter(|(_, count)| **count > 0);
    Hit {
        terms: had.map(|(term, _)| term.clone()).collect(),
        at: found.at,
        channel_name: found.channel_name,
        message: found.message,
        score,
        similarity: found.similarity,
    }
}

#[cfg(test)]
mod tests;
