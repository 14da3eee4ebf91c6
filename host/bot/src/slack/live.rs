//! A real Slack workspace: its Web API, and the store that keeps what was read.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::Actor;
use myao_plugin::state::leases::Leased;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{Directory, UserRecord};
use myao_plugin::storage::{self, Keep, MessageQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::waits::is_under_way;
use myao_plugin::{MemoryPlugin, OtherReason, Place};
use myao_slack::client::{Channel, SlackClient};
use myao_slack::error::{ClientError, RefusalKind};
use myao_slack::events::BotIdentity;
use myao_slack::named::Named;

use crate::clock::Clock;
use crate::metrics::Counters;

/// How many names are requested at once.
const LOOK_UPS_IN_FLIGHT: usize = 4;
/// How long to wait before asking again for a name that Slack did not return, in seconds.
const ASK_AGAIN_SECONDS: i64 = 600;

/// A workspace of Slack. Cheap to clone.
#[derive(Clone)]
pub struct LiveSlack {
    pub(super) client: SlackClient,
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) bot: BotIdentity,
    pub(super) clock: Clock,
    unknown: Arc<Unknown>,
    /// People of whom a message said that they belong elsewhere, and who were looked up for that.
    strangers: Arc<Mutex<HashSet<String>>>,
    /// The ids of direct and group messages that the bot was mentioned in.
    direct: Arc<Mutex<HashSet<String>>>,
    pub(super) left_out: Counters,
    /// The work that is done, if it is a piece that other processes may take over.
    pub(super) piece: Option<Leased>,
    pub(super) page: Option<Asking>,
}

/// The address at which the page for people answers a question.
pub type Asking = Arc<dyn Fn(&str) -> String + Send + Sync>;

impl LiveSlack {
    /// The workspace that a client is connected to, with its store.
    #[must_use]
    pub fn new(
        client: SlackClient,
        workspace: Arc<dyn Workspace>,
        bot: BotIdentity,
        clock: Clock,
    ) -> Self {
        Self {
            client,
            workspace: workspace.by(Actor::in_chat()),
            bot,
            clock,
            unknown: Arc::default(),
            strangers: Arc::default(),
            direct: Arc::default(),
            left_out: Counters::default(),
            piece: None,
            page: None,
        }
    }

    /// The same workspace for a piece of work: what is stored is stored with that, and nothing is posted when another process has
    /// taken it over.
    #[must_use]
    pub fn doing(&self, piece: &Leased) -> Arc<Self> {
        Arc::new(Self {
            workspace: piece.workspace().by(Actor::in_chat()),
            piece: Some(piece.clone()),
            ..self.clone()
        })
    }

    /// A component that answers here, for the same piece of work.
    pub(crate) fn answering(self: &Arc<Self>, plugin: MemoryPlugin) -> MemoryPlugin {
        let plugin = match &self.piece {
            Some(piece) => plugin.doing(piece),
            None => plugin,
        };
        plugin.with_chat(self.clone())
    }

    /// Sets `left_out` to count the messages that cannot be read.
    #[must_use]
    pub fn counting(self, left_out: Counters) -> Self {
        Self { left_out, ..self }
    }

    /// Sets the page to which answers refer that are too long for Slack.
    #[must_use]
    pub fn with_page(self, page: Option<Asking>) -> Self {
        Self { page, ..self }
    }

    /// A message; `None` if it is not stored.
    pub(crate) async fn stored(
        &self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<Option<storage::Message>, StorageError> {
        let query = MessageQuery {
            channel_id: channel_id.to_owned(),
            since: Some(ts.to_string()),
            until: ts.to_string(),
            limit: 1,
            keep: Keep::Newest,
            whole_thread: None,
            thread_limit: 0,
            only_new: false,
        };
        let here = self.workspace.at(Place::Channel(channel_id.to_owned()));
        Ok(here.list_messages(query).await?.pop())
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &SlackClient {
        &self.client
    }

    /// Names from the store; names that are not stored are requested from Slack and stored. If Slack does not return a
    /// name, it stays unknown and is requested again later.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub async fn directory(&self, named: Named) -> Result<Directory, StorageError> {
        let users: Vec<String> = named.users.into_iter().collect();
        let channels: Vec<String> = named.channels.into_iter().collect();
        let known = self
            .workspace
            .directory(users.clone(), channels.clone())
            .await?;
        let missing_users = users
            .iter()
            .filter(|id| !is_known(known.users.get(*id).map(|user| &*user.name)));
        let missing_channels = channels
            .iter()
            .filter(|id| !is_known(known.channels.get(*id).map(String::as_str)));
        let now = self.clock.seconds();
        let asked: Vec<LookUp> = missing_users
            .map(|id| LookUp::User(id.clone()))
            .chain(missing_channels.map(|id| LookUp::Channel(id.clone())))
            .filter(|asked| !self.is_direct(asked.id()) && self.unknown.may_ask(asked.id(), now))
            .collect();
        if asked.is_empty() {
            return Ok(known);
        }
        if !self.keep_answers(asked).await? {
            return Ok(known);
        }
        self.workspace.directory(users, channels).await
    }

    /// The bot's own id.
    pub(crate) fn bot_user_id(&self) -> &str {
        &self.bot.user_id
    }

    /// Returns true if Slack said that a channel is a direct or a group message, when its name was looked up.
    pub(crate) fn is_direct(&self, channel_id: &str) -> bool {
        self.direct().contains(channel_id)
    }

    fn direct(&self) -> MutexGuard<'_, HashSet<String>> {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if Slack says now that a user administers or owns this workspace.
    ///
    /// # Errors
    /// If Slack does not answer.
    pub(crate) async fn is_admin(&self, user_id: &str) -> Result<bool, ChatError> {
        let user = self.client.user_info(user_id).await.map_err(from_client)?;
        Ok(user.administers(&self.bot.team_id))
    }

    /// The ids of the channels that Slack says now a user is in; none if it does not answer.
    async fn channels_of(&self, user_id: &str) -> HashSet<String> {
        match self.client.channels_of(user_id).await {
            Ok(channels) => channels.into_iter().map(|channel| channel.id).collect(),
            Err(error) => {
                tracing::warn!("it is not known in which channels {user_id} is: {error}");
                HashSet::new()
            }
        }
    }

    /// The same of somebody who belongs to the workspace; none of a stranger.
    pub(crate) async fn own_channels(&self, user_id: &str) -> HashSet<String> {
        match self.is_of_workspace(user_id).await {
            Ok(true) => self.channels_of(user_id).await,
            _ => HashSet::new(),
        }
    }

    /// Returns true if Slack says now that a user belongs to this workspace, and is no guest.
    ///
    /// # Errors
    /// If Slack does not answer.
    pub(crate) async fn is_of_workspace(&self, user_id: &str) -> Result<bool, ChatError> {
        let user = self.client.user_info(user_id).await.map_err(from_client)?;
        let is_stranger = user.is_stranger_in(&self.bot.team_id);
        Ok(user.deleted == Some(false) && is_stranger == Some(false))
    }

    /// Requests users from Slack and stores them. One that Slack does not return is requested again later.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub(crate) async fn look_up_users(&self, ids: Vec<String>) -> Result<(), StorageError> {
        let now = self.clock.seconds();
        let asked = ids
            .into_iter()
            .filter(|id| self.unknown.may_ask(id, now))
            .map(LookUp::User);
        self.keep_answers(asked.collect()).await.map(drop)
    }

    /// Looks up, once each, people of whom a message says that they belong to another workspace: the store may know better, or
    /// no longer.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub(crate) async fn look_up_strangers(&self, ids: Vec<String>) -> Result<(), StorageError> {
        let new: Vec<String> = {
            let mut known = self
                .strangers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            ids.into_iter()
                .filter(|id| known.insert(id.clone()))
                .collect()
        };
        self.look_up_users(new).await
    }

    /// Looks things up and stores the results. Returns true if there are any.
    async fn keep_answers(&self, asked: Vec<LookUp>) -> Result<bool, StorageError> {
        let answers: Vec<Vec<Effect>> = futures::stream::iter(asked)
            .map(|asked| self.look_up(asked))
            .buffered(LOOK_UPS_IN_FLIGHT)
            .collect()
            .await;
        let effects: Vec<Effect> = answers.into_iter().flatten().collect();
        if effects.is_empty() {
            return Ok(false);
        }
        let now = self.clock.seconds();
        self.workspace.apply_effects(effects, now).await?;
        Ok(true)
    }

    /// Looks up one user or channel; nothing if Slack does not return it.
    async fn look_up(&self, asked: LookUp) -> Vec<Effect> {
        let effects = self.facts_of(&asked).await;
        effects.unwrap_or_else(|error| {
            tracing::warn!("the name of {} is not known: {error}", asked.id());
            Vec::new()
        })
    }

    async fn facts_of(&self, asked: &LookUp) -> Result<Vec<Effect>, ClientError> {
        self.client.learn_time().await?;
        let at = TsKey::first_of(self.clock.seconds());
        match asked {
            LookUp::User(id) => {
                let user = self.client.user_info(id).await?;
                Ok(user.effects(at, &self.bot.team_id))
            }
            LookUp::Channel(id) => {
                let channel = self.client.channel_info(id).await;
                if is_of_few(&channel) {
                    self.direct().insert(id.clone());
                    return Ok(Vec::new());
                }
                Ok(channel?.effects(at))
            }
        }
    }
}

/// Returns true if an answer says that it is a direct or a group message: the app asks for no scope to look at these.
fn is_of_few(answer: &Result<Channel, ClientError>) -> bool {
    match answer {
        Ok(channel) => channel.is_direct(),
        Err(ClientError::Refused {
            needed: Some(needed),
            ..
        }) => {
            let mut scopes = needed.split(',').map(str::trim);
            scopes.all(|scope| matches!(scope, "im:read" | "mpim:read"))
        }
        Err(_) => false,
    }
}

/// Something that has a name.
#[derive(Clone)]
enum LookUp {
    User(String),
    Channel(String),
}

impl LookUp {
    fn id(&self) -> &str {
        match self {
            Self::User(id) | Self::Channel(id) => id,
        }
    }
}

fn is_known(name: Option<&str>) -> bool {
    name.is_some_and(|name| !name.is_empty())
}

/// Ids for which Slack returned no name.
#[derive(Default)]
struct Unknown(Mutex<HashMap<String, i64>>);

impl Unknown {
    /// Returns true if an id may be requested at `now`, in Unix seconds; it counts as requested from then on.
    fn may_ask(&self, id: &str, now: i64) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A later time was noted while the clock was ahead.
        let waits = |until: i64| is_under_way(until, now, ASK_AGAIN_SECONDS);
        let is_known = asked.get(id).is_some_and(|until| waits(*until));
        if !is_known {
            asked.retain(|_, until| waits(*until));
            asked.insert(id.to_owned(), now + ASK_AGAIN_SECONDS);
        }
        !is_known
    }
}

#[async_trait::async_trait]
impl Chat for LiveSlack {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        self.post_once(request).await
    }

    async fn retract(&self, channel_id: String, answers: String) -> Result<(), ChatError> {
        retract(
            &*self.workspace,
            &channel_id,
            &answers,
            self.clock.seconds(),
        )
        .await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let begun = self.clock.seconds();
        let thread = self.thread_since(&channel_id, &thread_ts, None).await;
        let messages = thread.map_err(from_client)?.messages;
        self.keep(&channel_id, &messages, begun).await?;
        let now = TsKey::first_of(self.clock.seconds() + 1).to_string();
        let query = MessageQuery {
            channel_id,
            since: Some(thread_ts.clone()),
            until: now,
            limit: 0,
            keep: Keep::Newest,
            whole_thread: Some(thread_ts),
            thread_limit: limit,
            only_new: false,
        };
        self.workspace
            .at(Place::Channel(query.channel_id.clone()))
            .list_messages(query)
            .await
            .map_err(from_storage)
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let begun = self.clock.seconds();
        let newest = self.newest(&channel_id, Some(until.clone()), limit).await;
        let stretch = newest.map_err(from_client)?;
        self.keep(&channel_id, &stretch.messages, begun).await?;
        let query = MessageQuery {
            channel_id,
            since: None,
            until,
            limit,
            keep: Keep::Newest,
            whole_thread: None,
            thread_limit: 0,
            only_new: false,
        };
        self.workspace
            .at(Place::Channel(query.channel_id.clone()))
            .list_messages(query)
            .await
            .map_err(from_storage)
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
        self.client
            .permalink(&channel_id, &ts)
            .await
            .map_err(from_client)
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        let answer = self.client.user_info(&id).await.map_err(from_client)?;
        let now = self.clock.seconds();
        let effects = answer.effects(TsKey::first_of(now), &self.bot.team_id);
        let kept = self.workspace.apply_effects(effects, now);
        kept.await.map_err(from_storage)?;
        let UserRecord { name, is_bot, .. } = answer.record();
        Ok(User { id, name, is_bot })
    }
}

/// Converts the client's error for the component.
pub(super) fn from_client(error: ClientError) -> ChatError {
    if let ClientError::RateLimited { retry_after, .. } = &error {
        let seconds = retry_after.map(|wait| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX));
        return ChatError::RateLimited(seconds);
    }
    let words = error.to_string();
    match error.refusal() {
        Some(RefusalKind::NotFound) => ChatError::NotFound(words),
        Some(RefusalKind::NotAllowed | RefusalKind::Auth) => ChatError::NotAllowed(words),
        Some(RefusalKind::Invalid) => ChatError::Invalid(words),
        _ if error.is_transient() => ChatError::Unavailable(words),
        _ => ChatError::Other(OtherReason::new("slack", words)),
    }
}

/// Retracts the posts of an answer in the store.
pub(super) async fn retract(
    workspace: &dyn Workspace,
    channel_id: &str,
    answers: &str,
    now: i64,
) -> Result<(), ChatError> {
    let answers = TsKey::parse(answers).map_err(|error| ChatError::Invalid(error.to_string()))?;
    let retracted = workspace.retract(channel_id, answers, now);
    retracted.await.map_err(from_storage)
}

/// Converts the store's error for the component.
pub(super) fn from_storage(error: StorageError) -> ChatError {
    ChatError::Unavailable(explain_storage(&error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use myao_fake_slack::{BOT_TOKEN, BOT_USER, FakeSlack, TEAM_ID};
    use myao_slack::token::Token;

    use super::*;

    #[tokio::test]
    async fn names_are_decoded_for_the_component_as_for_the_store() {
        let slack = FakeSlack::start().await;
        slack.add_user("U1", "r&amp;d &lt;ann&gt;");
        let (_folder, workspace) = crate::test_store::workspace();
        let live = LiveSlack::new(
            SlackClient::new(&slack.api_url(), Token::new(BOT_TOKEN).unwrap()).unwrap(),
            Arc::new(workspace),
            BotIdentity {
                user_id: BOT_USER.to_owned(),
                bot_id: None,
                team_id: TEAM_ID.to_owned(),
            },
            Clock::system(chrono_tz::UTC),
        );
        let user = live.get_user("U1".to_owned()).await.unwrap();
        assert_eq!((user.name.as_str(), user.is_bot), ("r&d <ann>", false));
        let stored = live.workspace.directory(vec!["U1".to_owned()], Vec::new());
        assert_eq!(stored.await.unwrap().users["U1"].name, user.name);
    }
}
