//! The exports that save memories. Their calls are recorded if that is configured, and can be replayed.

use std::time::UNIX_EPOCH;

use tracing::Instrument as _;
use wasmtime::Store;

use super::MemoryPlugin;
use crate::Place;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Guest};
use crate::bindings::types::Timestamp;
use crate::capabilities::{CallState, Purpose};
use crate::error::CallError;
use crate::recording::{Export, Head, Player, Recorder, Recording, Replayed, Tape};
use crate::spans::{Subject, component_call, record_outcome};
use crate::system_clock;

impl MemoryPlugin {
    /// `memory-generator.generate-channel`: what is due in one channel.
    ///
    /// # Errors
    /// [`CallError`], but never [`CallError::Refused`]: that error is in the entry.
    pub async fn generate_channel(
        &self,
        channel_id: &str,
        now: Timestamp,
    ) -> Result<Entry, CallError> {
        let export = || Export::GenerateChannel {
            channel_id: channel_id.to_owned(),
            now,
        };
        call!(
            self,
            Subject::Channel(channel_id),
            Place::Channel(channel_id.to_owned()),
            Purpose::Make(self.tape(export)),
            memory_generator.call_generate_channel(channel_id, now)
        )
    }

    /// `memory-generator.generate-thread`: one thread.
    ///
    /// # Errors
    /// As [`Self::generate_channel`].
    pub async fn generate_thread(
        &self,
        channel_id: &str,
        thread_ts: &str,
        now: Timestamp,
    ) -> Result<Entry, CallError> {
        let thread_ts = thread_ts.to_owned();
        let export = || Export::GenerateThread {
            channel_id: channel_id.to_owned(),
            thread_ts: thread_ts.clone(),
            now,
        };
        call!(
            self,
            Subject::Thread(channel_id, &thread_ts),
            Place::Channel(channel_id.to_owned()),
            Purpose::Make(self.tape(export)),
            memory_generator.call_generate_thread(channel_id, &thread_ts, now)
        )
    }

    /// `memory-generator.generate-workspace`: the workspace.
    ///
    /// # Errors
    /// As [`Self::generate_channel`].
    pub async fn generate_workspace(&self, now: Timestamp) -> Result<Entry, CallError> {
        call!(
            self,
            Subject::Workspace(self.settings().workspace_scope_id()),
            Place::Workspace,
            Purpose::Make(self.tape(|| Export::GenerateWorkspace { now })),
            memory_generator.call_generate_workspace(now)
        )
    }

    /// Repeats a recorded call, up to the save with which the recording ends. The recording takes the place of store,
    /// model and settings. Nothing else is read, and nothing is saved.
    ///
    /// # Errors
    /// [`CallError`] if the component cannot be started. A later failure is the replay's ending.
    pub async fn replay(&self, recording: Recording) -> Result<Replayed, CallError> {
        const CALL: &str = "replay";
        let export = recording.head.export.clone();
        let tape = Tape::Playing(Box::new(Player::new(recording)));
        // Declared here because it is read after the call, however the call ends.
        let mut begun = None;
        let ended = self.within_limits(CALL, async {
            let Some(generator) = &self.component.exports.memory_generator else {
                return Err(self.not_offered(CALL));
            };
            let (mut store, instance) = self
                .instantiate(CALL, Place::Operator.into(), Purpose::Make(tape))
                .await?;
            let generator = generator.load(&mut store, &instance);
            let generator = generator.map_err(|error| self.trapped(CALL, &error))?;
            Ok(run(&export, begun.insert(store), &generator).await)
        });
        let error = ended.await.err();
        match begun.map(|store| store.into_data().tape) {
            Some(Tape::Playing(player)) => Ok(player.replayed(error)),
            _ => Err(error.unwrap_or_else(|| CallError::Trapped {
                component: self.component.name.to_string(),
                call: CALL,
                detail: "the recording was lost".to_owned(),
            })),
        }
    }

    /// The tape on which a call is recorded.
    fn tape(&self, export: impl FnOnce() -> Export) -> Tape {
        let Some(recordings) = &self.recordings else {
            return Tape::Off;
        };
        let since_1970 = system_clock::now().duration_since(UNIX_EPOCH);
        let milliseconds = since_1970.unwrap_or_default().as_millis();
        let head = Head {
            export: export(),
            component: self.component.digest().to_owned(),
            started_at: i64::try_from(milliseconds).unwrap_or(i64::MAX),
        };
        Tape::Recording(Box::new(Recorder::new(recordings.clone(), head)))
    }
}

/// Calls an export and ignores its result.
async fn run(
    export: &Export,
    store: &mut Store<CallState>,
    generator: &Guest,
) -> wasmtime::Result<()> {
    match export {
        Export::GenerateChannel { channel_id, now } => generator
            .call_generate_channel(store, channel_id, *now)
            .await
            .map(drop),
        Export::GenerateThread {
            channel_id,
            thread_ts,
            now,
        } => generator
            .call_generate_thread(store, channel_id, thread_ts, *now)
            .await
            .map(drop),
        Export::GenerateWorkspace { now } => generator
            .call_generate_workspace(store, *now)
            .await
            .map(drop),
    }
}
