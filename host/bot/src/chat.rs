//! A conversation with the bot that needs no chat platform. It uses the same component, store and prompts as Slack; the
//! messages exist only in the store.

use std::borrow::Cow;
use std::sync::Arc;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::UserRecord;
use myao_plugin::storage::{Channel, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Answer, CallError, MemoryPlugin, Reply, Retry, Target};
use myao_terms::addressed;

use crate::clock::Clock;
use crate::slack::stored::StoredChat;

/// The id of the chat's own channel.
pub const CHANNEL_ID: &str = "CHAT";
/// Its name.
pub const CHANNEL_NAME: &str = "chat";
/// The bot's id in conversations.
const BOT_ID: &str = "chat-bot";

/// Who talks with whom, and where.
pub struct Setting {
    /// The channel; it must exist already, unless it is [`own_channel`].
    pub channel: Channel,
    /// The name of the person.
    pub name: String,
    /// The name of the bot.
    pub bot_name: String,
}

/// The chat's own channel, shared by all conversations in one database. It is private, like a private channel in Slack:
/// no other channel shows its texts and memories, and the workspace's memory is not made from them.
#[must_use]
pub fn own_channel() -> Channel {
    Channel {
        id: CHANNEL_ID.to_owned(),
        name: CHANNEL_NAME.to_owned(),
        is_private: true,
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The store failed.
    #[error("{}", explain_storage(.0))]
    Storage(StorageError),
    /// The component returned no answer. The message to it is stored.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The message was answered before.
    #[error("the message was answered before")]
    AnsweredBefore,
}

impl ChatError {
    /// If and when the same message may be answered later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Storage(error) => error.retry(),
            Self::Call(error) => error.retry(),
            Self::AnsweredBefore => Retry::Never,
        }
    }
}

impl From<StorageError> for ChatError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// A conversation.
pub struct Chat {
    workspace: Arc<dyn Workspace>,
    plugin: MemoryPlugin,
    slack: Arc<StoredChat>,
    channel: Channel,
    person: UserRecord,
    bot_name: String,
}

impl Chat {
    /// Starts or continues a conversation. `plugin` must work over `workspace`.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub async fn open(
        workspace: Arc<dyn Workspace>,
        plugin: MemoryPlugin,
        clock: Clock,
        setting: Setting,
    ) -> Result<Self, StorageError> {
        let Setting {
            channel,
            name,
            bot_name,
        } = setting;
        if channel.id == CHANNEL_ID {
            let now = clock.seconds();
            workspace.apply_effects(own_channel_is(now), now).await?;
        }
        let person = UserRecord {
            id: format!("chat:{name}"),
            name,
            is_bot: false,
        };
        // Whoever uses the program may mark.
        let member = Effect::Guest {
            user_id: person.id.clone(),
            is_guest: false,
            at: TsKey::first_of(clock.seconds()),
        };
        let effects = vec![member];
        workspace.apply_effects(effects, clock.seconds()).await?;
        let bot = UserRecord {
            id: BOT_ID.to_owned(),
            name: bot_name.clone(),
            is_bot: true,
        };
        let slack = Arc::new(StoredChat::new(workspace.clone(), clock, bot));
        slack.go_on_after(&channel.id).await?;
        Ok(Self {
            plugin: plugin.with_chat(slack.clone()),
            workspace,
            slack,
            channel,
            person,
            bot_name,
        })
    }

    /// The channel of the conversation.
    #[must_use]
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Sends a message to the bot and returns its answer. Both are stored as messages. Everything here is said to the bot, so
    /// that a mark (`remember: …`) needs no mention.
    ///
    /// # Errors
    /// [`ChatError`].
    pub async fn say(&self, text: &str) -> Result<Reply, ChatError> {
        let channel_id = &self.channel.id;
        let text = if addressed::begins_mark(text) {
            Cow::Owned(format!("@{} {text}", self.bot_name))
        } else {
            Cow::Borrowed(text)
        };
        let said = self.slack.write(channel_id, None, &self.person, &text);
        let target = Target {
            channel_id: channel_id.clone(),
            thread_ts: None,
            message_ts: said.await?.to_string(),
        };
        let now = self.slack.clock().now();
        let reply = self.plugin.reply_to_mention(&target, now).await;
        // Nobody asks for the answer again, even if it was not posted.
        self.workspace
            .forget_reply_answers(channel_id, None)
            .await?;
        match reply? {
            Answer::Posted(reply) => Ok(reply),
            Answer::Already(_) => Err(ChatError::AnsweredBefore),
        }
    }
}

fn own_channel_is(now: i64) -> Vec<Effect> {
    let at = TsKey::first_of(now);
    let channel = own_channel();
    vec![
        Effect::ChannelName {
            id: channel.id.clone(),
            name: channel.name,
            is_private: Some(channel.is_private),
            at,
        },
        Effect::ChannelShared {
            id: channel.id.clone(),
            is_shared: Some(false),
            at,
        },
        // Whoever uses the program reads it, and nobody in Slack.
        Effect::ChannelMembers {
            id: channel.id.clone(),
            members: Some(Vec::new()),
            at,
        },
        Effect::ChannelPresence {
            id: channel.id,
            present: true,
            at,
        },
    ]
}
