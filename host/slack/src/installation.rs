//! Checks that a delivery is for this bot: one address or app may serve several workspaces.

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
#[non_exhaustive]
pub enum Misdelivery {
    /// It is for an installation in another workspace.
    #[error("it is for another workspace")]
    OtherWorkspace,
    /// It is for another app.
    #[error("it is for another app")]
    OtherApp,
}

/// The receiver that a payload names. In a channel that workspaces share (Slack Connect), `team_id` may be the author's
/// workspace; `context_team_id` and `authorizations` then name the installation that may see it
/// (<https://docs.slack.dev/apis/events-api/#event-type-structure>).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Fields")]
pub struct Addressee {
    app: Option<String>,
    teams: Vec<String>,
    enterprises: Vec<String>,
}

/// The fields of a payload that name its receiver. What has another shape says nothing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    team_id: Value,
    context_team_id: Value,
    enterprise_id: Value,
    context_enterprise_id: Value,
    authorizations: Value,
    /// Only clicks have it.
    team: Value,
    api_app_id: Value,
}

impl From<Fields> for Addressee {
    fn from(fields: Fields) -> Self {
        let authorized = |field: &'static str| {
            let each = fields.authorizations.as_array().into_iter().flatten();
            each.filter_map(move |authorization| authorization.get(field))
        };
        let teams = [&fields.team_id, &fields.context_team_id].into_iter();
        let enterprises = [&fields.enterprise_id, &fields.context_enterprise_id].into_iter();
        Self {
            app: text(&fields.api_app_id),
            teams: teams
                .chain(fields.team.get("id"))
                .chain(authorized("team_id"))
                .filter_map(text)
                .collect(),
            enterprises: enterprises
                .chain(authorized("enterprise_id"))
                .filter_map(text)
                .collect(),
        }
    }
}

impl Installation {
    /// Why a delivery is not for this installation; `None` if it is, or does not say.
    #[must_use]
    pub fn misdelivery(&self, addressee: &Addressee) -> Option<Misdelivery> {
        if let (Some(app), Some(own)) = (&addressee.app, &self.app_id)
            && app != own
        {
            return Some(Misdelivery::OtherApp);
        }
        let own_enterprise = self.enterprise_id.as_ref();
        let is_ours = addressee.teams.contains(&self.team_id)
            || own_enterprise.is_some_and(|own| addressee.enterprises.contains(own));
        (!addressee.teams.is_empty() && !is_ours).then_some(Misdelivery::OtherWorkspace)
    }
}

fn text(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::{Addressee, Installation, Misdelivery};

    fn misdelivery(installation: &Installation, payload: &Value) -> Option<Misdelivery> {
        let addressee: Addressee = serde_json::from_str(&payload.to_string()).unwrap();
        installation.misdelivery(&addressee)
    }

    fn refused(payload: &Value) -> Option<Misdelivery> {
        let installation = Installation {
            team_id: "T1".to_owned(),
            enterprise_id: None,
            app_id: Some("A1".to_owned()),
        };
        misdelivery(&installation, payload)
    }

    #[test]
    fn events_of_another_team_or_app_are_refused() {
        for (payload, expected) in [
            (json!({ "team_id": "T1", "api_app_id": "A1" }), None),
            (
                json!({ "team_id": "T2", "api_app_id": "A1" }),
                Some(Misdelivery::OtherWorkspace),
            ),
            (
                json!({ "team_id": "T1", "api_app_id": "A2" }),
                Some(Misdelivery::OtherApp),
            ),
            (
                json!({ "team": { "id": "T2" } }),
                Some(Misdelivery::OtherWorkspace),
            ),
            (
                json!({ "team_id": "T2", "context_team_id": "T3", "authorizations": [{ "team_id": "T2" }] }),
                Some(Misdelivery::OtherWorkspace),
            ),
            // A delivery without these fields is checked by its signature alone.
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
            misdelivery(&installation, &payload)
        };
        assert_eq!(
            (of("E1"), of("E2")),
            (None, Some(Misdelivery::OtherWorkspace))
        );
    }
}
