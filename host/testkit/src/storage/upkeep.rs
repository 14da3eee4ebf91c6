//! What waits, what is deferred, and which calls were paid for.

use myao_plugin::journal::{CallsOfMemory, StoredCall};
use myao_plugin::state::replies::{MAX_REPLY_WAIT, ReplyKind, ReplyState};
use myao_plugin::state::upkeep::{StoredDeferral, Upkeep};
use myao_plugin::state::vectors::Vectors;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::waits::{LONGEST_DEFERRAL, Wait, WaitKind, is_under_way};
use myao_plugin::{Place, Scope, names};

use super::catch_up::{CHANNEL_WAITS, MESSAGE_WAITS};
use super::inbox::{MAX_WAIT, Progress};
use super::journal::{Call, milliseconds};
use super::memories::{Series, parse_subject};
use super::progress::News;
use super::{MemoryStorage, State};

/// How many waits of one kind are listed.
const MOST: usize = 100;

impl Vectors for MemoryStorage {}

#[async_trait::async_trait]
impl Upkeep for MemoryStorage {
    async fn waits(&self, now: i64) -> Result<Vec<Wait>, StorageError> {
        let state = self.state();
        let kinds = [
            (state.deferred_memories(), LONGEST_DEFERRAL),
            (state.waiting_answers(), MAX_REPLY_WAIT),
            (state.waiting_events(), MAX_WAIT),
            (state.waiting_channels(), CHANNEL_WAITS.1),
            (state.waiting_messages(), MESSAGE_WAITS.1),
            (state.waiting_judgments(), LONGEST_DEFERRAL),
        ];
        let kinds = kinds.into_iter().flat_map(|(mut waits, longest)| {
            waits.retain(|wait| is_under_way(wait.until, now, longest));
            waits.sort_by_key(|wait| wait.until);
            waits.truncate(MOST);
            waits
        });
        Ok(kinds.collect())
    }

    async fn deferrals(&self) -> Result<Vec<StoredDeferral>, StorageError> {
        Ok(self.state().all_deferrals())
    }

    async fn clear_deferrals(&self) -> Result<usize, StorageError> {
        Ok(std::mem::take(&mut self.state().deferrals).len())
    }

    async fn accept_memories(&self, channel_id: Option<String>) -> Result<usize, StorageError> {
        Ok(self.state().accept(channel_id.as_deref()))
    }

    async fn begin_again(
        &self,
        channel_id: Option<String>,
        now: i64,
    ) -> Result<usize, StorageError> {
        self.state().begin_again(channel_id.as_deref(), now)
    }

    async fn calls(&self, since: i64, before: i64) -> Result<Vec<StoredCall>, StorageError> {
        let state = self.state();
        let calls = state.calls.iter().map(|call| StoredCall {
            channel_name: state.name_of(call.purpose.scope, &call.purpose.scope_id),
            ..stored_call(call)
        });
        let mut calls: Vec<StoredCall> = calls
            .filter(|call| (since..before).contains(&call.started_at))
            .collect();
        calls.sort_by_key(|call| call.started_at);
        Ok(calls)
    }

    async fn calls_of_memory(&self, memory: u64) -> Result<CallsOfMemory, StorageError> {
        let state = self.state();
        let taken = state
            .calls
            .iter()
            .filter(|call| call.memory == Some(memory));
        let taken: Vec<&Call> = taken.collect();
        let newest = taken.iter().rev().find(|call| call.is_answered());
        let input = newest.and_then(|call| call.input.clone());
        Ok(CallsOfMemory {
            calls: taken.into_iter().map(stored_call).collect(),
            input_digest: input.map(|input| input.attempt),
        })
    }
}

/// A call without the name of its channel.
fn stored_call(call: &Call) -> StoredCall {
    let (purpose, record) = (&call.purpose, &call.record);
    StoredCall {
        agent: purpose.agent,
        scope: purpose.scope,
        scope_id: purpose.scope_id.clone(),
        memory_type: purpose.memory_type,
        channel_name: None,
        provider: record.provider.clone(),
        model: call.model.clone(),
        answered_by: record.model.clone(),
        started_at: milliseconds(record.started_at),
        duration: record.duration,
        attempts: record.attempts,
        input_tokens: record.input_tokens,
        cached_tokens: record.cached_tokens,
        output_tokens: record.output_tokens,
        finish_reason: record.finish_reason,
        error: record
            .error
            .as_ref()
            .map(|error| names::llm_error(error).to_owned()),
        digest: call.input.as_ref().map(|input| input.digest.clone()),
    }
}

impl State {
    pub(super) fn begin_again(
        &mut self,
        channel_id: Option<&str>,
        now: i64,
    ) -> Result<usize, StorageError> {
        if let Some(channel_id) = channel_id {
            self.conversation(channel_id)?;
        }
        let is_meant = |series: &Series| {
            let place = Place::of(series.scope(), &series.scope_id);
            channel_id.is_none_or(|id| place.hears(id))
        };
        let mut set_aside = 0;
        for (_, ids) in self.current.extract_if(.., |series, _| is_meant(series)) {
            for id in ids {
                if let Some(text) = self.texts.get_mut(&id) {
                    text.superseded_at = Some(now);
                    set_aside += 1;
                }
            }
        }
        self.deferrals.retain(|series, _| !is_meant(series));
        for (id, conversation) in &mut self.channels {
            if channel_id.is_some_and(|wanted| wanted != id) {
                continue;
            }
            conversation.changed_threads.clear();
            conversation.news = News::default();
            let oldest = conversation.all_shown().map(|(ts, _)| ts).next();
            conversation.history_through =
                oldest.map(|ts| TsKey::from_database(ts.to_database() - 1));
        }
        if channel_id.is_none() {
            self.backfill_tick = None;
        }
        Ok(set_aside)
    }

    /// The name of a stored channel: its id if there is no other.
    pub(super) fn channel_name(&self, channel_id: &str) -> Option<String> {
        let conversation = self.channels.get(channel_id)?;
        Some(conversation.shown_name(channel_id))
    }

    /// The name of the channel that something is about; `None` for the workspace.
    pub(super) fn name_of(&self, scope: Scope, scope_id: &str) -> Option<String> {
        let subject = parse_subject(scope, scope_id).ok()?;
        self.channel_name(&subject.channel_id?)
    }

    fn all_deferrals(&self) -> Vec<StoredDeferral> {
        let deferrals = self
            .deferrals
            .iter()
            .map(|(series, deferral)| StoredDeferral {
                scope: series.scope(),
                scope_id: series.scope_id.clone(),
                channel_name: self.name_of(series.scope(), &series.scope_id),
                deferral: deferral.clone(),
            });
        deferrals.collect()
    }

    fn deferred_memories(&self) -> Vec<Wait> {
        let deferred = self.all_deferrals().into_iter().map(|stored| {
            let layer = names::layer(stored.scope, stored.deferral.memory_type);
            let whose = match stored.scope {
                Scope::Workspace => String::new(),
                Scope::Channel | Scope::Thread => format!(" of {}", stored.scope_id),
            };
            Wait {
                kind: WaitKind::Memory,
                label: layer,
                what: format!("the {layer} memory{whose}"),
                until: stored.deferral.until.unix_seconds,
                why: stored.deferral.reason,
            }
        });
        deferred.collect()
    }

    fn waiting_answers(&self) -> Vec<Wait> {
        let replies = self.replies.iter();
        let waiting = replies.filter(|(_, reply)| reply.state == ReplyState::Waiting);
        let waits = waiting.map(|((channel_id, ts), reply)| Wait {
            kind: WaitKind::Answer,
            label: match reply.kind {
                ReplyKind::Mention => "mention",
                ReplyKind::Unasked => "unasked",
            },
            what: format!("the answer to {channel_id}:{ts}"),
            until: reply.next_try_at,
            why: failed(reply.failures),
        });
        waits.collect()
    }

    fn waiting_events(&self) -> Vec<Wait> {
        let events = self.events.iter();
        let waiting = events.filter(|stored| stored.progress == Progress::Waiting);
        let waits = waiting.map(|stored| Wait {
            kind: WaitKind::Event,
            label: "",
            what: format!("event {}", stored.event.event_id),
            until: stored.next_try_at,
            why: failed(stored.failures),
        });
        waits.collect()
    }

    fn waiting_channels(&self) -> Vec<Wait> {
        let waits = self.unread_channels.iter().map(|(id, unread)| Wait {
            kind: WaitKind::Channel,
            label: "",
            what: format!("reading {id}"),
            until: unread.next_try_at,
            why: failed(unread.tries),
        });
        waits.collect()
    }

    fn waiting_messages(&self) -> Vec<Wait> {
        let missing = self.missing_messages.iter();
        let waits = missing.map(|((channel_id, ts), missing)| Wait {
            kind: WaitKind::Message,
            label: "",
            what: format!("asking for {channel_id}:{ts}"),
            until: missing.next_try_at,
            why: failed(missing.tries),
        });
        waits.collect()
    }

    fn waiting_judgments(&self) -> Vec<Wait> {
        let waits = self
            .judgments
            .iter()
            .map(|((channel_id, thread), judgment)| {
                let thread = thread.map(|thread| format!(":{thread}"));
                Wait {
                    kind: WaitKind::Judgment,
                    label: "judged",
                    what: format!("the judgment of {channel_id}{}", thread.unwrap_or_default()),
                    until: judgment.until,
                    why: "it was judged, and nobody has written since".to_owned(),
                }
            });
        waits.collect()
    }
}

fn failed(times: u32) -> String {
    match times {
        1 => "it failed once".to_owned(),
        n => format!("it failed {n} times"),
    }
}
