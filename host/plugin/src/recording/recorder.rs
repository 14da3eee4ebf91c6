//! Records a call into the component while it runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{Head, ImportCall, Part, Recordings};
use crate::bindings::types::KeptText;
use crate::explain::explain_storage;
use crate::storage::{Memory, MemoryDraft, Message};

/// The calls of one run of an export that are not stored yet.
pub(crate) struct Recorder {
    recordings: Arc<dyn Recordings>,
    head: Head,
    recording: Option<i64>,
    /// The number of the first of `calls`.
    first: usize,
    calls: Vec<ImportCall>,
    messages: BTreeSet<(String, String)>,
    memories: BTreeSet<u64>,
}

impl Recorder {
    pub(crate) fn new(recordings: Arc<dyn Recordings>, head: Head) -> Self {
        Self {
            recordings,
            head,
            recording: None,
            first: 0,
            calls: Vec::new(),
            messages: BTreeSet::new(),
            memories: BTreeSet::new(),
        }
    }

    pub(super) fn begin(&mut self, import: &str, arguments: Value) {
        self.calls.push(ImportCall {
            import: import.to_owned(),
            arguments,
            result: None,
        });
    }

    pub(super) fn end(&mut self, result: Value) {
        if let Some(call) = self.calls.last_mut() {
            call.result = Some(result);
        }
    }

    pub(super) fn saw_messages(&mut self, channel_id: &str, messages: &[Message]) {
        let seen = messages
            .iter()
            .map(|message| (channel_id.to_owned(), message.ts.clone()));
        self.messages.extend(seen);
    }

    pub(super) fn saw_texts(&mut self, texts: &[KeptText]) {
        let seen = texts.iter().map(|text| &text.span.message);
        self.messages
            .extend(seen.map(|of| (of.channel_id.clone(), of.ts.clone())));
    }

    pub(super) fn saw_memories(&mut self, memories: &[Memory]) {
        self.memories
            .extend(memories.iter().map(|memory| memory.id));
    }

    /// Stores everything before a save whose call has just begun. If that fails, the memory cannot be replayed; it is
    /// saved anyway.
    pub(super) async fn keep(&mut self, draft: &MemoryDraft) {
        let part = Part {
            head: self.head.clone(),
            recording: self.recording,
            first: self.first,
            calls: self.calls.clone(),
            draft: draft.clone(),
            messages: self.messages.clone(),
            memories: self.memories.clone(),
        };
        match self.recordings.keep(part).await {
            Ok(recording) => self.recording = Some(recording),
            Err(error) => {
                tracing::warn!(
                    "the memory of {} is not recorded: {}",
                    draft.scope_id,
                    explain_storage(&error)
                );
                // The next part contains these calls again.
                return;
            }
        }
        // The save is recorded again, with its result.
        let kept = self.calls.len().saturating_sub(1);
        self.first += kept;
        self.calls.drain(..kept);
        self.messages.clear();
        self.memories.clear();
    }
}

impl Recorder {
    /// Deletes the parts stored so far: the save was refused, as something in it has changed or gone.
    pub(super) async fn discard(&mut self) {
        let Some(recording) = self.recording.take() else {
            return;
        };
        if let Err(error) = self.recordings.discard(recording).await {
            tracing::warn!(
                "the recording of a memory that was not saved is not deleted: {}",
                explain_storage(&error)
            );
        }
    }
}

/// A value as JSON. All types of the contract can be serialized.
pub(super) fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
