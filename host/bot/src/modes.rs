//! How the bot takes part in a channel, which its people choose with `/memory mode`.

use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::off_record::{Participation, Speaker};
use myao_plugin::state::replies::{NOT_WANTED, WaitingReply};
use myao_plugin::{CallError, Error};
use myao_slack::blocks::{Language, ModeOutcome};
use myao_slack::command::Mode;
use myao_slack::events::is_direct_message;

use super::mentions::Mentions;
use super::off_record::{OffRecord, explained};
use super::views::Modes;

impl OffRecord {
    /// Sets the mode of a channel if one is wanted, and returns the present one. `by_default` is that of channels where nobody has
    /// chosen.
    ///
    /// # Errors
    /// The words of an error of the store or of Slack.
    pub(super) async fn mode(
        &self,
        (user_id, channel_id): (&str, &str),
        wanted: Option<Mode>,
        by_default: Participation,
    ) -> Result<ModeOutcome, String> {
        let known = self.workspace.known_channel(channel_id).await;
        if !known
            .map_err(explained)?
            .is_some_and(|known| known.is_present)
        {
            return Ok(ModeOutcome::NoChannel);
        }
        let Some(wanted) = wanted else {
            let modes = Modes::read(&*self.workspace, by_default).await;
            return Ok(ModeOutcome::Is(modes.map_err(explained)?.of(channel_id)));
        };
        let may_choose = self.slack.is_of_workspace(user_id).await;
        if !may_choose.map_err(|error| error.to_string())? {
            return Ok(ModeOutcome::NotAllowed);
        }
        let channel = Speaker::Channel(channel_id.to_owned());
        let is_off = wanted == Mode::Off;
        // The operator may have taken it off, or the configuration for channels that are shared.
        let off = self.workspace.off_record_since(channel.clone()).await;
        if !is_off && off.map_err(explained)?.is_some() {
            let is_admin = self.slack.is_admin(user_id).await;
            if !is_admin.map_err(|error| error.to_string())? {
                return Ok(ModeOutcome::OnlyAdmins);
            }
        }
        let mut is_changed = self.set(user_id, channel, is_off).await?;
        if let Some(how) = participation(wanted) {
            let workspace = self.workspace.by(Actor::person(user_id, Door::Slack));
            let set = workspace.set_participation(channel_id, how, self.clock.seconds());
            is_changed |= set.await.map_err(explained)?;
        }
        if is_changed {
            tracing::info!("{user_id} sets the mode of {channel_id}: {wanted:?}");
        }
        Ok(ModeOutcome::Set(wanted))
    }
}

/// `None` if nothing is remembered.
fn participation(mode: Mode) -> Option<Participation> {
    match mode {
        Mode::Off => None,
        Mode::Remember => Some(Participation::Silent),
        Mode::Answer => Some(Participation::Mentions),
        Mode::Join => Some(Participation::JoinsIn),
    }
}

impl Mentions {
    /// Returns true if the bot answers nothing where it was mentioned. If it remembers there, the author alone is told. The mention
    /// is given up.
    pub(super) async fn answers_nothing(&self, reply: &WaitingReply) -> Result<bool, CallError> {
        let refused = |error| CallError::Refused(Error::Storage(error));
        let by_default = self.current.settings().response.mode.into();
        let modes = Modes::read(&*self.workspace, by_default).await;
        let mode = modes.map_err(refused)?.of(&reply.channel_id);
        if matches!(mode, Mode::Answer | Mode::Join) || is_direct_message(&reply.channel_id) {
            return Ok(false);
        }
        if mode == Mode::Remember
            && let Some(mention) = self.mention(reply).await.map_err(refused)?
        {
            let language = Language::of(&mention.text);
            let language = language.unwrap_or(self.current.settings().language);
            let text = match language {
                Language::Japanese => {
                    "このチャンネルでは覚えるだけで、答えません。`/memory モード` で変えられます。"
                }
                Language::English => {
                    "In this channel I only remember, and answer nothing. `/memory mode` changes that."
                }
            };
            let place = (reply.channel_id.as_str(), reply.thread_ts);
            self.slack
                .whisper(place, &mention.user.id, text, None)
                .await
                .map_err(|error| CallError::Refused(Error::Chat(error)))?;
        }
        let given_up =
            self.workspace
                .give_up_reply(&reply.channel_id, reply.ts, NOT_WANTED.to_owned());
        given_up.await.map_err(refused)?;
        Ok(true)
    }
}
