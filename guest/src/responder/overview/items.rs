//! The decisions, questions and tasks among the messages of an overview, and what became of them.

use myao_terms::addressed::{self, Mark};

use std::collections::BTreeMap;

use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::{Message, MessageRef};
use crate::extractive::{Outcome, TodoKind, todos};
use crate::marks::Change;
use crate::recall::Overview;
use crate::records::decisions;
use crate::text::sentences::split;
use crate::ts::Ts;

/// A decision, or another message that overrules one.
pub(super) struct Decision<'h> {
    pub(super) hit: &'h Hit,
    /// Its sentences of decision; of another message, the one that says what has changed.
    pub(super) text: String,
    /// The earlier decisions that it overrules, in order of time.
    pub(super) overrules: Vec<Decision<'h>>,
}

/// The end of a question or a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    None,
    Done,
    /// It was taken back, put off or replaced.
    Changed,
}

/// A question or a task.
pub(super) struct Item<'h> {
    pub(super) hit: &'h Hit,
    pub(super) kind: TodoKind,
    pub(super) text: String,
    pub(super) end: End,
    /// Since when that is so, as far as it has an end.
    pub(super) ended: Option<Ts>,
    /// The later message that says so.
    pub(super) ended_by: Option<&'h Hit>,
}

/// A sentence of a message that says what has changed.
struct Changing<'h> {
    hit: &'h Hit,
    ts: Ts,
    text: String,
    change: Change,
}

/// The decisions among messages of a time, in order of time. Those that a later message of the same channel overrules stand with
/// it: the newest that does. Earlier ones stand so, too, if they were overruled in the time. `all` are the messages of the
/// time and others, `bot` is the name that mentions of the bot have, `replacing` are corrections that strike decisions: they stand in
/// their place.
pub(super) fn decided<'h>(
    hits: &'h [Hit],
    all: &[&'h Hit],
    overview: &'h Overview,
    bot: &str,
    replacing: &[MessageRef],
    is_of_time: &dyn Fn(&Hit) -> bool,
) -> Vec<Decision<'h>> {
    let changing = changing(all, bot);
    let is_known = |of: &Hit| hits.iter().any(|hit| hit.at == of.at);
    let earlier = overview.earlier.iter().filter(|hit| !is_known(hit));
    let mut standing: BTreeMap<Key, Decision<'h>> = BTreeMap::new();
    let mut overruled: Vec<(Key, Decision<'h>)> = Vec::new();
    for hit in earlier.chain(hits) {
        let Some((ts, text)) = ts_of(hit).zip(decision_of(&hit.message)) else {
            continue;
        };
        let said: Vec<&str> = decisions(&hit.message.text, hit.message.user.is_bot).collect();
        let before = overview
            .before(hit)
            .map(|before| before.message.text.as_str());
        let overrules = |later: &&Changing<'_>| {
            let is_later = later.ts > ts && later.hit.at.channel_id == hit.at.channel_id;
            let mut said = said.iter().copied().chain(before);
            is_later && said.any(|sentence| later.change.overrules(sentence))
        };
        let later = changing
            .iter()
            .filter(overrules)
            .max_by_key(|later| later.ts);
        let decision = Decision {
            hit,
            text,
            overrules: Vec::new(),
        };
        match later {
            None => {
                standing.insert(key(hit, ts), decision);
            }
            Some(later) => {
                let by = key(later.hit, later.ts);
                let text = decision_of(&later.hit.message).unwrap_or_else(|| later.text.clone());
                standing.entry(by.clone()).or_insert(Decision {
                    hit: later.hit,
                    text,
                    overrules: Vec::new(),
                });
                overruled.push((by, decision));
            }
        }
    }
    for (by, decision) in overruled {
        if let Some(later) = standing.get_mut(&by) {
            later.overrules.push(decision);
        }
    }
    let is_replacing = |change: &&Changing<'_>| replacing.contains(&change.hit.at);
    for change in changing.iter().filter(is_replacing) {
        let (hit, text) = (change.hit, change.text.clone());
        standing.entry(key(hit, change.ts)).or_insert(Decision {
            hit,
            text,
            overrules: Vec::new(),
        });
    }
    let standing = standing.into_values();
    standing
        .filter(|decision| {
            let overruled = decision.overrules.iter().map(|decision| decision.hit);
            overruled.chain([decision.hit]).any(is_of_time)
        })
        .collect()
}

type Key = (Ts, String);

fn key(hit: &Hit, ts: Ts) -> Key {
    (ts, hit.at.channel_id.clone())
}

/// The sentences of decision of a message; `None` if it has none.
fn decision_of(message: &Message) -> Option<String> {
    let said: Vec<&str> = decisions(&message.text, message.user.is_bot).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Messages in which people say that something changed. A correction changes something, in whatever words.
fn changing<'h>(all: &[&'h Hit], bot: &str) -> Vec<Changing<'h>> {
    let mut found = Vec::new();
    for hit in all.iter().copied().filter(|hit| !hit.message.user.is_bot) {
        let Some(ts) = ts_of(hit) else { continue };
        if let Some((Mark::Correction, said)) = addressed::mark(&hit.message.text, bot) {
            found.push(Changing {
                hit,
                ts,
                text: said.to_owned(),
                change: Change::correction(said),
            });
            continue;
        }
        let sentences = split(&hit.message.text).into_iter();
        found.extend(sentences.filter_map(|sentence| {
            let change = Change::read(&sentence.text)?;
            Some(Changing {
                hit,
                ts,
                text: sentence.text,
                change,
            })
        }));
    }
    found
}

/// The questions and tasks among messages, which are in order of time, and what became of them. A question that somebody
/// answered is none any more, unless it was marked as done.
pub(super) fn items<'h>(hits: &[&'h Hit], overview: &Overview) -> Vec<Item<'h>> {
    let messages: Vec<&Message> = hits.iter().map(|hit| &hit.message).collect();
    let found = todos(&messages).into_iter();
    let item = |todo: crate::extractive::Todo| {
        let hit = hits.get(todo.message).copied()?;
        let (end, by) = match todo.outcome {
            Outcome::Open | Outcome::Answered => (End::None, None),
            Outcome::Done(by) => (End::Done, hits.get(by).copied()),
            Outcome::Changed(by) => (End::Changed, hits.get(by).copied()),
        };
        let mut item = Item {
            hit,
            kind: todo.kind,
            text: todo.text,
            end,
            ended: by.and_then(ts_of),
            ended_by: by,
        };
        match overview.done_at(hit) {
            Some(marked) => {
                item.end = End::Done;
                item.ended = Some(item.ended.map_or(marked, |ended| ended.min(marked)));
                Some(item)
            }
            None => (todo.outcome != Outcome::Answered).then_some(item),
        }
    };
    let mut items: Vec<Item<'h>> = Vec::new();
    for item in found.filter_map(item) {
        // Sentences of one message with the same outcome are one.
        match items.last_mut() {
            Some(last) if last.is_same(&item) => {
                last.text = format!("{} {}", last.text, item.text);
            }
            _ => items.push(item),
        }
    }
    items
}

impl Item<'_> {
    fn is_same(&self, other: &Self) -> bool {
        let by = |item: &Self| item.ended_by.map(|by| by.at.clone());
        let of = |item: &Self| (item.hit.at.clone(), item.kind, item.end, by(item));
        of(self) == of(other)
    }
}

pub(super) fn ts_of(hit: &Hit) -> Option<Ts> {
    Ts::parse(&hit.at.ts).ok()
}
