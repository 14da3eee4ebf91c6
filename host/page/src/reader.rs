//! Reads what a page shows, as it may be seen in one place.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_bot::reading::memories::texts;
use myao_plugin::explain::explain_storage;
use myao_plugin::journal::StoredCall;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::state::view::{ChannelTally, MemoryFilter, Sources, StoredMemory, View};
use myao_plugin::storage::marks::begins;
use myao_plugin::storage::{Channel, Message, StorageError};
use myao_plugin::{MemoryType, Place, Response, Scope, SearchRequest, SearchResult, Timestamp};

use super::pages::Failure;
use super::{Site, Taken};

/// The newest marks of a channel that are shown.
const MARKS: u32 = 50;

/// What people marked in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkKind {
    Pinned,
    Correction,
}

impl MarkKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Correction => "correction",
        }
    }
}

/// A message that people marked.
pub(crate) struct Mark {
    pub(crate) kind: MarkKind,
    pub(crate) message: Message,
}

/// Reads for one request.
pub(crate) struct Reader {
    pub(crate) site: Arc<Site>,
    view: Arc<dyn View>,
}

impl Reader {
    pub(crate) fn new(site: Arc<Site>) -> Self {
        let view = site.workspace.view(site.place.clone());
        Self { site, view }
    }

    /// The workspace's address, for links to messages.
    pub(crate) fn address(&self) -> Option<&str> {
        self.site.address.as_deref()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.site.clock.now()
    }

    pub(crate) async fn channels(&self) -> Result<Vec<Channel>, Failure> {
        Ok(self.view.channels().await?)
    }

    pub(crate) async fn channel(&self, id: &str) -> Result<Channel, Failure> {
        let mut channels = self.view.channels().await?.into_iter();
        channels
            .find(|channel| channel.id == id)
            .ok_or(Failure::NoPage)
    }

    pub(crate) async fn tallies(&self, ids: Vec<String>) -> Result<Vec<ChannelTally>, Failure> {
        Ok(self.view.tallies(ids).await?)
    }

    /// All texts that a channel's memory has had, oldest first, without the texts themselves.
    pub(crate) async fn texts(
        &self,
        channel_id: &str,
        memory_type: MemoryType,
    ) -> Result<Vec<StoredMemory>, Failure> {
        let scope = Scope::Channel;
        Ok(texts(&*self.view, scope, channel_id, memory_type, false).await?)
    }

    /// The current memories of the workspace, with their texts.
    pub(crate) async fn of_workspace(&self) -> Result<Vec<StoredMemory>, Failure> {
        let filter = MemoryFilter {
            scope: Some(Scope::Workspace),
            with_text: true,
            ..MemoryFilter::default()
        };
        Ok(self.view.memories(filter).await?)
    }

    /// The memories of a channel's threads, without their texts.
    pub(crate) async fn of_threads(&self, channel_id: &str) -> Result<Vec<StoredMemory>, Failure> {
        let filter = MemoryFilter {
            threads_of: Some(channel_id.to_owned()),
            ..MemoryFilter::default()
        };
        Ok(self.view.memories(filter).await?)
    }

    /// Memories with their texts.
    pub(crate) async fn with_text(&self, ids: BTreeSet<u64>) -> Result<Vec<StoredMemory>, Failure> {
        let filter = MemoryFilter {
            ids: Some(ids),
            with_text: true,
            ..MemoryFilter::default()
        };
        Ok(self.view.memories(filter).await?)
    }

    pub(crate) async fn memory(&self, id: u64) -> Result<StoredMemory, Failure> {
        let found = self.with_text(BTreeSet::from([id])).await?;
        found.into_iter().next().ok_or(Failure::NoPage)
    }

    pub(crate) async fn sources(&self, id: u64) -> Result<Sources, Failure> {
        Ok(self.view.sources(id).await?)
    }

    /// What a memory took, for those whose memory it is; `None` if no model was asked.
    pub(crate) async fn taken(&self, stored: &StoredMemory) -> Result<Option<Taken>, Failure> {
        let memory = &stored.memory;
        if !self.site.place.owns(memory.scope, &memory.scope_id) {
            return Ok(None);
        }
        let calls = self.site.workspace.calls_of_memory(memory.id).await?;
        Ok((self.site.taken)(&calls))
    }

    /// What people marked in a channel, newest first.
    pub(crate) async fn marks(&self, channel_id: &str) -> Result<Vec<Mark>, Failure> {
        if !self.site.place.hears(channel_id) {
            return Ok(Vec::new());
        }
        let until = format!("{}.999999", self.now().unix_seconds);
        let storage = self.site.workspace.at(self.site.place.clone());
        let marked = storage.list_marked(channel_id.to_owned(), until, MARKS);
        let marks = marked.await?.into_iter().rev().filter_map(|marked| {
            let kind = match marked.is_pinned {
                true => Some(MarkKind::Pinned),
                false => kind_of(&marked.message.text, &self.site.bot),
            };
            let message = marked.message;
            kind.map(|kind| Mark { kind, message })
        });
        Ok(marks.collect())
    }

    /// Memories that could not be made, of what this place owns.
    pub(crate) async fn deferrals(&self) -> Result<Vec<StoredDeferral>, Failure> {
        let mut deferrals = self.site.workspace.deferrals().await?;
        deferrals.retain(|stored| self.site.place.owns(stored.scope, &stored.scope_id));
        Ok(deferrals)
    }

    /// The calls of models since a time in milliseconds since 1970, for what this place owns.
    pub(crate) async fn calls(&self, since: i64) -> Result<Vec<StoredCall>, Failure> {
        let mut calls = self.site.workspace.calls(since, i64::MAX).await?;
        calls.retain(|call| self.site.place.owns(call.scope, &call.scope_id));
        Ok(calls)
    }

    pub(crate) async fn search(&self, request: &SearchRequest) -> Result<SearchResult, Failure> {
        let place = self.site.place.clone();
        let found = self.site.plugin.search(place, request, self.now()).await;
        found.map_err(|error| Failure::Call(error.to_string()))
    }

    pub(crate) async fn ask(&self, question: &str) -> Result<Response, Failure> {
        let place: Place = self.site.place.clone();
        let answer = self.site.plugin.ask(place, question, self.now()).await;
        answer.map_err(|error| Failure::Call(error.to_string()))
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NotFound(_) => Self::NoPage,
            error => Self::Store(explain_storage(&error)),
        }
    }
}

/// What a message marks that begins with a mention of the bot (`@myao remember: …`), as the component reads it; `None`
/// if it is no mark.
fn kind_of(text: &str, bot: &str) -> Option<MarkKind> {
    let rest = text.trim_start().strip_prefix('@')?.strip_prefix(bot)?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",、，\u{200B}".contains(c));
    let is_correction = ["訂正", "correction"].iter().any(|word| {
        let head = rest.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    });
    begins(rest).then_some(match is_correction {
        true => MarkKind::Correction,
        false => MarkKind::Pinned,
    })
}

#[cfg(test)]
mod tests {
    use super::{MarkKind, kind_of};

    #[test]
    fn marks_are_read_as_the_component_reads_them() {
        for (text, expected) in [
            ("@myao remember: the code", Some(MarkKind::Pinned)),
            ("@myao、 覚えて：合言葉は海", Some(MarkKind::Pinned)),
            ("@myao Correction: 25 March", Some(MarkKind::Correction)),
            ("@myao 訂正: 25日", Some(MarkKind::Correction)),
            ("@myao do you remember?", None),
            ("@ben remember: x", None),
            ("remember: x", None),
        ] {
            assert_eq!(kind_of(text, "myao"), expected, "{text}");
        }
    }
}
