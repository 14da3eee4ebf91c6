//! The bot itself, channels and people.

use myao_plugin::storage::{effects::Effect, records::UserRecord};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Method, SlackClient, answer, pages::PAGE_SIZE};
use crate::{error::ClientError, json as slack_json, mrkdwn::unescaped};

/// Whose token it is: <https://docs.slack.dev/reference/methods/auth.test>.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthTest {
    /// The bot's user, `U…`, which mentions name.
    pub user_id: String,
    /// The bot, `B…`; `None` if the token is a person's.
    pub bot_id: Option<String>,
    /// The bot's handle.
    pub user: Option<String>,
    /// The workspace, `T…`; for the token of a whole organisation, the organisation, `E…`.
    pub team_id: String,
    /// The organisation, `E…`, if the workspace belongs to one.
    pub enterprise_id: Option<String>,
    /// Whether the token is for all workspaces of the organisation.
    #[serde(default)]
    pub is_enterprise_install: bool,
    /// The workspace's name; empty if the answer has none.
    #[serde(default)]
    pub team: String,
    /// The workspace's address; empty if the answer has none.
    #[serde(default)]
    pub url: String,
    /// What the token may do; `None` if the answer does not say.
    #[serde(skip)]
    pub scopes: Option<Vec<String>>,
    /// When Slack answered, as HTTP writes it (`Sun, 06 Nov 1994 08:49:37 GMT`); `None` if the answer does not say.
    #[serde(skip)]
    pub date: Option<String>,
}

/// A channel: <https://docs.slack.dev/reference/objects/conversation-object>. Fields that the answer lacks are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Channel {
    /// Its id, `C…`.
    pub id: String,
    /// Its name without `#`.
    pub name: Option<String>,
    /// Whether the bot is in it.
    pub is_member: Option<bool>,
    /// Whether it is archived.
    pub is_archived: Option<bool>,
    /// Whether only its members see it.
    pub is_private: Option<bool>,
}

/// A user: <https://docs.slack.dev/reference/objects/user-object>. Fields that the answer lacks are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// The id, `U…`.
    pub id: String,
    /// The handle.
    pub name: Option<String>,
    /// The full name.
    pub real_name: Option<String>,
    /// Whether it is a bot.
    pub is_bot: Option<bool>,
    /// The profile.
    pub profile: Option<Profile>,
    /// When it last changed, in Unix seconds.
    pub updated: Option<i64>,
}

/// A bot: <https://docs.slack.dev/reference/methods/bots.info>.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BotInfo {
    /// The app that it belongs to, `A…`, if the answer has it.
    pub app_id: Option<String>,
}

/// A user's profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Profile {
    /// The name that Slack shows; empty if the user chose none.
    pub display_name: Option<String>,
    /// The full name.
    pub real_name: Option<String>,
}

impl User {
    /// The user as a record, with the name that Slack shows; an empty name if there is none.
    #[must_use]
    pub fn record(&self) -> UserRecord {
        let name = self.shown_name().unwrap_or_default();
        UserRecord {
            id: self.id.clone(),
            name: unescaped(name).into_owned(),
            is_bot: self.is_bot == Some(true) || self.id == "USLACKBOT",
        }
    }

    /// The name that Slack shows: the chosen one, else the full name, else the handle; `None` if there is none. Not
    /// decoded.
    fn shown_name(&self) -> Option<&str> {
        let profile = self.profile.as_ref();
        [
            profile.and_then(|profile| profile.display_name.as_ref()),
            self.real_name.as_ref(),
            profile.and_then(|profile| profile.real_name.as_ref()),
            self.name.as_ref(),
        ]
        .into_iter()
        .filter_map(|name| name.map(|name| name.trim()))
        .find(|name| !name.is_empty())
    }

    /// The user as an effect on the store. If the user does not say when it changed, it is as of `now`, in Unix seconds.
    #[must_use]
    pub fn effect(&self, now: i64) -> Effect {
        Effect::User {
            record: self.record(),
            changed_at: self.updated.unwrap_or(now),
        }
    }
}

impl SlackClient {
    /// Whose token it is, and what it may do.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn auth_test(&self) -> Result<AuthTest, ClientError> {
        const METHOD: Method = Method::read("auth.test");
        let answer = self
            .exchange(METHOD, &json!({}), &self.shared.token)
            .await?;
        let auth: AuthTest = serde_json::from_value(answer.body)
            .map_err(|error| answer::bad(METHOD.name(), slack_json::describe(&error)))?;
        Ok(AuthTest {
            scopes: answer.scopes,
            date: answer.date,
            ..auth
        })
    }

    /// A bot, by its id `B…`.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn bot_info(&self, bot: &str) -> Result<BotInfo, ClientError> {
        const METHOD: Method = Method::read("bots.info");
        let mut body = self.call(METHOD, &json!({"bot": bot})).await?;
        answer::take(METHOD, &mut body, "bot")
    }

    /// All public channels, and the private ones that the bot is in, archived ones included.
    ///
    /// # Errors
    /// See [`ClientError`]. If a page fails, the listing fails: the list is never short.
    pub async fn channels(&self) -> Result<Vec<Channel>, ClientError> {
        let params = json!({
            "types": "public_channel,private_channel",
            "exclude_archived": false,
            "limit": PAGE_SIZE,
        });
        self.list(Method::read("conversations.list"), params, "channels")
            .await
    }

    /// A channel or direct message.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn channel_info(&self, channel: &str) -> Result<Channel, ClientError> {
        const METHOD: Method = Method::read("conversations.info");
        let mut body = self.call(METHOD, &json!({"channel": channel})).await?;
        answer::take(METHOD, &mut body, "channel")
    }

    /// All users, bots and deleted accounts included.
    ///
    /// # Errors
    /// See [`ClientError`]. If a page fails, the listing fails.
    pub async fn users(&self) -> Result<Vec<User>, ClientError> {
        let params: Value = json!({"limit": PAGE_SIZE});
        self.list(Method::read("users.list"), params, "members")
            .await
    }

    /// One user.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn user_info(&self, user: &str) -> Result<User, ClientError> {
        const METHOD: Method = Method::read("users.info");
        let mut body = self.call(METHOD, &json!({"user": user})).await?;
        answer::take(METHOD, &mut body, "user")
    }
}
