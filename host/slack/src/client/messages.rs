//! What was said: <https://docs.slack.dev/reference/methods/conversations.history> and `conversations.replies`.

use serde_json::{Value, json};

use super::{
    Method, SlackClient, answer,
    pages::{next_cursor, params},
};
use crate::{error::SlackError, json as slack_json};

/// Which messages. Times are Slack's `ts`, texts such as `1700000000.000100`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryRequest {
    /// The channel.
    pub channel: String,
    /// Only what is newer.
    pub oldest: Option<String>,
    /// Only what is older.
    pub latest: Option<String>,
    /// Whether `oldest` and `latest` themselves belong to it.
    pub inclusive: bool,
    /// At most so many on a page. Slack allows 999, and 15 for some apps; none for Slack's own number.
    pub limit: Option<u32>,
    /// The page, from [`Page::next_cursor`]; none for the first.
    pub cursor: Option<String>,
}

/// One page of messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Messages as Slack gives them: of a channel the newest first; of a thread its parent, and then the oldest first.
    pub messages: Vec<Value>,
    /// What can be read of messages that cannot be read as a whole: half a surrogate pair, too deep a nesting.
    pub unreadable: Vec<Value>,
    /// Whether older messages are kept back by the workspace's plan.
    pub is_limited: bool,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins; none after the last. A page may be empty and not the last.
    pub next_cursor: Option<String>,
}

impl SlackClient {
    /// Top-level messages of a channel, with their metadata.
    ///
    /// # Errors
    /// See [`SlackError`].
    pub async fn history(&self, request: &HistoryRequest) -> Result<Page, SlackError> {
        self.page(Method::read("conversations.history"), request, None)
            .await
    }

    /// Messages of a thread, its parent included, with their metadata.
    ///
    /// # Errors
    /// See [`SlackError`]; `thread_not_found` where the parent does not exist.
    pub async fn replies(
        &self,
        request: &HistoryRequest,
        thread_ts: &str,
    ) -> Result<Page, SlackError> {
        self.page(
            Method::read("conversations.replies"),
            request,
            Some(thread_ts),
        )
        .await
    }

    /// The address of a message, for people.
    ///
    /// # Errors
    /// See [`SlackError`].
    pub async fn permalink(&self, channel: &str, ts: &str) -> Result<String, SlackError> {
        const METHOD: Method = Method::read("chat.getPermalink");
        let params = json!({"channel": channel, "message_ts": ts});
        let mut body = self.call(METHOD, &params).await?;
        answer::take(METHOD, &mut body, "permalink")
    }

    async fn page(
        &self,
        method: Method,
        request: &HistoryRequest,
        thread_ts: Option<&str>,
    ) -> Result<Page, SlackError> {
        let params = params([
            ("channel", Some(json!(request.channel))),
            ("ts", thread_ts.map(Value::from)),
            ("oldest", request.oldest.clone().map(Value::from)),
            ("latest", request.latest.clone().map(Value::from)),
            ("inclusive", request.inclusive.then_some(json!(true))),
            ("limit", request.limit.map(Value::from)),
            ("cursor", request.cursor.clone().map(Value::from)),
            ("include_all_metadata", Some(json!(true))),
        ]);
        let mut body = self.call(method, &params).await?;
        let next_cursor = next_cursor(&body);
        let mut messages: Vec<Value> = answer::take(method, &mut body, "messages")?;
        let unreadable = messages
            .extract_if(.., slack_json::take_unreadable)
            .collect();
        Ok(Page {
            messages,
            unreadable,
            is_limited: body.get("is_limited").and_then(Value::as_bool) == Some(true),
            has_more: next_cursor.is_some()
                || body.get("has_more").and_then(Value::as_bool) == Some(true),
            next_cursor,
        })
    }
}
