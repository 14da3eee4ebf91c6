//! What the bot says: messages, private notes, its Home tab, answers to commands.

use reqwest::Url;
use serde_json::{Value, json};

use super::{Method, SlackClient, answer, attempts, pages::params};
use crate::error::SlackError;

/// The hosts of Slack's response addresses.
const RESPONSE_HOSTS: [&str; 2] = ["hooks.slack.com", "hooks.slack-gov.com"];
/// Stands for response addresses in errors and limits.
const RESPONSE: Method = Method::write("response_url");

/// A message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PostMessage {
    /// The channel's id.
    pub channel: String,
    /// The thread; none for the top level.
    pub thread_ts: Option<String>,
    /// The text in Slack's mrkdwn. Names and addresses are not looked for in it: only `<…>` links and notifies.
    pub text: String,
    /// What is kept with the message, unseen; read back by [`SlackClient::history`].
    pub metadata: Option<Metadata>,
}

/// What is kept with a message: <https://docs.slack.dev/messaging/message-metadata>.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// Its kind.
    pub event_type: String,
    /// An object with flat values.
    pub event_payload: Value,
}

/// A note that one person sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostEphemeral {
    /// The channel's id.
    pub channel: String,
    /// Who sees it.
    pub user: String,
    /// The thread; none for the top level.
    pub thread_ts: Option<String>,
    /// The text in Slack's mrkdwn.
    pub text: String,
}

impl SlackClient {
    /// Posts a message; its `ts`. No previews of links are unfolded.
    ///
    /// # Errors
    /// See [`SlackError`]. Where [`SlackError::may_have_arrived`], the message may stand in the channel: look there for its
    /// metadata before posting it again. This function never does.
    pub async fn post_message(&self, message: &PostMessage) -> Result<String, SlackError> {
        const METHOD: Method = Method::write("chat.postMessage");
        let metadata = message.metadata.as_ref();
        let metadata = metadata.map(
            |data| json!({"event_type": data.event_type, "event_payload": data.event_payload}),
        );
        let params = params([
            ("channel", Some(json!(message.channel))),
            ("thread_ts", message.thread_ts.clone().map(Value::from)),
            ("text", Some(json!(message.text))),
            ("metadata", metadata),
            ("mrkdwn", Some(json!(true))),
            ("parse", Some(json!("none"))),
            ("unfurl_links", Some(json!(false))),
            ("unfurl_media", Some(json!(false))),
        ]);
        let mut body = self.call(METHOD, &params).await?;
        answer::take(METHOD, &mut body, "ts")
    }

    /// Shows a note to one person.
    ///
    /// # Errors
    /// See [`SlackError`].
    pub async fn post_ephemeral(&self, note: &PostEphemeral) -> Result<(), SlackError> {
        let params = params([
            ("channel", Some(json!(note.channel))),
            ("user", Some(json!(note.user))),
            ("thread_ts", note.thread_ts.clone().map(Value::from)),
            ("text", Some(json!(note.text))),
            ("parse", Some(json!("none"))),
        ]);
        self.call(Method::write("chat.postEphemeral"), &params)
            .await?;
        Ok(())
    }

    /// Sets somebody's Home tab. `view` is a view of the type `home`.
    ///
    /// # Errors
    /// See [`SlackError`].
    pub async fn publish_home(&self, user_id: &str, view: &Value) -> Result<(), SlackError> {
        let params = json!({"user_id": user_id, "view": view});
        self.call(Method::set("views.publish"), &params).await?;
        Ok(())
    }

    /// Answers a command or click at the address that came with it.
    ///
    /// # Errors
    /// See [`SlackError`]; [`SlackError::BadAddress`] where the address is not Slack's: then nothing is sent.
    pub async fn respond(&self, response_url: &str, body: &Value) -> Result<(), SlackError> {
        let url = self.response_address(response_url)?;
        let gate = self.shared.gates.of(RESPONSE);
        attempts::run(RESPONSE, &gate, self.shared.waits, || async {
            let request = self.shared.http.post(url.clone()).json(body);
            let response = request
                .send()
                .await
                .map_err(|error| answer::broken(RESPONSE.name(), &error))?;
            answer::read_response_url(RESPONSE.name(), response, &self.shared.token).await
        })
        .await
    }

    /// The address comes out of a payload, so it is followed only to Slack; with the API of a test, to that server.
    pub(super) fn response_address(&self, response_url: &str) -> Result<Url, SlackError> {
        let url = response_url.parse::<Url>().ok();
        let is_ours = |url: &Url| {
            let host = url.host_str().unwrap_or_default();
            let is_slacks =
                url.scheme() == "https" && url.port().is_none() && RESPONSE_HOSTS.contains(&host);
            let api = &self.shared.api_url;
            let is_the_tests =
                !is_slack(api) && url.host_str() == api.host_str() && url.scheme() == api.scheme();
            is_slacks || is_the_tests
        };
        url.filter(is_ours).ok_or_else(|| SlackError::BadAddress {
            what: "the response address",
            detail: format!(
                "only https://{} is answered; the payload may be forged",
                RESPONSE_HOSTS[0]
            ),
        })
    }
}

/// Whether an address of the API is Slack's own.
fn is_slack(api_url: &Url) -> bool {
    let host = api_url.host_str().unwrap_or_default();
    ["slack.com", "slack-gov.com"].iter().any(|domain| {
        host.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}
