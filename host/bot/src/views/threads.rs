//! The main points of a thread.

use std::collections::BTreeMap;

use futures::StreamExt as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::ts::TsKey;
use myao_plugin::{BuildRequest, Engine, MemoryType, MessageRef, Place, Scope, Summary};
use myao_slack::blocks::{AnswerLine, MemoryText, ThreadView};

use super::{CALLS_IN_FLIGHT, Views, explained};

/// How many messages of a line are linked to.
const MESSAGES_OF_LINE: usize = 3;

impl Views {
    /// The main points of the thread that has a message, quoted: Slack waits three seconds, and a model takes longer. Nothing of
    /// it is stored. What a model made of it earlier is shown, too. `None` if this person may not see the channel, or the thread
    /// says nothing.
    ///
    /// # Errors
    /// The words of an error of the store or the component.
    pub async fn thread(
        &self,
        user_id: String,
        channel_id: &str,
        message: TsKey,
    ) -> Result<Option<ThreadView>, String> {
        let place = Place::Person(user_id);
        if self.name_of(&place, channel_id).await?.is_none() {
            return Ok(None);
        }
        let first = self.first_of_thread(channel_id, message).await?;
        let request = BuildRequest {
            channel_id: channel_id.to_owned(),
            target_thread_ts: Some(first.to_string()),
            since: None,
            message_limit: Some(1),
        };
        let plugin = self.current.plugin().quoting();
        let context = plugin.build_context(&request, self.clock.now()).await;
        let context = context.map_err(|error| error.to_string())?;
        let made = plugin.summarize(&context, Scope::Thread, MemoryType::ShortTerm, None);
        let made = made.await.map_err(|error| error.to_string())?;
        let lines = self.linked(&made).await;
        let memory = self.made_of_thread(&place, channel_id, first).await?;
        // The channel may have become private meanwhile.
        let seen = self.name_of(&place, channel_id).await?;
        Ok(seen
            .filter(|_| memory.is_some() || !lines.is_empty())
            .map(|channel| ThreadView {
                channel,
                scope_id: thread_id(channel_id, first),
                memory,
                messages: made.coverage.messages,
                lines,
            }))
    }

    /// The first message of the thread that has a message. A link to a reply may not name it.
    async fn first_of_thread(&self, channel_id: &str, message: TsKey) -> Result<TsKey, String> {
        let stored = self
            .workspace
            .messages_between(channel_id, message, message);
        let stored = stored.await.map_err(explained)?;
        let first = stored.first().and_then(|stored| stored.thread_ts);
        Ok(first.unwrap_or(message))
    }

    /// The memory that a model made of a thread, with its newest sources. What is quoted says as much as one without a model.
    async fn made_of_thread(
        &self,
        place: &Place,
        channel_id: &str,
        first: TsKey,
    ) -> Result<Option<MemoryText>, String> {
        let view = self.workspace.view(place.clone());
        let filter = MemoryFilter {
            scope: Some(Scope::Thread),
            scope_id: Some(thread_id(channel_id, first)),
            with_text: true,
            ..MemoryFilter::default()
        };
        let memories = view.memories(filter).await.map_err(explained)?;
        let mut memories = memories.iter();
        let Some(stored) = memories.find(|stored| stored.memory.engine != Engine::Extractive)
        else {
            return Ok(None);
        };
        let mut sources = self.newest_sources(&*view, &[stored]).await?;
        let corrections = self.corrections(channel_id).await?;
        let sources = sources.remove(&stored.memory.id);
        Ok(Some(self.corrected(stored, sources, &corrections).await))
    }

    /// The lines of a summary with links to their messages.
    async fn linked(&self, made: &Summary) -> Vec<AnswerLine> {
        let cited = made.citations.iter();
        let cited = cited.flat_map(|line| line.messages.iter().take(MESSAGES_OF_LINE));
        let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut messages: Vec<MessageRef> = Vec::new();
        for message in cited {
            numbers.entry(key(message)).or_insert_with(|| {
                messages.push(message.clone());
                messages.len()
            });
        }
        let links = futures::stream::iter(messages).map(|message| self.link(Some(message)));
        let links: Vec<Option<String>> = links.buffered(CALLS_IN_FLIGHT).collect().await;
        let source = |message: &MessageRef| {
            let number = *numbers.get(&key(message))?;
            Some((number, links.get(number - 1).cloned().flatten()))
        };
        let line = |start: u32, length: u32| -> String {
            let text = made.text.chars().skip(usize_of(start));
            text.take(usize_of(length)).collect()
        };
        let lines = made.citations.iter().map(|cited| AnswerLine {
            text: line(cited.start, cited.length)
                .trim_start_matches("- ")
                .to_owned(),
            sources: cited.messages.iter().filter_map(source).collect(),
        });
        lines.collect()
    }
}

fn thread_id(channel_id: &str, first: TsKey) -> String {
    format!("{channel_id}:{first}")
}

fn key(message: &MessageRef) -> (&str, &str) {
    (&message.channel_id, &message.ts)
}

fn usize_of(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
