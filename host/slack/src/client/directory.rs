//! The bot itself, channels and people.

use myao_plugin::storage::{effects::Effect, records::UserRecord};
use myao_plugin::ts::TsKey;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Method, SlackClient, answer, pages::PAGE_SIZE};
use crate::{error::ClientError, json as slack_json, mrkdwn::unescaped};

/// The most members that Slack returns at once (<https://docs.slack.dev/reference/methods/conversations.members>).
const MEMBERS_PAGE_SIZE: u32 = 1000;

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
    /// True if the token is for all workspaces of the organisation.
    #[serde(default)]
    pub is_enterprise_install: bool,
    /// The workspace's name; empty if the answer has none.
    #[serde(default)]
    pub team: String,
    /// The workspace's address; empty if the answer has none.
    #[serde(default)]
    pub url: String,
    /// The scopes of the token; `None` if the answer does not have them.
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
    /// True if the bot is a member.
    pub is_member: Option<bool>,
    /// True if it is archived.
    pub is_archived: Option<bool>,
    /// True if only its members see it. Slack may leave this out for direct and group messages.
    pub is_private: Option<bool>,
    /// True for a direct message.
    pub is_im: Option<bool>,
    /// True for a group message.
    pub is_mpim: Option<bool>,
    /// True if it is shared with another workspace in any way.
    pub is_shared: Option<bool>,
    /// True if it is shared with another organisation (Slack Connect).
    pub is_ext_shared: Option<bool>,
    /// True if it is shared with other workspaces of the same organisation.
    pub is_org_shared: Option<bool>,
    /// True if another organisation has an invitation that it has not accepted yet.
    pub is_pending_ext_shared: Option<bool>,
}

/// A user: <https://docs.slack.dev/reference/objects/user-object>. Fields that the answer lacks are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// The id, `U…`.
    pub id: String,
    /// The workspace that it belongs to, `T…`.
    pub team_id: Option<String>,
    /// Its role in an organisation, if it belongs to one.
    pub enterprise_user: Option<EnterpriseUser>,
    /// The handle.
    pub name: Option<String>,
    /// The full name.
    pub real_name: Option<String>,
    /// True for a bot.
    pub is_bot: Option<bool>,
    /// True if it may administer the workspace; an owner may, too.
    pub is_admin: Option<bool>,
    /// True if it owns the workspace.
    pub is_owner: Option<bool>,
    /// True for a guest.
    pub is_restricted: Option<bool>,
    /// True for a guest of a single channel.
    pub is_ultra_restricted: Option<bool>,
    /// True if the account is closed.
    pub deleted: Option<bool>,
    /// True if it belongs to another workspace and is in no channel that the app sees; others of such workspaces are not
    /// marked so.
    pub is_stranger: Option<bool>,
    /// The profile.
    pub profile: Option<Profile>,
    /// When it last changed, in Unix seconds.
    pub updated: Option<i64>,
}

/// A user as one of an organisation (Enterprise Grid).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct EnterpriseUser {
    /// The organisation, `E…`.
    pub enterprise_id: Option<String>,
    /// The workspaces that it belongs to.
    pub teams: Option<Vec<String>>,
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

impl Channel {
    /// Returns true for a direct message or a group message.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        [self.is_im, self.is_mpim].contains(&Some(true))
    }

    /// Returns true if only its members see it; `None` if the answer does not say.
    fn is_private(&self) -> Option<bool> {
        if self.is_direct() {
            Some(true)
        } else {
            self.is_private
        }
    }

    /// Returns true if people of other workspaces are in it, or may join it; `None` if the answer does not say.
    #[must_use]
    pub fn is_shared(&self) -> Option<bool> {
        let ways = [
            self.is_shared,
            self.is_ext_shared,
            self.is_org_shared,
            self.is_pending_ext_shared,
        ];
        if ways.contains(&Some(true)) {
            return Some(true);
        }
        self.is_shared.or(self.is_ext_shared)
    }

    /// The channel's name and facts at a time, as effects on the store.
    #[must_use]
    pub fn effects(&self, at: TsKey) -> Vec<Effect> {
        let name = Effect::ChannelName {
            id: self.id.clone(),
            name: self.name.clone().unwrap_or_default(),
            is_private: self.is_private(),
            at,
        };
        let shared = self.is_shared().map(|is_shared| Effect::ChannelShared {
            id: self.id.clone(),
            is_shared: Some(is_shared),
            at,
        });
        std::iter::once(name).chain(shared).collect()
    }
}

impl User {
    /// Returns true if Slack says that it belongs to a workspace, or to an organisation that has this id.
    #[must_use]
    pub fn belongs_to(&self, team_id: &str) -> bool {
        let teams = self.enterprise_user.iter().flat_map(|of| {
            let teams = of.teams.iter().flatten();
            of.enterprise_id.iter().chain(teams)
        });
        let mut teams = self.team_id.iter().chain(teams);
        teams.any(|team| team == team_id)
    }

    /// Returns true if it is a stranger in a workspace: a guest, or somebody who does not belong to it; `None` if the answer does not
    /// say. A program is one only if it is marked as one: to which workspace it belongs depends on how it was installed.
    #[must_use]
    pub fn is_stranger_in(&self, team_id: &str) -> Option<bool> {
        let ways = [
            self.is_restricted,
            self.is_ultra_restricted,
            self.is_stranger,
        ];
        let says_where = self.team_id.is_some() || self.enterprise_user.is_some();
        if ways.contains(&Some(true)) {
            Some(true)
        } else if !self.is_program() && !self.belongs_to(team_id) {
            says_where.then_some(true)
        } else {
            self.is_restricted
        }
    }

    fn is_program(&self) -> bool {
        self.is_bot == Some(true) || self.id == "USLACKBOT"
    }

    /// Returns true if the answer says that it administers or owns a workspace, and belongs to it. An administrator of another
    /// organisation, who is here through a shared channel, does not count.
    #[must_use]
    pub fn administers(&self, team_id: &str) -> bool {
        [self.is_admin, self.is_owner].contains(&Some(true))
            && self.belongs_to(team_id)
            && self.is_stranger_in(team_id) == Some(false)
    }

    /// The user as a record, with the name that Slack shows; an empty name if there is none.
    #[must_use]
    pub fn record(&self) -> UserRecord {
        let name = self.shown_name().unwrap_or_default();
        UserRecord {
            id: self.id.clone(),
            name: unescaped(name).into_owned(),
            is_bot: self.is_program(),
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

    /// The user at a time, as effects on the store of a workspace. Its name is as old as the user says it is.
    #[must_use]
    pub fn effects(&self, at: TsKey, team_id: &str) -> Vec<Effect> {
        let user = Effect::User {
            record: self.record(),
            changed_at: self.updated.unwrap_or(at.unix_seconds()),
        };
        let guest = self.is_stranger_in(team_id).map(|is_guest| Effect::Guest {
            user_id: self.id.clone(),
            is_guest,
            at,
        });
        let closed = (self.deleted == Some(true)).then(|| Effect::AccountClosed {
            user_id: self.id.clone(),
            at,
        });
        std::iter::once(user).chain(guest).chain(closed).collect()
    }
}

impl SlackClient {
    /// The owner of a token, and its rights.
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

    /// The ids of all members of a channel.
    ///
    /// # Errors
    /// See [`ClientError`]. If a page or a member cannot be read, the listing fails: the list is never short.
    pub async fn members(&self, channel: &str) -> Result<Vec<String>, ClientError> {
        const METHOD: Method = Method::read("conversations.members");
        let params = json!({"channel": channel, "limit": MEMBERS_PAGE_SIZE});
        let members = self.list_values(METHOD, params, "members").await?;
        let ids = members.into_iter().map(|member| match member {
            Value::String(id) => Ok(id),
            _ => Err(answer::bad(
                METHOD.name(),
                "a member is no user id".to_owned(),
            )),
        });
        ids.collect()
    }

    /// The channels that a user is in: of the private ones those that the bot is in, too.
    ///
    /// # Errors
    /// See [`ClientError`]. If a page fails, the listing fails: the list is never short.
    pub async fn channels_of(&self, user: &str) -> Result<Vec<Channel>, ClientError> {
        let params = json!({
            "user": user,
            "types": "public_channel,private_channel",
            "exclude_archived": false,
            "limit": PAGE_SIZE,
        });
        self.list(Method::read("users.conversations"), params, "channels")
            .await
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
