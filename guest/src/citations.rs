//! Says from which messages each line of a text was made, so that a line can be erased when one of them is deleted.
//!
//! A line cites too much rather than too little: what is left of a deleted message must not survive in a line that does
//! not cite it. The rules, for one line:
//!
//! 1. It cites every source that shares a value with it, unless more than a tenth of the sources (and more than ten)
//!    have that value. Values are dates, times, amounts, numbers, versions, ids, addresses; see `values`.
//! 2. It cites every source that shares a rare word with it: one that at most a twentieth of the sources have, or two.
//!    Lone kanji, years, small numbers and the names of authors are not rare, however seldom they are.
//! 3. It cites every source that holds all its letters, and the best of those that hold half of them in stretches, or
//!    half of its words by weight.
//! 4. Hiragana, parts of katakana words and parts of long words are rare words too, if no source cited so far has them.
//! 5. Every word and value that a source has is in a source that the line cites. So if all that said it are deleted, no
//!    line that holds it stays, however many they were.
//!
//! The bot's own posts, which repeat what others said, are cited by rule 5 alone. A merged line cites those messages of the
//! lines behind it that these rules give (`narrowed`).
//!
//! The day and the author at the beginning of a line only help to choose between sources that are equally good.

mod features;
mod matching;
mod table;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use crate::text::lines::lines;

use crate::bindings::types::{MessageRef, Timestamp};
use crate::text::is_japanese_letter;
use crate::ts::Ts;
use matching::Matching;
use table::{Line, Table};

/// A part of what a call was handed: a message, or a line of a memory.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// Its text.
    pub text: &'a str,
    /// Who wrote the message; `None` for a line of a memory.
    pub author: Option<&'a str>,
    /// When the message was written.
    pub time: Option<Timestamp>,
    /// The message, or those that the line cites. A source without any is not looked at.
    pub messages: Vec<MessageRef>,
    /// True for the bot's own post: it is cited only for what no other source has.
    pub is_own: bool,
}

/// A line of a text, and the messages that it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Cited {
    /// Where the line is in the text, in bytes.
    pub range: Range<usize>,
    /// The messages, sorted, each once; empty if none is found.
    pub messages: Vec<MessageRef>,
}

/// The lines of a text with their messages, in order.
#[must_use]
pub fn cite(text: &str, sources: &[Source<'_>]) -> Vec<Cited> {
    let sources: Vec<&Source<'_>> = sources.iter().filter(|s| !s.messages.is_empty()).collect();
    let mut table = Table::new(&sources);
    let lines: Vec<(Range<usize>, Line)> = lines(text)
        .into_iter()
        .map(|range| {
            let line = text.get(range.clone()).unwrap_or_default();
            (range, table.read_line(line))
        })
        .collect();
    table.read_sources(lines.iter().any(|(_, line)| line.day.is_some()));
    let order = Order::of(&sources);
    let cited = lines.into_iter().map(|(range, line)| Cited {
        range,
        messages: order.messages(&Matching::of(&table, &line, None).cited()),
    });
    cited.collect()
}

/// Of the messages that each line cites, those that it says something of: all of them if it says nothing of any. `said` has the
/// messages, as far as they are known; the others stay. A message in another language has other words, so that it stays unless
/// the line has values, and it has none of them.
pub(crate) fn narrowed(
    lines: &[(&str, &[MessageRef])],
    said: &[Source<'_>],
) -> Vec<Vec<MessageRef>> {
    let sources: Vec<&Source<'_>> = said.iter().collect();
    let mut table = Table::new(&sources);
    let read: Vec<Line> = lines
        .iter()
        .map(|(line, _)| table.read_line(line))
        .collect();
    table.read_sources(false);
    let of = sources.iter().enumerate();
    let places = of.flat_map(|(at, source)| source.messages.iter().map(move |of| (key(of), at)));
    let places: BTreeMap<_, usize> = places.collect();
    let narrow = |((text, messages), line): (&(&str, &[MessageRef]), &Line)| {
        let own = messages
            .iter()
            .filter_map(|of| places.get(&key(of)).copied());
        let own: BTreeSet<usize> = own.collect();
        let has_value = table.has_value(line);
        let is_japanese = |text: &str| text.contains(is_japanese_letter);
        let is_foreign = |at: &usize| {
            let source = sources.get(*at).map_or("", |source| source.text);
            !has_value && is_japanese(source) != is_japanese(text)
        };
        let mut cited = Matching::of(&table, line, Some(&own)).cited();
        if cited.is_empty() {
            return messages.to_vec();
        }
        cited.extend(own.iter().copied().filter(is_foreign));
        let stays = |of: &&MessageRef| places.get(&key(of)).is_none_or(|at| cited.contains(at));
        messages.iter().filter(stays).cloned().collect()
    };
    lines.iter().zip(&read).map(narrow).collect()
}

fn key(of: &MessageRef) -> (&str, &str) {
    (&of.channel_id, &of.ts)
}

/// The messages of all sources in order.
struct Order<'a> {
    messages: Vec<&'a MessageRef>,
    of_source: Vec<Vec<usize>>,
}

impl<'a> Order<'a> {
    fn of(sources: &[&'a Source<'_>]) -> Self {
        let key = |m: &'a MessageRef| (&m.channel_id, Ts::parse(&m.ts).ok(), &m.ts);
        let all = sources.iter().flat_map(|source| &source.messages);
        let mut ranks: BTreeMap<_, usize> = all.map(|m| (key(m), 0)).collect();
        for (at, rank) in ranks.values_mut().enumerate() {
            *rank = at;
        }
        let rank = |m: &'a MessageRef| ranks.get(&key(m)).copied();
        let mut messages: Vec<Option<&MessageRef>> = vec![None; ranks.len()];
        let mut of_source = Vec::with_capacity(sources.len());
        for source in sources {
            for message in &source.messages {
                if let Some(place) = rank(message).and_then(|rank| messages.get_mut(rank)) {
                    *place = Some(message);
                }
            }
            of_source.push(source.messages.iter().filter_map(rank).collect());
        }
        let messages = messages.into_iter().flatten().collect();
        Self {
            messages,
            of_source,
        }
    }

    fn messages(&self, sources: &BTreeSet<usize>) -> Vec<MessageRef> {
        let ranks = sources
            .iter()
            .filter_map(|s| self.of_source.get(*s))
            .flatten();
        let ranks: BTreeSet<&usize> = ranks.collect();
        let messages = ranks
            .into_iter()
            .filter_map(|rank| self.messages.get(*rank));
        messages.map(|message| (*message).clone()).collect()
    }
}
