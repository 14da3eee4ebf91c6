//! What was said or decided in a time or a channel, in short: the answer to a question that asks for nothing else.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Responder;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::Response;
use crate::bindings::exports::myao::memory::searcher::{Hit, SearchRequest};
use crate::bindings::types::{Citation, Engine, Message, MessageRef, Source, Timestamp};
use crate::citations::{self, cite};
use crate::extractive::messages::{local_date, name};
use crate::extractive::text::{cut, flatten, fold, is_kana, is_kanji};
use crate::extractive::{Input, Open, OpenKind, is_note, open, summarize};
use crate::fit::NOTHING;
use crate::recall::{Overview, OverviewOf, Searcher, only_asks};
use crate::records::decisions;
use crate::ts::Ts;

/// How many of the newest messages are looked at.
const MESSAGES: u32 = 500;
/// The length of all lines, in characters.
const LENGTH: u32 = 1000;

/// The most decisions that are shown: the newest.
const DECISIONS: usize = 20;
/// The most questions that are shown, and tasks: the newest.
const OPEN: usize = 10;

/// How many of the newest messages are shown if none of them says much, and how wide.
const NEWEST: usize = 5;
const MAX_WIDTH: usize = 140;
/// How wide a message is that a decision answers.
const MAX_BEFORE: usize = 80;

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
        let Some(mut overview) = searcher.overview(&request)? else {
            return Ok(None);
        };
        let hits = std::mem::take(&mut overview.found.hits);
        let (of, found) = (overview.of, &overview.found);
        let mut hits = match of {
            // What the bot says answers questions, too.
            OverviewOf::Open => hits,
            _ => self.said_by_people(hits),
        };
        hits.sort_by_cached_key(|hit| (Ts::parse(&hit.at.ts).ok(), hit.at.channel_id.clone()));
        let is_past = |until: &Timestamp| until.unix_seconds < self.now.unix_seconds;
        let heading = Heading {
            of,
            has_subject: overview.has_subject(),
            japanese: is_japanese(question),
            since: found.since.and_then(local_date),
            until: found.until.filter(is_past).and_then(local_date),
        };
        let mut lines = Lines::default();
        match of {
            OverviewOf::All => lines.add_main(&hits, &heading),
            OverviewOf::Decisions => lines.add_decisions(&hits, &overview, &heading),
            OverviewOf::Open => {
                let mut open = self.open_of(&hits, overview.found.until);
                open.retain(|(_, hit)| searcher.is_about(&overview, hit));
                lines.add_open(&open, &heading)
            }
        }
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

    /// What is open among the messages up to a time, with its message. What was said to the bot is none of it.
    fn open_of<'h>(&self, hits: &'h [Hit], until: Option<Timestamp>) -> Vec<(Open, &'h Hit)> {
        let until = until.map(Ts::last_of);
        let messages: Vec<&Message> = hits.iter().map(|hit| &hit.message).collect();
        let counts = |hit: &Hit| {
            let is_in_time =
                until.is_none_or(|until| Ts::parse(&hit.at.ts).is_ok_and(|ts| ts <= until));
            is_in_time && !self.is_to_bot(&hit.message)
        };
        let found = open(&messages).into_iter();
        let found = found.filter_map(|open| Some((hits.get(open.message)?, open)));
        found
            .filter(|(hit, _)| counts(hit))
            .map(|(hit, open)| (open, hit))
            .collect()
    }

    fn is_to_bot(&self, message: &Message) -> bool {
        let bot = &self.ports.settings.response_persona.name;
        !bot.is_empty() && message.text.contains(&format!("@{bot}"))
    }

    /// Without what was said to the bot and by programs, unless there is nothing else.
    fn said_by_people(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let asked = self.asked_of_bot(&hits);
        let (people, others): (Vec<Hit>, Vec<Hit>) = hits
            .into_iter()
            .filter(|hit| !self.is_own(&hit.message) && !self.is_to_bot(&hit.message))
            .filter(|hit| !asked.contains(&place(hit)))
            .partition(|hit| !hit.message.user.is_bot);
        if people.is_empty() { others } else { people }
    }

    fn is_own(&self, message: &Message) -> bool {
        message.user.is_bot && message.user.name == self.ports.settings.response_persona.name
    }

    /// The questions that the bot answered next. In a direct message they need no mention.
    fn asked_of_bot(&self, hits: &[Hit]) -> BTreeSet<(String, String)> {
        let mut newest_first: Vec<&Hit> = hits.iter().collect();
        newest_first.sort_by_cached_key(|hit| Reverse(Ts::parse(&hit.at.ts).ok()));
        let mut asked = BTreeSet::new();
        // The conversations of which the bot has the last word, as far as they are read.
        let mut answered: BTreeSet<(&str, Option<&str>)> = BTreeSet::new();
        for hit in newest_first {
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

fn place(hit: &Hit) -> (String, String) {
    (hit.at.channel_id.clone(), hit.at.ts.clone())
}

/// What stands above the lines.
struct Heading {
    of: OverviewOf,
    /// Whether only what is open about something was asked for.
    has_subject: bool,
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
            let what = match self.of {
                OverviewOf::All => "主な発言です。",
                OverviewOf::Decisions => "決まったことです。",
                OverviewOf::Open if self.has_subject => "その件で、まだ終わっていないことです。",
                OverviewOf::Open => "まだ終わっていないことです。",
            };
            return format!("{channel}{days}{what}");
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
        let what = match self.of {
            OverviewOf::All => "What was said",
            OverviewOf::Decisions => "What was decided",
            OverviewOf::Open if self.has_subject => "What is still open about that",
            OverviewOf::Open => "What is still open",
        };
        let words: Vec<String> = std::iter::once(what.to_owned()).chain(parts).collect();
        format!("{}:", words.join(" "))
    }

    /// What stands before a line about something that is open.
    fn kind(&self, kind: OpenKind) -> &'static str {
        match (kind, self.japanese) {
            (OpenKind::Question, true) => "質問",
            (OpenKind::Question, false) => "question",
            (OpenKind::Task, true) => "作業",
            (OpenKind::Task, false) => "task",
        }
    }

    fn nothing(&self) -> String {
        let text = match (self.of, self.japanese) {
            (OverviewOf::All, true) => "該当する発言は見つかりませんでした。",
            (OverviewOf::All, false) => "I found nothing that was said there or then.",
            (OverviewOf::Decisions, true) => "決まったことは見つかりませんでした。",
            (OverviewOf::Decisions, false) => "I found nothing that was decided there or then.",
            (OverviewOf::Open, true) if self.has_subject => {
                "その件では、答えのない質問も、残っている作業も見つかりませんでした。"
            }
            (OverviewOf::Open, false) if self.has_subject => {
                "I found no question about that without an answer, and nothing to do."
            }
            (OverviewOf::Open, true) => "答えのない質問も、残っている作業も見つかりませんでした。",
            (OverviewOf::Open, false) => {
                "I found no question without an answer, and nothing to do."
            }
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
        let only = only_channel(hits);
        self.text = heading.text(only);
        let summary = main_sentences(hits);
        let sources: Vec<citations::Source<'_>> = hits.iter().map(source_of).collect();
        for line in cite(&summary, &sources) {
            let said = summary.get(line.range).unwrap_or_default();
            if let Some(hit) = said_in(said, hits) {
                self.add(said, &[hit], line.messages, only.is_none());
            }
        }
        if self.sources.is_empty() {
            for hit in hits.iter().skip(hits.len().saturating_sub(NEWEST)) {
                let said = dated(&hit.message, Some(&hit.message), &hit.message.text);
                self.add(&said, &[hit], vec![hit.at.clone()], only.is_none());
            }
        }
    }

    /// Adds the sentences of decision, in order of time.
    fn add_decisions(&mut self, hits: &[Hit], overview: &Overview, heading: &Heading) {
        let shown = hits.get(hits.len().saturating_sub(DECISIONS)..);
        let shown = shown.unwrap_or_default();
        let only = only_channel(shown);
        self.text = heading.text(only);
        for hit in shown {
            let message = &hit.message;
            let decided: Vec<&str> = decisions(&message.text, message.user.is_bot).collect();
            let decided = decided.join(" ");
            let (said, hits) = match overview.before(hit) {
                None => (decided, vec![hit]),
                Some(before) => {
                    let text = cut(&flatten(&before.message.text), MAX_BEFORE);
                    let who = name(&before.message);
                    (
                        format!("{who}{text} → {}{decided}", name(message)),
                        vec![before, hit],
                    )
                }
            };
            let speaker = hits.first().filter(|_| hits.len() == 1).map(|_| message);
            let line = dated(message, speaker, &said);
            let messages = hits.iter().map(|hit| hit.at.clone()).collect();
            self.add(&line, &hits, messages, only.is_none());
        }
    }

    /// Adds what is still open: questions, and then tasks, each in order of time.
    fn add_open(&mut self, found: &[(Open, &Hit)], heading: &Heading) {
        let of_kind = |kind: OpenKind| {
            let found: Vec<_> = found.iter().filter(|(open, _)| open.kind == kind).collect();
            let skipped = found.len().saturating_sub(OPEN);
            found.into_iter().skip(skipped)
        };
        let shown: Vec<_> = of_kind(OpenKind::Question)
            .chain(of_kind(OpenKind::Task))
            .collect();
        let said: Vec<Hit> = shown.iter().map(|(_, hit)| (*hit).clone()).collect();
        let only = only_channel(&said);
        self.text = heading.text(only);
        for (open, hit) in shown {
            let said = format!("{} ({})", open.text, heading.kind(open.kind));
            let line = dated(&hit.message, Some(&hit.message), &said);
            self.add(&line, &[hit], vec![hit.at.clone()], only.is_none());
        }
    }

    /// Adds a line; the last of the messages that it is from says whose it is.
    fn add(&mut self, said: &str, from: &[&Hit], messages: Vec<MessageRef>, names_channel: bool) {
        let Some(hit) = from.last() else {
            return;
        };
        let numbers: String = from
            .iter()
            .map(|hit| format!(" [{}]", self.number_of(hit)))
            .collect();
        let said = match names_channel {
            true => with_channel(said, &hit.channel_name),
            false => said.to_owned(),
        };
        self.text.push('\n');
        let start = scalars(&self.text);
        let line = format!("{said}{numbers}");
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

/// Whether a question is in Japanese, whatever its channel is called.
fn is_japanese(question: &str) -> bool {
    let is_japanese = |text: &str| text.contains(|c: char| is_kana(c) || is_kanji(c));
    let words = question.split_whitespace();
    let rest: Vec<&str> = words.filter(|word| !word.starts_with('#')).collect();
    let rest = rest.join(" ");
    match rest.as_str() {
        "" => is_japanese(question),
        rest => is_japanese(rest),
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

/// The channel of the messages, if they are all of one.
fn only_channel(hits: &[Hit]) -> Option<&str> {
    let channels: BTreeSet<&str> = hits.iter().map(|hit| hit.channel_name.as_str()).collect();
    channels.first().copied().filter(|_| channels.len() == 1)
}

/// What a message says, as one line with its day.
fn dated(message: &Message, speaker: Option<&Message>, said: &str) -> String {
    let date = local_date(message.timestamp).map(|date| format!("{date} "));
    let speaker = speaker.map(name).unwrap_or_default();
    let text = cut(&flatten(said), MAX_WIDTH);
    format!("- {}{speaker}{text}", date.unwrap_or_default())
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
