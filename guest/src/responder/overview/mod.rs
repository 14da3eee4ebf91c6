//! Overviews of a time or a channel, of all that was said or of what was decided, done or is open: the answer to a question that asks for nothing
//! else. Each decision, question and task is told once, with what became of it.

mod heading;
mod items;
mod lines;
mod struck;

use std::collections::BTreeSet;

use super::Responder;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::{Question, Response};
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest};
use crate::bindings::types::{Engine, Message, MessageRef, Timestamp};
use crate::citations::{self, cite};
use crate::extractive::messages::{local_date, name};
use crate::extractive::{Input, TodoKind, is_note, summarize};
use crate::fit::NOTHING;
use crate::recall::{Overview, OverviewOf, Searcher};
use crate::text::sentences::only_asks;
use crate::text::{fold, is_japanese_letter};
use crate::ts::Ts;
use heading::Heading;
use items::{End, Item, decided, items, ts_of};
use lines::{Line, Text, scalars};

/// How many of the newest messages are looked at.
const MESSAGES: u32 = 500;
/// The length of all lines about messages that decide, ask and order nothing, in characters. Other lines take of it.
const LENGTH: u32 = 1000;

/// The most decisions that are shown: the newest.
const DECISIONS: usize = 20;
/// The most questions that are shown, and tasks, and of those the most that are over: the newest.
const ITEMS: usize = 20;
/// How many of the newest messages are shown if none of them says much.
const NEWEST: usize = 5;

impl Responder<'_> {
    /// An overview of the time and the channels that a question names; `None` if it asks for something that was said.
    pub(super) fn overview(&self, question: &Question) -> Result<Option<Response>, Error> {
        let searcher = Searcher::new(self.ports.recall, self.ports.storage, self.now);
        let request = SearchRequest {
            text: question.text.clone(),
            since: question.since,
            until: None,
            limit: MESSAGES,
        };
        let Some(mut overview) = searcher.overview(&request)? else {
            return Ok(None);
        };
        let in_order = |hits: &mut Vec<Hit>| {
            hits.sort_by_cached_key(|hit| (ts_of(hit), hit.at.channel_id.clone()));
        };
        let mut hits = std::mem::take(&mut overview.found.hits);
        in_order(&mut hits);
        let mut beside = std::mem::take(&mut overview.beside);
        let replacing = self.strike(&mut hits, &mut beside, &mut overview)?;
        let of_time: BTreeSet<(&str, &str)> = hits.iter().map(place).collect();
        beside.retain(|hit| !of_time.contains(&place(hit)));
        in_order(&mut beside);
        beside.dedup_by(|later, first| later.at == first.at);
        let is_past = |until: &Timestamp| until.unix_seconds < self.now.unix_seconds;
        let heading = Heading {
            of: overview.of,
            has_subject: overview.has_subject(),
            japanese: is_japanese(&question.text),
            since: overview.found.since.and_then(local_date),
            until: overview.found.until.filter(is_past).and_then(local_date),
        };
        let asked = self.asked_of_bot(&hits);
        let people = self.said_by_people(&hits, &asked);
        let mut all: Vec<&Hit> = hits.iter().chain(&beside).collect();
        all.sort_by_cached_key(|hit| (ts_of(hit), hit.at.channel_id.clone()));
        let since = overview
            .found
            .since
            .map(|since| Ts::first_of(since.unix_seconds));
        let until = overview.found.until.map(Ts::last_of);
        let is_of_time = |hit: &Hit| {
            let ts = ts_of(hit);
            since.is_none_or(|since| ts >= Some(since))
                && until.is_none_or(|until| ts <= Some(until))
        };
        let counts = |hit: &Hit| {
            of_time.contains(&place(hit))
                && !self.is_to_bot(&hit.message)
                && !asked.contains(&place(hit))
                && searcher.is_about(&overview, hit)
        };
        let material = Material {
            overview: &overview,
            heading: &heading,
            bot: &self.ports.settings.bot_name,
            people: &people,
            all,
            replacing: &replacing,
            is_of_time: &is_of_time,
            counts: &counts,
        };
        let lines = material.lines();
        let only = match overview.of {
            OverviewOf::All => only_channel(people.iter()),
            _ => only_channel(lines.iter().filter_map(|line| line.from.last().copied())),
        };
        let mut text = Text::new(heading.text(only));
        for line in &lines {
            text.add(line, only.is_none());
        }
        let found_nothing = text.sources.is_empty();
        Ok(Some(Response {
            text: match found_nothing {
                true => heading.nothing(),
                false => text.text,
            },
            engine: Engine::Extractive,
            found_nothing,
            truncated: false,
            left_out: NOTHING,
            sources: text.sources,
            citations: text.citations,
        }))
    }

    fn is_to_bot(&self, message: &Message) -> bool {
        let bot = &self.ports.settings.bot_name;
        !bot.is_empty() && message.text.contains(&format!("@{bot}"))
    }

    /// Without what was said to the bot and by programs, unless there is nothing else.
    fn said_by_people(&self, hits: &[Hit], asked: &BTreeSet<(&str, &str)>) -> Vec<Hit> {
        let (people, others): (Vec<Hit>, Vec<Hit>) = hits
            .iter()
            .filter(|hit| !self.is_own(&hit.message) && !self.is_to_bot(&hit.message))
            .filter(|hit| !asked.contains(&place(hit)))
            .cloned()
            .partition(|hit| !hit.message.user.is_bot);
        if people.is_empty() { others } else { people }
    }

    fn is_own(&self, message: &Message) -> bool {
        message.user.is_bot && message.user.name == self.ports.settings.bot_name
    }

    /// The questions that the bot answered next. In a direct message they need no mention. `hits` are in order of time.
    fn asked_of_bot<'h>(&self, hits: &'h [Hit]) -> BTreeSet<(&'h str, &'h str)> {
        let mut asked = BTreeSet::new();
        // The conversations of which the bot has the last word, as far as they are read.
        let mut answered: BTreeSet<(&str, Option<&str>)> = BTreeSet::new();
        for hit in hits.iter().rev() {
            let message = &hit.message;
            let thread = message.thread_ts.as_deref();
            let thread = thread.filter(|thread| *thread != hit.at.ts);
            let conversation = (hit.at.channel_id.as_str(), thread);
            if self.is_own(message) {
                answered.insert(conversation);
            } else if !only_asks(&fold(&message.text).to_lowercase()) {
                answered.remove(&conversation);
            } else if answered.contains(&conversation) {
                asked.insert(place(hit));
            }
        }
        asked
    }
}

/// The input of an overview.
struct Material<'a> {
    overview: &'a Overview,
    heading: &'a Heading,
    /// The name of the bot.
    bot: &'a str,
    /// The messages of the time that people wrote to people, in order of time.
    people: &'a [Hit],
    /// All messages of the time, and others that may say what became of them, in order of time.
    all: Vec<&'a Hit>,
    /// The corrections that strike decisions.
    replacing: &'a [MessageRef],
    /// True if a message is of the time.
    is_of_time: &'a dyn Fn(&Hit) -> bool,
    /// True if it was not said to the bot, and is about what is asked for.
    counts: &'a dyn Fn(&Hit) -> bool,
}

impl<'a> Material<'a> {
    fn lines(&self) -> Vec<Line<'a>> {
        match self.overview.of {
            OverviewOf::Decisions => self.decisions(false),
            OverviewOf::Open => {
                let items = self.items();
                let of_kind = |kind| {
                    let items = items.iter();
                    newest(
                        items.filter(move |item| item.kind == kind && item.end == End::None),
                        ITEMS,
                    )
                };
                let shown = of_kind(TodoKind::Question)
                    .into_iter()
                    .chain(of_kind(TodoKind::Task));
                shown
                    .map(|item| Line::of_item(item, self.heading))
                    .collect()
            }
            OverviewOf::Done => {
                let items = self.items();
                let ended = items.iter().filter(|item| item.end != End::None);
                let shown = newest(ended, ITEMS).into_iter();
                shown
                    .map(|item| Line::of_item(item, self.heading))
                    .collect()
            }
            OverviewOf::All => self.everything(),
        }
    }

    /// Decisions, questions and tasks with what became of them, and the main sentences of other messages, in order of time.
    fn everything(&self) -> Vec<Line<'a>> {
        let items = self.items();
        let of = |kind: TodoKind, is_over: bool, most: usize| {
            let items = items.iter();
            let items =
                items.filter(|item| item.kind == kind && (item.end != End::None) == is_over);
            newest(items, most)
        };
        let shown = [
            of(TodoKind::Question, false, ITEMS),
            of(TodoKind::Task, false, ITEMS),
            of(TodoKind::Question, true, ITEMS),
            of(TodoKind::Task, true, ITEMS),
        ];
        let shown = shown.into_iter().flatten();
        let mut lines = self.decisions(true);
        lines.extend(shown.map(|item| Line::of_item(item, self.heading)));
        let length: u32 = lines.iter().map(|line| scalars(&line.text)).sum();
        let told: BTreeSet<(&str, &str)> = lines
            .iter()
            .flat_map(|line| line.from.iter().copied())
            .map(place)
            .collect();
        let rest = self.people.iter().filter(|hit| !told.contains(&place(hit)));
        let rest: Vec<&Hit> = rest.collect();
        lines.extend(main_lines(&rest, LENGTH.saturating_sub(length)));
        if lines.is_empty() {
            lines.extend(
                newest(rest.into_iter(), NEWEST)
                    .into_iter()
                    .map(Line::of_message),
            );
        }
        lines.sort_by_key(|line| line.at);
        lines
    }

    /// The newest decisions.
    fn decisions(&self, is_labelled: bool) -> Vec<Line<'a>> {
        let decided = decided(
            self.people,
            &self.all,
            self.overview,
            self.bot,
            self.replacing,
            self.is_of_time,
        );
        let shown = newest(decided.iter(), DECISIONS).into_iter();
        let labels = (self.heading, is_labelled);
        shown
            .map(|decision| Line::of_decision(decision, self.overview, labels))
            .collect()
    }

    /// The questions and tasks of the time; if it is asked what was done, those that were done then.
    fn items(&self) -> Vec<Item<'a>> {
        let channels: BTreeSet<&str> = self
            .all
            .iter()
            .map(|hit| hit.at.channel_id.as_str())
            .collect();
        let of_channel = |id: &str| -> Vec<&'a Hit> {
            let hits = self.all.iter().copied();
            hits.filter(|hit| hit.at.channel_id == id).collect()
        };
        let found = channels.into_iter().map(of_channel);
        let mut found: Vec<Item<'a>> = found
            .flat_map(|hits| items(&hits, self.overview))
            .filter(|item| (self.counts)(item.hit) && self.is_asked_for(item))
            .collect();
        found.sort_by_cached_key(|item| (ts_of(item.hit), item.hit.at.channel_id.clone()));
        found
    }

    /// Returns true if a question or a task ended in the time, if that is what is asked for.
    fn is_asked_for(&self, item: &Item<'_>) -> bool {
        let found = &self.overview.found;
        let since = found.since.map(|since| Ts::first_of(since.unix_seconds));
        let until = found.until.map(Ts::last_of);
        self.overview.of != OverviewOf::Done
            || since.is_none_or(|since| item.ended >= Some(since))
                && until.is_none_or(|until| item.ended <= Some(until))
    }
}

/// The last of these.
fn newest<T>(items: impl Iterator<Item = T>, most: usize) -> Vec<T> {
    let items: Vec<T> = items.collect();
    let skipped = items.len().saturating_sub(most);
    items.into_iter().skip(skipped).collect()
}

/// The main sentences of messages, one line for each message.
fn main_lines<'h>(hits: &[&'h Hit], length: u32) -> Vec<Line<'h>> {
    let summary = main_sentences(hits, length);
    let sources: Vec<citations::Source<'_>> = hits.iter().copied().map(source_of).collect();
    let lines = cite(&summary, &sources).into_iter();
    lines
        .filter_map(|line| {
            let said = summary.get(line.range).unwrap_or_default();
            let hit = said_in(said, hits)?;
            Some(Line {
                at: ts_of(hit),
                text: said.to_owned(),
                from: vec![hit],
                messages: line.messages,
            })
        })
        .collect()
}

/// Returns true if a question is in Japanese, whatever its channel is called.
fn is_japanese(question: &str) -> bool {
    let is_japanese = |text: &str| text.contains(is_japanese_letter);
    let words = question.split_whitespace();
    let rest: Vec<&str> = words.filter(|word| !word.starts_with('#')).collect();
    let rest = rest.join(" ");
    match rest.as_str() {
        "" => is_japanese(question),
        rest => is_japanese(rest),
    }
}

fn main_sentences(hits: &[&Hit], length: u32) -> String {
    let messages: Vec<&Message> = hits.iter().map(|hit| &hit.message).collect();
    let count = |texts: &[String]| -> Vec<u32> { texts.iter().map(|text| scalars(text)).collect() };
    let summary = summarize(Input::Messages(&messages), length, &count);
    let lines: Vec<&str> = summary.lines().filter(|line| !is_note(line)).collect();
    lines.join("\n")
}

fn source_of(hit: &Hit) -> citations::Source<'_> {
    citations::Source {
        text: &hit.message.text,
        author: Some(&hit.message.user.name),
        time: Some(hit.message.timestamp),
        messages: vec![hit.at.clone()],
        is_own: false,
    }
}

/// The message that a line is from: of a question with its answer, the answer. It has most pairs of the line's letters.
fn said_in<'h>(line: &str, hits: &[&'h Hit]) -> Option<&'h Hit> {
    let said = line.rsplit(" → ").next().unwrap_or(line);
    let said = pairs(said);
    let common = |hit: &Hit| {
        let text = format!("{} {}", name(&hit.message), hit.message.text);
        pairs(&text).intersection(&said).count()
    };
    let best = hits.iter().map(|hit| (common(hit), *hit));
    let best = best.max_by_key(|(common, _)| *common);
    best.filter(|(common, _)| common * 2 > said.len())
        .map(|(_, hit)| hit)
}

/// The pairs of neighbouring letters.
fn pairs(text: &str) -> BTreeSet<(char, char)> {
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    letters
        .iter()
        .copied()
        .zip(letters.iter().copied().skip(1))
        .collect()
}

fn place(hit: &Hit) -> (&str, &str) {
    (&hit.at.channel_id, &hit.at.ts)
}

/// The channel of messages, if they are all of one.
fn only_channel<'h>(hits: impl Iterator<Item = &'h Hit>) -> Option<&'h str> {
    let channels: BTreeSet<&str> = hits.map(|hit| hit.channel_name.as_str()).collect();
    channels.first().copied().filter(|_| channels.len() == 1)
}
