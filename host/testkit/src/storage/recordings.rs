//! Recordings of calls into the component.

use myao_plugin::recording::{Head, ImportCall, Part, Recording, Recordings};
use myao_plugin::storage::StorageError;

use super::memories::Series;
use super::{MemoryStorage, State};

/// A recording. Its key is its position in the list, from 1.
#[derive(Debug, Clone)]
pub(super) struct StoredRecording {
    head: Head,
    calls: Vec<ImportCall>,
    saves: Vec<RecordedSave>,
}

/// A save in a recording.
#[derive(Debug, Clone)]
struct RecordedSave {
    /// The number of calls up to and including it.
    calls: usize,
    series: Series,
    content: String,
    /// `None` before it is saved, and if saving failed.
    memory: Option<u64>,
}

impl StoredRecording {
    /// Forgets what it holds.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.saves.clear();
    }
}

#[async_trait::async_trait]
impl Recordings for MemoryStorage {
    async fn keep(&self, part: Part) -> Result<i64, StorageError> {
        let mut state = self.state();
        let draft = part.draft;
        let subject = state.subject(draft.scope, &draft.scope_id)?;
        if part.recording.is_none() {
            state.recordings.push(StoredRecording {
                head: part.head,
                calls: Vec::new(),
                saves: Vec::new(),
            });
        }
        let newest = i64::try_from(state.recordings.len()).unwrap_or(i64::MAX);
        let id = part.recording.unwrap_or(newest);
        let index = usize::try_from(id - 1).unwrap_or(usize::MAX);
        let recording = state.recordings.get_mut(index);
        let recording = recording
            .ok_or_else(|| StorageError::Invalid(format!("there is no recording {id}")))?;
        // The first of these calls may be stored already, without its result.
        recording.calls.truncate(part.first);
        recording.calls.extend(part.calls);
        recording.saves.push(RecordedSave {
            calls: recording.calls.len(),
            series: Series::new(draft.scope, &subject.scope_id, draft.memory_type),
            content: draft.content,
            memory: None,
        });
        Ok(id)
    }

    async fn discard(&self, recording: i64) -> Result<(), StorageError> {
        let mut state = self.state();
        let index = usize::try_from(recording - 1).unwrap_or(usize::MAX);
        if let Some(recording) = state.recordings.get_mut(index) {
            recording.clear();
        }
        Ok(())
    }
}

impl State {
    /// Links a memory to the newest recorded save of this text that has none, if there is one.
    pub(super) fn link_recorded_save(&mut self, series: &Series, content: &str, memory: u64) {
        let saves = self
            .recordings
            .iter_mut()
            .flat_map(|recording| &mut recording.saves);
        let same = saves.filter(|save| {
            save.memory.is_none() && save.series == *series && save.content == content
        });
        if let Some(newest) = same.last() {
            newest.memory = Some(memory);
        }
    }

    /// The recording of the call that saved a memory, ending with that save.
    pub(super) fn recording_of(&self, memory: u64) -> Option<Recording> {
        self.recordings.iter().find_map(|recording| {
            let mut saves = recording.saves.iter();
            let save = saves.find(|save| save.memory == Some(memory))?;
            Some(Recording {
                head: recording.head.clone(),
                calls: recording.calls.iter().take(save.calls).cloned().collect(),
            })
        })
    }
}
