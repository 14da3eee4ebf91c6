//! Messages: <https://docs.slack.dev/reference/methods/conversations.history> and `conversations.replies`.

use serde_json::{Value, json};

use super::{
    Method, SlackClient, answer,
    pages::{next_cursor, params},
};
use crate::{error::ClientError, json as slack_json};

/// Which messages to read. Times are Slack's `ts`, as in `1700000000.000100`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryRequest {
    /// The channel.
    pub channel: String,
    /// Only newer messages.
    pub oldest: Option<String>,
    /// Only older messages.
    pub latest: Option<String>,
    /// True if the messages of `oldest` and `latest` are included.
    pub inclusive: bool,
    /// The most messages on a page. Slack allows 999, and 15 for some apps; `None` for Slack's default.
    pub limit: Option<u32>,
    /// The page, from [`Page::next_cursor`]; `None` for the first.
    pub cursor: Option<String>,
}

/// One page of messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Messages as Slack gives them: in a channel the newest first; in a thread its parent, and then the oldest first.
    pub messages: Vec<Value>,
    /// The readable parts of messages that cannot be read as a whole: half a surrogate pair, or too deep nesting.
    pub unreadable: Vec<Value>,
    /// True if the workspace's plan hides older messages.
    pub is_limited: bool,
    /// True if there are more pages.
    pub has_more: bool,
    /// The next page; `None` after the last. A page may be empty and not the last.
    pub next_cursor: Option<String>,
}

impl SlackClient {
    /// Top-level messages of a channel, with their metadata.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn history(&self, request: &HistoryRequest) -> Result<Page, ClientError> {
        self.page(Method::read("conversations.history"), request, None)
            .await
    }

    /// Messages of a thread, its parent included, with their metadata.
    ///
    /// # Errors
    /// See [`ClientError`]; `thread_not_found` if the parent does not exist.
    pub async fn replies(
        &self,
        request: &HistoryRequest,
        thread_ts: &str,
    ) -> Result<Page, ClientError> {
        self.page(
            Method::read("conversations.replies"),
            request,
            Some(thread_ts),
        )
        .await
    }

    /// The address at which people find a message.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn permalink(&self, channel: &str, ts: &str) -> Result<String, ClientError> {
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
    ) -> Result<Page, ClientError> {
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
