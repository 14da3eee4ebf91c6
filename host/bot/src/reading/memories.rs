//! Which memories are current, and which came before.

use myao_plugin::state::view::{MemoryFilter, StoredMemory, View};
use myao_plugin::storage::StorageError;
use myao_plugin::{MemoryType, Scope};

/// The newest version of each memory, followed by its stand-in, of memories that are ordered by version. The retired
/// short-term memory of a workspace is left out, unless `keeps_retired`.
#[must_use]
pub fn newest(memories: Vec<StoredMemory>, keeps_retired: bool) -> Vec<StoredMemory> {
    let mut newest: Vec<StoredMemory> = Vec::new();
    for stored in memories {
        match newest.last_mut() {
            Some(last) if is_same_memory(last, &stored) && !last.is_stand_in() => *last = stored,
            _ => newest.push(stored),
        }
    }
    // A stand-in has version 0, but is the newest.
    for memory in newest.chunk_by_mut(is_same_memory) {
        memory.sort_by_key(StoredMemory::is_stand_in);
    }
    if !keeps_retired {
        newest.retain(|stored| {
            let memory = &stored.memory;
            (memory.scope, memory.memory_type) != (Scope::Workspace, MemoryType::ShortTerm)
        });
    }
    newest
}

fn is_same_memory(a: &StoredMemory, b: &StoredMemory) -> bool {
    let (a, b) = (&a.memory, &b.memory);
    (a.scope, &a.scope_id, a.memory_type) == (b.scope, &b.scope_id, b.memory_type)
}

/// The versions of a channel's short-term memory, or the earlier and current texts of another memory, oldest first.
///
/// # Errors
/// Those of the store.
pub async fn texts(
    view: &dyn View,
    scope: Scope,
    scope_id: &str,
    memory_type: MemoryType,
    with_text: bool,
) -> Result<Vec<StoredMemory>, StorageError> {
    let filter = |superseded| MemoryFilter {
        scope: Some(scope),
        scope_id: Some(scope_id.to_owned()),
        memory_type: Some(memory_type),
        superseded,
        with_text,
        ..MemoryFilter::default()
    };
    let mut texts = Vec::new();
    if !has_versions(scope, memory_type) {
        texts.extend(view.memories(filter(true)).await?);
    }
    texts.extend(view.memories(filter(false)).await?);
    // A stand-in has version 0, but is the newest.
    texts.sort_by_key(StoredMemory::is_stand_in);
    Ok(texts)
}

fn has_versions(scope: Scope, memory_type: MemoryType) -> bool {
    (scope, memory_type) == (Scope::Channel, MemoryType::ShortTerm)
}

/// Versions have numbers; the texts of a memory that is always version 1 are counted instead.
#[must_use]
pub fn number(n: usize, stored: &StoredMemory) -> u32 {
    let memory = &stored.memory;
    if has_versions(memory.scope, memory.memory_type) {
        memory.version
    } else {
        u32::try_from(n + 1).unwrap_or(u32::MAX)
    }
}
