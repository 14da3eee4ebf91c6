//! The first words in a channel: what the bot does there, who sees it, and how to stop it.

use myao_plugin::state::off_record::{Participation, Speaker};
use myao_plugin::storage::StorageError;
use myao_slack::blocks::Language;
use myao_slack::client::PostMessage;

use super::live::LiveSlack;

impl LiveSlack {
    /// Says once in a channel that the bot was invited to what it does there; nothing where nothing is to be remembered. `by_default`
    /// is how it takes part where nobody has chosen.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub(crate) async fn greet(
        &self,
        channel_id: &str,
        language: Language,
        by_default: Participation,
    ) -> Result<(), StorageError> {
        let off = Speaker::Channel(channel_id.to_owned());
        let known = self.workspace.known_channel(channel_id).await?;
        let Some(known) = known.filter(|known| known.is_present) else {
            return Ok(());
        };
        if self.workspace.off_record_since(off).await?.is_some()
            || !self.workspace.note_greeting(channel_id).await?
        {
            return Ok(());
        }
        let set = self.workspace.participation().await?;
        let how = *set.get(channel_id).unwrap_or(&by_default);
        // One that was not looked up yet counts as private.
        let is_private = (!known.name.is_empty()).then_some(known.is_private);
        let text = greeting(language, how, is_private);
        let notice = notice(channel_id.to_owned(), text);
        if let Err(error) = self.client.post_message(&notice).await {
            tracing::warn!("{channel_id} is not told what the bot does there: {error}");
        }
        Ok(())
    }
}

fn greeting(language: Language, how: Participation, is_private: Option<bool>) -> String {
    match language {
        Language::Japanese => {
            let seen = match is_private {
                Some(true) => "ここで覚えたことは、このチャンネルだけで使います。",
                Some(false) => {
                    "ここで覚えたことは、ワークスペースのメンバーが見られます。\
                     ゲストや社外の人がいる間は、このチャンネルだけで使います。"
                }
                None => "",
            };
            let answers = match how {
                Participation::Silent => "メンションには答えません。",
                Participation::Mentions => "メンションされたら答えます。",
                Participation::JoinsIn => {
                    "メンションされたら答えます。誰も答えない発言にも、役に立ちそうなら答えます。"
                }
            };
            format!(
                "こんにちは。このチャンネルの会話を、これまでの一部も含めて覚えて、短くまとめます。{answers}\n\
                 {seen}まとめは `/memory` で見られます。\n\
                 やめるとき、変えるときは `/memory モード`、自分の発言を覚えられたくない人は `/memory オフ 自分`。"
            )
        }
        Language::English => {
            let seen = match is_private {
                Some(true) => "What I remember here is used in this channel alone. ",
                Some(false) => {
                    "Members of the workspace can see what I remember here; while guests or people from outside are in this \
                     channel, it is used here alone. "
                }
                None => "",
            };
            let answers = match how {
                Participation::Silent => "I answer no mention.",
                Participation::Mentions => "I answer when I am mentioned.",
                Participation::JoinsIn => {
                    "I answer when I am mentioned, and what nobody else answers if that helps."
                }
            };
            format!(
                "Hello! I remember what is said in this channel, with some of what was said before, and keep short summaries of it. {answers}\n\
                 {seen}`/memory` shows it.\n\
                 `/memory mode` stops or changes this; `/memory off me` keeps out what you say."
            )
        }
    }
}

/// A message of the bot's own words.
pub(super) fn notice(channel: String, text: String) -> PostMessage {
    PostMessage {
        channel,
        thread_ts: None,
        text,
        metadata: None,
    }
}
