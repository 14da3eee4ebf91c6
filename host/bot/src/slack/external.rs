//! Channels that are shared with others, if nothing of them is to be stored.

use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::off_record::Speaker;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::Language;
use myao_slack::client::PostMessage;

use super::greeting::notice;
use super::live::LiveSlack;

impl LiveSlack {
    /// Takes channels off the record that are shared with others, as effects tell that are about to be stored, and says so once in
    /// each that the bot is in. What was said so many seconds before goes, too.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub(crate) async fn ignore_shared(
        &self,
        effects: &[Effect],
        language: Language,
        before: i64,
    ) -> Result<(), StorageError> {
        let shared = effects.iter().filter_map(|effect| match effect {
            Effect::ChannelShared {
                id,
                is_shared: Some(true),
                at,
            } => Some((id, *at)),
            _ => None,
        });
        for (id, at) in shared {
            if !self.is_in(id, effects).await? {
                continue;
            }
            let of = Speaker::Channel(id.clone());
            let (since, now) = (
                TsKey::from_database(at.to_database() - before * 1_000_000),
                self.clock.seconds(),
            );
            // The configuration asks for it.
            let workspace = self.workspace.by(Actor::operator(Door::Slack));
            if workspace.set_off_record(of, true, since, now).await? {
                tracing::info!("{id} is shared with others, so nothing of it is stored");
                let (client, channel) = (self.client.clone(), id.clone());
                tokio::spawn(async move {
                    let notice = not_listening(channel, language);
                    if let Err(error) = client.post_message(&notice).await {
                        let channel = notice.channel;
                        tracing::warn!(
                            "{channel} is not told that the bot does not listen: {error}"
                        );
                    }
                });
            }
        }
        Ok(())
    }

    /// Returns true if the bot is in a channel, by what is stored or by effects that are about to be.
    async fn is_in(&self, channel_id: &str, effects: &[Effect]) -> Result<bool, StorageError> {
        let hears = effects.iter().any(|effect| match effect {
            Effect::Message { record, .. } => record.channel_id == channel_id,
            Effect::ChannelPresence { id, present, .. } => *present && id == channel_id,
            _ => false,
        });
        let known = self.workspace.known_channel(channel_id).await?;
        Ok(hears || known.is_some_and(|known| known.is_present))
    }
}

/// The notice in a channel to which it does not listen.
fn not_listening(channel: String, language: Language) -> PostMessage {
    let text = match language {
        Language::Japanese => {
            "このチャンネルはほかの組織と共有されているので、ここでの話は聞かず、何も覚えません。"
        }
        Language::English => {
            "This channel is shared with others, so I do not listen here and remember nothing of it."
        }
    };
    notice(channel, text.to_owned())
}
