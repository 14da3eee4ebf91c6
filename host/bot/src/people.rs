//! The rights of people outside Slack: read from Slack again when older than five or fifteen minutes. An unknown right is none.
//!
//! The bot's events keep the store up to date, so that this is the limit for events that are late or lost: for who somebody is
//! and the channels that they are in, and for which channels are public and not shared. That a guest joined a public channel is
//! known from events alone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::Place;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::Actor;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::Channel;
use myao_slack::error::{ClientError, RefusalKind};

use super::catch_up::unlisted;
use super::clock::Clock;
use super::settings::BotSettings;
use crate::slack::live::LiveSlack;

/// In seconds.
const DAY_SECONDS: i64 = 24 * 3600;
/// How old what is known of channels may be, and the last sign of events, in seconds: five minutes, less the time that a page and
/// its answer take.
const MAX_AGE: i64 = 240;
/// The same of somebody: fifteen minutes, in which Slack takes 750 calls of `users.conversations` (Tier 3).
const MAX_AGE_OF_PERSON: i64 = 840;
/// For how long a stranger is not asked for again, in seconds.
const REST: i64 = 30;
/// How long somebody waits for Slack.
const PATIENCE: Duration = Duration::from_secs(10);

/// The lock of those who read the channels; no user has this id.
const CHANNELS: &str = "channels";

/// The people of a workspace of Slack.
pub struct People {
    workspace: Arc<dyn Workspace>,
    slack: Arc<LiveSlack>,
    clock: Clock,
    team_id: String,
    read: Mutex<HashMap<String, Read>>,
    /// When the channels were last read, in Unix seconds.
    channels_read: AtomicI64,
    /// Only one request at a time asks Slack for a person, and one for the channels.
    asking: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
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
    /// True if they administer or own the workspace.
    pub is_admin: bool,
    /// When their account was last known to be closed: what began before is over.
    pub closed_at: Option<TsKey>,
}

struct Read {
    found: Result<Person, PersonError>,
    /// When, in Unix seconds.
    at: i64,
}

impl Read {
    fn holds(&self, now: i64) -> bool {
        let longest = match self.found {
            Ok(_) => MAX_AGE_OF_PERSON,
            Err(PersonError::Stranger) => REST,
            // Somebody who tries again is asked for again.
            Err(_) => return false,
        };
        (0..=longest).contains(&(now - self.at))
    }
}

/// Why somebody may see nothing now.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum PersonError {
    /// The account is closed, unknown, a bot's, a guest's, or of another workspace.
    #[error("they do not belong to this workspace")]
    Stranger,
    /// Their rights are not known now.
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
            workspace: workspace.by(Actor::in_chat()),
            slack,
            clock,
            team_id,
            read: Mutex::default(),
            channels_read: AtomicI64::new(i64::MIN),
            asking: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Somebody, by the user's id. What the store knows of them is not older than fifteen minutes afterwards, and of channels not older
    /// than five.
    ///
    /// # Errors
    /// [`PersonError`].
    pub async fn person(&self, id: &str) -> Result<Person, PersonError> {
        let now = self.clock.seconds();
        let connected = self.workspace.connected_through().await.map_err(in_store)?;
        if !connected.is_some_and(|through| (0..=MAX_AGE).contains(&(now - through))) {
            let why = "the bot is not connected to Slack";
            return Err(PersonError::NotKnown(why.to_owned()));
        }
        let closed_at = self.workspace.closed_at(id).await.map_err(in_store)?;
        let is_of_now = |known: &Result<Person, PersonError>| match known {
            Ok(person) => person.closed_at == closed_at,
            Err(_) => true,
        };
        match self.known(id, now).filter(is_of_now) {
            Some(known) if known.is_err() || self.knows_channels(now) => return known,
            Some(_) => {}
            None => self.forget(id),
        }
        let reading = tokio::time::timeout(PATIENCE, self.read_once(id, now)).await;
        reading.unwrap_or_else(|_| Err(PersonError::NotKnown("Slack does not answer".to_owned())))
    }

    /// The known answer, if it is recent.
    fn known(&self, id: &str, now: i64) -> Option<Result<Person, PersonError>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.retain(|_, read| read.holds(now));
        read.get(id).map(|known| known.found.clone())
    }

    fn forget(&self, id: &str) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.remove(id);
    }

    fn knows_channels(&self, now: i64) -> bool {
        let read = self.channels_read.load(Ordering::SeqCst);
        now.saturating_sub(read) <= MAX_AGE
    }

    /// The lock of those who ask Slack for somebody, or for the channels.
    fn asking(&self, what: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        asking.retain(|_, lock| Arc::strong_count(lock) > 1);
        asking.entry(what.to_owned()).or_default().clone()
    }

    /// Reads somebody and the channels, unless that is known.
    async fn read_once(&self, id: &str, now: i64) -> Result<Person, PersonError> {
        let asking = self.asking(id);
        let _asking = asking.lock().await;
        let known = self.known(id, now);
        let is_new = known.is_none();
        let mut found = match known {
            Some(known) => known,
            None => self.read_person(id, now).await,
        };
        if found.is_ok()
            && let Err(error) = self.read_channels_once(now).await
        {
            found = Err(error);
        }
        if is_new {
            let read = Read {
                found: found.clone(),
                at: now,
            };
            let mut all = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(id.to_owned(), read);
        }
        found
    }

    async fn read_channels_once(&self, now: i64) -> Result<(), PersonError> {
        let asking = self.asking(CHANNELS);
        let _asking = asking.lock().await;
        if !self.knows_channels(now) {
            self.read_channels(now).await?;
            self.channels_read.store(now, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Reads which channels are public, and which are shared.
    async fn read_channels(&self, now: i64) -> Result<(), PersonError> {
        let at = TsKey::first_of(now);
        let listed = self.slack.client().channels().await.map_err(at_slack)?;
        let hidden = unlisted(&*self.workspace, &listed, self.slack.bot_user_id(), at).await;
        let mut effects = hidden.map_err(in_store)?;
        for channel in listed {
            // Messages of a channel that the bot has left may stand in memories.
            let known = self.workspace.known_channel(&channel.id).await;
            if known.map_err(in_store)?.is_some() {
                effects.extend(channel.effects(at));
            }
        }
        let applied = self.workspace.apply_effects(effects, now).await;
        applied.map_err(in_store)
    }

    /// Counts a question of somebody's. If they asked too many, returns in how many seconds they may ask again.
    ///
    /// # Errors
    /// The seconds.
    pub fn count_question(&self, id: &str, settings: &BotSettings) -> Result<(), i64> {
        let now = self.clock.seconds();
        let mentions = settings.response.mention_limits;
        let limits = [
            (mentions.per_person, i64::from(mentions.window_seconds)),
            (settings.answers_per_person_per_day, DAY_SECONDS),
        ];
        let longest = limits
            .map(|(_, window)| window)
            .into_iter()
            .max()
            .unwrap_or(0);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        for times in asked.values_mut() {
            times.retain(|at| (0..longest).contains(&(now - at)));
        }
        asked.retain(|_, times| !times.is_empty());
        let times = asked.entry(id.to_owned()).or_default();
        let waits = limits.into_iter().filter_map(|(most, window)| {
            let before_last = usize::try_from(most.checked_sub(1)?).ok()?;
            // The next may be asked when the first of as many leaves the window.
            let first = times.iter().rev().nth(before_last)?;
            Some(first + window - now).filter(|wait| *wait > 0)
        });
        if let Some(wait) = waits.max() {
            return Err(wait);
        }
        times.push(now);
        Ok(())
    }

    async fn read_person(&self, id: &str, now: i64) -> Result<Person, PersonError> {
        let at = TsKey::first_of(now);
        let client = self.slack.client();
        let user = client
            .user_info(id)
            .await
            .map_err(|error| match error.refusal() {
                Some(RefusalKind::NotFound) => PersonError::Stranger,
                _ => at_slack(error),
            })?;
        let is_stranger = user.is_stranger_in(&self.team_id);
        if user.deleted != Some(false) || user.is_bot == Some(true) || is_stranger == Some(true) {
            let applied = self
                .workspace
                .apply_effects(user.effects(at, &self.team_id), now);
            applied.await.map_err(in_store)?;
            return Err(PersonError::Stranger);
        }
        if is_stranger.is_none() {
            let why = "Slack does not say whether they belong to this workspace, or are a guest";
            return Err(PersonError::NotKnown(why.to_owned()));
        }
        let channels = client.channels_of(id).await.map_err(at_slack)?;
        let mut effects = user.effects(at, &self.team_id);
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
            closed_at: self.workspace.closed_at(id).await.map_err(in_store)?,
        })
    }

    /// The remembered channels that somebody is in, and those that they have left.
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
    PersonError::NotKnown(error.to_string())
}
