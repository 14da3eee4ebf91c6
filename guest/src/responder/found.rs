//! Sources that bear on a question: messages that the search finds, and lines of memories.

use std::collections::{BTreeMap, BTreeSet};

use myao_terms::addressed;

use super::Responder;
use super::question::Question;
use crate::bearing::bearing;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest};
use crate::bindings::recall::FoundMessage;
use crate::bindings::storage::Memory;
use crate::bindings::types::{Channel, Context, Message, MessageRef, Scope, Source};
use crate::citations;
use crate::cited_lines::cited_lines;
use crate::marks::Corrections;
use crate::phrases::contains_words;
use crate::prompt::is_own;
use crate::recall::Searcher;
use crate::text::fold;
use crate::text::sentences::only_asks;

/// So many hits are looked at. A question about a time alone shows all of them.
const MOST_LOOKED_AT: u32 = 40;
/// So many of those that were ranked may be shown,
const MOST_HITS: usize = 12;
/// if they fit at least this part of what the best one does.
const LEAST_PART: f64 = 0.2;
/// So many lines of memories may be shown,
const MOST_LINES: usize = 20;
/// if they bear on the question at least this part of what the best one does.
const LEAST_PART_OF_LINE: f64 = 0.5;
/// Of a longer message the part around what was looked for is shown, in characters, with so many before it.
const MAX_EXCERPT: usize = 600;
const BEFORE: usize = 80;

/// The sources that bear on a question, the best first.
#[derive(Default)]
pub(super) struct Found {
    pub(super) hits: Vec<Hit>,
    pub(super) lines: Vec<Source>,
}

impl Found {
    /// The hits, and then the lines.
    pub(super) fn sources(&self) -> Vec<Source> {
        let hits = self.hits.iter().map(source);
        hits.chain(self.lines.iter().cloned()).collect()
    }

    /// Leaves out what corrections strike.
    pub(super) fn correct(&mut self, corrections: &Corrections) {
        corrections.strike(&mut self.hits);
        let is_struck = |line: &Source| corrections.striking(&line.text, &line.messages).is_some();
        self.lines.retain(|line| !is_struck(line));
    }
}

impl Responder<'_> {
    /// The messages that bear on a question: not the question itself, nor the bot's own posts, nor what it was asked before.
    /// `takes_marks`: marks are found, too.
    pub(super) fn hits(
        &self,
        question: &Question,
        context: &Context,
        answered: &Message,
        takes_marks: bool,
    ) -> Result<Vec<Hit>, Error> {
        if !question.has_words() {
            return Ok(Vec::new());
        }
        let persona = &context.persona;
        let channel_id = &context.conversation_history.channel_id;
        let ignores = |found: &FoundMessage| {
            let message = &found.message;
            found.at.channel_id == *channel_id && found.at.ts == answered.ts
                || question.is_asked_in(message)
                || is_own(message, persona)
                || asks_the_bot(found, &persona.name)
                // A prompt shows them among its marks.
                || !takes_marks && addressed::mark(&message.text, &persona.name).is_some()
        };
        let searcher = Searcher::new(self.ports.recall, self.ports.storage, self.now);
        let searcher = searcher.ignoring(&ignores);
        let request = SearchRequest {
            text: question.text.clone(),
            since: None,
            until: None,
            limit: MOST_LOOKED_AT,
        };
        let mut hits = searcher.search(&request)?.hits;
        let best = hits.first().map_or(0.0, |hit| hit.score);
        if best > 0.0 {
            hits.retain(|hit| hit.score >= best * LEAST_PART);
            hits.truncate(MOST_HITS);
        }
        Ok(hits)
    }
}

/// Returns true if a message only asks the bot something.
fn asks_the_bot(found: &FoundMessage, bot: &str) -> bool {
    let text = fold(&found.message.text).to_lowercase();
    let mention = format!("@{}", fold(bot).to_lowercase());
    (found.message.is_for_bot || !bot.is_empty() && text.contains(&mention))
        && (only_asks(&text) || contains_words(&text, "だよね"))
}

/// Leaves out the lines that say no more than the hits.
pub(super) fn without_hits(lines: &mut Vec<Source>, hits: &[Hit]) {
    let is_hit = |at: &MessageRef| hits.iter().any(|hit| hit.at == *at);
    lines.retain(|line| line.messages.is_empty() || !line.messages.iter().all(is_hit));
}

/// A hit as a source.
pub(super) fn source(hit: &Hit) -> Source {
    Source {
        channel_name: hit.channel_name.clone(),
        user: Some(hit.message.user.clone()),
        timestamp: Some(hit.message.timestamp),
        text: excerpt(&hit.message.text, &hit.terms, MAX_EXCERPT),
        messages: vec![hit.at.clone()],
    }
}

/// A text, or the part of a long one around the first term in it.
pub(super) fn excerpt(text: &str, terms: &[String], most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let lower: Vec<char> = text
        .chars()
        .map(|c| c.to_lowercase().next().unwrap_or(c))
        .collect();
    let at = |term: &String| {
        let term: Vec<char> = term.chars().collect();
        lower
            .windows(term.len().max(1))
            .position(|window| window == term)
    };
    let first = terms.iter().filter_map(at).min().unwrap_or(0);
    let start = first.saturating_sub(BEFORE).min(count - most);
    let part: String = text.chars().skip(start).take(most).collect();
    let (head, tail) = (
        if start > 0 { "…" } else { "" },
        if start + most < count { "…" } else { "" },
    );
    format!("{head}{part}{tail}")
}

/// The lines of memories that bear on a question: those that say more than the hits, each once.
pub(super) fn lines<'m>(
    memories: impl IntoIterator<Item = &'m Memory>,
    channels: &[Channel],
    question: &Question,
    hits: &[Hit],
) -> Vec<Source> {
    let names: BTreeMap<&str, &str> = channels
        .iter()
        .map(|channel| (channel.id.as_str(), channel.name.as_str()))
        .collect();
    let found: BTreeSet<(&str, &str)> = hits
        .iter()
        .map(|hit| (hit.at.channel_id.as_str(), hit.at.ts.as_str()))
        .collect();
    let is_found = |at: &MessageRef| found.contains(&(at.channel_id.as_str(), at.ts.as_str()));
    let mut seen = BTreeSet::new();
    let mut lines: Vec<Source> = Vec::new();
    for memory in memories {
        let name = names.get(channel_of(memory)).copied().unwrap_or_default();
        for (text, messages) in lines_of(memory) {
            let is_known = !messages.is_empty() && messages.iter().all(is_found);
            if !is_known && seen.insert(text) {
                lines.push(Source {
                    channel_name: name.to_owned(),
                    user: None,
                    timestamp: None,
                    text: text.to_owned(),
                    messages,
                });
            }
        }
    }
    bearing_most(lines, question)
}

fn bearing_most(lines: Vec<Source>, question: &Question) -> Vec<Source> {
    let texts = lines.iter().map(|line| line.text.as_str());
    let bearing = bearing(texts, &question.text);
    let most = bearing.iter().copied().max().unwrap_or(0);
    let least = f64::from(most) * LEAST_PART_OF_LINE;
    let mut lines: Vec<(u32, Source)> = bearing
        .into_iter()
        .zip(lines)
        .filter(|(bearing, _)| *bearing > 0 && f64::from(*bearing) >= least)
        .collect();
    lines.sort_by_key(|(bearing, _)| std::cmp::Reverse(*bearing));
    lines.truncate(MOST_LINES);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The channel that a memory is of; the empty string for the workspace.
fn channel_of(memory: &Memory) -> &str {
    match memory.scope {
        Scope::Workspace => "",
        Scope::Channel => &memory.scope_id,
        Scope::Thread => memory
            .scope_id
            .split_once(':')
            .map_or("", |(channel_id, _)| channel_id),
    }
}

/// The lines of a memory with their messages, as far as they are known.
fn lines_of(memory: &Memory) -> Vec<(&str, Vec<MessageRef>)> {
    if !memory.citations.is_empty() {
        return cited_lines(memory)
            .map(|(text, citation)| (text, citation.messages.clone()))
            .collect();
    }
    let ranges = citations::lines(&memory.content).into_iter();
    ranges
        .filter_map(|range| Some((memory.content.get(range)?, Vec::new())))
        .collect()
}
