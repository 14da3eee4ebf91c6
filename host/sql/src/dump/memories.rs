//! All memories in a text form, to compare two databases.

use crate::session::Connection;
use myao_plugin::storage::StorageError;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use myao_plugin::names;
use myao_plugin::state::view::{MemoryFilter, StoredMemory};

use crate::fault::Fault;
use crate::memories::stored::stored_memories;
use crate::place::Place;
use crate::rows;
use crate::visibility::view::sources;
use crate::workspace::SqlWorkspace;

impl SqlWorkspace {
    /// All memories of the workspace as text, with their older texts and sources. Two dumps are equal if the memories
    /// are equal, whatever the order in which channels were processed: memories are named by what they are about, not
    /// by their ids. Blocks.
    ///
    /// # Errors
    /// If the file or the disk cannot be read.
    pub fn dump(&self) -> Result<String, StorageError> {
        self.read(dump)
    }
}

fn dump(connection: &Connection, place: &Place) -> Result<String, Fault> {
    let mut memories = Vec::new();
    for superseded in [true, false] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        memories.extend(stored_memories(connection, place, &filter)?);
    }
    let names = names(&mut memories);
    let name = |id: u64| names.get(&id).cloned().unwrap_or_default();
    let mut out = String::new();
    for stored in &memories {
        let memory = &stored.memory;
        let sources = sources(connection, place, memory.id)?;
        let messages: Vec<String> = sources
            .messages
            .iter()
            .map(|message| format!("{}:{}", message.channel_id, message.ts))
            .collect();
        let mut from: Vec<String> = sources
            .memories
            .iter()
            .map(|source| name(source.id))
            .collect();
        from.sort();
        let merged = memory.merged_through.map(name);
        let entry = Entry {
            name: name(memory.id),
            merged,
            messages,
            from,
        };
        entry.write(stored, &mut out);
    }
    Ok(out)
}

struct Entry {
    name: String,
    merged: Option<String>,
    messages: Vec<String>,
    from: Vec<String>,
}

impl Entry {
    fn write(&self, stored: &StoredMemory, out: &mut String) {
        let memory = &stored.memory;
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "{}\n  engine {}, created {}, updated {}, superseded {:?}\n  truncated {:?}, {:?}\n  messages {}, latest {:?}: {}\n  merged {:?}, from: {}\n  {:?}",
            self.name,
            names::engine(memory.engine),
            memory.created_at.unix_seconds,
            memory.updated_at.unix_seconds,
            stored.superseded_at.map(|time| time.unix_seconds),
            stored.truncated,
            stored.coverage,
            memory.source_message_count,
            memory.source_latest_message_ts,
            self.messages.join(" "),
            self.merged,
            self.from.join(" "),
            memory.content,
        );
    }
}

/// Sorts the memories by what they are about, and gives each a name: `channel C1 short-term v2 text 1`.
fn names(memories: &mut [StoredMemory]) -> HashMap<u64, String> {
    memories.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut texts: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = HashMap::new();
    for stored in memories {
        let memory = &stored.memory;
        let series = format!(
            "{} {} {} v{}",
            names::scope(memory.scope),
            memory.scope_id,
            names::memory_type(memory.memory_type),
            memory.version
        );
        let text = texts.entry(series.clone()).or_default();
        *text += 1;
        names.insert(memory.id, format!("{series} text {text}"));
    }
    names
}

fn order(stored: &StoredMemory) -> (i64, &str, i64, u32, u64) {
    let memory = &stored.memory;
    let (scope, memory_type) = (
        rows::scope_code(memory.scope),
        rows::type_code(memory.memory_type),
    );
    (
        scope,
        &memory.scope_id,
        memory_type,
        memory.version,
        memory.id,
    )
}
