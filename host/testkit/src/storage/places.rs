//! What may be seen from a place, and whether what a call was given still holds when it saves.

use super::*;

impl Conversation {
    /// In a private channel that the bot left, it does not hear of deletions: it is the operator's alone.
    fn is_hidden(&self) -> bool {
        self.is_left && self.facts.is_private != Some(false)
    }
}

impl State {
    /// Whether a channel's talk may be shown in a place: in its own channel, to a person in it, and elsewhere if it is open.
    pub(super) fn shows_channel(&self, place: &Place, id: &str) -> bool {
        self.is_own(place, id) || (self.sees_open(place) && self.is_open(id))
    }

    /// Returns true if the messages of a channel that a place hears may be read there.
    pub(super) fn is_own(&self, place: &Place, id: &str) -> bool {
        let channel = self.channels.get(id);
        match place {
            Place::Person(user) => {
                channel.is_some_and(|of| !of.is_left && of.members.contains(user))
            }
            Place::Channel(_) => place.hears(id) && !channel.is_some_and(Conversation::is_hidden),
            _ => place.hears(id),
        }
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        let is_left = self.channels.get(id).is_some_and(|of| of.is_left);
        !is_left && self.audience(id).is_open()
    }

    /// Who reads a channel. Of one that is not stored nothing is known.
    pub(super) fn audience(&self, id: &str) -> Audience {
        let facts = self.channels.get(id).map(|of| of.facts);
        facts.unwrap_or_default().audience()
    }

    /// Whether what is open elsewhere may be shown in a place.
    pub(super) fn sees_open(&self, place: &Place) -> bool {
        let is_hidden = |id| self.channels.get(id).is_some_and(Conversation::is_hidden);
        match place {
            Place::Operator | Place::Workspace => true,
            Place::Schedule => false,
            Place::Person(id) => self.is_member(id),
            Place::Channel(id) => self.audience(id).sees_open() && !is_hidden(id),
        }
    }

    pub(super) fn is_member(&self, user_id: &str) -> bool {
        self.users.get(user_id).is_some_and(|user| !user.is_bot)
    }

    /// Whether a memory may be shown in a place, by who reads the channels now from which it was made.
    pub(super) fn shows(&self, place: &Place, text: &Text) -> bool {
        let sees_open = self.sees_open(place);
        let shows =
            |id: &String| self.is_own(place, id) || (sees_open && self.audience(id).is_open());
        *place == Place::Operator || text.origins.iter().all(shows)
    }

    pub(super) fn shows_all(&self, place: &Place, memories: &BTreeSet<MemoryId>) -> bool {
        let mut texts = memories.iter().map(|id| self.texts.get(id));
        texts.all(|text| text.is_some_and(|text| self.shows(place, text)))
    }
}

impl Places for MemoryStorage {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Opened {
            storage: self.clone(),
            place,
            given: Mutex::default(),
        })
    }
}

/// A workspace that was opened for a place.
pub(super) struct Opened {
    pub(super) storage: MemoryStorage,
    pub(super) place: Place,
    given: Mutex<Given>,
}

/// What the call was given so far, and the revision at the first time.
#[derive(Default)]
struct Given {
    since: Option<u64>,
    messages: BTreeSet<MessageId>,
}

impl Opened {
    /// Notes that the call is given these messages.
    pub(super) fn give(&self, state: &State, messages: impl IntoIterator<Item = MessageId>) {
        let mut given = self.lock();
        given.since.get_or_insert(state.revision);
        given.messages.extend(messages);
    }

    fn lock(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The messages that the call was given, and since when.
    ///
    /// # Errors
    /// `conflict` if one of them, or of these memories, has changed or gone, or may not be seen any more. The operator's
    /// replay does what was recorded.
    pub(super) fn given(
        &self,
        state: &State,
        memories: &BTreeSet<MemoryId>,
    ) -> Result<(BTreeSet<MessageId>, u64)> {
        let given = self.lock();
        let since = given.since.unwrap_or(state.revision);
        let has_changed = |(id, ts): &MessageId| {
            let message = state.channels.get(id).and_then(|of| of.messages.get(ts));
            message.is_some_and(|of| of.revision > since) || !state.shows_channel(&self.place, id)
        };
        let mut texts = memories.iter().filter_map(|id| state.texts.get(id));
        let is_lost = texts.any(|text| text.revision > since);
        if self.place != Place::Operator && (is_lost || given.messages.iter().any(has_changed)) {
            let text = "a message or a memory that the call was given has changed: read again";
            return Err(StorageError::Conflict(text.to_owned()));
        }
        Ok((given.messages.clone(), since))
    }

    pub(super) fn hear(&self, channel_id: &str) -> Result<()> {
        self.allow(self.place.hears(channel_id), channel_id)
    }

    pub(super) fn own(&self, scope: Scope, scope_id: &str) -> Result<()> {
        self.allow(self.place.owns(scope, scope_id), scope_id)
    }

    pub(super) fn allow(&self, may: bool, what: &str) -> Result<()> {
        let error = || StorageError::NotFound(format!("`{what}` is not seen from {}", self.place));
        may.then_some(()).ok_or_else(error)
    }
}
