//! What people may see outside Slack: read from Slack again when it is older than a few minutes. What is not known is no.
//!
//! The bot's events keep the store up to date, so that this is only the limit for events that are late or lost. While no
//! events arrive, nobody sees anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use myao_plugin::Place;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::Channel;
use myao_slack::error::{ClientError, RefusalKind};

use super::clock::Clock;
use super::settings::MentionLimits;
use crate::slack::live::LiveSlack;

/// How old what is known may be, in seconds: five minutes, less the time that a page and its answer take.
const MAX_AGE: i64 = 240;

/// The people of a workspace of Slack.
pub struct People {
    workspace: Arc<dyn Workspace>,
    slack: Arc<LiveSlack>,
    clock: Clock,
    team_id: String,
    read: Mutex<HashMap<String, Read>>,
    /// When each asked questions outside Slack, in Unix seconds, oldest first.
    asked: Mutex<HashMap<String, Vec<i64>>>,
}

/// Somebody who may see what [`Place::Person`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The user's id.
    pub id: String,
    /// The name that Slack shows.
    pub name: String,
    /// Whether they administer or own the workspace.
    pub is_admin: bool,
}

struct Read {
    person: Person,
    /// When, in Unix seconds.
    at: i64,
}

/// Why somebody may see nothing now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PersonError {
    /// The account is closed, unknown, a bot's, or of another workspace.
    #[error("they do not belong to this workspace")]
    Stranger,
    /// What they may see is not known now.
    #[error("what they may see is not known now: {0}")]
    NotKnown(String),
}

impl People {
    /// The people of the workspace `team_id`.
    #[must_use]
    pub fn new(
        workspace: Arc<dyn Workspace>,
        slack: Arc<LiveSlack>,
        clock: Clock,
        team_id: String,
    ) -> Self {
        Self {
            workspace,
            slack,
            clock,
            team_id,
            read: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Somebody, by the user's id. What the store knows of their channels is not older than five minutes afterwards.
    ///
    /// # Errors
    /// [`PersonError`].
    pub async fn person(&self, id: &str) -> Result<Person, PersonError> {
        let now = self.clock.seconds();
        let is_recent = |at: i64| (0..=MAX_AGE).contains(&(now - at));
        let connected = self.workspace.connected_through().await.map_err(in_store)?;
        if !connected.is_some_and(is_recent) {
            let why = "the bot is not connected to Slack";
            return Err(PersonError::NotKnown(why.to_owned()));
        }
        let known = {
            let mut read = self.read();
            read.retain(|_, read| is_recent(read.at));
            read.get(id).map(|read| read.person.clone())
        };
        if let Some(person) = known {
            return Ok(person);
        }
        let person = self.read_now(id, now).await?;
        let read = Read {
            person: person.clone(),
            at: now,
        };
        self.read().insert(id.to_owned(), read);
        Ok(person)
    }

    /// Counts a question of somebody's. If they asked too many, returns in how many seconds they may ask again.
    ///
    /// # Errors
    /// The seconds.
    pub fn count_question(&self, id: &str, limits: MentionLimits) -> Result<(), i64> {
        let now = self.clock.seconds();
        let window = i64::from(limits.window_seconds);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        for times in asked.values_mut() {
            times.retain(|at| (0..window).contains(&(now - at)));
        }
        asked.retain(|_, times| !times.is_empty());
        let times = asked.entry(id.to_owned()).or_default();
        if limits.per_person > 0
            && times.len() >= usize::try_from(limits.per_person).unwrap_or(usize::MAX)
        {
            return Err(times.first().map_or(window, |first| first + window - now));
        }
        times.push(now);
        Ok(())
    }

    fn read(&self) -> MutexGuard<'_, HashMap<String, Read>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_now(&self, id: &str, now: i64) -> Result<Person, PersonError> {
        // What changes while Slack is asked has a later event.
        let at = TsKey::first_of(now);
        let client = self.slack.client();
        let user = client.user_info(id).await.map_err(at_slack)?;
        if user.deleted != Some(false)
            || user.is_bot == Some(true)
            || user.team_id.as_deref() != Some(&self.team_id)
        {
            return Err(PersonError::Stranger);
        }
        let channels = client.channels_of(id).await.map_err(at_slack)?;
        let mut effects = user.effects(at);
        effects.extend(
            self.in_channels(id, &channels, at)
                .await
                .map_err(in_store)?,
        );
        let applied = self.workspace.apply_effects(effects, now).await;
        applied.map_err(in_store)?;
        Ok(Person {
            id: id.to_owned(),
            name: user.record().name,
            is_admin: user.administers(&self.team_id),
        })
    }

    /// What is new about the remembered channels that somebody is in, and which of them they have left.
    async fn in_channels(
        &self,
        user_id: &str,
        channels: &[Channel],
        at: TsKey,
    ) -> Result<Vec<Effect>, StorageError> {
        let membership = |channel_id: &str, is_member| Effect::Membership {
            channel_id: channel_id.to_owned(),
            user_id: user_id.to_owned(),
            is_member,
            at,
        };
        let mut effects = Vec::new();
        for channel in channels {
            if let Some(known) = self.workspace.known_channel(&channel.id).await?
                && known.is_present
            {
                effects.extend(channel.effects(at));
                effects.push(membership(&channel.id, true));
            }
        }
        let ever = TsKey::from_database(0);
        let seen = self.workspace.view(Place::Person(user_id.to_owned()));
        for seen in seen.channels().await? {
            let is_listed = channels.iter().any(|channel| channel.id == seen.id);
            // The app asks for no scope that lists direct messages; who is in one never changes.
            if !is_listed
                && !seen.id.starts_with('D')
                && self.workspace.is_member(user_id, &seen.id, ever).await?
            {
                effects.push(membership(&seen.id, false));
            }
        }
        Ok(effects)
    }
}

fn in_store(error: StorageError) -> PersonError {
    PersonError::NotKnown(explain_storage(&error))
}

fn at_slack(error: ClientError) -> PersonError {
    match error.refusal() {
        Some(RefusalKind::NotFound) => PersonError::Stranger,
        _ => PersonError::NotKnown(error.to_string()),
    }
}
