//! The lines of an overview, with what they cite.

use super::heading::Heading;
use super::items::{Decision, Item, ts_of};
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::{Citation, Message, MessageRef, Source};
use crate::extractive::messages::{local_date, name};
use crate::recall::Overview;
use crate::text::{cut, flatten};
use crate::ts::Ts;

/// How wide a line is.
const MAX_WIDTH: usize = 140;
/// How wide a message is that a decision answers or overrules.
const MAX_BEFORE: usize = 80;

/// A line before it has numbers.
pub(super) struct Line<'h> {
    /// Its place among the lines.
    pub(super) at: Option<Ts>,
    /// With its list mark and its day.
    pub(super) text: String,
    /// The messages that it quotes; the last of them says whose it is.
    pub(super) from: Vec<&'h Hit>,
    /// All that it is made from.
    pub(super) messages: Vec<MessageRef>,
}

impl<'h> Line<'h> {
    fn quoting(text: String, from: Vec<&'h Hit>) -> Self {
        Self {
            at: from.last().and_then(|hit| ts_of(hit)),
            text,
            messages: from.iter().map(|hit| hit.at.clone()).collect(),
            from,
        }
    }

    /// A message as it is.
    pub(super) fn of_message(hit: &'h Hit) -> Self {
        let text = dated(&hit.message, Some(&hit.message), &hit.message.text);
        Self::quoting(text, vec![hit])
    }

    /// A decision behind the message that it answers, and before those that it overrules.
    pub(super) fn of_decision(
        decision: &Decision<'h>,
        overview: &'h Overview,
        (heading, is_labelled): (&Heading, bool),
    ) -> Self {
        let hit = decision.hit;
        let message = &hit.message;
        let mut text = match overview.before(hit) {
            None => dated(message, Some(message), &decision.text),
            Some(before) => {
                let text = cut(&flatten(&before.message.text), MAX_BEFORE);
                let (asked, by) = (name(&before.message), name(message));
                dated(
                    message,
                    None,
                    &format!("{asked}{text} → {by}{}", decision.text),
                )
            }
        };
        if is_labelled {
            text.push_str(&format!(" ({})", heading.decision()));
        }
        let overruled: Vec<String> = decision.overrules.iter().map(quoted).collect();
        if !overruled.is_empty() {
            text.push_str(&format!(
                " ({}: {})",
                heading.overruled(),
                overruled.join("; ")
            ));
        }
        let overruled = decision.overrules.iter().map(|decision| decision.hit);
        let from = overruled.chain(overview.before(hit)).chain([hit]);
        Self::quoting(text, from.collect())
    }

    /// A question or a task, with what became of it.
    pub(super) fn of_item(item: &Item<'h>, heading: &Heading) -> Self {
        let message = &item.hit.message;
        let text = dated(message, Some(message), &item.text);
        let text = format!("{text} ({})", heading.todo(item.kind, item.end));
        let mut line = Self::quoting(text, vec![item.hit]);
        if let Some(by) = item.ended_by.filter(|by| by.at != item.hit.at) {
            line.from.push(by);
            line.messages.push(by.at.clone());
        }
        line
    }
}

/// A decision in a few words.
fn quoted(decision: &Decision<'_>) -> String {
    let line = dated(&decision.hit.message, Some(&decision.hit.message), "");
    let head = line.strip_prefix("- ").unwrap_or(&line).trim_end();
    format!("{head} {}", cut(&flatten(&decision.text), MAX_BEFORE))
}

/// The text of lines, with the numbers of their sources.
#[derive(Default)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) sources: Vec<Source>,
}

impl Text {
    pub(super) fn new(heading: String) -> Self {
        Self {
            text: heading,
            ..Self::default()
        }
    }

    /// Adds a line, perhaps with the name of its channel.
    pub(super) fn add(&mut self, line: &Line<'_>, names_channel: bool) {
        let Some(hit) = line.from.last() else {
            return;
        };
        let numbers = line
            .from
            .iter()
            .map(|hit| format!(" [{}]", self.number_of(hit)));
        let numbers: String = numbers.collect::<Vec<_>>().concat();
        let said = match names_channel {
            true => with_channel(&line.text, &hit.channel_name),
            false => line.text.clone(),
        };
        self.text.push('\n');
        let start = scalars(&self.text);
        let whole = format!("{said}{numbers}");
        self.text.push_str(&whole);
        self.citations.push(Citation {
            start,
            length: scalars(&whole),
            messages: line.messages.clone(),
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

/// The text of a message, as one line with its day.
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

pub(super) fn scalars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
