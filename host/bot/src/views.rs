//! What the store holds, as Slack shows it: the App Home tab and the answers to `/memory`.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::StreamExt as _;
use myao_plugin::explain::explain_storage;
use myao_plugin::slack::Slack as _;
use myao_plugin::storage::StorageError;
use myao_plugin::{MemoryType, Scope, Timestamp};
use myao_slack::blocks::{
    HistoryView, HomeContent, MemoryText, MemoryView, Moment, RememberedChannel, Source, SourcesOf,
    SourcesView,
};
use myao_sqlite::inspect::{MemoryFilter, SourceMessage, StoredMemory};
use myao_sqlite::{SqliteWorkspace, StoreError};

use super::clock::Clock;
use crate::slack::live::LiveSlack;

/// As many sources as an answer shows with links: each costs a call.
const LINKED_SOURCES: usize = 10;
/// How many links are asked for at once.
const LINKS_IN_FLIGHT: usize = 5;

/// Reads the store for people.
#[derive(Clone)]
pub(super) struct Views {
    workspace: SqliteWorkspace,
    slack: Arc<LiveSlack>,
    clock: Clock,
}

impl Views {
    pub(super) fn new(workspace: SqliteWorkspace, slack: Arc<LiveSlack>, clock: Clock) -> Self {
        Self {
            workspace,
            slack,
            clock,
        }
    }

    /// The workspace's memory, and the newest of every public channel that the bot is in. Who may see a private
    /// channel is not known here, so the workspace's memory is left out where one may have gone into it.
    pub(super) async fn home(&self) -> Result<HomeContent, String> {
        let (mut content, others) = self.read_home().await?;
        for id in others {
            let known = self.workspace.known_channel(&id).await;
            let known = known.map_err(|error| explain_storage(&error))?;
            if known.is_none_or(|channel| channel.is_private) {
                content.workspace = None;
                break;
            }
        }
        Ok(content)
    }

    /// What Home would show, and the ids of the other channels with memories: private ones, and those that the bot left.
    async fn read_home(&self) -> Result<(HomeContent, BTreeSet<String>), String> {
        self.blocking(|workspace| {
            let memories = workspace.stored_memories(&MemoryFilter {
                with_text: true,
                ..MemoryFilter::default()
            })?;
            let channels = workspace.channels()?;
            let of_workspace = memories.iter().find(|stored| {
                (stored.memory.scope, stored.memory.memory_type)
                    == (Scope::Workspace, MemoryType::LongTerm)
            });
            let public = channels.iter().filter(|channel| !channel.is_private);
            let shown: BTreeSet<&str> = public.clone().map(|channel| channel.id.as_str()).collect();
            let others = memories
                .iter()
                .filter(|stored| stored.memory.scope == Scope::Channel)
                .map(|stored| &stored.memory.scope_id)
                .filter(|id| !shown.contains(id.as_str()));
            let remembered = public.filter_map(|channel| {
                let of_channel = memories
                    .iter()
                    .filter(|stored| is_version_of(stored, &channel.id));
                let versions = count(of_channel.clone().count());
                let newest = of_channel.max_by_key(|stored| stored.memory.version)?;
                Some(RememberedChannel {
                    name: channel.name.clone(),
                    memory: text(newest),
                    versions,
                })
            });
            let content = HomeContent {
                workspace: of_workspace.map(|stored| {
                    (
                        stored.memory.content.clone(),
                        moment(stored.memory.updated_at),
                    )
                }),
                channels: remembered.collect(),
            };
            Ok((content, others.cloned().collect()))
        })
        .await
    }

    /// The memories of a channel.
    pub(super) async fn memory(&self, channel: Asked) -> Result<MemoryView, String> {
        self.blocking(move |workspace| {
            let memories = of_channel(&workspace, &channel.id)?;
            let versions = memories
                .iter()
                .filter(|stored| is_version_of(stored, &channel.id));
            let long_term = memories
                .iter()
                .find(|stored| stored.memory.memory_type == MemoryType::LongTerm);
            Ok(MemoryView {
                versions: count(versions.clone().count()),
                short_term: versions
                    .max_by_key(|stored| stored.memory.version)
                    .map(text),
                long_term: long_term.map(text),
                channel: channel.name,
            })
        })
        .await
    }

    /// The newest `count` versions of a channel's short-term memory.
    pub(super) async fn history(&self, channel: Asked, most: u32) -> Result<HistoryView, String> {
        self.blocking(move |workspace| {
            let memories = of_channel(&workspace, &channel.id)?;
            let mut versions: Vec<&StoredMemory> = memories
                .iter()
                .filter(|stored| is_version_of(stored, &channel.id))
                .collect();
            versions.sort_by_key(|stored| std::cmp::Reverse(stored.memory.version));
            let shown = versions
                .iter()
                .take(usize::try_from(most).unwrap_or(usize::MAX));
            Ok(HistoryView {
                total: count(versions.len()),
                versions: shown.map(|stored| text(stored)).collect(),
                channel: channel.name,
            })
        })
        .await
    }

    /// What a version of a channel's short-term memory was made from; the newest, if none is named.
    pub(super) async fn sources(
        &self,
        channel: Asked,
        asked: Option<u32>,
    ) -> Result<SourcesView, String> {
        let name = channel.name.clone();
        let found = self
            .blocking(move |workspace| {
                let memories = of_channel(&workspace, &channel.id)?;
                let versions = memories
                    .iter()
                    .filter(|stored| is_version_of(stored, &channel.id));
                let version = match asked {
                    Some(number) => versions
                        .clone()
                        .find(|stored| stored.memory.version == number),
                    None => versions.max_by_key(|stored| stored.memory.version),
                };
                let Some(version) = version else {
                    return Ok(None);
                };
                let sources = workspace.sources(version.memory.id)?;
                let messages: Vec<SourceMessage> = sources
                    .messages
                    .into_iter()
                    .filter(|message| !message.deleted)
                    .collect();
                Ok(Some((
                    version.memory.version,
                    version.memory.created_at,
                    messages,
                )))
            })
            .await?;
        let found = match found {
            Some((version, made_at, messages)) => Some(SourcesOf {
                version,
                made_at: moment(made_at),
                total: count(messages.len()),
                messages: self.linked(messages).await,
            }),
            None => None,
        };
        Ok(SourcesView {
            channel: name,
            asked,
            found,
        })
    }

    /// The first sources, each with its address where Slack tells it.
    async fn linked(&self, messages: Vec<SourceMessage>) -> Vec<Source> {
        futures::stream::iter(messages.into_iter().take(LINKED_SOURCES))
            .map(|message| async move {
                let at = self.clock.local(message.ts.unix_seconds());
                let permalink = self
                    .slack
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

    async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(SqliteWorkspace) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let workspace = self.workspace.clone();
        let read = tokio::task::spawn_blocking(move || read(workspace)).await;
        match read {
            Ok(Ok(view)) => Ok(view),
            Ok(Err(error)) => Err(explain_storage(&StorageError::from(error))),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The channel that somebody asked about.
pub(super) struct Asked {
    /// Its id.
    pub(super) id: String,
    /// Its name without `#`, as Slack gives it with the question.
    pub(super) name: String,
}

fn of_channel(workspace: &SqliteWorkspace, id: &str) -> Result<Vec<StoredMemory>, StoreError> {
    workspace.stored_memories(&MemoryFilter {
        scope: Some(Scope::Channel),
        scope_id: Some(id.to_owned()),
        with_text: true,
        ..MemoryFilter::default()
    })
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
