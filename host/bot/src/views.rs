//! The content of the store, as Slack shows it: the App Home tab and the answers to `/memory`.

mod answers;
mod modes;
mod search;
mod sources;
mod threads;

use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _};
use myao_plugin::chat::Chat;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::off_record::Speaker;
use myao_plugin::state::view::{MemoryFilter, StoredMemory, View};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Place, Scope, Timestamp};
use myao_slack::blocks::{
    HistoryView, HomeChannel, HomeContent, MemoryText, MemoryView, Moment, Source, SourcesView,
};
use myao_slack::command::SourcesOf;
use myao_slack::events::is_direct_message;

use super::clock::Clock;
use super::corrections::Corrections;
use super::current::Current;

pub(crate) use modes::Modes;

/// Below how many texts of the Home tab their messages are shown.
const SOURCED_AT_HOME: usize = 10;
/// How many links are requested at once, and how many channels' corrections.
pub(super) const CALLS_IN_FLIGHT: usize = 5;
/// Slack shows no more channels on the Home tab.
const CHANNELS_AT_HOME: usize = 50;

/// Reads the store to show it to people.
#[derive(Clone)]
pub struct Views {
    pub(super) workspace: Arc<dyn Workspace>,
    /// Where links to messages come from.
    pub(super) chat: Arc<dyn Chat>,
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
        let by_default = self.current.settings().response.mode.into();
        let modes = Modes::read(&*self.workspace, by_default).await;
        let modes = modes.map_err(explained)?;
        let mut content = HomeContent {
            asks_again: None,
            tasks: self.items_of(user_id).await?,
            workspace: of_workspace.map(|stored| text(stored, sources.remove(&stored.memory.id))),
            channels: Vec::new(),
        };
        for (at, (name, newest, versions)) in remembered.into_iter().enumerate() {
            let sources = sources.remove(&newest.memory.id);
            let memory = match corrections.get(at) {
                Some(corrections) => self.corrected(newest, sources, corrections).await,
                None => text(newest, sources),
            };
            let id = newest.memory.scope_id.clone();
            content.channels.push(HomeChannel {
                name,
                memory,
                versions,
                mode: modes.of(&id),
                id,
                may_choose: false,
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
        let is_direct = is_direct_message(&channel.id);
        let of = Speaker::Channel(channel.id);
        let is_off = self.workspace.off_record_since(of).await;
        let is_off = is_off.map_err(explained)?;
        let mut view = MemoryView {
            versions: count(versions.len()),
            short_term: None,
            long_term: None,
            is_off_record: is_off.is_some(),
            channel: channel.name,
            is_direct,
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
            is_direct: is_direct_message(&channel.id),
            channel: channel.name,
        };
        for stored in versions.into_iter().take(most) {
            let memory = self.corrected(stored, None, &corrections).await;
            view.versions.push(memory);
        }
        Ok(view)
    }

    /// The sources of a memory of a channel.
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
            is_direct: is_direct_message(&channel.id),
            channel: channel.name,
            asked,
            found,
        })
    }

    /// Returns true if a channel counts as open to the workspace alone, and this person is not known to belong to it: then who
    /// reads the channel is not known either.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn is_stranger_in(&self, channel_id: &str, user_id: &str) -> Result<bool, String> {
        let known = self.workspace.known_channel(channel_id).await;
        let known = known.map_err(explained)?;
        if !known.is_some_and(|known| known.is_present && known.audience.is_open()) {
            return Ok(false);
        }
        let place = Place::Person(user_id.to_owned());
        Ok(self.name_of(&place, channel_id).await?.is_none())
    }

    /// The name of a direct message with the bot; `None` if it is another channel, or a message between people.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub async fn direct_message(
        &self,
        channel_id: &str,
        bot_user_id: &str,
    ) -> Result<Option<String>, String> {
        let ever = TsKey::first_of(0);
        let is_member = self.workspace.is_member(bot_user_id, channel_id, ever);
        if !is_direct_message(channel_id) || !is_member.await.map_err(explained)? {
            return Ok(None);
        }
        let known = self.workspace.known_channel(channel_id).await;
        Ok(known.map_err(explained)?.map(|channel| channel.name))
    }

    /// The name of a channel; `None` if it may not be seen from there.
    async fn name_of(&self, place: &Place, id: &str) -> Result<Option<String>, String> {
        let channels = self.workspace.view(place.clone()).channels().await;
        let mut channels = channels.map_err(explained)?.into_iter();
        let channel = channels.find(|channel| channel.id == id);
        Ok(channel.map(|channel| channel.name))
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

/// The texts that may be seen in a channel.
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

pub(super) fn moment(time: Timestamp) -> Moment {
    Moment {
        unix_seconds: time.unix_seconds,
        utc_offset_seconds: time.utc_offset_seconds,
    }
}

fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}
