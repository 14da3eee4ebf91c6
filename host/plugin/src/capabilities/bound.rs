//! Binds a call into the component to its place: what it was given, and what it may therefore use.

use std::collections::{BTreeSet, HashSet};

use crate::Place;
use crate::bindings::chat::PostRequest;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::types::Scope;
use crate::error::Trespass;
use crate::storage::{Memory, MemoryDraft, MemoryId, Message};

/// What a call into the component is for, and what it was given so far.
pub(crate) struct Bound {
    place: Place,
    /// The message that may be answered.
    target: Option<Target>,
    /// The memories that it was given.
    memories: BTreeSet<MemoryId>,
    /// The ids of the messages that it was given. All are of the place's channel.
    messages: HashSet<String>,
}

impl Bound {
    pub(super) fn new(place: Place, target: Option<Target>) -> Self {
        Self {
            place,
            target,
            memories: BTreeSet::new(),
            messages: HashSet::new(),
        }
    }

    /// The memories that the call was given.
    pub(super) fn handed(&self) -> BTreeSet<MemoryId> {
        self.memories.clone()
    }

    pub(super) fn hand_memories(&mut self, memories: &[Memory]) {
        let ids = memories.iter().map(|memory| memory.id);
        self.memories.extend(ids);
    }

    pub(super) fn hand_messages(&mut self, messages: &[Message]) {
        let ids = messages.iter().map(|message| message.ts.clone());
        self.messages.extend(ids);
    }

    /// Whether this channel's messages may be used.
    pub(super) fn hears(&self, channel_id: &str, action: &str) -> Result<(), Trespass> {
        if self.place.hears(channel_id) {
            return Ok(());
        }
        Err(self.trespass(format!("{action} channel {channel_id}")))
    }

    /// Whether memories with this scope may be made.
    pub(super) fn owns(&self, scope: Scope, scope_id: &str, action: &str) -> Result<(), Trespass> {
        if self.place.owns(scope, scope_id) {
            return Ok(());
        }
        Err(self.trespass(format!("{action} {scope_id}")))
    }

    /// Whether what is due may be read.
    pub(super) fn schedules(&self) -> Result<(), Trespass> {
        match self.place {
            Place::Schedule | Place::Operator => Ok(()),
            _ => Err(self.trespass("read what is due".to_owned())),
        }
    }

    /// Whether a draft is of this place, and cites only what the call was given.
    pub(super) fn may_save(&self, draft: &MemoryDraft) -> Result<(), Trespass> {
        self.owns(draft.scope, &draft.scope_id, "save a memory of")?;
        if !draft.source_channel_id.is_empty() {
            self.hears(&draft.source_channel_id, "save a memory of messages of")?;
        }
        let merged = draft.source_memories.iter().chain(&draft.merged_through);
        if let Some(id) = merged.into_iter().find(|id| !self.memories.contains(id)) {
            return Err(self.trespass(format!("cite memory {id}, which it was not given")));
        }
        let mut messages = draft.source_messages.iter();
        match messages.find(|ts| !self.messages.contains(*ts)) {
            Some(ts) => Err(self.trespass(format!("cite message {ts}, which it was not given"))),
            None => Ok(()),
        }
    }

    /// Whether a post answers the message that the call is for, and there.
    pub(super) fn may_post(&self, request: &PostRequest) -> Result<(), Trespass> {
        let is_target = self.target.as_ref().is_some_and(|target| {
            target.channel_id == request.channel_id
                && target.thread_ts == request.thread_ts
                && target.message_ts == request.answers
        });
        if is_target {
            return Ok(());
        }
        let thread = request.thread_ts.as_deref().unwrap_or("none");
        Err(self.trespass(format!(
            "answer message {} in channel {}, thread {thread}",
            request.answers, request.channel_id
        )))
    }

    fn trespass(&self, action: String) -> Trespass {
        Trespass {
            place: self.place.clone(),
            action,
        }
    }
}
