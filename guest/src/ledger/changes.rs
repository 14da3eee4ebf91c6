//! Checks reports: an item is a part of a message, a change is said by one, and people and dates stand there.

use std::ops::Range;

use chrono::NaiveDate;

use crate::answer::{Named, Report};
use crate::bindings::types::{
    Context, Item, ItemChange, ItemEvent, ItemKind, ItemState, KeptSpan, Message, MessageRef, User,
};
use crate::describe;
use crate::marks;
use crate::now::local;
use crate::prompt::{conversation_messages, harmless};
use crate::text::dates::Dates;
use crate::text::is_line_break;
use crate::text::sentences::sentence_ranges;
use crate::text::values::{normal, read};
use crate::ts::Ts;

/// A longer title is cut, in Unicode scalar values.
const MAX_TITLE: usize = 200;

/// The changes that reports make, oldest first, and how many reports were refused. `context` is that of the whole call: a
/// chunk may have but a part of a message.
pub(crate) fn changes(reports: &[Option<Report>], context: &Context) -> (Vec<ItemChange>, u32) {
    let notes = context.notes.as_ref();
    let items = notes.and_then(|notes| notes.items.as_deref());
    let check = Check {
        context,
        items: items.unwrap_or_default(),
        reports,
    };
    let mut made = Vec::new();
    let mut refused = 0_u32;
    for report in reports {
        match report.as_ref().and_then(|report| check.report(report)) {
            Some(changes) => made.extend(changes),
            None => refused += 1,
        }
    }
    made.sort_by_key(|(ts, change)| (*ts, change.event != ItemEvent::Noted));
    (
        made.into_iter().map(|(_, change)| change).collect(),
        refused,
    )
}

struct Check<'c> {
    context: &'c Context,
    /// Those that the prompt shows.
    items: &'c [Item],
    /// Those of the whole call.
    reports: &'c [Option<Report>],
}

/// A message that says what is reported.
struct Said<'c> {
    message: &'c Message,
    ts: Ts,
    /// Where its words are in the text, in bytes.
    at: Range<usize>,
}

impl Check<'_> {
    /// The changes of a report; `None` if no message says it.
    fn report(&self, report: &Report) -> Option<Vec<(Ts, ItemChange)>> {
        let said = self.said(&report.quote)?;
        let (kind, title) = match &report.item {
            Some(named) => self.earlier(named, &said)?,
            None => (kind(report.kind.as_deref()?)?, self.title(&said)),
        };
        let change = |kind, title: &KeptSpan, event| {
            let change = ItemChange {
                kind,
                title: title.clone(),
                message: self.refer(said.message),
                event,
            };
            (said.ts, change)
        };
        let mut changes = Vec::new();
        if report.item.is_none() {
            changes.push(change(kind, &title, ItemEvent::Noted));
        }
        let events = [
            report
                .state
                .as_deref()
                .map(|state| event_of(state, report.item.is_some())),
            report
                .owner
                .as_deref()
                .map(|owner| self.owner(owner, &said)),
            report.due.as_deref().map(|due| due_of(due, said.message)),
        ];
        // A report with one false part is half a guess: its owner or its date is left out, and the rest stands.
        let events = events.into_iter().flatten().flatten();
        changes.extend(events.map(|event| change(kind, &title, event)));
        let replaced = report.replaces.as_ref().filter(|_| report.item.is_none());
        if let Some((of, title)) = replaced.and_then(|named| self.earlier(named, &said))
            && of == kind
        {
            let event = ItemEvent::State(ItemState::Superseded);
            changes.push(change(kind, &title, event));
        }
        (!changes.is_empty()).then_some(changes)
    }

    /// The kind and the title of an item of before the message.
    fn earlier(&self, named: &Named, said: &Said<'_>) -> Option<(ItemKind, KeptSpan)> {
        let (kind, title) = match named {
            Named::Number(number) => {
                let item = self.items.get(number.checked_sub(1)?)?;
                (item.kind, item.title.span.clone())
            }
            Named::Quote(quote) => {
                let new = self.reports.iter().flatten();
                let mut new = new.filter(|report| report.item.is_none());
                let of = new.find(|report| report.quote.trim() == quote.trim())?;
                (kind(of.kind.as_deref()?)?, self.title(&self.said(quote)?))
            }
        };
        let of = Ts::parse(&title.message.ts).ok()?;
        (of < said.ts).then_some((kind, title))
    }

    /// The newest message of a person with these words.
    fn said(&self, quote: &str) -> Option<Said<'_>> {
        let quote = harmless::restore(quote.trim());
        if quote.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            return None;
        }
        let bot = &self.context.persona.name;
        let found = conversation_messages(self.context).filter_map(|message| {
            let start = message.text.find(quote.as_ref())?;
            let is_told = !message.user.is_bot && !marks::is_only_for(message, bot);
            is_told.then_some(Said {
                message,
                ts: Ts::parse(&message.ts).ok()?,
                at: start..start + quote.len(),
            })
        });
        found.max_by_key(|said| said.ts)
    }

    /// The sentences that have the words.
    fn title(&self, said: &Said<'_>) -> KeptSpan {
        let text = said.message.text.as_str();
        let mut sentences = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(is_line_break) {
            let of_line = sentence_ranges(line).into_iter();
            sentences.extend(of_line.map(|range| start + range.start..start + range.end));
            start += line.len();
        }
        let touched = sentences.into_iter();
        let touched =
            touched.filter(|range| range.start < said.at.end && said.at.start < range.end);
        let whole = touched.fold(said.at.clone(), |whole, range| {
            whole.start.min(range.start)..whole.end.max(range.end)
        });
        let words = text.get(whole.clone()).unwrap_or_default();
        let blank = words.len() - words.trim_start().len();
        let before = text.get(..whole.start + blank).unwrap_or_default();
        let length = words.trim().chars().count().min(MAX_TITLE);
        KeptSpan {
            message: self.refer(said.message),
            start: u32::try_from(before.chars().count()).unwrap_or(u32::MAX),
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    /// Somebody who takes part in the conversation, or whom the message names.
    fn owner(&self, name: &str, said: &Said<'_>) -> Option<ItemEvent> {
        let name = name.trim().trim_start_matches('@');
        if name.is_empty() {
            return None;
        }
        let mut authors = conversation_messages(self.context).map(|message| &message.user);
        let is_meant =
            |user: &&User| !user.is_bot && user.name.to_lowercase() == name.to_lowercase();
        let named = || User {
            id: String::new(),
            name: name.to_owned(),
            is_bot: false,
        };
        let is_named = said.message.text.contains(name);
        let author = authors.find(|user| is_meant(user)).cloned();
        let owner = author.or_else(|| is_named.then(named))?;
        Some(ItemEvent::Owner(owner))
    }

    fn refer(&self, message: &Message) -> MessageRef {
        MessageRef {
            channel_id: self.context.conversation_history.channel_id.clone(),
            ts: message.ts.clone(),
        }
    }
}

/// The state that a change gives an item. A new one is open.
fn event_of(state: &str, is_change: bool) -> Option<ItemEvent> {
    let state = match state {
        "done" => ItemState::Done,
        "dropped" => ItemState::Dropped,
        "open" if is_change => ItemState::Open,
        _ => return None,
    };
    Some(ItemEvent::State(state))
}

fn kind(name: &str) -> Option<ItemKind> {
    let kinds = [
        ItemKind::Decision,
        ItemKind::Task,
        ItemKind::Question,
        ItemKind::Fact,
    ];
    kinds
        .into_iter()
        .find(|kind| describe::item_kind(*kind) == name)
}

/// A date that the message means.
fn due_of(due: &str, message: &Message) -> Option<ItemEvent> {
    let date: NaiveDate = due.trim().parse().ok()?;
    let today = local(message.timestamp)?.date();
    let text = normal(&message.text);
    let dates = Dates::of(&text, &read(&text), today);
    let is_meant = dates.meant.contains(&date) || dates.possible.contains(&date);
    is_meant.then(|| ItemEvent::Due(date.to_string()))
}
