//! What the store holds, as Slack shows it: the App Home tab and the answers to `/memory`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _};
use myao_plugin::chat::Chat;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::view::{
    MemoryFilter, SourceLine, SourceMessage, Sources, StoredMemory, View,
};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptText, MemoryType, MessageRef, Place, Scope, Timestamp};
use myao_slack::blocks::{
    HistoryView, HomeChannel, HomeContent, MemorySources, MemoryText, MemoryView, Moment, Source,
    SourcedLine, SourcesView,
};
use myao_slack::command::SourcesOf;

use super::clock::Clock;
use super::corrections::Corrections;
use super::current::Current;

/// How many messages an answer links to: each link costs a call.
const LINKED_SOURCES: usize = 20;
/// How many messages of a line are shown.
const MESSAGES_OF_LINE: usize = 3;
/// How many messages of a memory are shown below its text, and below how many texts of the Home tab.
const MESSAGES_OF_MEMORY: usize = 2;
const SOURCED_AT_HOME: usize = 10;
/// How many records are shown.
const RECORDS: usize = 20;
/// How many links are requested at once, and how many channels' corrections.
const CALLS_IN_FLIGHT: usize = 5;
/// Slack shows no more channels on the Home tab.
const CHANNELS_AT_HOME: usize = 50;

/// Reads the store to show it to people.
#[derive(Clone)]
pub struct Views {
    workspace: Arc<dyn Workspace>,
    /// Where links to messages come from.
    chat: Arc<dyn Chat>,
    /// The component tells what corrections replace.
    current: Current,
    clock: Clock,
}

impl Views {
    /// Reads a workspace; links to messages come from `chat`.
    #[must_use]
    pub fn new(
        workspace: Arc<dyn Workspace>,
        chat: Arc<dyn Chat>,
        current: Current,
        clock: Clock,
    ) -> Self {
        Self {
            workspace,
            chat,
            current,
            clock,
        }
    }

    /// The workspace's memory, and the newest memories of the channels that this person may see.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn home(&self, user_id: &str) -> Result<HomeContent, String> {
        let view = self.workspace.view(Place::Person(user_id.to_owned()));
        let filter = MemoryFilter {
            with_text: true,
            ..MemoryFilter::default()
        };
        let memories = view.memories(filter).await.map_err(explained)?;
        let channels = view.channels().await.map_err(explained)?;
        let of_workspace = memories.iter().find(|stored| {
            (stored.memory.scope, stored.memory.memory_type)
                == (Scope::Workspace, MemoryType::LongTerm)
        });
        let remembered = channels.iter().filter_map(|channel| {
            let versions = versions_of(&memories, &channel.id);
            let newest = *versions.first()?;
            Some((channel.name.clone(), newest, count(versions.len())))
        });
        let remembered: Vec<_> = remembered.collect();
        let shown = remembered.iter().map(|(_, newest, _)| *newest);
        let shown: Vec<&StoredMemory> = of_workspace.into_iter().chain(shown).collect();
        let sourced = shown.get(..SOURCED_AT_HOME).unwrap_or(&shown);
        let mut sources = self.newest_sources(&*view, sourced).await?;
        let shown = remembered.iter().take(CHANNELS_AT_HOME);
        let ids: Vec<String> = shown
            .map(|(_, newest, _)| newest.memory.scope_id.clone())
            .collect();
        let corrections: Vec<Corrections> = futures::stream::iter(ids)
            .map(|id| async move { self.corrections(&id).await })
            .buffered(CALLS_IN_FLIGHT)
            .try_collect()
            .await?;
        let mut content = HomeContent {
            asks_again: None,
            workspace: of_workspace.map(|stored| text(stored, sources.remove(&stored.memory.id))),
            channels: Vec::new(),
        };
        for (at, (name, newest, versions)) in remembered.into_iter().enumerate() {
            let sources = sources.remove(&newest.memory.id);
            let memory = match corrections.get(at) {
                Some(corrections) => self.corrected(newest, sources, corrections).await,
                None => text(newest, sources),
            };
            content.channels.push(HomeChannel {
                name,
                memory,
                versions,
            });
        }
        Ok(content)
    }

    /// A time in Unix seconds, as people read it.
    #[must_use]
    pub fn moment(&self, unix_seconds: i64) -> Moment {
        moment(self.clock.local(unix_seconds))
    }

    /// The memories of a channel.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn memory(&self, channel: Asked) -> Result<MemoryView, String> {
        let memories = self.of_channel(&channel.id).await?;
        let versions = versions_of(&memories, &channel.id);
        let long_term = memories
            .iter()
            .find(|stored| stored.memory.memory_type == MemoryType::LongTerm);
        let newest = versions.first().copied();
        let shown: Vec<&StoredMemory> = newest.into_iter().chain(long_term).collect();
        let view = seen_from(&self.workspace, &channel.id);
        let mut sources = self.newest_sources(&*view, &shown).await?;
        let corrections = self.corrections(&channel.id).await?;
        let mut view = MemoryView {
            versions: count(versions.len()),
            short_term: None,
            long_term: None,
            channel: channel.name,
        };
        if let Some(stored) = newest {
            let sources = sources.remove(&stored.memory.id);
            view.short_term = Some(self.corrected(stored, sources, &corrections).await);
        }
        if let Some(stored) = long_term {
            let sources = sources.remove(&stored.memory.id);
            view.long_term = Some(self.corrected(stored, sources, &corrections).await);
        }
        Ok(view)
    }

    /// The newest `most` versions of a channel's short-term memory.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn history(&self, channel: Asked, most: u32) -> Result<HistoryView, String> {
        let memories = self.of_channel(&channel.id).await?;
        let versions = versions_of(&memories, &channel.id);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let corrections = self.corrections(&channel.id).await?;
        let mut view = HistoryView {
            total: count(versions.len()),
            versions: Vec::new(),
            channel: channel.name,
        };
        for stored in versions.into_iter().take(most) {
            let memory = self.corrected(stored, None, &corrections).await;
            view.versions.push(memory);
        }
        Ok(view)
    }

    /// What a memory of a channel was made from.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn sources(&self, channel: Asked, asked: SourcesOf) -> Result<SourcesView, String> {
        let memories = self.of_channel(&channel.id).await?;
        let found = match asked_for(&memories, &channel.id, asked) {
            Some(stored) => {
                let view = seen_from(&self.workspace, &channel.id);
                let sources = view.sources(stored.memory.id).await.map_err(explained)?;
                let corrections = self.corrections(&channel.id).await?;
                Some(self.shown(stored, sources, &corrections).await)
            }
            None => None,
        };
        Ok(SourcesView {
            channel: channel.name,
            asked,
            found,
        })
    }

    /// A memory's sources, the first of them with links.
    async fn shown(
        &self,
        stored: &StoredMemory,
        mut sources: Sources,
        corrections: &Corrections,
    ) -> MemorySources {
        sources.messages.retain(|message| !message.deleted);
        let cited = sources.lines.iter().flat_map(|line| &line.messages);
        let cited: BTreeSet<(&str, TsKey)> =
            cited.map(|of| (of.channel_id.as_str(), of.ts)).collect();
        let total = match cited.len() {
            0 => sources.messages.len(),
            cited => cited,
        };
        let wanted: Vec<&SourceMessage> = if cited.is_empty() {
            sources.messages.iter().collect()
        } else {
            let lines = sources.lines.iter();
            let shown = lines.flat_map(|line| line.messages.iter().take(MESSAGES_OF_LINE));
            shown.chain(newest(&sources.records)).collect()
        };
        let links = self.links(&wanted).await;
        let source = |message: &SourceMessage| self.source(message, &links);
        let line = |line: &SourceLine| SourcedLine {
            text: corrections.line(&stored.memory, &line.text),
            messages: line
                .messages
                .iter()
                .take(MESSAGES_OF_LINE)
                .map(source)
                .collect(),
            total: count(line.messages.len()),
        };
        let memory = &stored.memory;
        MemorySources {
            version: (memory.memory_type == MemoryType::ShortTerm).then_some(memory.version),
            made_at: moment(memory.updated_at),
            lines: sources.lines.iter().map(line).collect(),
            lines_total: count(sources.lines.len()),
            records: newest(&sources.records).map(source).collect(),
            total: count(total),
            messages: sources.messages.iter().map(source).collect(),
        }
    }

    /// The corrections of a channel as of now. Most channels have no marks, and cost no call of the component.
    async fn corrections(&self, channel_id: &str) -> Result<Corrections, String> {
        let now = self.clock.now();
        let until = format!("{}.999999", now.unix_seconds);
        let here = self.workspace.at(Place::Channel(channel_id.to_owned()));
        let marked = here.list_marked(channel_id.to_owned(), until, 1).await;
        if marked.map_err(explained)?.is_empty() {
            return Ok(Corrections::none());
        }
        let plugin = self.current.plugin();
        let read = Corrections::read(&plugin, channel_id, now).await;
        read.map_err(|error| error.to_string())
    }

    /// A memory of a channel with what corrections replace struck out, and the newest of these corrections.
    async fn corrected(
        &self,
        stored: &StoredMemory,
        newest_sources: Option<Vec<Source>>,
        corrections: &Corrections,
    ) -> MemoryText {
        let memory = &stored.memory;
        let said: Vec<&KeptText> = corrections.of(memory).collect();
        let older = said.len().saturating_sub(MESSAGES_OF_MEMORY);
        let mut newest = Vec::new();
        for said in said.into_iter().skip(older) {
            let MessageRef { channel_id, ts } = said.span.message.clone();
            newest.push(Source {
                at: moment(said.timestamp),
                author: said.user.name.clone(),
                text: said.text.clone(),
                permalink: self.chat.permalink(channel_id, ts).await.ok(),
            });
        }
        MemoryText {
            text: corrections.text(memory),
            corrections: newest,
            ..text(stored, newest_sources)
        }
    }

    /// The newest messages that each memory's lines were made from, with links, by the memory's id.
    async fn newest_sources(
        &self,
        view: &dyn View,
        memories: &[&StoredMemory],
    ) -> Result<BTreeMap<u64, Vec<Source>>, String> {
        let mut found: Vec<(u64, Vec<SourceMessage>)> = Vec::new();
        for stored in memories {
            let sources = view.sources(stored.memory.id).await.map_err(explained)?;
            let lines = sources.lines.into_iter().flat_map(|line| line.messages);
            let mut messages: Vec<SourceMessage> = lines.collect();
            messages.sort_by(|a, b| (a.ts, &a.channel_id).cmp(&(b.ts, &b.channel_id)));
            messages.dedup();
            let older = messages.len().saturating_sub(MESSAGES_OF_MEMORY);
            found.push((stored.memory.id, messages.split_off(older)));
        }
        let messages: Vec<&SourceMessage> = found.iter().flat_map(|(_, of)| of).collect();
        let links = self.links(&messages).await;
        let with_links = |of: &[SourceMessage]| {
            let sources = of.iter().map(|message| self.source(message, &links));
            sources.collect()
        };
        Ok(found.iter().map(|(id, of)| (*id, with_links(of))).collect())
    }

    /// Links to the first of these messages.
    async fn links(&self, messages: &[&SourceMessage]) -> Links {
        let mut wanted: Vec<(String, TsKey)> = Vec::new();
        for message in messages {
            let id = (message.channel_id.clone(), message.ts);
            if wanted.len() < LINKED_SOURCES && !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        let links = futures::stream::iter(wanted).map(|(channel_id, ts)| async move {
            let link = self
                .chat
                .permalink(channel_id.clone(), ts.to_string())
                .await;
            Some(((channel_id, ts), link.ok()?))
        });
        let links: Vec<_> = links.buffered(CALLS_IN_FLIGHT).collect().await;
        links.into_iter().flatten().collect()
    }

    fn source(&self, message: &SourceMessage, links: &Links) -> Source {
        Source {
            at: moment(self.clock.local(message.ts.unix_seconds())),
            author: message.author.clone(),
            text: message.text.clone(),
            permalink: links
                .get(&(message.channel_id.clone(), message.ts))
                .cloned(),
        }
    }

    /// All memories of a channel.
    async fn of_channel(&self, id: &str) -> Result<Vec<StoredMemory>, String> {
        let filter = MemoryFilter {
            scope: Some(Scope::Channel),
            scope_id: Some(id.to_owned()),
            with_text: true,
            ..MemoryFilter::default()
        };
        let view = seen_from(&self.workspace, id);
        view.memories(filter).await.map_err(explained)
    }
}

/// What may be seen in a channel.
fn seen_from(workspace: &Arc<dyn Workspace>, channel_id: &str) -> Arc<dyn View> {
    workspace.view(Place::Channel(channel_id.to_owned()))
}

fn explained(error: StorageError) -> String {
    explain_storage(&error)
}

/// The channel that somebody asked about.
pub struct Asked {
    /// Its id.
    pub id: String,
    /// Its name without `#`, as Slack gives it with the question.
    pub name: String,
}

/// The addresses of messages, by channel and id.
type Links = BTreeMap<(String, TsKey), String>;

/// The newest records, oldest first.
fn newest(records: &[SourceMessage]) -> impl Iterator<Item = &SourceMessage> {
    records.iter().skip(records.len().saturating_sub(RECORDS))
}

/// The memory of a channel whose sources somebody asked for.
fn asked_for<'m>(
    memories: &'m [StoredMemory],
    channel_id: &str,
    asked: SourcesOf,
) -> Option<&'m StoredMemory> {
    let mut versions = versions_of(memories, channel_id).into_iter();
    match asked {
        SourcesOf::Newest => versions.next(),
        SourcesOf::Version(number) => versions.find(|stored| stored.memory.version == number),
        SourcesOf::LongTerm => {
            let mut memories = memories.iter();
            memories.find(|stored| stored.memory.memory_type == MemoryType::LongTerm)
        }
    }
}

/// The versions of a channel's short-term memory, the newest first.
fn versions_of<'m>(memories: &'m [StoredMemory], channel_id: &str) -> Vec<&'m StoredMemory> {
    let versions = memories
        .iter()
        .filter(|stored| is_version_of(stored, channel_id));
    let mut versions: Vec<&StoredMemory> = versions.collect();
    versions.sort_by_key(|stored| std::cmp::Reverse(stored.memory.version));
    versions
}

fn is_version_of(stored: &StoredMemory, channel_id: &str) -> bool {
    let memory = &stored.memory;
    (memory.scope, memory.memory_type) == (Scope::Channel, MemoryType::ShortTerm)
        && memory.scope_id == channel_id
        && !stored.is_stand_in()
}

fn text(stored: &StoredMemory, newest_sources: Option<Vec<Source>>) -> MemoryText {
    let memory = &stored.memory;
    MemoryText {
        text: memory.content.clone(),
        version: memory.version,
        made_at: moment(memory.updated_at),
        messages: memory.source_message_count,
        newest_sources: newest_sources.unwrap_or_default(),
        corrections: Vec::new(),
    }
}

fn moment(time: Timestamp) -> Moment {
    Moment {
        unix_seconds: time.unix_seconds,
        utc_offset_seconds: time.utc_offset_seconds,
    }
}

fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}
