//! Posts of the bot: messages, reactions, its Home tab, and modal windows.

use serde_json::{Value, json};

use super::{Method, SlackClient, answer, pages::params};
use crate::error::ClientError;

/// A message to post.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PostMessage {
    /// The channel's id.
    pub channel: String,
    /// The thread; `None` for the top level.
    pub thread_ts: Option<String>,
    /// The text in Slack's mrkdwn. Slack looks for no names or addresses in it: only `<…>` links and notifies.
    pub text: String,
    /// Data that Slack keeps with the message and does not show; [`SlackClient::history`] returns it.
    pub metadata: Option<Metadata>,
}

/// Data that Slack keeps with a message: <https://docs.slack.dev/messaging/message-metadata>.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// Its kind.
    pub event_type: String,
    /// An object with flat values.
    pub event_payload: Value,
}

impl SlackClient {
    /// Posts a message, without previews of its links; returns its `ts`.
    ///
    /// # Errors
    /// See [`ClientError`]. If [`ClientError::may_have_arrived`], the message may be in the channel: look there for its
    /// metadata before posting it again. This function never does.
    pub async fn post_message(&self, message: &PostMessage) -> Result<String, ClientError> {
        const METHOD: Method = Method::write("chat.postMessage");
        let metadata = message.metadata.as_ref();
        let metadata = metadata.map(
            |data| json!({"event_type": data.event_type, "event_payload": data.event_payload}),
        );
        let params = params([
            ("channel", Some(json!(message.channel))),
            ("thread_ts", message.thread_ts.clone().map(Value::from)),
            ("text", Some(json!(message.text))),
            ("metadata", metadata),
            ("mrkdwn", Some(json!(true))),
            ("parse", Some(json!("none"))),
            ("unfurl_links", Some(json!(false))),
            ("unfurl_media", Some(json!(false))),
        ]);
        let mut body = self.call(METHOD, &params).await?;
        answer::take(METHOD, &mut body, "ts")
    }

    /// Shows a text, or blocks in its place, in a channel to one person alone, who is in it. Slack keeps it nowhere.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn post_ephemeral(
        &self,
        channel_id: &str,
        thread_ts: Option<&str>,
        user_id: &str,
        text: &str,
        blocks: Option<&Value>,
    ) -> Result<(), ClientError> {
        let params = params([
            ("channel", Some(json!(channel_id))),
            ("thread_ts", thread_ts.map(Value::from)),
            ("user", Some(json!(user_id))),
            ("text", Some(json!(text))),
            ("blocks", blocks.cloned()),
            ("parse", Some(json!("none"))),
        ]);
        self.call(Method::write("chat.postEphemeral"), &params)
            .await?;
        Ok(())
    }

    /// Replaces the text of a message that the bot posted.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn update_message(
        &self,
        channel_id: &str,
        ts: &str,
        text: &str,
    ) -> Result<(), ClientError> {
        let params = json!({
            "channel": channel_id,
            "ts": ts,
            "text": text,
            "parse": "none",
        });
        self.call(Method::set("chat.update"), &params).await?;
        Ok(())
    }

    /// Adds a reaction of the bot to a message, or takes it off. Returns without an error if that was done already.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn react(
        &self,
        channel_id: &str,
        ts: &str,
        emoji: &str,
        is_shown: bool,
    ) -> Result<(), ClientError> {
        let (method, done) = if is_shown {
            ("reactions.add", "already_reacted")
        } else {
            ("reactions.remove", "no_reaction")
        };
        let params = json!({"channel": channel_id, "timestamp": ts, "name": emoji});
        match self.call(Method::set(method), &params).await {
            Err(ClientError::Refused { code, .. }) if code == done => Ok(()),
            reacted => reacted.map(drop),
        }
    }

    /// Sets a user's Home tab. `view` is a view of the type `home`.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn publish_home(&self, user_id: &str, view: &Value) -> Result<(), ClientError> {
        let params = json!({"user_id": user_id, "view": view});
        self.call(Method::set("views.publish"), &params).await?;
        Ok(())
    }

    /// Opens a window in front of the person whose action gave the `trigger_id`. `view` is a view of the type `modal`.
    ///
    /// # Errors
    /// See [`ClientError`]: a `trigger_id` is of use once, for three seconds.
    pub async fn open_modal(&self, trigger_id: &str, view: &Value) -> Result<(), ClientError> {
        let params = json!({"trigger_id": trigger_id, "view": view});
        self.call(Method::write("views.open"), &params).await?;
        Ok(())
    }
}
