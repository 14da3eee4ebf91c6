//! Shows the author of a correction what it may strike, and keeps what is picked.

use myao_plugin::chat::Chat as _;
use myao_plugin::state::replies::WaitingReply;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::{Language, Source, StrikeChoice, is_struck, strike_list};
use myao_slack::shortcut::Picked;
use myao_terms::addressed;

use super::attempts::as_of;
use super::marking;
use super::mentions::Mentions;
use super::shortcuts::Shortcuts;
use super::views::moment;

impl Mentions {
    /// Shows to the author alone what a correction may strike. Nothing is shown if that is nothing.
    pub(super) async fn offer_strikes(&self, reply: &WaitingReply) -> Result<(), String> {
        let mention = self.mention(reply).await;
        let mention = mention.map_err(|error| error.to_string())?;
        let Some(mention) = mention.filter(|mention| addressed::may_mark(&mention.text)) else {
            return Ok(());
        };
        let now = self
            .clock
            .local(as_of(reply.asked_at, self.clock.seconds()));
        let (channel_id, plugin) = (&reply.channel_id, self.current.plugin());
        let strikable = plugin.list_strikable(channel_id, &mention.ts, now).await;
        let strikable = strikable.map_err(|error| error.to_string())?;
        if strikable.is_empty() {
            return Ok(());
        }
        let mut choices = Vec::new();
        for of in strikable {
            let ts = of.said.span.message.ts;
            let link = self.slack.permalink(channel_id.clone(), ts.clone()).await;
            choices.push(StrikeChoice {
                ts,
                said: Source {
                    at: moment(of.said.timestamp),
                    author: of.said.user.name,
                    text: of.said.text,
                    permalink: link.ok(),
                },
                is_ticked: of.is_likely,
            });
        }
        let language = Language::of(&mention.text);
        let language = language.unwrap_or(self.current.settings().language);
        let (text, blocks) = strike_list(channel_id, &mention.ts, &choices, language);
        let author = &mention.user.id;
        let place = (channel_id.as_str(), reply.thread_ts);
        let shown = self.slack.whisper(place, author, &text, Some(&blocks));
        shown.await.map_err(|error| error.to_string())
    }
}

impl Shortcuts {
    /// Strikes what the author of a correction picked. Nobody else sees the list, and from nobody else it is taken.
    pub(super) async fn strike(&self, picked: Picked) -> Result<(), String> {
        let Ok(correction) = TsKey::parse(&picked.correction) else {
            return Ok(());
        };
        let (channel_id, user_id) = (picked.channel_id.as_str(), picked.user_id.as_str());
        let author = self.workspace.author(channel_id, correction).await;
        if author.map_err(|error| error.to_string())?.as_deref() != Some(user_id) {
            return Err("only the author of a correction picks what it strikes".to_owned());
        }
        let struck = picked.struck.iter();
        let struck: Vec<TsKey> = struck.filter_map(|ts| TsKey::parse(ts).ok()).collect();
        let count = struck.len();
        let of = (channel_id, correction);
        let kept = marking::strike(&*self.workspace, &self.clock, of, (user_id, struck)).await;
        kept.map_err(|error| error.to_string())?;
        let text = is_struck(count, self.current.settings().language);
        let told = self.slack.whisper((channel_id, None), user_id, &text, None);
        told.await.map_err(|error| error.to_string())
    }
}
