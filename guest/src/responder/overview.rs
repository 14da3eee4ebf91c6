//! What was said in a time or a channel, in short: the answer to a question that asks for nothing else.

use std::collections::BTreeSet;

use super::Responder;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::Response;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest};
use crate::bindings::types::{Citation, Engine, Message, MessageRef, Source, Timestamp};
use crate::citations::{self, cite};
use crate::extractive::messages::{local_date, name};
use crate::extractive::text::{cut, flatten, is_kana, is_kanji};
use crate::extractive::{Input, is_note, summarize};
use crate::fit::NOTHING;
use crate::recall::Searcher;
use crate::ts::Ts;

/// How many of the newest messages are looked at.
const MESSAGES: u32 = 500;
/// The length of all lines, in characters.
const LENGTH: u32 = 1000;

/// How many of the newest messages are shown if none of them says much, and how wide.
const NEWEST: usize = 5;
const MAX_WIDTH: usize = 140;

impl Responder<'_> {
    /// The main sentences of the time and the channels that a question names; `None` if it asks for something that was said.
    pub(super) fn overview(&self, question: &str) -> Result<Option<Response>, Error> {
        let searcher = Searcher::new(self.ports.recall, self.ports.storage, self.now);
        let request = SearchRequest {
            text: question.to_owned(),
            since: None,
            until: None,
            limit: MESSAGES,
        };
        let Some(found) = searcher.overview(&request)? else {
            return Ok(None);
        };
        let mut hits = self.said_by_people(found.hits);
        hits.sort_by_cached_key(|hit| (Ts::parse(&hit.at.ts).ok(), hit.at.channel_id.clone()));
        let is_past = |until: &Timestamp| until.unix_seconds < self.now.unix_seconds;
        let heading = Heading {
            japanese: question.contains(|c: char| is_kana(c) || is_kanji(c)),
            since: found.since.and_then(local_date),
            until: found.until.filter(is_past).and_then(local_date),
        };
        let mut lines = Lines::default();
        lines.add_main(&hits, &heading);
        let found_nothing = lines.sources.is_empty();
        let text = match found_nothing {
            true => heading.nothing(),
            false => lines.text,
        };
        Ok(Some(Response {
            text,
            engine: Engine::Extractive,
            found_nothing,
            truncated: false,
            left_out: NOTHING,
            sources: lines.sources,
            citations: lines.citations,
        }))
    }

    /// Without what was said to the bot and by programs, unless there is nothing else.
    fn said_by_people(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let bot = &self.ports.settings.response_persona.name;
        let is_own = |message: &Message| message.user.is_bot && message.user.name == *bot;
        let is_to_bot =
            |message: &Message| !bot.is_empty() && message.text.contains(&format!("@{bot}"));
        let (people, others): (Vec<Hit>, Vec<Hit>) = hits
            .into_iter()
            .filter(|hit| !is_own(&hit.message) && !is_to_bot(&hit.message))
            .partition(|hit| !hit.message.user.is_bot);
        if people.is_empty() { others } else { people }
    }
}

/// What stands above the lines.
struct Heading {
    japanese: bool,
    /// The days that were asked for.
    since: Option<String>,
    until: Option<String>,
}

impl Heading {
    fn text(&self, channel: Option<&str>) -> String {
        let channel = channel.map(|name| format!("#{name}"));
        let days = (self.since.as_deref(), self.until.as_deref());
        if self.japanese {
            let days = match days {
                (Some(since), Some(until)) if since == until => format!("{since} の"),
                (Some(since), Some(until)) => format!("{since} から {until} までの"),
                (Some(since), None) => format!("{since} からの"),
                (None, Some(until)) => format!("{until} までの"),
                (None, None) => String::new(),
            };
            let channel = match (channel, days.as_str()) {
                (Some(name), "") => format!("{name} の"),
                (Some(name), _) => format!("{name}、"),
                (None, _) => String::new(),
            };
            return format!("{channel}{days}主な発言です。");
        }
        let days = match days {
            (Some(since), Some(until)) if since == until => Some(format!("on {since}")),
            (Some(since), Some(until)) => Some(format!("from {since} to {until}")),
            (Some(since), None) => Some(format!("since {since}")),
            (None, Some(until)) => Some(format!("up to {until}")),
            (None, None) => None,
        };
        let parts: Vec<String> = channel
            .map(|name| format!("in {name}"))
            .into_iter()
            .chain(days)
            .collect();
        format!("What was said {}:", parts.join(" "))
    }

    fn nothing(&self) -> String {
        let text = match self.japanese {
            true => "該当する発言は見つかりませんでした。",
            false => "I found nothing that was said there or then.",
        };
        text.to_owned()
    }
}

/// The lines so far, with what they cite.
#[derive(Default)]
struct Lines {
    text: String,
    citations: Vec<Citation>,
    sources: Vec<Source>,
}

impl Lines {
    /// Adds the main sentences of messages in order of time; if none says much, the newest messages.
    fn add_main(&mut self, hits: &[Hit], heading: &Heading) {
        let channels: BTreeSet<&str> = hits.iter().map(|hit| hit.channel_name.as_str()).collect();
        let only = channels.first().copied().filter(|_| channels.len() == 1);
        self.text = heading.text(only);
        let summary = main_sentences(hits);
        let sources: Vec<citations::Source<'_>> = hits.iter().map(source_of).collect();
        for line in cite(&summary, &sources) {
            let said = summary.get(line.range).unwrap_or_default();
            if let Some(hit) = said_in(said, hits) {
                self.add(said, hit, line.messages, only.is_none());
            }
        }
        if self.sources.is_empty() {
            for hit in hits.iter().skip(hits.len().saturating_sub(NEWEST)) {
                let said = whole_line(&hit.message);
                self.add(&said, hit, vec![hit.at.clone()], only.is_none());
            }
        }
    }

    fn add(&mut self, said: &str, hit: &Hit, messages: Vec<MessageRef>, names_channel: bool) {
        let number = self.number_of(hit);
        let said = match names_channel {
            true => with_channel(said, &hit.channel_name),
            false => said.to_owned(),
        };
        self.text.push('\n');
        let start = scalars(&self.text);
        let line = format!("{said} [{number}]");
        self.text.push_str(&line);
        self.citations.push(Citation {
            start,
            length: scalars(&line),
            messages,
            by_program: hit.message.user.is_bot,
        });
    }

    /// The number of a message among the sources.
    fn number_of(&mut self, hit: &Hit) -> usize {
        let mut known = self.sources.iter();
        if let Some(place) = known.position(|source| source.messages.contains(&hit.at)) {
            return place + 1;
        }
        self.sources.push(Source {
            channel_name: hit.channel_name.clone(),
            user: Some(hit.message.user.clone()),
            timestamp: Some(hit.message.timestamp),
            text: hit.message.text.clone(),
            messages: vec![hit.at.clone()],
        });
        self.sources.len()
    }
}

/// The main sentences, one line for each message.
fn main_sentences(hits: &[Hit]) -> String {
    let messages: Vec<&Message> = hits.iter().map(|hit| &hit.message).collect();
    let count = |texts: &[String]| -> Vec<u32> { texts.iter().map(|text| scalars(text)).collect() };
    let summary = summarize(Input::Messages(&messages), LENGTH, &count);
    let lines: Vec<&str> = summary.lines().filter(|line| !is_note(line)).collect();
    lines.join("\n")
}

fn source_of(hit: &Hit) -> citations::Source<'_> {
    citations::Source {
        text: &hit.message.text,
        author: Some(&hit.message.user.name),
        time: Some(hit.message.timestamp),
        messages: vec![hit.at.clone()],
    }
}

/// The message that a line is from: of a question with its answer, the answer. It has most pairs of the line's letters.
fn said_in<'h>(line: &str, hits: &'h [Hit]) -> Option<&'h Hit> {
    let said = line.rsplit(" → ").next().unwrap_or(line);
    let said = pairs(said);
    let common = |hit: &Hit| {
        let text = format!("{} {}", name(&hit.message), hit.message.text);
        pairs(&text).intersection(&said).count()
    };
    let best = hits.iter().map(|hit| (common(hit), hit));
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

/// A message as one line.
fn whole_line(message: &Message) -> String {
    let date = local_date(message.timestamp).map(|date| format!("{date} "));
    let text = cut(&flatten(&message.text), MAX_WIDTH);
    format!("- {}{}{text}", date.unwrap_or_default(), name(message))
}

/// The line with the name of the channel behind its date.
fn with_channel(line: &str, channel: &str) -> String {
    let rest = line.strip_prefix("- ").unwrap_or(line);
    match rest.split_once(' ') {
        Some((date, said)) if date.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("- {date} #{channel} {said}")
        }
        _ => format!("- #{channel} {rest}"),
    }
}

fn scalars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
