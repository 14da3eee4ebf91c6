//! Binds a call into the component to its place: it may use only texts that it was given.

use std::collections::{BTreeSet, HashSet};

use super::{Bounds, Purpose};
use crate::bindings::chat::PostRequest;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::types::{KeptSpan, KeptText, Scope};
use crate::error::Trespass;
use crate::storage::recall::Candidates;
use crate::storage::{Memory, MemoryDraft, MemoryId, Message};
use crate::ts::TsKey;
use crate::{Citation, MessageRef, Place, printable};

/// A longer action is cut in the error: the component chose the ids in it.
const MAX_ACTION_BYTES: usize = 200;

/// The writes that a call may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    Nothing,
    Memories,
    Posts,
}

/// The purpose and the limits of a call into the component, and the texts that it was given so far.
pub(crate) struct Bound {
    place: Place,
    /// The message that may be answered.
    target: Option<Target>,
    changes: Changes,
    /// The only scope id of the workspace's memories.
    workspace_scope_id: String,
    /// The memories that it was given.
    memories: BTreeSet<MemoryId>,
    /// The ids of the messages that it was given. All are of the place's channel.
    messages: HashSet<String>,
    /// The messages of any channel that it was given by a search, or that those memories cite or keep a part of: channel and
    /// id.
    cited: HashSet<(String, String)>,
}

impl Bound {
    pub(super) fn new(bounds: Bounds, purpose: &Purpose, workspace_scope_id: &str) -> Self {
        Self {
            place: bounds.place,
            target: bounds.target,
            changes: match purpose {
                Purpose::Look => Changes::Nothing,
                Purpose::Make(_) => Changes::Memories,
                Purpose::Reply => Changes::Posts,
            },
            workspace_scope_id: workspace_scope_id.to_owned(),
            memories: BTreeSet::new(),
            messages: HashSet::new(),
            cited: HashSet::new(),
        }
    }

    /// The memories that the call was given.
    pub(super) fn handed(&self) -> BTreeSet<MemoryId> {
        self.memories.clone()
    }

    pub(super) fn hand_memories(&mut self, memories: &[Memory]) {
        let ids = memories.iter().map(|memory| memory.id);
        self.memories.extend(ids);
        let citations = memories.iter().flat_map(|memory| &memory.citations);
        let cited = citations.flat_map(|citation| &citation.messages);
        let records = memories.iter().flat_map(|memory| &memory.records);
        let cited = cited.chain(records.map(|span| &span.message));
        self.cited
            .extend(cited.map(|of| (of.channel_id.clone(), of.ts.clone())));
    }

    pub(super) fn hand_messages(&mut self, messages: &[Message]) {
        let ids = messages.iter().map(|message| message.ts.clone());
        self.messages.extend(ids);
    }

    pub(super) fn hand_texts(&mut self, texts: &[KeptText]) {
        self.hand_references(texts.iter().map(|text| &text.span.message));
    }

    pub(super) fn hand_references<'m>(&mut self, messages: impl Iterator<Item = &'m MessageRef>) {
        self.cited
            .extend(messages.map(|at| (at.channel_id.clone(), at.ts.clone())));
    }

    pub(super) fn hand_candidates(&mut self, found: &Candidates) {
        self.hand_references(found.messages.iter().map(|found| &found.at));
    }

    /// Refuses a channel whose messages may not be used.
    pub(super) fn hears(&self, channel_id: &str, action: &str) -> Result<(), Trespass> {
        if self.place.hears(channel_id) {
            return Ok(());
        }
        Err(self.trespass(format!("{action} channel {channel_id}")))
    }

    /// Refuses to link to a message that is neither of the place's channel nor one that the call was given.
    pub(super) fn may_link(&self, channel_id: &str, ts: &str) -> Result<(), Trespass> {
        let of = MessageRef {
            channel_id: channel_id.to_owned(),
            ts: ts.to_owned(),
        };
        if self.was_given(&of) {
            return Ok(());
        }
        self.hears(channel_id, "link to a message of")
    }

    /// Refuses a scope whose memories are not made here.
    pub(super) fn owns(&self, scope: Scope, scope_id: &str, action: &str) -> Result<(), Trespass> {
        // A replay repeats the recorded call.
        if self.place == Place::Operator
            || (self.place.owns(scope, scope_id) && self.is_scope_id(scope, scope_id))
        {
            return Ok(());
        }
        Err(self.trespass(format!("{action} {scope_id}")))
    }

    /// Refuses a call of a model for another place. The question of a person is accounted to the workspace.
    pub(super) fn accounts(&self, scope: Scope, scope_id: &str) -> Result<(), Trespass> {
        let is_persons = matches!(self.place, Place::Person(_)) && scope == Scope::Workspace;
        if is_persons && self.is_scope_id(scope, scope_id) {
            return Ok(());
        }
        self.owns(scope, scope_id, "ask a model for")
    }

    /// Returns true if this is the id of a thread, a channel or this workspace, so that nothing else is stored or
    /// accounted as one.
    fn is_scope_id(&self, scope: Scope, scope_id: &str) -> bool {
        match scope {
            Scope::Workspace => scope_id == self.workspace_scope_id,
            Scope::Channel => true,
            Scope::Thread => scope_id
                .rsplit_once(':')
                .is_some_and(|(_, ts)| TsKey::parse(ts).is_ok()),
        }
    }

    /// Refuses to read names and texts in a place that has none.
    pub(super) fn reads(&self, what: &str) -> Result<(), Trespass> {
        match self.place {
            Place::Schedule => Err(self.trespass(format!("read {what}"))),
            Place::Channel(_) | Place::Workspace | Place::Person(_) | Place::Operator => Ok(()),
        }
    }

    /// Refuses a search in a place that has no messages.
    pub(super) fn searches(&self) -> Result<(), Trespass> {
        match self.place {
            Place::Schedule => Err(self.trespass("search messages".to_owned())),
            Place::Channel(_) | Place::Workspace | Place::Person(_) | Place::Operator => Ok(()),
        }
    }

    /// Refuses to look up people in a place where nobody is answered.
    pub(super) fn knows_people(&self, id: &str) -> Result<(), Trespass> {
        match self.place {
            Place::Channel(_) | Place::Operator => Ok(()),
            Place::Workspace | Place::Person(_) | Place::Schedule => {
                Err(self.trespass(format!("look up the person {id}")))
            }
        }
    }

    /// Refuses to save or defer a memory that this call does not make.
    pub(super) fn makes(&self, scope: Scope, scope_id: &str, action: &str) -> Result<(), Trespass> {
        self.owns(scope, scope_id, action)?;
        if self.changes == Changes::Memories {
            return Ok(());
        }
        Err(self.trespass(format!(
            "{action} {scope_id} in a call that makes no memories"
        )))
    }

    /// Refuses to read what is due outside the schedule.
    pub(super) fn schedules(&self) -> Result<(), Trespass> {
        match self.place {
            Place::Schedule => Ok(()),
            // A replay repeats the recorded call. For others the store would note the schedule that it returned.
            Place::Operator if self.changes == Changes::Memories => Ok(()),
            _ => Err(self.trespass("read what is due".to_owned())),
        }
    }

    /// Refuses a draft of another place, and citations of messages that the call was not given.
    pub(super) fn may_save(&self, draft: &MemoryDraft) -> Result<(), Trespass> {
        self.makes(draft.scope, &draft.scope_id, "save a memory of")?;
        if !draft.source_channel_id.is_empty() {
            self.hears(&draft.source_channel_id, "save a memory of messages of")?;
        }
        let merged = draft.source_memories.iter().chain(&draft.merged_through);
        if let Some(id) = merged.into_iter().find(|id| !self.memories.contains(id)) {
            return Err(self.trespass(format!("cite memory {id}, which it was not given")));
        }
        if let Some(id) = draft.expected.filter(|id| !self.memories.contains(id)) {
            return Err(self.trespass(format!("replace memory {id}, which it was not given")));
        }
        let kept = draft.records.iter().map(|span| &span.message);
        let items = draft.items.iter();
        let said = items.flat_map(|change| [&change.title.message, &change.message]);
        self.may_cite(&draft.citations, kept.chain(said))?;
        self.items_are_own(draft)?;
        let mut messages = draft.source_messages.iter();
        match messages.find(|ts| !self.messages.contains(*ts)) {
            Some(ts) => Err(self.trespass(format!("cite message {ts}, which it was not given"))),
            None => Ok(()),
        }
    }

    /// Refuses changes of items of another channel than the draft's.
    fn items_are_own(&self, draft: &MemoryDraft) -> Result<(), Trespass> {
        let mut messages = draft
            .items
            .iter()
            .flat_map(|change| [&change.title.message, &change.message]);
        match messages.find(|of| draft.scope != Scope::Channel || of.channel_id != draft.scope_id) {
            Some(of) => Err(self.trespass(format!("change an item of {}", of.channel_id))),
            None => Ok(()),
        }
    }

    /// Returns true if the call was given every message that lines cite, and these ones.
    fn may_cite<'m>(
        &self,
        lines: &'m [Citation],
        more: impl Iterator<Item = &'m MessageRef>,
    ) -> Result<(), Trespass> {
        let mut cited = lines.iter().flat_map(|line| &line.messages).chain(more);
        match cited.find(|of| !self.was_given(of)) {
            Some(MessageRef { channel_id, ts }) => Err(self.trespass(format!(
                "cite message {ts} of {channel_id}, which it was not given"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses to read parts of messages that the call was not given, neither directly nor by a memory.
    pub(super) fn may_read(&self, spans: &[KeptSpan]) -> Result<(), Trespass> {
        self.reads("messages")?;
        let mut messages = spans.iter().map(|span| &span.message);
        match messages.find(|of| self.place != Place::Operator && !self.was_given(of)) {
            Some(MessageRef { channel_id, ts }) => {
                let action = format!("read message {ts} of {channel_id}, which it was not given");
                Err(self.trespass(action))
            }
            None => Ok(()),
        }
    }

    /// Returns true if the call was given a message, or a memory that cites it.
    fn was_given(&self, of: &MessageRef) -> bool {
        (self.place.hears(&of.channel_id) && self.messages.contains(&of.ts))
            || self.cited.contains(&(of.channel_id.clone(), of.ts.clone()))
    }

    /// Refuses a post that does not answer the call's message in its conversation, or cites messages that the call was
    /// not given.
    pub(super) fn may_post(&self, request: &PostRequest) -> Result<(), Trespass> {
        let is_target = self.target.as_ref().is_some_and(|target| {
            target.channel_id == request.channel_id
                && target.thread_ts == request.thread_ts
                && target.message_ts == request.answers
        });
        if is_target && self.changes == Changes::Posts {
            return self.may_cite(&request.citations, std::iter::empty());
        }
        let thread = request.thread_ts.as_deref().unwrap_or("none");
        Err(self.trespass(format!(
            "answer message {} in channel {}, thread {thread}",
            request.answers, request.channel_id
        )))
    }

    fn trespass(&self, action: String) -> Trespass {
        let shown = printable::line(&action);
        let end = shown.floor_char_boundary(MAX_ACTION_BYTES);
        Trespass {
            place: self.place.clone(),
            action: shown.get(..end).unwrap_or_default().to_owned(),
        }
    }
}
