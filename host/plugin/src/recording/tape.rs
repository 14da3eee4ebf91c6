//! The layer between the component and its host: nothing, a recorder, or a player instead of the host.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::player::{Player, Stop};
use super::recorder::{Recorder, json};
use crate::bindings::types::KeptText;
use crate::storage::{Memory, MemoryDraft, Message};

/// The tape of one call into the component. Every import goes through it.
pub(crate) enum Tape {
    /// Nothing is recorded.
    Off,
    /// Everything is recorded.
    Recording(Box<Recorder>),
    /// A recording takes the place of the host.
    Playing(Box<Player>),
}

/// How an import continues.
pub(crate) enum Step<R> {
    /// The host does the work, and then calls [`Tape::end`].
    Live,
    /// This is the recorded result.
    Over(R),
}

impl Tape {
    /// Begins an import.
    pub(crate) fn begin<A: Serialize, R: DeserializeOwned>(
        &mut self,
        import: &str,
        arguments: &A,
    ) -> Result<Step<R>, Stop> {
        match self {
            Self::Off => Ok(Step::Live),
            Self::Recording(recorder) => {
                recorder.begin(import, json(arguments));
                Ok(Step::Live)
            }
            Self::Playing(player) => player.play(import, json(arguments)).map(Step::Over),
        }
    }

    /// Ends an import that the host has done.
    pub(crate) fn end<R: Serialize>(&mut self, result: &R) {
        if let Self::Recording(recorder) = self {
            recorder.end(json(result));
        }
    }

    /// Notes which messages a result contains.
    pub(crate) fn saw_messages(&mut self, channel_id: &str, messages: &[Message]) {
        if let Self::Recording(recorder) = self {
            recorder.saw_messages(channel_id, messages);
        }
    }

    /// Notes of which messages a result contains parts.
    pub(crate) fn saw_texts(&mut self, texts: &[KeptText]) {
        if let Self::Recording(recorder) = self {
            recorder.saw_texts(texts);
        }
    }

    /// Notes which memories a result contains.
    pub(crate) fn saw_memories(&mut self, memories: &[Memory]) {
        if let Self::Recording(recorder) = self {
            recorder.saw_memories(memories);
        }
    }

    /// Stores the recording, before a save that has just begun.
    pub(crate) async fn keep(&mut self, draft: &MemoryDraft) {
        if let Self::Recording(recorder) = self {
            recorder.keep(draft).await;
        }
    }

    /// Deletes the recording, after a save that was refused.
    pub(crate) async fn discard(&mut self) {
        if let Self::Recording(recorder) = self {
            recorder.discard().await;
        }
    }

    /// Returns true if the call is recorded.
    pub(crate) fn is_recording(&self) -> bool {
        matches!(self, Self::Recording(_))
    }

    /// Returns true if a recording takes the place of the host.
    pub(crate) fn is_playing(&self) -> bool {
        matches!(self, Self::Playing(_))
    }
}
