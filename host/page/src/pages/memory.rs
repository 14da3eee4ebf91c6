//! A memory: its text with a source beside each line, and how it was made.

use std::collections::BTreeSet;

use maud::{Markup, html};
use myao_bot::corrections::Corrections;
use myao_bot::reading::links;
use myao_bot::reading::memory_json::memory_with_sources_json;
use myao_plugin::erasure::NOTHING_LEFT;
use myao_plugin::state::view::{SourceLine, SourceMessage, Sources, StoredMemory};
use myao_plugin::{KeptText, MemoryType, MessageRef, Place, Scope};
use serde_json::{Value, json};

use super::Shown;
use super::sourced::Sourced;
use crate::Taken;
use crate::failure::Failure;
use crate::html::{Frame, Look, channel_link, name, pieces, time, whole_text, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// Messages beside a line, the likeliest first.
const MESSAGES_OF_LINE: usize = 5;

struct Memory {
    stored: StoredMemory,
    sources: Sources,
    /// Of its channel.
    corrections: Option<Corrections>,
    taken: Option<Taken>,
    sourced: Sourced,
}

pub(super) async fn read(reader: &Reader, id: u64) -> Result<impl Shown + use<>, Failure> {
    let stored = reader.memory(id).await?;
    let corrections = match channel_of(&stored) {
        Some(id) => reader.corrections(&id).await?,
        None => None,
    };
    Ok(Memory {
        corrections,
        sources: reader.sources(id).await?,
        taken: reader.taken(&stored).await?,
        sourced: Sourced::of(reader),
        stored,
    })
}

/// The title of a memory: its subject, and which text of it this is.
pub(super) fn title(stored: &StoredMemory, language: Language) -> String {
    let memory = &stored.memory;
    let channel = stored.channel_name.as_deref().unwrap_or(&memory.scope_id);
    let layer = texts::memory_type(memory.memory_type).of(language);
    match (memory.scope, memory.memory_type) {
        (Scope::Workspace, _) => format!("{}: {layer}", texts::WORKSPACE.of(language)),
        (Scope::Thread, _) => texts::thread(language, channel),
        (Scope::Channel, MemoryType::LongTerm) => format!("#{channel}: {layer}"),
        (Scope::Channel, MemoryType::ShortTerm) if stored.is_stand_in() => format!("#{channel}"),
        (Scope::Channel, MemoryType::ShortTerm) => {
            format!("#{channel}: {}", texts::version(language, memory.version))
        }
    }
}

/// The channel of a memory of a channel.
fn channel_of(stored: &StoredMemory) -> Option<String> {
    match Place::of(stored.memory.scope, &stored.memory.scope_id) {
        Place::Channel(id) => Some(id),
        _ => None,
    }
}

/// A memory's text as corrections leave it, with a link to where it comes from.
pub(super) fn summary(
    stored: &StoredMemory,
    corrections: Option<(&Corrections, &Sourced)>,
    language: Language,
) -> Markup {
    let memory = &stored.memory;
    let route = Route::Memory { id: memory.id };
    html! {
        h3 {
            a href=(route.address()) { (name(&title(stored, language))) }
            " " small { (time(memory.updated_at)) }
        }
        (notes(stored, language))
        (content(stored, corrections.map(|(of, _)| of), language))
        (corrected(corrections, language))
    }
}

fn content(stored: &StoredMemory, corrections: Option<&Corrections>, language: Language) -> Markup {
    let memory = &stored.memory;
    html! {
        @if memory.content == NOTHING_LEFT {
            p { (texts::NOTHING_LEFT.of(language)) }
        } @else if let Some(corrections) = corrections {
            p class="text" dir="auto" { (pieces(&corrections.pieces(memory))) }
        } @else {
            (whole_text(&memory.content))
        }
    }
}

/// The corrections that outrank a memory.
fn corrected(corrections: Option<(&Corrections, &Sourced)>, language: Language) -> Markup {
    html! {
        @if let Some((corrections, sourced)) = corrections {
            @let said: Vec<&KeptText> = corrections.said().collect();
            @if !said.is_empty() {
                p class="note" { (texts::CORRECTED.of(language)) }
                ul class="messages" {
                    @for said in said { li { (sourced.kept(said, language)) } }
                }
            }
        }
    }
}

fn notes(stored: &StoredMemory, language: Language) -> Markup {
    html! {
        @if stored.is_stand_in() { p class="note" { (texts::STAND_IN.of(language)) } }
        @if stored.is_set_aside { p class="note" { (texts::SET_ASIDE.of(language)) } }
    }
}

impl Shown for Memory {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = title(&self.stored, language);
        let route = Route::Memory {
            id: self.stored.memory.id,
        };
        let records: Vec<&SourceMessage> = self.sources.records.iter().collect();
        let main = html! {
            @if let (Some(id), Some(name)) = (channel_of(&self.stored), &self.stored.channel_name) {
                p class="up" { (channel_link(&id, name)) }
            }
            h1 { (name(&title)) }
            (notes(&self.stored, language))
            (self.facts(language))
            h2 { (texts::LINES.of(language)) }
            @if self.sources.lines.is_empty() {
                (content(&self.stored, self.corrections.as_ref(), language))
            } @else {
                ol class="lines" {
                    @for line in &self.sources.lines { li { (self.line(line, language)) } }
                }
            }
            (corrected(self.corrections.as_ref().map(|of| (of, &self.sourced)), language))
            (self.sourced.records(&records, language))
            (self.memories(language))
        };
        Frame {
            look,
            title: &title,
            route: Some(&route),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let mut value = memory_with_sources_json(&self.stored, &self.sources);
        if let Value::Object(fields) = &mut value {
            let taken = self.taken.as_ref().map(|taken| taken.json.clone());
            fields.insert("taken".to_owned(), json!(taken));
            let messages: BTreeSet<_> = self
                .all_messages()
                .map(|of| (&of.channel_id, of.ts))
                .collect();
            let links = messages.into_iter().filter_map(|(channel_id, ts)| {
                let of = MessageRef {
                    channel_id: channel_id.clone(),
                    ts: ts.to_string(),
                };
                let link = links::link(&of, self.sourced.links.address.as_deref())?;
                Some(json!({ "channel_id": of.channel_id, "ts": of.ts, "permalink": link }))
            });
            fields.insert("permalinks".to_owned(), links.collect());
        }
        value
    }
}

impl Memory {
    fn all_messages(&self) -> impl Iterator<Item = &SourceMessage> {
        let lines = self.sources.lines.iter().flat_map(|line| &line.messages);
        lines.chain(&self.sources.records)
    }

    fn facts(&self, language: Language) -> Markup {
        let memory = &self.stored.memory;
        html! {
            dl {
                dt { (texts::MADE.of(language)) }
                dd { (time(memory.updated_at)) }
                dt { (texts::ENGINE.of(language)) }
                dd { (texts::engine(memory.engine).of(language)) }
                dt { (texts::MESSAGES.of(language)) }
                dd { (memory.source_message_count) }
                @if let Some(coverage) = &self.stored.coverage {
                    dt { (texts::COVERAGE.of(language)) }
                    dd {
                        (texts::coverage(language, coverage))
                        @if self.stored.truncated == Some(true) { "; " (texts::CUT_OFF.of(language)) }
                    }
                }
                @if let Some(taken) = &self.taken {
                    dt { (texts::COST.of(language)) }
                    dd { (words(&texts::taken(language, taken))) }
                }
            }
        }
    }

    fn line(&self, line: &SourceLine, language: Language) -> Markup {
        let shown = line.text.trim_start();
        let shown = shown.strip_prefix("- ").unwrap_or(shown);
        let shown = match &self.corrections {
            Some(corrections) => corrections.pieces_of_line(&self.stored.memory, shown),
            None => vec![(shown, false)],
        };
        if line.messages.is_empty() {
            return html! {
                p class="text" dir="auto" { (pieces(&shown)) }
                p class="note" { (texts::NO_SOURCE.of(language)) }
            };
        }
        let messages = likeliest(line);
        let hidden = line.messages.len().saturating_sub(messages.len());
        html! {
            details {
                summary {
                    span class="text" dir="auto" { (pieces(&shown)) }
                    " " small { (texts::sources(language, line.messages.len())) }
                }
                ul class="messages" {
                    @for message in messages { li { (self.sourced.message(message, language)) } }
                }
                @if hidden > 0 {
                    p class="note" { (texts::more(language, hidden)) ": " (texts::MORE_IN_JSON.of(language)) }
                }
            }
        }
    }

    fn memories(&self, language: Language) -> Markup {
        html! {
            @if !self.sources.memories.is_empty() {
                h2 { (texts::MADE_FROM.of(language)) }
                ul {
                    @for memory in &self.sources.memories {
                        li {
                            a href=(Route::Memory { id: memory.id }.address()) {
                                (texts::memory_type(memory.memory_type).of(language)) ", "
                                (texts::version(language, memory.version))
                            }
                            " " (time(memory.updated_at))
                            @if memory.superseded { " " small { (texts::SINCE_REPLACED.of(language)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The messages that share most terms with a line; of equal ones the oldest first.
fn likeliest(line: &SourceLine) -> Vec<&SourceMessage> {
    let wanted: BTreeSet<String> = myao_terms::terms(&line.text).into_iter().collect();
    let shared = |message: &SourceMessage| {
        let found: BTreeSet<String> = myao_terms::terms(&message.text).into_iter().collect();
        found.intersection(&wanted).count()
    };
    let mut messages: Vec<(usize, &SourceMessage)> = line
        .messages
        .iter()
        .map(|message| (shared(message), message))
        .collect();
    messages.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    messages.truncate(MESSAGES_OF_LINE);
    messages.into_iter().map(|(_, message)| message).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use myao_plugin::state::view::{SourceLine, SourceMessage};
    use myao_plugin::ts::TsKey;

    use super::likeliest;

    #[test]
    fn the_message_that_says_what_a_line_says_comes_first() {
        let message = |ts: &str, text: &str| SourceMessage {
            channel_id: "C1".to_owned(),
            channel_name: "general".to_owned(),
            ts: TsKey::parse(ts).unwrap(),
            author: "ann".to_owned(),
            text: text.to_owned(),
            deleted: false,
        };
        let mut messages: Vec<SourceMessage> = (1..9)
            .map(|n| message(&format!("{n}.0"), "hello"))
            .collect();
        messages.push(message("9.0", "We take Beacon for monitoring."));
        let line = SourceLine {
            text: "- Decision: Beacon for monitoring".to_owned(),
            messages,
        };
        let shown: Vec<String> = likeliest(&line)
            .iter()
            .map(|of| of.ts.to_string())
            .collect();
        assert_eq!(
            shown,
            ["9.000000", "1.000000", "2.000000", "3.000000", "4.000000"]
        );
    }
}
