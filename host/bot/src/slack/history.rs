//! Reads what was said: ranges of a channel's or a thread's history, as effects on the store.

use std::collections::{BTreeSet, HashSet};

use myao_plugin::chat::ChatError;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::{HistoryRequest, MOST_SKEW, Page};
use myao_slack::error::ClientError;
use myao_slack::events::read_message;
use myao_slack::named::Named;
use serde_json::Value;

use super::live::{LiveSlack, from_storage};

/// A range of a channel's or a thread's history, with all its pages.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    /// Its messages, in no particular order.
    pub(crate) messages: Vec<Value>,
    /// The ids of messages that cannot be read. They exist all the same.
    pub(crate) unreadable: Vec<TsKey>,
    /// True if Slack withholds older messages.
    pub(crate) is_limited: bool,
    /// True if it was read to its end.
    pub(crate) is_whole: bool,
}

impl Stretch {
    /// The ids of all messages in the range.
    pub(crate) fn ids(&self) -> BTreeSet<TsKey> {
        let readable = self.messages.iter().filter_map(id_of);
        readable.chain(self.unreadable.iter().copied()).collect()
    }
}

/// A message's id, as the Web API writes it.
pub(crate) fn id_of(message: &Value) -> Option<TsKey> {
    TsKey::parse(message.get("ts")?.as_str()?).ok()
}

impl LiveSlack {
    /// All messages of a thread since a message, in no particular order. The thread's first message is always included.
    ///
    /// # Errors
    /// The client's error.
    pub(crate) async fn thread_since(
        &self,
        channel_id: &str,
        thread_ts: &str,
        oldest: Option<&str>,
    ) -> Result<Stretch, ClientError> {
        let request = since(channel_id, oldest);
        self.all_pages(request, Some(thread_ts)).await
    }

    /// All top-level messages of a channel since a message, in no particular order.
    ///
    /// # Errors
    /// The client's error.
    pub(crate) async fn history_since(
        &self,
        channel_id: &str,
        oldest: &str,
    ) -> Result<Stretch, ClientError> {
        self.all_pages(since(channel_id, Some(oldest)), None).await
    }

    /// The newest top-level messages of a channel up to a message, or up to now; only one page.
    ///
    /// # Errors
    /// The client's error.
    pub(crate) async fn newest(
        &self,
        channel_id: &str,
        latest: Option<String>,
        limit: u32,
    ) -> Result<Stretch, ClientError> {
        let request = HistoryRequest {
            channel: channel_id.to_owned(),
            latest,
            inclusive: true,
            limit: Some(limit),
            ..HistoryRequest::default()
        };
        let page = self.client.history(&request).await?;
        let mut stretch = Stretch {
            is_whole: !page.has_more,
            ..Stretch::default()
        };
        self.add(&mut stretch, page, channel_id);
        Ok(stretch)
    }

    /// The replies of a thread within inclusive bounds, with its first message.
    ///
    /// # Errors
    /// The client's error.
    pub(crate) async fn replies_between(
        &self,
        channel_id: &str,
        thread_ts: TsKey,
        (from, to): (TsKey, TsKey),
    ) -> Result<Stretch, ClientError> {
        let request = HistoryRequest {
            latest: Some(to.to_string()),
            ..since(channel_id, Some(&from.to_string()))
        };
        self.all_pages(request, Some(&thread_ts.to_string())).await
    }

    async fn all_pages(
        &self,
        mut request: HistoryRequest,
        thread_ts: Option<&str>,
    ) -> Result<Stretch, ClientError> {
        let mut stretch = Stretch::default();
        let mut cursors = HashSet::new();
        loop {
            let page = match thread_ts {
                Some(thread_ts) => self.client.replies(&request, thread_ts).await?,
                None => self.client.history(&request).await?,
            };
            let (has_more, next) = (page.has_more, page.next_cursor.clone());
            self.add(&mut stretch, page, &request.channel);
            // Pages that repeat in a circle have no end either.
            let Some(cursor) = next.filter(|cursor| cursors.insert(cursor.clone())) else {
                stretch.is_whole = !has_more;
                return Ok(stretch);
            };
            request.cursor = Some(cursor);
        }
    }

    /// Adds a page, and reports what cannot be read in it.
    fn add(&self, stretch: &mut Stretch, page: Page, channel_id: &str) {
        for message in &page.unreadable {
            self.leave_out(channel_id, message, &"it holds what is no text");
        }
        stretch.messages.extend(page.messages);
        stretch
            .unreadable
            .extend(page.unreadable.iter().filter_map(id_of));
        stretch.is_limited |= page.is_limited;
    }

    /// Counts a message that is not stored.
    pub(crate) fn count_left_out(&self) {
        self.left_out.count("message");
    }

    /// Reports a message that is not stored. Its text is not logged.
    fn leave_out(&self, channel_id: &str, message: &Value, why: &dyn std::fmt::Display) {
        self.count_left_out();
        let id = id_of(message).map_or_else(|| "without an id".to_owned(), |ts| ts.to_string());
        tracing::warn!("a message in {channel_id} is left out ({id}): {why}");
    }

    /// Turns messages that were requested from Slack at `now`, in Unix seconds, into effects on the store.
    ///
    /// # Errors
    /// If names cannot be read from the store. Messages that cannot be read are skipped.
    pub(crate) async fn effects_of(
        &self,
        channel_id: &str,
        messages: &[Value],
        now: i64,
    ) -> Result<Vec<Effect>, StorageError> {
        let read = TsKey::first_of(now.saturating_sub(MOST_SKEW));
        let mut named = Named::default();
        messages.iter().for_each(|message| named.add(message));
        let people = self.directory(named).await?;
        let mut effects = Vec::with_capacity(messages.len());
        for message in messages {
            match read_message(message, channel_id, &people, &self.bot) {
                Ok(Some(record)) => effects.push(Effect::Message {
                    changed: record.changed_by(read),
                    record,
                }),
                Ok(None) => effects.extend(emptied(channel_id, message)),
                Err(error) => self.leave_out(channel_id, message, &error),
            }
        }
        Ok(effects)
    }

    /// Stores messages that were requested from Slack at `now`, in Unix seconds.
    pub(super) async fn keep(
        &self,
        channel_id: &str,
        messages: &[Value],
        now: i64,
    ) -> Result<(), ChatError> {
        let effects = self
            .effects_of(channel_id, messages, now)
            .await
            .map_err(from_storage)?;
        self.workspace
            .apply_effects(effects, now)
            .await
            .map_err(from_storage)
    }
}

/// An edit that left no text takes back what the message said before.
fn emptied(channel_id: &str, message: &Value) -> Option<Effect> {
    let edited = message.get("edited")?.get("ts")?.as_str()?;
    Some(Effect::MessageDeleted {
        channel_id: channel_id.to_owned(),
        ts: id_of(message)?,
        at: TsKey::parse(edited).ok()?,
    })
}

/// A request for messages since a message, or for all messages.
fn since(channel_id: &str, oldest: Option<&str>) -> HistoryRequest {
    HistoryRequest {
        channel: channel_id.to_owned(),
        oldest: oldest.map(str::to_owned),
        inclusive: true,
        ..HistoryRequest::default()
    }
}
