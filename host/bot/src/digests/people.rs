//! Who a person is that gets a digest, and what it is made from.

use std::sync::Arc;

use myao_plugin::Place;
use myao_plugin::state::Workspace;
use myao_plugin::storage::Channel;
use myao_plugin::storage::recall::RecallQuery;
use myao_plugin::ts::TsKey;
use myao_slack::events::is_direct_message;

use super::{Failed, stored};

/// How many of a channel's newest messages are looked at for one of the person.
const MESSAGES: u32 = 500;

/// A person who gets a digest, in the direct message with the bot.
pub(super) struct Reader {
    pub(super) user_id: String,
    /// The direct message.
    pub(super) channel_id: String,
}

impl Reader {
    /// The person with this name or id, if they ever wrote to the bot.
    pub(super) async fn find(
        workspace: &Arc<dyn Workspace>,
        wanted: &str,
        bot_user_id: &str,
    ) -> Result<Self, Failed> {
        let user_id = id_of(workspace, wanted.trim_start_matches('@')).await?;
        let ever = TsKey::first_of(0);
        for channel in workspace.all_channels().await.map_err(stored)? {
            let is_in = async |id: &str| workspace.is_member(id, &channel.id, ever).await;
            if is_direct_message(&channel.id)
                && is_in(&user_id).await.map_err(stored)?
                && is_in(bot_user_id).await.map_err(stored)?
            {
                return Ok(Self {
                    user_id,
                    channel_id: channel.id,
                });
            }
        }
        Err(Failed::for_good(
            "this person has never written to the bot: one direct message is enough",
        ))
    }

    /// The channels that the person is in, as far as they may be quoted in the direct message: everybody of the workspace can
    /// read them, and the person is no guest.
    pub(super) async fn channels(
        &self,
        workspace: &Arc<dyn Workspace>,
    ) -> Result<Vec<Channel>, Failed> {
        let ever = TsKey::first_of(0);
        let view = workspace.view(Place::Channel(self.channel_id.clone()));
        let mut channels = Vec::new();
        for channel in view.channels().await.map_err(stored)? {
            let is_in = workspace.is_member(&self.user_id, &channel.id, ever).await;
            if channel.id != self.channel_id && is_in.map_err(stored)? {
                channels.push(channel);
            }
        }
        Ok(channels)
    }

    /// When the person last wrote in a channel within these Unix seconds; `None` if not then.
    pub(super) async fn last_written(
        &self,
        workspace: &Arc<dyn Workspace>,
        channel: &Channel,
        (since, until): (i64, i64),
    ) -> Result<Option<i64>, Failed> {
        let query = RecallQuery {
            terms: Vec::new(),
            text: String::new(),
            channels: vec![channel.id.clone()],
            since: Some(TsKey::first_of(since).to_string()),
            until: TsKey::first_of(until).to_string(),
            limit: MESSAGES,
            neighbours: 0,
        };
        let seen = workspace.at(Place::Channel(self.channel_id.clone()));
        let found = seen.find_candidates(query, None).await.map_err(stored)?;
        let own = found.messages.iter().map(|found| &found.message);
        let own = own.filter(|message| message.user.id == self.user_id);
        Ok(own.map(|message| message.timestamp.unix_seconds).max())
    }
}

/// The id of the person with this name or id.
async fn id_of(workspace: &Arc<dyn Workspace>, wanted: &str) -> Result<String, Failed> {
    let users = workspace.users().await.map_err(stored)?.into_iter();
    let mut found = users
        .filter(|user| !user.is_bot && (user.id == wanted || user.name == wanted))
        .map(|user| user.id);
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(Failed::for_good(
            "nobody with this name or id is known: correct slack.digests, or wait until they write something",
        )),
        (Some(_), Some(_)) => Err(Failed::for_good(
            "several people have that name; put the id into slack.digests",
        )),
    }
}
