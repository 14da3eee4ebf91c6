//! The memories that the newest runs made, and their cost. All memories of a run have the time of the run.

use std::collections::BTreeMap;

use maud::{Markup, html};
use myao_bot::reading::memory_json::memory_json;
use myao_bot::reading::times::rfc3339;
use myao_plugin::journal::CallsOfMemory;
use myao_plugin::state::view::{MemoryFilter, StoredMemory};
use myao_plugin::{Engine, Timestamp};
use serde_json::{Value, json};

use super::name_of;
use crate::Taken;
use crate::failure::Failure;
use crate::html::{time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// The number of runs that are shown, and of memories of each.
const RUNS: usize = 10;
const MADE: usize = 20;
/// So many memories are read at first.
const AT_ONCE: u32 = 200;

/// A run that made something.
pub(super) struct Run {
    at: Timestamp,
    made: Vec<StoredMemory>,
    /// `None` if no model was asked, or where the cost may not be seen.
    taken: Option<Taken>,
}

/// The newest first.
pub(super) async fn read(reader: &Reader) -> Result<Vec<Run>, Failure> {
    let (workspace, place) = (&reader.site.workspace, reader.place());
    let view = workspace.view(place.clone());
    let mut newest = AT_ONCE;
    let by_time = loop {
        let filter = MemoryFilter {
            newest: Some(newest),
            ..MemoryFilter::default()
        };
        let found = view.memories(filter).await?;
        let at = |stored: &StoredMemory| stored.memory.updated_at.unix_seconds;
        // Of the earliest run that was read, more may be there.
        let is_all = usize::try_from(newest).is_ok_and(|newest| found.len() < newest);
        let partly = found.iter().map(at).min().filter(|_| !is_all);
        let mut by_time: BTreeMap<i64, Vec<StoredMemory>> = BTreeMap::new();
        for stored in found {
            if stored.memory.engine != Engine::Imported && partly != Some(at(&stored)) {
                by_time.entry(at(&stored)).or_default().push(stored);
            }
        }
        if is_all || by_time.len() >= RUNS {
            break by_time;
        }
        newest = newest.saturating_mul(10);
    };
    let mut runs = Vec::new();
    for (at, made) in by_time.into_iter().rev().take(RUNS) {
        let mut taken = CallsOfMemory::default();
        for stored in &made {
            let memory = &stored.memory;
            if place.owns(memory.scope, &memory.scope_id) {
                let calls = workspace.calls_of_memory(memory.id).await?;
                taken.calls.extend(calls.calls);
            }
        }
        runs.push(Run {
            at: reader.site.clock.local(at),
            made,
            taken: (reader.site.taken)(&taken),
        });
    }
    Ok(runs)
}

impl Run {
    pub(super) fn html(&self, language: Language) -> Markup {
        html! {
            section {
                h3 { (time(self.at)) }
                ul { @for stored in self.made.iter().take(MADE) { li { (made(stored, language)) } } }
                @if self.made.len() > MADE {
                    p class="note" {
                        (texts::more(language, self.made.len() - MADE)) ": " (texts::MORE_IN_JSON.of(language))
                    }
                }
                @if let Some(taken) = &self.taken {
                    p class="note" { (words(&texts::taken(language, taken))) }
                }
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let made = self.made.iter().map(|stored| {
            let mut value = memory_json(stored);
            if let Value::Object(fields) = &mut value {
                fields.remove("content");
            }
            value
        });
        json!({
            "at": rfc3339(self.at),
            "made": made.collect::<Value>(),
            "taken": self.taken.as_ref().map(|taken| &taken.json),
        })
    }
}

fn made(stored: &StoredMemory, language: Language) -> Markup {
    let memory = &stored.memory;
    let channel = stored.channel_name.as_deref();
    html! {
        a href=(Route::Memory { id: memory.id }.address()) {
            (name_of(memory.scope, channel, language)) ": "
            (texts::memory_type(memory.memory_type).of(language))
        }
        " "
        small {
            @if stored.is_stand_in() { (texts::STAND_IN_NAME.of(language)) } @else {
                (texts::version(language, memory.version))
            }
            ", " (texts::messages(language, memory.source_message_count.into()))
            ", " (texts::engine(memory.engine).of(language))
            @if stored.truncated == Some(true) { ", " (texts::CUT_OFF.of(language)) }
        }
    }
}
