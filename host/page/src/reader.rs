//! Reads the content of pages, as it may be seen in one place.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_bot::budget::is_spent;
use myao_bot::corrections::Corrections;
use myao_bot::reading::memories::texts;
use myao_plugin::explain::explain_storage;
use myao_plugin::journal::StoredCall;
use myao_plugin::state::Workspace;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::state::view::{
    ChannelTally, MemoryFilter, Sources, StoredAnswer, StoredMemory, View,
};
use myao_plugin::storage::{Channel, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{
    CallError, Error, KeptSpan, KeptText, MemoryType, MessageRef, Place, Response, Scope,
    SearchRequest, SearchResult, Strikable, Timestamp,
};

use super::failure::Failure;
use super::html::Links;
use super::visitor::{Visit, Visitor};
use super::{Site, Taken};

/// Reads for one request.
pub(crate) struct Reader {
    pub(crate) site: Arc<Site>,
    view: Arc<dyn View>,
    visit: Visit,
}

impl Reader {
    pub(crate) fn new(site: Arc<Site>, visit: Visit) -> Self {
        let view = site.workspace.view(visit.visitor.place());
        Self { site, view, visit }
    }

    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visit.visitor
    }

    /// The workspace, where the visitor acts.
    pub(crate) fn changed(&self) -> Arc<dyn Workspace> {
        self.site.workspace.by(self.visitor().actor())
    }

    /// The secret of forms.
    pub(crate) fn token(&self) -> &str {
        &self.visit.form_token
    }

    /// The place whose texts the visitor may see.
    pub(crate) fn place(&self) -> Place {
        self.visit.visitor.place()
    }

    /// The context of links to messages.
    pub(crate) fn links(&self) -> Links {
        Links {
            address: self.site.address.clone(),
            can_change: self.visitor().may_mark(),
        }
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

    async fn sees(&self, channel_id: &str) -> Result<bool, Failure> {
        let channels = self.view.channels().await?;
        Ok(channels.iter().any(|channel| channel.id == channel_id))
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

    /// A message with its whole text.
    pub(crate) async fn message(&self, channel_id: &str, ts: TsKey) -> Result<KeptText, Failure> {
        let whole = KeptSpan {
            message: MessageRef {
                channel_id: channel_id.to_owned(),
                ts: ts.to_string(),
            },
            start: 0,
            length: u32::MAX,
        };
        let storage = self.site.workspace.at(self.place());
        let found = storage.read_spans(vec![whole]).await?;
        found.into_iter().next().ok_or(Failure::NoPage)
    }

    /// The newest answers of the bot.
    pub(crate) async fn answers(
        &self,
        judged: Option<bool>,
        limit: u32,
    ) -> Result<Vec<StoredAnswer>, Failure> {
        Ok(self.view.answers(judged, limit).await?)
    }

    pub(crate) async fn sources(&self, id: u64) -> Result<Sources, Failure> {
        Ok(self.view.sources(id).await?)
    }

    /// The cost of a memory, for those whose memory it is; `None` if no model was asked.
    pub(crate) async fn taken(&self, stored: &StoredMemory) -> Result<Option<Taken>, Failure> {
        let memory = &stored.memory;
        if !self.place().owns(memory.scope, &memory.scope_id) {
            return Ok(None);
        }
        let calls = self.site.workspace.calls_of_memory(memory.id).await?;
        Ok((self.site.taken)(&calls))
    }

    /// The marks of people in a channel, and the lines of its memories that these replace; `None` where its messages may
    /// not be seen.
    pub(crate) async fn corrections(
        &self,
        channel_id: &str,
    ) -> Result<Option<Corrections>, Failure> {
        if !self.sees(channel_id).await? {
            return Ok(None);
        }
        let read = Corrections::read(&self.site.current.plugin(), channel_id, self.now()).await;
        let read = read.map_err(|error| Failure::Call(error.to_string()))?;
        Ok(Some(read))
    }

    /// What a correction may strike.
    pub(crate) async fn strikable(
        &self,
        channel_id: &str,
        correction: TsKey,
    ) -> Result<Vec<Strikable>, Failure> {
        let (plugin, ts) = (self.site.current.plugin(), correction.to_string());
        let found = plugin.list_strikable(channel_id, &ts, self.now()).await;
        found.map_err(failed)
    }

    /// Memories of this place that could not be made.
    pub(crate) async fn deferrals(&self) -> Result<Vec<StoredDeferral>, Failure> {
        let mut deferrals = self.site.workspace.deferrals().await?;
        deferrals.retain(|stored| self.place().owns(stored.scope, &stored.scope_id));
        Ok(deferrals)
    }

    /// The calls of models for this place, since a time in milliseconds since 1970.
    pub(crate) async fn calls(&self, since: i64) -> Result<Vec<StoredCall>, Failure> {
        let mut calls = self.site.workspace.calls(since, i64::MAX).await?;
        calls.retain(|call| self.place().owns(call.scope, &call.scope_id));
        Ok(calls)
    }

    pub(crate) async fn search(&self, request: &SearchRequest) -> Result<SearchResult, Failure> {
        let place = self.place();
        let found = self
            .site
            .current
            .plugin()
            .search(place, request, self.now())
            .await;
        found.map_err(failed)
    }

    pub(crate) async fn ask(&self, question: &str) -> Result<Response, Failure> {
        let place = self.place();
        let answer = self
            .site
            .current
            .plugin()
            .ask(place, question, self.now())
            .await;
        answer.map_err(failed)
    }
}

fn failed(error: CallError) -> Failure {
    match error {
        CallError::Refused(refused) if refused.is_question_too_long() => Failure::TooLong,
        error if is_spent(&error) => Failure::Spent,
        CallError::Refused(refused @ (Error::Llm(_) | Error::BadAnswer(_))) => {
            Failure::NoAnswer(CallError::Refused(refused).to_string())
        }
        error => Failure::Call(error.to_string()),
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
