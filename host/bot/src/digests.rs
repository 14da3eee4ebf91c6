//! Posts digests by schedule: what was decided in a channel, and what is still open there. A quiet channel gets none.
//!
//! A digest is posted once, like an answer: the time for which it is scheduled takes the place of the message that is
//! answered. It is made from the channel's own messages of whole days, so that no two digests say the same.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use myao_plugin::Citation;
use myao_plugin::chat::{Chat as _, ChatError, PostOutcome, PostRequest};
use myao_plugin::explain::{explain_chat, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::storage::Channel;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::{AnswerLine, Language};

use super::clock::Clock;
use super::commands::{decided, still_open};
use super::current::Current;
use super::stop::Stop;
use super::views::Views;
use crate::schedule::Due;
use crate::slack::live::LiveSlack;

/// How often to look for digests that are due.
const LOOK: Duration = Duration::from_secs(5);
/// How long a digest that failed rests, in seconds.
const REST_SECONDS: i64 = 60;

/// Posts digests.
pub(super) struct Digests {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) views: Views,
}

/// How a digest ended.
enum Ended {
    Posted,
    /// There was nothing to say.
    Quiet,
    /// It was posted before.
    Already,
    /// It is not known yet that nothing is missing.
    NotYet,
}

impl Digests {
    /// Works until asked to stop.
    pub(super) async fn run(self, mut stop: Stop) {
        // When to try again, in Unix seconds, by channel and time; `None` for those that are done.
        let mut tried: HashMap<(String, i64), Option<i64>> = HashMap::new();
        while !stop.is_requested() {
            for config in self.current.settings().digests.clone() {
                let Some(due) = config.due(&self.clock) else {
                    continue;
                };
                let key = (config.channel.clone(), due.scheduled);
                let now = self.clock.seconds();
                let is_to_try = match tried.get(&key) {
                    None => true,
                    Some(again_at) => again_at.is_some_and(|again_at| again_at <= now),
                };
                if is_to_try {
                    let again_at = self.try_digest(&config.channel, due).await;
                    tried.insert(key, again_at);
                }
            }
            stop.sleep(LOOK).await;
        }
    }

    /// Posts a digest; returns when to try again, in Unix seconds, if that is needed.
    async fn try_digest(&self, channel: &str, due: Due) -> Option<i64> {
        match self.digest(channel, due).await {
            Ok(Ended::Posted) => tracing::info!("posted a digest in {channel}"),
            Ok(Ended::Quiet) => {
                tracing::info!("no digest in {channel}: nothing was decided, and nothing is open");
            }
            Ok(Ended::Already) => {}
            Ok(Ended::NotYet) => return Some(self.clock.seconds()),
            Err(Failed { text, is_final }) => {
                if is_final {
                    tracing::error!("there is no digest in {channel}: {text}");
                } else {
                    tracing::warn!(
                        "the digest in {channel} is tried again in {REST_SECONDS} s: {text}"
                    );
                    return Some(self.clock.seconds() + REST_SECONDS);
                }
            }
        }
        None
    }

    async fn digest(&self, channel: &str, due: Due) -> Result<Ended, Failed> {
        let through = self.workspace.connected_through().await;
        let through = through.map_err(|error| Failed::for_now(explain_storage(&error)))?;
        if through.is_none_or(|through| through < due.scheduled) {
            // What was said while the bot was away may still be missing.
            return Ok(Ended::NotYet);
        }
        let channel = self.channel(channel).await?;
        let unread = self.workspace.unread_channels(i64::MAX).await;
        let unread = unread.map_err(|error| Failed::for_now(explain_storage(&error)))?;
        if unread.iter().any(|unread| unread.channel_id == channel.id) {
            return Ok(Ended::NotYet);
        }
        let language = self.current.settings().language;
        let now = self.clock.local(due.scheduled);
        let mut digest = Digest::default();
        for what in [decided(language), still_open(language)] {
            let question = format!("#{} {what} {}", channel.name, days(due, language));
            let part = self.views.quoted(&channel.id, &question, now).await;
            let Some((answer, citations)) = part.map_err(Failed::for_now)? else {
                continue;
            };
            // A name that is not understood as that of the channel finds what was said elsewhere.
            let mut cited = citations.iter().flat_map(|citation| &citation.messages);
            if cited.all(|message| message.channel_id == channel.id) {
                digest.add(&answer.heading, &answer.lines, citations);
            }
        }
        if digest.text.is_empty() {
            return Ok(Ended::Quiet);
        }
        let posted = self.slack.post(PostRequest {
            channel_id: channel.id,
            thread_ts: None,
            text: digest.text,
            answers: TsKey::first_of(due.scheduled).to_string(),
            may_notify: Vec::new(),
            citations: digest.citations,
        });
        match posted.await {
            Ok(PostOutcome::Posted(_)) => Ok(Ended::Posted),
            Ok(PostOutcome::Already(_)) => Ok(Ended::Already),
            Err(error) => Err(Failed {
                text: explain_chat(&error),
                is_final: matches!(
                    error,
                    ChatError::NotFound(_) | ChatError::NotAllowed(_) | ChatError::Invalid(_)
                ),
            }),
        }
    }

    /// The channel with this name or id, if the bot is in it.
    async fn channel(&self, wanted: &str) -> Result<Channel, Failed> {
        let failed = |error| Failed::for_now(explain_storage(&error));
        let wanted = wanted.trim_start_matches('#');
        for channel in self.workspace.all_channels().await.map_err(failed)? {
            if channel.id == wanted || channel.name == wanted {
                let known = self.workspace.known_channel(&channel.id).await;
                if known.map_err(failed)?.is_some_and(|known| known.is_present) {
                    return Ok(channel);
                }
            }
        }
        Err(Failed {
            text: "the bot is in no such channel; invite it, or mend slack.digests".to_owned(),
            is_final: true,
        })
    }
}

/// Why there is no digest.
struct Failed {
    text: String,
    /// Whether another try is of no use.
    is_final: bool,
}

impl Failed {
    fn for_now(text: String) -> Self {
        Self {
            text,
            is_final: false,
        }
    }
}

/// A digest, in Markdown.
#[derive(Default)]
struct Digest {
    text: String,
    citations: Vec<Citation>,
}

impl Digest {
    fn add(&mut self, heading: &str, lines: &[AnswerLine], citations: Vec<Citation>) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(&format!("**{heading}**"));
        for line in lines {
            self.text.push_str("\n- ");
            self.text.push_str(&line.text);
            for (number, link) in &line.sources {
                if let Some(link) = link {
                    self.text.push_str(&format!(" ([{number}]({link}))"));
                }
            }
        }
        self.citations.extend(citations);
    }
}

/// The days that a digest is about, as a question names them.
fn days(due: Due, language: Language) -> String {
    let Due { since, until, .. } = due;
    match language {
        Language::Japanese => {
            let day = |day: NaiveDate| day.format("%Y年%-m月%-d日").to_string();
            format!("{}から{}まで", day(since), day(until))
        }
        Language::English => format!("since {since} until {until}"),
    }
}
