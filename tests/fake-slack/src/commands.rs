//! Slash commands.

use serde_json::{Value, json};

use crate::delivery::EventState;
use crate::server::FakeSlack;
use crate::state::Inner;
use crate::{APP_ID, TEAM_ID};

/// What the bot said at once to a slash command.
#[derive(Debug, Clone, PartialEq)]
pub struct SlashAnswer {
    /// Of the acknowledgement: text, blocks; none if it was empty.
    pub payload: Option<Value>,
    /// Where the bot may post more, later: see [`FakeSlack::responses`].
    pub response_url: String,
}

impl FakeSlack {
    /// A user types `/memory text` in a channel; gives what the bot acknowledged it with.
    ///
    /// # Panics
    ///
    /// Nobody is connected, or the bot does not acknowledge it.
    pub async fn slash_command(
        &self,
        user: &str,
        channel: &str,
        command: &str,
        text: &str,
    ) -> SlashAnswer {
        let (number, response_url) = self.inner().send_command(user, channel, command, text);
        let delivered = self
            .inner()
            .read(|state| state.outbound.events[number].state);
        assert_ne!(
            delivered,
            EventState::Lost,
            "{command}: nobody is connected"
        );
        let acknowledged = |slack: &Self| {
            slack
                .inner()
                .read(|state| state.outbound.events[number].state == EventState::Acknowledged)
        };
        self.wait_until("the slash command is acknowledged", acknowledged)
            .await;
        let payload = self.inner().read(|state| {
            let mut deliveries = state.outbound.deliveries.iter();
            deliveries
                .find(|delivery| delivery.event == number)
                .unwrap()
                .answer
                .clone()
        });
        SlashAnswer {
            payload,
            response_url,
        }
    }
}

impl Inner {
    /// Sends a slash command; gives its number among the events, and its response address.
    pub(crate) fn send_command(
        &self,
        user: &str,
        channel: &str,
        command: &str,
        text: &str,
    ) -> (usize, String) {
        self.change(|state| {
            let number = state.bot.response_urls.len() + 1;
            let response_url = format!("http://{}/commands/{TEAM_ID}/{number}", self.address);
            state.bot.response_urls.insert(response_url.clone(), 0);
            let name = |name: Option<&String>| name.cloned().unwrap_or_default();
            let payload = json!({
                "token": "verification-token", "team_id": TEAM_ID, "team_domain": state.world.team.domain,
                "channel_id": channel,
                "channel_name": name(state.world.channels.get(channel).map(|channel| &channel.name)),
                "user_id": user, "user_name": name(state.world.users.get(user).map(|user| &user.name)),
                "command": command, "text": text, "api_app_id": APP_ID, "is_enterprise_install": "false",
                "response_url": response_url, "trigger_id": format!("{number}.trigger"),
            });
            (state.command(payload), response_url)
        })
    }
}
