//! Overviews: what was decided, is open or was done, as the ledger has it, and the main sentences of what was said in a time.

mod heading;
mod lines;

use std::collections::{BTreeMap, BTreeSet};

use super::quoted::{Text, quoting};
use super::{Answered, Responder};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest};
use crate::bindings::storage::ItemQuery;
use crate::bindings::types::{
    Engine, Item, ItemKind, ItemState, KeptSpan, KeptText, Message, MessageRef, Timestamp,
};
use crate::citations::{self, cite};
use crate::extractive::{Input, is_note, summarize};
use crate::recall::{Overview, OverviewOf, Searcher};
use crate::records::read_spans;
use crate::text::sentences::only_asks;
use crate::text::terms::terms;
use crate::text::{fold, is_japanese_letter};
use crate::ts::Ts;
use heading::Heading;
use lines::{Line, scalars};

/// How many of the newest messages are looked at.
const MESSAGES: u32 = 500;
/// The length of all lines about messages, in characters. Items take of it.
const LENGTH: u32 = 1000;
/// The most items that are shown: the newest.
const ITEMS: usize = 40;
/// How many of the newest messages are shown if none of them says much.
const NEWEST: usize = 5;

/// A message, by its channel and id.
type Place = (String, String);

impl Responder<'_> {
    /// The overview that a question asks for. `None` if it asks for something that was said, if no item is about its subject, or
    /// if there are no items and a model may know more.
    pub(super) fn overview(
        &self,
        text: &str,
        since: Option<Timestamp>,
    ) -> Result<Option<Answered>, Error> {
        let searcher = Searcher::new(self.ports.recall, self.ports.storage, self.now);
        let request = SearchRequest {
            text: text.to_owned(),
            since,
            until: None,
            limit: MESSAGES,
        };
        let has_model = self.ports.settings.reply_engine != Engine::Extractive;
        let Some(overview) = searcher.overview(&request)? else {
            return Ok(None);
        };
        if has_model && overview.of == OverviewOf::All {
            return Ok(None);
        }
        let channels = self.ports.storage.list_channels();
        let channels = channels.map_err(Error::Storage)?.into_iter();
        let names: BTreeMap<String, String> = channels.map(|of| (of.id, of.name)).collect();
        let heading = Heading::new(&overview, is_japanese(text), self.now);
        let items = self.items(&overview)?;
        let reasons = self.reasons(&items)?;
        let mut lines: Vec<Line> = items
            .iter()
            .map(|item| Line::of_item(item, reasons.get(&source_of(item)), &heading))
            .collect();
        if lines.is_empty() && (has_model || !overview.about.is_empty()) {
            return Ok(None);
        }
        if overview.of == OverviewOf::All {
            let told: BTreeSet<Place> = lines.iter().flat_map(Line::places).collect();
            let length: u32 = lines.iter().map(|line| scalars(&line.text)).sum();
            let hits = self.said(&searcher, &overview)?;
            let is_new = |hit: &&Hit| !told.contains(&place(&hit.at));
            let rest: Vec<&Hit> = hits.iter().filter(is_new).collect();
            lines.extend(main_lines(&rest, LENGTH.saturating_sub(length)));
            lines.sort_by_key(|line| line.at);
        }
        let mut channels: BTreeSet<&str> = lines.iter().map(Line::channel_id).collect();
        let only = channels.pop_first().filter(|_| channels.is_empty());
        let name_of = |id: &str| names.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let mut answer = Text::new(heading.text(only.map(name_of).as_deref()));
        for line in &lines {
            answer.add(line, &name_of, only.is_none());
        }
        Ok(Some(match lines.is_empty() {
            true => quoting(Text::new(heading.nothing()), true),
            false => quoting(answer, false),
        }))
    }

    /// The items that an overview tells, in order of their messages.
    fn items(&self, overview: &Overview) -> Result<Vec<Item>, Error> {
        let (since, until) = overview.bounds;
        let found = self.ports.storage.list_items(&ItemQuery {
            channel_id: None,
            since: None,
            until: Ts::last_of(self.now).to_string(),
            closed: matches!(overview.of, OverviewOf::All | OverviewOf::Done),
        });
        let is_then = |ts: &str| {
            let ts = Ts::parse(ts).ok();
            since.is_none_or(|since| ts >= Some(since)) && ts <= Some(until)
        };
        let is_told = |item: &Item| {
            let (of, state) = (&item.title.span.message, item.state);
            let is_named =
                overview.channels.is_empty() || overview.channels.contains(&of.channel_id);
            let is_agreed = matches!(item.kind, ItemKind::Decision | ItemKind::Fact);
            let has_ended = !matches!(state, ItemState::Open | ItemState::Unknown);
            let is_asked_for = match overview.of {
                OverviewOf::All => is_then(&of.ts) || is_then(&item.state_since),
                OverviewOf::Decisions => is_agreed && is_then(&of.ts),
                OverviewOf::Open => !is_agreed && is_then(&of.ts),
                OverviewOf::Done => !is_agreed && has_ended && is_then(&item.state_since),
            };
            is_named && is_asked_for && is_about(item, &overview.about)
        };
        let mut items = found.map_err(Error::Storage)?.unwrap_or_default();
        items.retain(is_told);
        items.drain(..items.len().saturating_sub(ITEMS));
        Ok(items)
    }

    /// The messages that changed the states of items.
    fn reasons(&self, items: &[Item]) -> Result<BTreeMap<Option<Place>, KeptText>, Error> {
        let changed = items.iter().filter_map(|item| item.state_source.clone());
        let spans: Vec<KeptSpan> = changed
            .map(|message| KeptSpan {
                message,
                start: 0,
                length: u32::MAX,
            })
            .collect();
        let texts = read_spans(self.ports.storage, &spans)?.into_iter();
        Ok(texts
            .map(|text| (Some(place(&text.span.message)), text))
            .collect())
    }

    /// The messages of the time that people wrote to people, in order of time; those of programs if there is nothing else. Without
    /// messages that a correction strikes.
    fn said(&self, searcher: &Searcher<'_>, overview: &Overview) -> Result<Vec<Hit>, Error> {
        let strikes = self.ports.storage.list_strikes().map_err(Error::Storage)?;
        let struck: BTreeSet<Place> = strikes
            .iter()
            .map(|strike| place(&strike.message))
            .collect();
        let mut hits = searcher.newest(overview, MESSAGES)?;
        hits.retain(|hit| !struck.contains(&place(&hit.at)));
        hits.sort_by_cached_key(|hit| (Ts::parse(&hit.at.ts).ok(), hit.at.channel_id.clone()));
        let asked = self.asked_of_bot(&hits);
        hits.retain(|hit| {
            let is_own = self.is_own(&hit.message) || self.is_to_bot(&hit.message);
            !is_own && !asked.contains(&place(&hit.at))
        });
        if hits.iter().any(|hit| !hit.message.user.is_bot) {
            hits.retain(|hit| !hit.message.user.is_bot);
        }
        Ok(hits)
    }

    fn is_to_bot(&self, message: &Message) -> bool {
        let bot = &self.ports.settings.bot_name;
        !bot.is_empty() && message.text.contains(&format!("@{bot}"))
    }

    fn is_own(&self, message: &Message) -> bool {
        message.user.is_bot && message.user.name == self.ports.settings.bot_name
    }

    /// The questions that the bot answered next. In a direct message they need no mention. `hits` are in order of time.
    fn asked_of_bot(&self, hits: &[Hit]) -> BTreeSet<Place> {
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
                asked.insert(place(&hit.at));
            }
        }
        asked
    }
}

/// Returns true if an item has all of these words, in its title or as the name of who is to do it or said it.
fn is_about(item: &Item, about: &[String]) -> bool {
    let owner = item.owner.as_ref().map_or("", |owner| &owner.name);
    let said = terms(&format!(
        "{owner} {} {}",
        item.title.user.name, item.title.text
    ));
    let is_same = |word: &str, other: &str| word.starts_with(other) || other.starts_with(word);
    let is_said = |word: &String| said.iter().any(|other| is_same(word, other));
    about.iter().all(is_said)
}

fn source_of(item: &Item) -> Option<Place> {
    item.state_source.as_ref().map(place)
}

fn place(of: &MessageRef) -> Place {
    (of.channel_id.clone(), of.ts.clone())
}

/// The main sentences of messages, one line for each message; the newest messages if none says much.
fn main_lines(hits: &[&Hit], length: u32) -> Vec<Line> {
    let messages: Vec<&Message> = hits.iter().map(|hit| &hit.message).collect();
    let count = |texts: &[String]| -> Vec<u32> { texts.iter().map(|text| scalars(text)).collect() };
    let summary = summarize(Input::Messages(&messages), length, &count);
    let lines: Vec<&str> = summary.lines().filter(|line| !is_note(line)).collect();
    let summary = lines.join("\n");
    let sources: Vec<citations::Source<'_>> = hits
        .iter()
        .map(|hit| citations::Source {
            text: &hit.message.text,
            author: Some(&hit.message.user.name),
            time: Some(hit.message.timestamp),
            messages: vec![hit.at.clone()],
            is_own: false,
        })
        .collect();
    let cited = cite(&summary, &sources).into_iter();
    let lines: Vec<Line> = cited
        .filter_map(|line| {
            let said = summary.get(line.range)?;
            let hit = hits.iter().find(|hit| line.messages.contains(&hit.at))?;
            Some(Line::of_message(hit, Some(said)))
        })
        .collect();
    if lines.is_empty() {
        let newest = hits.len().saturating_sub(NEWEST);
        let newest = hits.iter().skip(newest);
        return newest.map(|hit| Line::of_message(hit, None)).collect();
    }
    lines
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
