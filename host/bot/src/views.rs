//! What the store holds, as Slack shows it: the App Home tab and the answers to `/memory`.

use std::sync::Arc;

use futures::StreamExt as _;
use myao_plugin::chat::Chat;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::view::{MemoryFilter, SourceMessage, StoredMemory, View};
use myao_plugin::storage::StorageError;
use myao_plugin::{MemoryType, Place, Scope, Timestamp};
use myao_slack::blocks::{
    HistoryView, HomeChannel, HomeContent, MemoryText, MemoryView, Moment, Source, SourcesView,
    VersionSources,
};

use super::clock::Clock;

/// How many sources an answer shows with links: each link costs a call.
const LINKED_SOURCES: usize = 10;
/// How many links are requested at once.
const LINKS_IN_FLIGHT: usize = 5;

/// Reads the store to show it to people.
#[derive(Clone)]
pub struct Views {
    workspace: Arc<dyn Workspace>,
    /// Where links to messages come from.
    chat: Arc<dyn Chat>,
    clock: Clock,
}

impl Views {
    /// Reads a workspace; links to messages come from `chat`.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, chat: Arc<dyn Chat>, clock: Clock) -> Self {
        Self {
            workspace,
            chat,
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
            Some(HomeChannel {
                name: channel.name.clone(),
                memory: text(versions.first()?),
                versions: count(versions.len()),
            })
        });
        Ok(HomeContent {
            workspace: of_workspace.map(|stored| {
                let memory = &stored.memory;
                (memory.content.clone(), moment(memory.updated_at))
            }),
            channels: remembered.collect(),
        })
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
        Ok(MemoryView {
            versions: count(versions.len()),
            short_term: versions.first().map(|stored| text(stored)),
            long_term: long_term.map(text),
            channel: channel.name,
        })
    }

    /// The newest `most` versions of a channel's short-term memory.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn history(&self, channel: Asked, most: u32) -> Result<HistoryView, String> {
        let memories = self.of_channel(&channel.id).await?;
        let versions = versions_of(&memories, &channel.id);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(HistoryView {
            total: count(versions.len()),
            versions: versions.into_iter().take(most).map(text).collect(),
            channel: channel.name,
        })
    }

    /// What a version of a channel's short-term memory was made from; the newest version if none is given.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn sources(&self, channel: Asked, asked: Option<u32>) -> Result<SourcesView, String> {
        let memories = self.of_channel(&channel.id).await?;
        let mut versions = versions_of(&memories, &channel.id).into_iter();
        let version =
            versions.find(|stored| asked.is_none_or(|number| stored.memory.version == number));
        let found = match version {
            Some(version) => {
                let sources = seen_from(&self.workspace, &channel.id)
                    .sources(version.memory.id)
                    .await;
                let mut messages = sources.map_err(explained)?.messages;
                messages.retain(|message| !message.deleted);
                Some(VersionSources {
                    version: version.memory.version,
                    made_at: moment(version.memory.created_at),
                    total: count(messages.len()),
                    messages: self.linked(messages).await,
                })
            }
            None => None,
        };
        Ok(SourcesView {
            channel: channel.name,
            asked,
            found,
        })
    }

    /// The first sources, each with its link if Slack returns one.
    async fn linked(&self, messages: Vec<SourceMessage>) -> Vec<Source> {
        futures::stream::iter(messages.into_iter().take(LINKED_SOURCES))
            .map(|message| async move {
                let at = self.clock.local(message.ts.unix_seconds());
                let permalink = self
                    .chat
                    .permalink(message.channel_id, message.ts.to_string())
                    .await;
                Source {
                    at: moment(at),
                    author: message.author,
                    text: message.text,
                    permalink: permalink.ok(),
                }
            })
            .buffered(LINKS_IN_FLIGHT)
            .collect()
            .await
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

fn text(stored: &StoredMemory) -> MemoryText {
    let memory = &stored.memory;
    MemoryText {
        text: memory.content.clone(),
        version: memory.version,
        made_at: moment(memory.updated_at),
        messages: memory.source_message_count,
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
