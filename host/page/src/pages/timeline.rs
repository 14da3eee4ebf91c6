//! The texts that a channel's memory has had, with the changes between them.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use myao_bot::reading::memories::number;
use myao_bot::reading::memory_json::memory_json;
use myao_plugin::state::view::StoredMemory;
use serde_json::{Value, json};

use crate::changes::{self, Change};
use crate::failure::Failure;
use crate::html::{Slice, text, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// Texts on a page.
const STEPS: usize = 10;
/// Changed lines that are shown of a text; its own page has all.
const LINES: usize = 20;

/// One text, and the changes since the one before.
struct Step {
    number: u32,
    stored: StoredMemory,
    /// `None` for the first.
    changes: Option<Vec<Change>>,
}

/// A page of the texts, newest first.
pub(super) struct Timeline {
    pub(super) slice: Slice,
    steps: Vec<Step>,
}

/// Reads a page of these texts, which are in order and without their content.
pub(super) async fn read(
    reader: &Reader,
    texts: &[StoredMemory],
    page: usize,
) -> Result<Timeline, Failure> {
    let newest_first: Vec<(u32, u64)> = texts
        .iter()
        .enumerate()
        .map(|(n, stored)| (number(n, stored), stored.memory.id))
        .rev()
        .collect();
    let slice = Slice::of(newest_first.len(), STEPS, page);
    let shown = slice.take(&newest_first);
    let pairs: Vec<(u32, u64, Option<u64>)> = shown
        .iter()
        .map(|(number, id)| (*number, *id, before(texts, *id)))
        .collect();
    let ids: BTreeSet<u64> = pairs
        .iter()
        .flat_map(|(_, id, old)| [Some(*id), *old])
        .flatten()
        .collect();
    let read = reader.with_text(ids).await?.into_iter();
    let by_id: BTreeMap<u64, StoredMemory> =
        read.map(|stored| (stored.memory.id, stored)).collect();
    let steps = pairs.into_iter().filter_map(|(number, id, old)| {
        let stored = by_id.get(&id)?.clone();
        let old = old.and_then(|old| by_id.get(&old));
        let changes = old.map(|old| changes::between(&old.memory.content, &stored.memory.content));
        Some(Step {
            number,
            stored,
            changes,
        })
    });
    Ok(Timeline {
        slice,
        steps: steps.collect(),
    })
}

/// The text before this one.
fn before(texts: &[StoredMemory], id: u64) -> Option<u64> {
    let at = texts.iter().position(|stored| stored.memory.id == id)?;
    Some(texts.get(at.checked_sub(1)?)?.memory.id)
}

impl Timeline {
    pub(super) fn html(&self, language: Language) -> Markup {
        html! {
            ol class="timeline" reversed {
                @for step in &self.steps { li { (step.html(language)) } }
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            let mut value = memory_json(&step.stored);
            if let Value::Object(fields) = &mut value {
                fields.insert("number".to_owned(), step.number.into());
                let changes = step.changes.as_ref();
                let changes = changes.map(|all| all.iter().map(Change::json).collect::<Value>());
                fields.insert("changes".to_owned(), json!(changes));
            }
            value
        });
        steps.collect()
    }
}

impl Step {
    fn html(&self, language: Language) -> Markup {
        let memory = &self.stored.memory;
        let route = Route::Memory { id: memory.id };
        html! {
            h3 {
                a href=(route.address()) {
                    @if self.stored.is_stand_in() { (texts::STAND_IN_NAME.of(language)) }
                    @else { (texts::version(language, self.number)) }
                }
                " " small {
                    (time(memory.updated_at)) ", "
                    (texts::messages(language, memory.source_message_count.into()))
                }
            }
            @match &self.changes {
                None => {
                    p class="note" { (texts::FIRST_TEXT.of(language)) }
                    (text(&memory.content))
                }
                Some(changes) if changes.is_empty() => {
                    p class="note" { (texts::NO_CHANGE.of(language)) }
                }
                Some(changes) => (shown(changes, language)),
            }
        }
    }
}

fn shown(changes: &[Change], language: Language) -> Markup {
    let hidden = changes.len().saturating_sub(LINES);
    html! {
        ul class="changes" {
            @for change in changes.iter().take(LINES) {
                li {
                    @if change.is_new { ins dir="auto" { (parts(change)) } }
                    @else { del dir="auto" { (parts(change)) } }
                }
            }
        }
        @if hidden > 0 { p class="note" { (texts::more(language, hidden)) } }
    }
}

fn parts(change: &Change) -> Markup {
    html! {
        @for (part, differs) in &change.parts {
            @let part = myao_plugin::printable::line(part);
            @if *differs { strong { (part) } } @else { (part) }
        }
    }
}
