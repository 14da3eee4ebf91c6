//! Erases what edited and deleted messages said from everything that was made from them.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::forgetting::Erased;
use myao_plugin::state::outbox::PartState;
use myao_plugin::storage::MemoryId;
use myao_plugin::ts::TsKey;
use myao_plugin::{Citation, Engine, MemoryType, Place, Scope, erasure};

use super::State;
use super::memories::StoredText;

/// What a text whose lines are all erased reads.
pub(super) const NOTHING_LEFT: &str = erasure::NOTHING_LEFT;

/// A channel's id and a message.
type MessageId = (String, TsKey);

/// When messages were edited or deleted, and when lines of memories were erased.
#[derive(Debug, Clone, Default)]
pub(super) struct Revisions {
    /// The number of the newest erasure.
    pub(super) newest: u64,
    messages: BTreeMap<MessageId, u64>,
    memories: BTreeMap<MemoryId, u64>,
}

impl Revisions {
    /// Whether a text was removed, or lines of it.
    pub(super) fn has_lost(&self, memory: MemoryId) -> bool {
        self.memories.contains_key(&memory)
    }

    /// Whether a message or a memory has changed or gone after a revision.
    pub(super) fn has_changed(
        &self,
        messages: &BTreeSet<MessageId>,
        memories: &BTreeSet<MemoryId>,
        since: u64,
    ) -> bool {
        let is_later = |revision: Option<&u64>| revision > Some(&since);
        messages.iter().any(|id| is_later(self.messages.get(id)))
            || memories.iter().any(|id| is_later(self.memories.get(id)))
    }
}

impl State {
    /// Erases what messages said.
    pub(super) fn erase(&mut self, messages: &BTreeSet<MessageId>) -> Erased {
        let mut erased = Erased {
            messages: messages.len(),
            ..Erased::default()
        };
        if messages.is_empty() {
            return erased;
        }
        self.revisions.newest += 1;
        let revision = self.revisions.newest;
        let revised = messages.iter().map(|id| (id.clone(), revision));
        self.revisions.messages.extend(revised);
        for (id, text) in &mut self.texts {
            let records = &mut text.memory.records;
            let before = records.len();
            records.retain(|span| of_ref(&span.message).is_none_or(|of| !messages.contains(&of)));
            if records.len() < before {
                self.revisions.memories.insert(*id, revision);
            }
        }
        // A memory is newer than those that its call was given.
        let ids: Vec<MemoryId> = self.texts.keys().copied().collect();
        let mut holding: BTreeSet<MemoryId> = BTreeSet::new();
        let mut imported = Vec::new();
        let mut versions: BTreeSet<(String, MemoryId)> = BTreeSet::new();
        let mut speakers: BTreeSet<MessageId> = BTreeSet::new();
        for id in ids {
            let Some(text) = self.texts.get(&id) else {
                continue;
            };
            let lines = lines_of(text);
            let may_hold = may_hold(text, messages, &holding);
            let is_current_long_term =
                text.superseded_at.is_none() && text.memory.memory_type == MemoryType::LongTerm;
            let is_gone = |line: &Citation| {
                let mut cited = line.messages.iter().filter_map(of_ref);
                cited.any(|of| messages.contains(&of)) || (line.messages.is_empty() && may_hold)
            };
            let gone: BTreeSet<usize> = (0..)
                .zip(&lines)
                .filter(|(_, line)| is_gone(line))
                .map(|(number, _)| number)
                .collect();
            // What a text of unknown origin held may be in others, though its age has emptied it.
            if !gone.is_empty() || (may_hold && text.handed.is_none()) {
                holding.insert(id);
            }
            if !gone.is_empty() {
                erased.lines += gone.len();
                erased.memories += 1;
                let cited = lines.iter().enumerate();
                let cited = cited.filter(|(number, _)| gone.contains(number));
                let cited = cited.flat_map(|(_, line)| line.messages.iter().filter_map(of_ref));
                if is_current_long_term {
                    speakers.extend(cited.filter(|of| !messages.contains(of)));
                }
                if text.memory.engine == Engine::Imported && text.memory.scope == Scope::Channel {
                    imported.push(id);
                }
                self.make_anew(id);
                self.erase_lines(id, &lines, &gone);
                self.revisions.memories.insert(id, revision);
                versions.extend(self.channel_of(id).map(|channel_id| (channel_id, id)));
            }
        }
        for (channel_id, ts) in messages {
            let version = self.version_with(channel_id, *ts);
            versions.extend(version.map(|version| (channel_id.clone(), version)));
        }
        for (channel_id, version) in versions {
            erased.remembered_anew += self.wait_again(&channel_id, version);
        }
        // What a line of a long-term memory said of other messages comes back with them.
        for (channel_id, ts) in &speakers {
            erased.remembered_anew += usize::from(self.wait_alone(channel_id, *ts));
        }
        for id in imported {
            erased.remembered_anew += self.wait_for_imported(id);
        }
        erased.events = self.drop_events_of(messages);
        erased += self.drop_copies(messages);
        erased
    }

    /// Ends the deferral of a memory that loses lines; a thread's is made again.
    fn make_anew(&mut self, id: MemoryId) {
        let Some(memory) = self.texts.get(&id).map(|text| &text.memory) else {
            return;
        };
        let (scope, scope_id) = (memory.scope, memory.scope_id.clone());
        self.deferrals
            .retain(|series, _| series.scope() != scope || series.scope_id != scope_id);
        if let (Scope::Thread, Some((channel_id, thread))) = (scope, scope_id.split_once(':'))
            && let Ok(thread) = TsKey::parse(thread)
        {
            self.threads_to_make_anew
                .insert((channel_id.to_owned(), thread));
        }
    }

    /// The channel of a channel's memory.
    fn channel_of(&self, id: MemoryId) -> Option<String> {
        let memory = &self.texts.get(&id)?.memory;
        (memory.scope == Scope::Channel).then(|| memory.scope_id.clone())
    }

    /// Removes a whole text. Returns how many lines it had.
    pub(super) fn remove_text(&mut self, id: MemoryId) -> usize {
        let Some(text) = self.texts.get_mut(&id) else {
            return 0;
        };
        if text.memory.content == NOTHING_LEFT {
            return 0;
        }
        self.revisions.newest += 1;
        self.revisions.memories.insert(id, self.revisions.newest);
        let lines = erasure::lines(&text.memory.content, &text.memory.citations).len();
        NOTHING_LEFT.clone_into(&mut text.memory.content);
        text.memory.citations.clear();
        text.memory.records.clear();
        text.handed = None;
        lines
    }

    /// Takes lines out of a text.
    fn erase_lines(&mut self, id: MemoryId, lines: &[Citation], gone: &BTreeSet<usize>) {
        let Some(text) = self.texts.get_mut(&id) else {
            return;
        };
        let (content, kept) =
            erasure::without(&text.memory.content, lines, |line| gone.contains(&line));
        text.memory.content = content;
        text.memory.citations = kept;
        if text.memory.content.is_empty() {
            NOTHING_LEFT.clone_into(&mut text.memory.content);
            // Nothing is made from it, and what was made from it before has lost its lines now.
            text.handed.get_or_insert_default();
        }
    }

    /// Drops what holds the texts besides: recordings, answers of the model that wait for their memory, and answers to
    /// people that are not sent yet. It is not kept what those were made from.
    pub(super) fn drop_copies(&mut self, messages: &BTreeSet<MessageId>) -> Erased {
        let mut erased = Erased {
            recordings: self.recordings.len(),
            ..Erased::default()
        };
        self.recordings
            .iter_mut()
            .for_each(super::recordings::StoredRecording::clear);
        let channels: BTreeSet<&String> =
            messages.iter().map(|(channel_id, _)| channel_id).collect();
        for channel_id in channels {
            let is_public = self.is_public(channel_id);
            for call in &mut self.calls {
                let place = Place::of(call.purpose.scope, &call.purpose.scope_id);
                if is_public || place.hears(channel_id) {
                    erased.model_answers += usize::from(call.answer.take().is_some());
                }
            }
            for ((of_channel, _), reply) in &mut self.replies {
                if is_public || of_channel == channel_id {
                    let before = reply.parts.len();
                    reply.parts.retain(|part| part.state != PartState::NotSent);
                    erased.unsent_parts += before - reply.parts.len();
                    for part in &mut reply.parts {
                        if part.state == PartState::MaybeSent {
                            part.text.clear();
                        }
                    }
                }
            }
        }
        erased
    }
}

/// The lines of a text; none if all were erased.
fn lines_of(text: &StoredText) -> Vec<Citation> {
    let memory = &text.memory;
    if memory.content == NOTHING_LEFT && memory.citations.is_empty() {
        return Vec::new();
    }
    erasure::lines(&memory.content, &memory.citations)
}

/// Whether a line without a known source may repeat one of these messages, or one of the memories that repeat some of them.
fn may_hold(
    text: &StoredText,
    messages: &BTreeSet<MessageId>,
    holding: &BTreeSet<MemoryId>,
) -> bool {
    if let Some(handed) = &text.handed {
        return !handed.messages.is_disjoint(messages) || !handed.memories.is_disjoint(holding);
    }
    let memory = &text.memory;
    let latest = memory.source_latest_message_ts.as_deref();
    let latest = latest.and_then(|ts| TsKey::parse(ts).ok());
    let made_at = TsKey::first_of(memory.updated_at.unix_seconds + 1);
    let oldest = messages.iter().map(|(_, ts)| *ts).min();
    if latest.is_some_and(|latest| Some(latest.max(made_at)) < oldest) {
        return false;
    }
    messages.iter().any(|(channel_id, _)| match &text.origins {
        Some(origins) => origins.contains(channel_id),
        None => {
            memory.scope == Scope::Workspace
                || Place::of(memory.scope, &memory.scope_id).hears(channel_id)
        }
    })
}

fn of_ref(of: &myao_plugin::MessageRef) -> Option<MessageId> {
    Some((of.channel_id.clone(), TsKey::parse(&of.ts).ok()?))
}
