//! The exports that make memories.

use crate::exports::myao::memory::memory_generator::{
    Batch, DoneStep, Entry, Guest, Outcome, Step, UpdateState,
};
use crate::myao::memory::errors::Error;
use crate::myao::memory::types::{Scope, Timestamp};
use crate::{Trespassing, commands, got};

impl Guest for Trespassing {
    fn should_update(_: UpdateState, _: Timestamp) -> Result<bool, Error> {
        Err(got())
    }

    fn next_steps(_: Vec<DoneStep>, _: Timestamp) -> Result<Batch, Error> {
        let steps = commands::channel_to_take().map(Step::Channel);
        let steps: Vec<Step> = steps.into_iter().collect();
        if steps.is_empty() {
            return Err(got());
        }
        Ok(Batch { steps, later: 0 })
    }

    fn generate_channel(channel_id: String, _: Timestamp) -> Entry {
        entry(Scope::Channel, channel_id)
    }

    fn generate_thread(channel_id: String, thread_ts: String, _: Timestamp) -> Entry {
        entry(Scope::Thread, format!("{channel_id}:{thread_ts}"))
    }

    fn generate_workspace(_: Timestamp) -> Entry {
        entry(Scope::Workspace, String::new())
    }
}

fn entry(scope: Scope, scope_id: String) -> Entry {
    Entry {
        scope,
        scope_id,
        channel_name: String::new(),
        made: Vec::new(),
        outcome: Outcome::Failed(got()),
    }
}
