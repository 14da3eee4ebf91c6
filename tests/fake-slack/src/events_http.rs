//! Events over HTTP: signed requests, one at a time, in order.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::delivery::{COMMAND, Event, INTERACTIVE};
use crate::server::FakeSlack;
use crate::signature::sign;
use crate::state::Inner;

/// How long Slack waits for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where events go.
pub(crate) struct Target {
    jobs: UnboundedSender<Job>,
}

impl Target {
    pub(crate) fn send(&self, job: Job) {
        // The other end lives as long as the server.
        let _ = self.jobs.send(job);
    }
}

/// A request to make.
pub(crate) struct Job {
    delivery: usize,
    body: String,
    content_type: &'static str,
    attempt: u32,
}

impl Job {
    pub(crate) fn new(delivery: usize, event: &Event, attempt: u32) -> Self {
        const FORM: &str = "application/x-www-form-urlencoded";
        let (content_type, body) = match event.event_type.as_str() {
            COMMAND => (FORM, form(&event.payload)),
            INTERACTIVE => (FORM, form(&json!({ "payload": event.payload.to_string() }))),
            _ => ("application/json", event.payload.to_string()),
        };
        Self {
            delivery,
            attempt,
            content_type,
            body,
        }
    }
}

/// A flat object as a form.
fn form(fields: &Value) -> String {
    let mut url = Url::parse("http://form/").unwrap();
    for (key, value) in fields.as_object().unwrap() {
        url.query_pairs_mut()
            .append_pair(key, value.as_str().unwrap());
    }
    url.query().unwrap_or_default().to_owned()
}

/// The address and the secret of the app's endpoint.
#[derive(Clone)]
struct Endpoint {
    client: Client,
    url: String,
    secret: String,
}

impl Endpoint {
    fn request(&self, body: String, content_type: &str, attempt: u32) -> RequestBuilder {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let request = self
            .client
            .post(&self.url)
            .timeout(PATIENCE)
            .header("content-type", content_type)
            .header("x-slack-request-timestamp", now)
            .header("x-slack-signature", sign(&self.secret, now, &body))
            .body(body);
        if attempt == 0 {
            return request;
        }
        request
            .header("x-slack-retry-num", attempt)
            .header("x-slack-retry-reason", "http_timeout")
    }

    /// Checks the endpoint, as Slack does when its address is entered.
    async fn verify(&self) -> Result<(), String> {
        let challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
        let body = json!({ "token": "verification-token", "challenge": challenge, "type": "url_verification" });
        let answer = self
            .request(body.to_string(), "application/json", 0)
            .send()
            .await;
        let answer = answer.map_err(|error| format!("no answer to url_verification: {error}"))?;
        let status = answer.status();
        let text = answer
            .text()
            .await
            .map_err(|error| format!("url_verification: {error}"))?;
        let said = serde_json::from_str(&text).map_or(text, |json: Value| {
            json["challenge"].as_str().unwrap_or_default().to_owned()
        });
        if !status.is_success() || said != challenge {
            return Err(format!(
                "url_verification: {status}, challenge not answered"
            ));
        }
        Ok(())
    }
}

impl FakeSlack {
    /// From now on events and slash commands are posted to `url`, signed with `signing_secret`, as long as no socket
    /// is open. Before that the address is verified.
    ///
    /// # Errors
    ///
    /// The address does not answer the challenge; nothing is sent there then.
    pub async fn send_events_to(&self, url: &str, signing_secret: &str) -> Result<(), String> {
        let endpoint = Endpoint {
            client: Client::new(),
            url: url.to_owned(),
            secret: signing_secret.to_owned(),
        };
        endpoint.verify().await?;
        let (jobs, inbox) = unbounded_channel();
        self.spawn(carry(self.inner().clone(), endpoint, inbox));
        self.inner().change(|state| {
            state.outbound.http = Some(Target { jobs });
            state.catch_up();
        });
        Ok(())
    }

    /// From now on nothing is posted any more.
    pub fn stop_events_over_http(&self) {
        self.inner().change(|state| state.outbound.http = None);
    }
}

/// Makes one request after the other.
async fn carry(inner: Arc<Inner>, endpoint: Endpoint, mut jobs: UnboundedReceiver<Job>) {
    while let Some(job) = jobs.recv().await {
        let body = inner.change(|state| {
            state.sent(job.delivery);
            state.script.rewritten(job.body)
        });
        let request = endpoint.request(body, job.content_type, job.attempt);
        let Ok(answer) = request.send().await else {
            continue;
        };
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        inner.change(|state| {
            state.outbound.deliveries[job.delivery].status = Some(status.as_u16());
            if status.is_success() {
                state.acknowledged(job.delivery, serde_json::from_str(&text).ok());
            }
        });
    }
}
