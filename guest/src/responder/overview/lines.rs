//! The lines of an overview, with their sources.

use super::heading::Heading;
use super::{Place, place};
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::{Citation, Item, KeptText, MessageRef, Source};
use crate::extractive::messages::{local_date, shown_name};
use crate::responder::quoted::Text;
use crate::text::{cut, flatten};
use crate::ts::Ts;

/// How wide a line is.
const MAX_WIDTH: usize = 140;

/// A line before it has numbers.
pub(super) struct Line {
    /// Its place among the lines.
    pub(super) at: Option<Ts>,
    /// The day, if it is known.
    day: String,
    /// The text behind the day.
    pub(super) text: String,
    /// The messages that it is made from; the first of them says where it belongs.
    sources: Vec<KeptText>,
}

impl Line {
    /// A message: what a line of a summary says of it, or all of it.
    pub(super) fn of_message(hit: &Hit, line: Option<&str>) -> Self {
        let Hit { at, message, .. } = hit;
        let said = KeptText {
            span: crate::bindings::types::KeptSpan {
                message: at.clone(),
                start: 0,
                length: u32::MAX,
            },
            user: message.user.clone(),
            timestamp: message.timestamp,
            text: message.text.clone(),
        };
        let mut own = Self::quoting(&message.text, vec![said]);
        if let Some(line) = line {
            let line = line.strip_prefix("- ").unwrap_or(line);
            let line = line.strip_prefix(own.day.as_str()).unwrap_or(line);
            own.text = line.to_owned();
        }
        own
    }

    /// An item, with what became of it in `reason`.
    pub(super) fn of_item(item: &Item, reason: Option<&KeptText>, heading: &Heading) -> Self {
        let sources = std::iter::once(&item.title).chain(reason);
        let mut own = Self::quoting(&item.title.text, sources.cloned().collect());
        if let Some(label) = heading.label(item) {
            own.text.push_str(&format!(" ({label})"));
        }
        own
    }

    /// The words of a message, as one line with its author.
    fn quoting(said: &str, sources: Vec<KeptText>) -> Self {
        let first = sources.first();
        let author = first.map(|first| shown_name(&first.user.name));
        let day = first.and_then(|first| local_date(first.timestamp));
        Self {
            at: first.and_then(|first| Ts::parse(&first.span.message.ts).ok()),
            day: day.map(|day| format!("{day} ")).unwrap_or_default(),
            text: format!(
                "{}{}",
                author.unwrap_or_default(),
                cut(&flatten(said), MAX_WIDTH)
            ),
            sources,
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        self.messages().map(place)
    }

    fn messages(&self) -> impl Iterator<Item = &MessageRef> {
        self.sources.iter().map(|source| &source.span.message)
    }

    pub(super) fn channel_id(&self) -> &str {
        self.messages().next().map_or("", |of| &of.channel_id)
    }
}

impl Text {
    /// Adds a line, perhaps with the name of its channel.
    pub(super) fn add(
        &mut self,
        line: &Line,
        name_of: &dyn Fn(&str) -> String,
        names_channel: bool,
    ) {
        let channel = match names_channel {
            true => format!("#{} ", name_of(line.channel_id())),
            false => String::new(),
        };
        let said = format!("- {}{channel}{}", line.day, line.text);
        self.answer.text.push('\n');
        self.citations.push(Citation {
            start: scalars(&self.answer.text),
            length: scalars(&said),
            messages: line.messages().cloned().collect(),
            by_program: line.sources.first().is_some_and(|first| first.user.is_bot),
        });
        self.answer.text.push_str(&said);
        for source in &line.sources {
            let number = self.number_of(source, name_of);
            self.answer.mark(number);
        }
    }

    /// The number of a message among the sources.
    fn number_of(&mut self, of: &KeptText, name_of: &dyn Fn(&str) -> String) -> usize {
        let message = &of.span.message;
        let mut known = self.sources.iter();
        if let Some(at) = known.position(|source| source.messages.contains(message)) {
            return at + 1;
        }
        self.sources.push(Source {
            channel_name: name_of(&message.channel_id),
            user: Some(of.user.clone()),
            timestamp: Some(of.timestamp),
            text: of.text.clone(),
            messages: vec![message.clone()],
        });
        self.sources.len()
    }
}

pub(super) fn scalars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
