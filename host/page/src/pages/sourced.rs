//! Messages that memories were made from.

use std::collections::BTreeSet;

use maud::{Markup, html};
use myao_bot::clock::Clock;
use myao_plugin::state::view::SourceMessage;
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptText, MessageRef, Timestamp};

use crate::html::{Links, channel_link, name, text, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::texts;

/// Records that are shown, the newest.
const RECORDS: usize = 100;

/// Shows messages with their times and links.
pub(super) struct Sourced {
    clock: Clock,
    pub(super) links: Links,
}

impl Sourced {
    pub(super) fn of(reader: &Reader) -> Self {
        Self {
            clock: reader.site.clock.clone(),
            links: reader.links(),
        }
    }

    /// When a message was written, as its place has it.
    pub(super) fn local(&self, ts: TsKey) -> Timestamp {
        self.clock.local(ts.unix_seconds())
    }

    pub(super) fn message(&self, message: &SourceMessage, language: Language) -> Markup {
        let at = self.local(message.ts);
        html! {
            p class="by" {
                strong { (name(&message.author)) } " " (time(at)) " "
                (channel_link(&message.channel_id, &message.channel_name)) " "
                (self.links.to(&reference(message), language))
            }
            (text(&message.text))
        }
    }

    /// A text that somebody pinned or corrected.
    pub(super) fn kept(&self, kept: &KeptText, language: Language) -> Markup {
        html! {
            p class="by" {
                strong { (name(&kept.user.name)) } " " (time(kept.timestamp)) " "
                (self.links.to(&kept.span.message, language))
            }
            (text(&kept.text))
        }
    }

    /// The records that are kept with texts, folded; nothing if there are none.
    pub(super) fn records(&self, records: &[&SourceMessage], language: Language) -> Markup {
        let hidden = records.len().saturating_sub(RECORDS);
        html! {
            @if !records.is_empty() {
                h2 { (texts::RECORDS.of(language)) }
                details {
                    summary { (texts::records(language, records.len())) }
                    ul class="messages" {
                        @for record in records.iter().skip(hidden) { li { (self.message(record, language)) } }
                    }
                    @if hidden > 0 {
                        p class="note" { (texts::more(language, hidden)) ": " (texts::MORE_IN_JSON.of(language)) }
                    }
                }
            }
        }
    }
}

pub(super) fn reference(message: &SourceMessage) -> MessageRef {
    MessageRef {
        channel_id: message.channel_id.clone(),
        ts: message.ts.to_string(),
    }
}

/// Each message once, oldest first.
pub(super) fn each_once<'m>(
    messages: impl Iterator<Item = &'m SourceMessage>,
) -> Vec<&'m SourceMessage> {
    let mut seen = BTreeSet::new();
    let mut once: Vec<&SourceMessage> = messages
        .filter(|of| seen.insert((of.ts, &of.channel_id, &of.text)))
        .collect();
    once.sort_by_key(|of| (of.ts, &of.channel_id));
    once
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use myao_plugin::state::view::SourceMessage;
    use myao_plugin::ts::TsKey;

    use super::each_once;

    #[test]
    fn what_two_memories_keep_is_shown_once() {
        let record = |ts: &str, text: &str| SourceMessage {
            channel_id: "C1".to_owned(),
            channel_name: "general".to_owned(),
            ts: TsKey::parse(ts).unwrap(),
            author: "ann".to_owned(),
            text: text.to_owned(),
            deleted: false,
        };
        let records = [
            record("2.0", "b"),
            record("1.0", "a"),
            record("2.0", "b"),
            record("2.0", "c"),
        ];
        let texts: Vec<&str> = each_once(records.iter())
            .iter()
            .map(|of| of.text.as_str())
            .collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }
}
