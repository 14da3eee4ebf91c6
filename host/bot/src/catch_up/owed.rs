//! Reads the channels that are to be read, several at a time: Slack limits each method by itself, so members of one are read while
//! another waits for its history.

use std::collections::{HashSet, VecDeque};

use myao_plugin::state::catch_up::UnreadChannel;
use myao_slack::error::ClientError;
use tokio::task::JoinSet;

use super::audiences::is_of_slack;
use super::channel::{Read, concerns_all};
use super::{CatchUp, CatchUpError, MAX_ASKS, MAX_ASKS_LATER};

/// How many channels are read at a time. One call a minute, the least that Slack allows, is then enough for none to give up.
const AT_ONCE: usize = 3;

/// The outcome of one channel.
struct Outcome {
    channel_id: String,
    /// Why its members could not be read.
    no_members: Option<ClientError>,
    /// `None` if the bot is not in it any more.
    read: Option<Read>,
}

/// The reading that is under way. Each channel is owed in the store until it was read, so this can be dropped at any time.
#[derive(Default)]
pub(super) struct Reading {
    tasks: JoinSet<Result<Outcome, CatchUpError>>,
    queue: VecDeque<UnreadChannel>,
    /// The channels of the two.
    left: HashSet<String>,
    /// The channels whose members were not asked for since the connection was made.
    pub(super) of_unread_members: HashSet<String>,
    /// Why Slack returns no members of any channel.
    no_members: Option<ClientError>,
    /// True if these are channels that are tried again, and the log has told of the others.
    is_told: bool,
    /// True if Slack returned nothing, so that the rest of the queue waits.
    is_away: bool,
    channels: usize,
    messages: usize,
    later: usize,
}

impl Reading {
    pub(super) fn is_under_way(&self) -> bool {
        !self.left.is_empty()
    }

    /// A reading of these channels in which each is asked for its members, too: people may have come and gone.
    pub(super) fn of_members_too(channels: HashSet<String>) -> Self {
        let channels = channels.into_iter().filter(|id| is_of_slack(id));
        Self {
            of_unread_members: channels.collect(),
            ..Self::default()
        }
    }

    pub(super) fn begin(&mut self, owed: Vec<UnreadChannel>) {
        self.queue = owed.into();
        let ids = self.queue.iter().map(|owed| owed.channel_id.clone());
        self.left = ids.collect();
    }

    fn count(&mut self, read: &Read) {
        match read {
            Read::All(messages) => {
                self.channels += 1;
                self.messages += messages;
            }
            Read::Later { slack_is_away } => {
                self.later += 1;
                if *slack_is_away {
                    self.later += self.queue.len();
                    self.queue.clear();
                    self.is_away = true;
                }
            }
        }
    }

    fn tell(&mut self) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let (channels, messages, later) = (self.channels, self.messages, self.later);
        tracing::info!("caught up: {channels} channels, {messages} messages read");
        if later > 0 {
            tracing::warn!("{later} channels could not be read; they are tried again");
        }
    }
}

impl CatchUp {
    /// Reads until all is read. Dropping this future loses nothing, and what was begun goes on.
    pub(super) async fn read_owed(&self, reading: &mut Reading) -> Result<(), CatchUpError> {
        loop {
            while reading.tasks.len() < AT_ONCE
                && let Some(owed) = reading.queue.pop_front()
            {
                let mut asks = reading.of_unread_members.remove(&owed.channel_id);
                if let Some(error) = reading.no_members.as_ref().filter(|_| asks) {
                    self.ask_later(&owed.channel_id, error);
                    asks = false;
                }
                reading.tasks.spawn(self.clone().read_one(owed, asks));
            }
            let outcome = match reading.tasks.join_next().await {
                Some(Ok(Ok(outcome))) => outcome,
                Some(Ok(Err(error))) => return Err(error),
                Some(Err(_)) => continue,
                None => {
                    reading.left.clear();
                    return Ok(());
                }
            };
            reading.left.remove(&outcome.channel_id);
            if let Some(error) = outcome.no_members.filter(concerns_all) {
                reading.no_members = Some(error);
            }
            if let Some(read) = outcome.read {
                reading.count(&read);
            }
        }
    }

    /// Reads a channel: first who reads it, if that is asked for, and then its messages.
    async fn read_one(self, owed: UnreadChannel, asks: bool) -> Result<Outcome, CatchUpError> {
        let UnreadChannel { channel_id, since } = owed;
        let known = self.workspace.known_channel(&channel_id).await?;
        let mut outcome = Outcome {
            channel_id,
            no_members: None,
            read: None,
        };
        let channel_id = &*outcome.channel_id;
        if !known.is_some_and(|channel| channel.is_present) {
            self.workspace.end_unread(channel_id).await?;
            return Ok(outcome);
        }
        self.slack.client().learn_time().await?;
        if asks {
            outcome.no_members = self.read_members_of(channel_id).await?.err();
        }
        let now = self.clock.seconds();
        outcome.read = Some(self.read_channel(channel_id, since, now).await?);
        Ok(outcome)
    }

    /// Continues with what could not be read, or is not known yet, once all else is read.
    pub(super) async fn follow_up(&self, reading: &mut Reading) -> Result<(), CatchUpError> {
        if reading.is_under_way() {
            return Ok(());
        }
        let now = self.clock.seconds();
        let most = if reading.is_told {
            MAX_ASKS_LATER
        } else {
            MAX_ASKS
        };
        self.ask_for_missing(now, most).await?;
        reading.tell();
        if std::mem::take(&mut reading.is_away) {
            return Ok(());
        }
        let due = self.workspace.unread_channels(now).await?;
        reading.begin(due);
        Ok(())
    }
}
