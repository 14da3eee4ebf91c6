//! Who reads the channels that the bot is in: their facts and members, read when catching up, and again for what is not
//! known or was not read lately. A request that fails changes nothing that is known; a channel of which nothing is known
//! counts as private.

use std::collections::{BTreeSet, HashSet};

use myao_plugin::state::Workspace;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::Channel;
use myao_slack::error::{ClientError, RefusalKind};

use super::channel::concerns_all;
use super::{CatchUp, CatchUpError, presence};
use crate::settings::ExternalChannels;

/// The maximum number of channels that are asked for again at a time, and of members.
const MAX_CHANNELS: usize = 20;
const MAX_MEMBERS: u32 = 50;
/// How long to wait before a channel is asked for again, in seconds.
const ASK_AGAIN_SECONDS: u32 = 60;
/// The same for a channel that Slack does not know, or that the bot may not see.
const LONGEST_WAIT_SECONDS: u32 = 3600;

impl CatchUp {
    /// Asks again for what is not known: of channels that the bot came into, and of those that could not be read. The channels that
    /// are `left` are asked for with their messages.
    pub(super) async fn follow_audiences(
        &self,
        left: &HashSet<String>,
    ) -> Result<(), CatchUpError> {
        let now = self.clock.seconds();
        let unknown = self.workspace.channels_of_unknown_audience().await?;
        let waiting = self.audiences.under_way(now);
        let waits = |id: &String| waiting.iter().any(|(_, waiting)| waiting == id);
        let unknown = unknown.into_iter();
        let unknown = unknown.filter(|id| is_of_slack(id) && !waits(id) && !left.contains(id));
        let mut due: BTreeSet<String> = unknown.collect();
        due.extend(self.audiences.ended(now));
        let mut due = due.into_iter().take(MAX_CHANNELS);
        while let Some(channel_id) = due.next() {
            let failed = match self.read_facts_of(&channel_id).await? {
                Ok(()) => self.read_members_of(&channel_id).await?.err(),
                Err(error) => {
                    self.ask_later(&channel_id, &error);
                    Some(error)
                }
            };
            if let Some(error) = failed.filter(concerns_all) {
                due.for_each(|channel_id| self.ask_later(&channel_id, &error));
                break;
            }
        }
        self.read_standing().await
    }

    async fn read_facts_of(
        &self,
        channel_id: &str,
    ) -> Result<Result<(), ClientError>, CatchUpError> {
        let now = self.clock.seconds();
        let channel = match self.slack.client().channel_info(channel_id).await {
            Ok(channel) => channel,
            Err(error) => return Ok(Err(error)),
        };
        let at = TsKey::first_of(now);
        let mut effects = channel.effects(at);
        // A channel that comes out of the archive need not be the bot's.
        effects.extend(channel.is_member.map(|_| presence(&channel, at)));
        let settings = self.current.settings();
        if settings.external_channels == ExternalChannels::Ignore {
            self.slack
                .ignore_shared(&effects, settings.language, super::SENT_AGAIN_SECONDS)
                .await?;
        }
        self.workspace.apply_effects(effects, now).await?;
        Ok(Ok(()))
    }

    /// Reads a channel's members: people may have come and gone. If Slack does not return them, they stay as they are known and are
    /// asked for again.
    pub(super) async fn read_members_of(
        &self,
        channel_id: &str,
    ) -> Result<Result<(), ClientError>, CatchUpError> {
        // Whoever joins while the pages are read has a later event.
        let at = TsKey::first_of(self.clock.seconds());
        let (members, refused) = match self.slack.client().members(channel_id).await {
            Ok(members) => (Some(members), None),
            // It is not the bot's any more.
            Err(error) if error.refusal() == Some(RefusalKind::NotFound) => (None, Some(error)),
            Err(error) => {
                self.ask_later(channel_id, &error);
                return Ok(Err(error));
            }
        };
        let mut effects = vec![Effect::ChannelMembers {
            id: channel_id.to_owned(),
            members,
            at,
        }];
        effects.extend(refused.is_some().then(|| Effect::ChannelPresence {
            id: channel_id.to_owned(),
            present: false,
            at,
        }));
        let now = self.clock.seconds();
        self.workspace.apply_effects(effects, now).await?;
        let Some(error) = refused else {
            self.audiences.end(channel_id);
            return Ok(Ok(()));
        };
        self.ask_later(channel_id, &error);
        Ok(Err(error))
    }

    pub(super) fn ask_later(&self, channel_id: &str, error: &ClientError) {
        let now = self.clock.seconds();
        self.audiences
            .add(channel_id.to_owned(), now, wait_after(error));
        tracing::warn!("Slack does not say who reads {channel_id}; it is asked again: {error}");
    }

    /// Asks for members of whom it is not known whether they are guests.
    async fn read_standing(&self) -> Result<(), CatchUpError> {
        let unknown = self.workspace.members_of_unknown_standing(MAX_MEMBERS);
        Ok(self.slack.look_up_users(unknown.await?).await?)
    }
}

/// The known channels that Slack does not list any more. They are private now, without the bot, or gone: in either case
/// nobody may see what was said there. One that the bot never was in is known from an import.
///
/// # Errors
/// [`StorageError`].
pub(crate) async fn unlisted(
    workspace: &dyn Workspace,
    listed: &[Channel],
    bot_user_id: &str,
    at: TsKey,
) -> Result<Vec<Effect>, StorageError> {
    let listed: HashSet<&str> = listed.iter().map(|channel| channel.id.as_str()).collect();
    let known = workspace.all_channels().await?.into_iter();
    let mut effects = Vec::new();
    for known in known.filter(|known| is_of_slack(&known.id) && !listed.contains(known.id.as_str()))
    {
        let ever = TsKey::first_of(0);
        if workspace.is_member(bot_user_id, &known.id, ever).await? {
            effects.push(Effect::ChannelPresence {
                id: known.id.clone(),
                present: false,
                at,
            });
        }
        if !known.is_private {
            effects.push(Effect::ChannelName {
                id: known.id,
                name: known.name,
                is_private: Some(true),
                at,
            });
        }
    }
    Ok(effects)
}

/// Seconds until a channel is asked for again.
fn wait_after(error: &ClientError) -> u32 {
    match error.refusal() {
        Some(RefusalKind::NotFound) => LONGEST_WAIT_SECONDS,
        _ => ASK_AGAIN_SECONDS,
    }
}

/// Returns true if an id is one of Slack's channels, whose members come and go: the store also has direct messages,
/// and the channel of `myao chat`.
pub(super) fn is_of_slack(id: &str) -> bool {
    id.starts_with(['C', 'G']) && id != crate::chat::CHANNEL_ID
}

#[cfg(test)]
mod tests {
    use myao_slack::error::ClientError;

    use super::wait_after;

    #[test]
    fn a_channel_is_asked_for_again_within_an_hour_whatever_slack_says() {
        let refused = |code: &str| ClientError::Refused {
            method: "conversations.members",
            code: code.to_owned(),
            needed: None,
            provided: None,
        };
        for (error, expected) in [
            (refused("channel_not_found"), 3600),
            (refused("fetch_members_failed"), 60),
            (
                ClientError::TimedOut {
                    method: "conversations.members",
                },
                60,
            ),
        ] {
            assert_eq!(wait_after(&error), expected, "{error}");
        }
    }
}
