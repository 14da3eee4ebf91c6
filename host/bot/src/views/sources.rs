//! Where memories come from, and what corrects them.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use myao_plugin::state::view::{SourceLine, SourceMessage, Sources, StoredMemory, View};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptText, MemoryType, MessageRef, Place};
use myao_slack::blocks::{MemorySources, MemoryText, Source, SourcedLine};

use super::{CALLS_IN_FLIGHT, Views, count, explained, moment, text};
use crate::corrections::Corrections;

/// How many messages an answer links to: each link costs a call.
const LINKED_SOURCES: usize = 20;
/// How many messages of a line are shown.
const MESSAGES_OF_LINE: usize = 3;
/// How many messages of a memory are shown below its text, and how many corrections.
const MESSAGES_OF_MEMORY: usize = 2;
/// How many records are shown.
const RECORDS: usize = 20;

/// The addresses of messages, by channel and id.
type Links = BTreeMap<(String, TsKey), String>;

impl Views {
    /// A memory's sources, the first of them with links.
    pub(super) async fn shown(
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
    pub(super) async fn corrections(&self, channel_id: &str) -> Result<Corrections, String> {
        let now = self.clock.now();
        let until = format!("{}.999999", now.unix_seconds);
        let here = self.workspace.at(Place::Channel(channel_id.to_owned()));
        let marked = match here.list_marked(channel_id.to_owned(), until, 1).await {
            // A channel that the bot came into just now may not be stored yet.
            Err(StorageError::NotFound(_)) => Vec::new(),
            marked => marked.map_err(explained)?,
        };
        if marked.is_empty() {
            return Ok(Corrections::none());
        }
        let plugin = self.current.plugin();
        let read = Corrections::read(&plugin, channel_id, now).await;
        read.map_err(|error| error.to_string())
    }

    /// A memory of a channel with what corrections strike struck out, and the newest corrections.
    pub(super) async fn corrected(
        &self,
        stored: &StoredMemory,
        newest_sources: Option<Vec<Source>>,
        corrections: &Corrections,
    ) -> MemoryText {
        let memory = &stored.memory;
        let said: Vec<&KeptText> = corrections.said().collect();
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
    pub(super) async fn newest_sources(
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
}

/// The newest records, oldest first.
fn newest(records: &[SourceMessage]) -> impl Iterator<Item = &SourceMessage> {
    records.iter().skip(records.len().saturating_sub(RECORDS))
}
