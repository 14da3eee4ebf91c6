//! Whether what Slack delivers is for this bot: one address or app may serve several workspaces.

use serde::Deserialize;
use serde_json::Value;

/// Where the bot is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The workspace, `T…`.
    pub team_id: String,
    /// The organisation, `E…`, if the app is installed for all its workspaces.
    pub enterprise_id: Option<String>,
    /// The app, `A…`; `None` if it is not known.
    pub app_id: Option<String>,
}

/// Why a delivery is not for this bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// It is for an installation in another workspace.
    #[error("it is for another workspace")]
    Team,
    /// It is for another app.
    #[error("it is for another app")]
    App,
}

/// What a payload says of its receiver. In a channel that workspaces share (Slack Connect), `team_id` may be where
/// the author is at home; `context_team_id` and `authorizations` then name the installation that may see it
/// (<https://docs.slack.dev/apis/events-api/#event-type-structure>).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Receiver {
    team_id: Value,
    context_team_id: Value,
    enterprise_id: Value,
    context_enterprise_id: Value,
    authorizations: Value,
    /// Of a click.
    team: Value,
    api_app_id: Value,
}

impl Installation {
    /// Why a delivery is not for this installation; `None` if it is, or does not say.
    #[must_use]
    pub fn refuses(&self, payload: &str) -> Option<Foreign> {
        let receiver: Receiver = serde_json::from_str(payload).ok()?;
        let app = text(&receiver.api_app_id);
        if app.is_some_and(|app| self.app_id.as_deref().is_some_and(|own| own != app)) {
            return Some(Foreign::App);
        }
        let authorizations = receiver.authorizations.as_array();
        let authorized = |field: &'static str| {
            let each = authorizations.into_iter().flatten();
            each.filter_map(move |authorization| text(authorization.get(field)?))
        };
        let mut teams = [&receiver.team_id, &receiver.context_team_id]
            .into_iter()
            .chain(receiver.team.get("id"))
            .filter_map(text)
            .chain(authorized("team_id"))
            .peekable();
        let mut enterprises = [&receiver.enterprise_id, &receiver.context_enterprise_id]
            .into_iter()
            .filter_map(text)
            .chain(authorized("enterprise_id"));
        let says_nothing = teams.peek().is_none();
        let own_enterprise = self.enterprise_id.as_deref();
        let is_ours = teams.any(|team| team == self.team_id)
            || enterprises.any(|enterprise| Some(enterprise) == own_enterprise);
        (!says_nothing && !is_ours).then_some(Foreign::Team)
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Foreign, Installation};

    fn refused(payload: &Value) -> Option<Foreign> {
        let installation = Installation {
            team_id: "T1".to_owned(),
            enterprise_id: None,
            app_id: Some("A1".to_owned()),
        };
        installation.refuses(&payload.to_string())
    }

    #[test]
    fn events_of_another_team_or_app_are_refused() {
        for (payload, expected) in [
            (json!({ "team_id": "T1", "api_app_id": "A1" }), None),
            (
                json!({ "team_id": "T2", "api_app_id": "A1" }),
                Some(Foreign::Team),
            ),
            (
                json!({ "team_id": "T1", "api_app_id": "A2" }),
                Some(Foreign::App),
            ),
            (json!({ "team": { "id": "T2" } }), Some(Foreign::Team)),
            (
                json!({ "team_id": "T2", "context_team_id": "T3", "authorizations": [{ "team_id": "T2" }] }),
                Some(Foreign::Team),
            ),
            // What does not say is checked by its signature alone.
            (
                json!({ "type": "event_callback", "authorizations": [] }),
                None,
            ),
            (json!({ "team_id": 5, "api_app_id": null }), None),
        ] {
            assert_eq!(refused(&payload), expected, "{payload}");
        }
    }

    #[test]
    fn what_others_say_in_a_shared_channel_is_taken() {
        for payload in [
            json!({ "team_id": "T2", "context_team_id": "T1" }),
            json!({ "team_id": "T2", "authorizations": [{ "team_id": "T1" }] }),
            json!({ "team_id": "T1", "context_team_id": "T2", "authorizations": [{ "team_id": "T2" }] }),
        ] {
            assert_eq!(refused(&payload), None, "{payload}");
        }
    }

    #[test]
    fn an_app_of_a_whole_organisation_takes_events_of_all_its_workspaces() {
        let installation = Installation {
            team_id: "E1".to_owned(),
            enterprise_id: Some("E1".to_owned()),
            app_id: None,
        };
        let of = |enterprise: &str| {
            let authorizations = json!([{ "team_id": "T9", "enterprise_id": enterprise }]);
            let payload =
                json!({ "team_id": "T9", "api_app_id": "A9", "authorizations": authorizations });
            installation.refuses(&payload.to_string())
        };
        assert_eq!((of("E1"), of("E2")), (None, Some(Foreign::Team)));
    }
}
