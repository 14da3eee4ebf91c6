//! Slash commands and shortcuts.

use serde_json::{Value, json};

use crate::delivery::{COMMAND, EventState, INTERACTIVE};
use crate::server::FakeSlack;
use crate::state::Inner;
use crate::{APP_ID, TEAM_ID};

/// The bot's immediate answer to a slash command.
#[derive(Debug, Clone, PartialEq)]
pub struct SlashAnswer {
    /// Of the acknowledgement: text, blocks; none if it was empty.
    pub payload: Option<Value>,
    /// Where the bot may post more, later: see [`FakeSlack::responses`].
    pub response_url: String,
}

impl FakeSlack {
    /// A user types `/memory text` in a channel; returns the bot's acknowledgement.
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
        self.is_taken(command, number).await;
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

impl FakeSlack {
    /// A user chooses a shortcut of the app in the menu of a message.
    ///
    /// # Panics
    ///
    /// Nobody is connected, or the bot does not acknowledge it.
    pub async fn message_shortcut(
        &self,
        user: &str,
        channel: &str,
        (ts, thread_ts): (&str, Option<&str>),
        callback_id: &str,
    ) {
        let number = self.inner().change(|state| {
            let trigger = format!("shortcut.{}", state.outbound.events.len());
            let mut message = json!({ "type": "message", "ts": ts });
            if let Some(thread_ts) = thread_ts {
                message["thread_ts"] = thread_ts.into();
            }
            let payload = json!({
                "type": "message_action", "token": "verification-token", "action_ts": ts,
                "team": { "id": TEAM_ID, "domain": state.world.team.domain }, "user": { "id": user, "team_id": TEAM_ID },
                "channel": { "id": channel }, "callback_id": callback_id, "trigger_id": trigger,
                "message_ts": ts, "message": message, "is_enterprise_install": false, "enterprise": null,
            });
            state.bot.triggers.insert(trigger, user.to_owned());
            state.offer(INTERACTIVE, payload)
        });
        self.is_taken(callback_id, number).await;
    }

    /// A user ticks boxes, by their values, in a message that the bot showed to somebody alone, and presses its button.
    ///
    /// # Panics
    ///
    /// The message has no button, nobody is connected, or the bot does not acknowledge it.
    pub async fn press(&self, user: &str, channel: &str, blocks: &Value, ticked: &[&str]) {
        let blocks = blocks.as_array().unwrap();
        let mut values = serde_json::Map::new();
        for block in blocks
            .iter()
            .filter(|block| block["accessory"]["type"] == "checkboxes")
        {
            let boxes = &block["accessory"];
            let options = boxes["options"].as_array().unwrap().iter();
            let selected =
                options.filter(|option| ticked.contains(&option["value"].as_str().unwrap()));
            let state =
                json!({ "type": "checkboxes", "selected_options": selected.collect::<Vec<_>>() });
            let action = boxes["action_id"].as_str().unwrap();
            values.insert(
                block["block_id"].as_str().unwrap().to_owned(),
                json!({ action: state }),
            );
        }
        let mut elements = blocks
            .iter()
            .flat_map(|block| block["elements"].as_array().into_iter().flatten());
        let button = elements.rfind(|element| element["type"] == "button");
        let mut action = button.expect("the message has a button").clone();
        let number = self.inner().change(|state| {
            action["action_ts"] = state.clock.tick().to_string().into();
            let payload = json!({
                "type": "block_actions", "token": "verification-token", "api_app_id": APP_ID,
                "team": { "id": TEAM_ID, "domain": state.world.team.domain }, "user": { "id": user, "team_id": TEAM_ID },
                "container": { "type": "message", "channel_id": channel, "is_ephemeral": true },
                "channel": { "id": channel }, "trigger_id": "1.press", "response_url": "http://127.0.0.1:9/actions",
                "state": { "values": values }, "actions": [action], "is_enterprise_install": false, "enterprise": null,
            });
            state.offer(INTERACTIVE, payload)
        });
        self.is_taken("the button", number).await;
    }

    /// A user picks an option, by its value, of a list or a menu at the bot's Home tab.
    ///
    /// # Panics
    ///
    /// Nobody has published such a list, or no bot acknowledges it.
    pub async fn pick(&self, user: &str, value: &str) {
        let home = self.home(user).expect("the Home tab is published");
        let container = json!({
            "container": { "type": "view", "view_id": "V0HOME" }, "view": { "type": "home" },
        });
        self.pick_of(user, &home["blocks"], value, container).await;
    }

    /// A user picks an option, by its value, of a list or a menu of a message that only they see.
    ///
    /// # Panics
    ///
    /// The message has no such option, or no bot acknowledges it.
    pub async fn pick_in(&self, user: &str, channel: &str, blocks: &Value, value: &str) {
        let container = json!({
            "container": { "type": "message", "channel_id": channel, "is_ephemeral": true },
            "channel": { "id": channel }, "response_url": "http://127.0.0.1:9/actions",
        });
        self.pick_of(user, blocks, value, container).await;
    }

    async fn pick_of(&self, user: &str, blocks: &Value, value: &str, container: Value) {
        let blocks = blocks.as_array().unwrap();
        let mut lists = blocks.iter().map(|block| &block["accessory"]);
        let offered = lists.find_map(|list| {
            let option = list["options"].as_array()?.iter();
            let mut option = option.filter(|option| option["value"] == value);
            Some((list.clone(), option.next()?.clone()))
        });
        let (list, option) = offered.expect("the option is offered");
        let number = self.inner().change(|state| {
            let action_ts = state.clock.tick().to_string();
            let action = json!({
                "type": list["type"], "action_id": list["action_id"], "block_id": "b1", "selected_option": option,
                "action_ts": action_ts,
            });
            let trigger = format!("pick.{}", state.outbound.events.len());
            state.bot.triggers.insert(trigger.clone(), user.to_owned());
            let mut payload = json!({
                "type": "block_actions", "token": "verification-token", "api_app_id": APP_ID,
                "team": { "id": TEAM_ID, "domain": state.world.team.domain }, "user": { "id": user, "team_id": TEAM_ID },
                "trigger_id": trigger, "state": { "values": {} }, "actions": [action],
            });
            let fields = container.as_object().cloned().unwrap_or_default();
            payload.as_object_mut().unwrap().extend(fields);
            state.offer(INTERACTIVE, payload)
        });
        self.is_taken("the choice", number).await;
    }

    /// A user chooses values in the window that the bot opened last, by the ids of its inputs, and saves it.
    ///
    /// # Panics
    ///
    /// No window is open, or no bot acknowledges it.
    pub async fn save(&self, user: &str, chosen: &[(&str, Value)]) {
        let (_, view) = self.modals().pop().expect("a window is open");
        let inputs = view["blocks"].as_array().unwrap().iter();
        let inputs = inputs.filter(|block| block["type"] == "input");
        let mut values = serde_json::Map::new();
        for input in inputs {
            let (block, element) = (input["block_id"].as_str().unwrap(), &input["element"]);
            let (field, initial) = match element["type"].as_str().unwrap() {
                "datepicker" => ("selected_date", &element["initial_date"]),
                _ => ("selected_users", &element["initial_users"]),
            };
            let value = chosen.iter().find(|(id, _)| *id == block);
            let value = value.map_or(initial, |(_, value)| value);
            let value = if value.is_null() && field == "selected_users" {
                json!([])
            } else {
                value.clone()
            };
            let action = element["action_id"].as_str().unwrap();
            values.insert(
                block.to_owned(),
                json!({ action: { "type": element["type"], field: value } }),
            );
        }
        let number = self.inner().change(|state| {
            let mut view = view;
            view["id"] = "V0ITEM".into();
            view["state"] = json!({ "values": values });
            let payload = json!({
                "type": "view_submission", "token": "verification-token", "api_app_id": APP_ID,
                "team": { "id": TEAM_ID, "domain": state.world.team.domain }, "user": { "id": user, "team_id": TEAM_ID },
                "trigger_id": "1.save", "view": view, "response_urls": [],
            });
            state.offer(INTERACTIVE, payload)
        });
        self.is_taken("the window", number).await;
    }

    async fn is_taken(&self, what: &str, number: usize) {
        let state = |slack: &Self| {
            slack
                .inner()
                .read(|state| state.outbound.events[number].state)
        };
        assert_ne!(state(self), EventState::Lost, "{what}: nobody is connected");
        let acknowledged = |slack: &Self| state(slack) == EventState::Acknowledged;
        self.wait_until("it is acknowledged", acknowledged).await;
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
            (state.offer(COMMAND, payload), response_url)
        })
    }
}
