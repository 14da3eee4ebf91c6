//! Posts digests by schedule: what was decided in a channel, what was done, and what is still open there. A quiet channel gets
//! none. A person gets the same of the channels that they are in (`people`).
//!
//! A digest is posted once, like an answer: the time for which it is scheduled takes the place of the message that is
//! answered. It is made from the channel's own messages, and tells what was since the time of the digest before, so that no
//! two digests say the same.

mod people;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use myao_plugin::Citation;
use myao_plugin::chat::{Chat as _, ChatError, PostOutcome, PostRequest};
use myao_plugin::explain::{explain_chat, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::state::leases::{Leases, Piece};
use myao_plugin::storage::{Channel, StorageError};
use myao_plugin::ts::TsKey;
use myao_slack::blocks::AnswerLine;

use crate::clock::Clock;
use crate::commands::{decided, done, still_open};
use crate::current::Current;
use crate::schedule::{DigestTo, Due};
use crate::slack::live::LiveSlack;
use crate::stop::Stop;
use crate::views::Views;
use people::Reader;

/// How often to look for digests that are due.
const LOOK: Duration = Duration::from_secs(5);
/// How long after its time a digest is made, in seconds: events come late.
const LATE_SECONDS: i64 = 5;
/// How long a digest rests that something may be missing from, in seconds.
const NOT_YET_SECONDS: i64 = 10;
/// How long a digest that failed rests, in seconds.
const REST_SECONDS: i64 = 60;

/// Posts digests.
pub(crate) struct Digests {
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) leases: Arc<dyn Leases>,
    pub(crate) slack: Arc<LiveSlack>,
    pub(crate) current: Current,
    pub(crate) clock: Clock,
    pub(crate) views: Views,
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
    pub(crate) async fn run(self, mut stop: Stop) {
        // When to try again, in Unix seconds, by channel and time; `None` for those that are done.
        let mut tried: HashMap<(String, i64), Option<i64>> = HashMap::new();
        while !stop.is_requested() {
            for config in self.current.settings().digests.clone() {
                let Some((to, due)) = config.to().zip(config.due(&self.clock)) else {
                    continue;
                };
                let key = (to.to_string(), due.scheduled);
                let now = self.clock.seconds();
                let is_to_try = match tried.get(&key) {
                    None => true,
                    Some(again_at) => again_at.is_some_and(|again_at| again_at <= now),
                };
                if is_to_try {
                    let again_at = self.try_digest(to, due).await;
                    tried.insert(key, again_at);
                }
            }
            stop.sleep(LOOK).await;
        }
    }

    /// Posts a digest; returns when to try again, in Unix seconds, if that is needed.
    async fn try_digest(&self, to: DigestTo<'_>, due: Due) -> Option<i64> {
        match self.digest(to, due).await {
            Ok(Ended::Posted) => tracing::info!("posted a digest {to}"),
            Ok(Ended::Quiet) => {
                tracing::info!("no digest {to}: nothing was decided or done, and nothing is open");
            }
            Ok(Ended::Already) => {}
            Ok(Ended::NotYet) => return Some(self.clock.seconds() + NOT_YET_SECONDS),
            Err(Failed { text, is_final }) => {
                if is_final {
                    tracing::error!("there is no digest {to}: {text}");
                } else {
                    tracing::warn!("the digest {to} is tried again in {REST_SECONDS} s: {text}");
                    return Some(self.clock.seconds() + REST_SECONDS);
                }
            }
        }
        None
    }

    async fn digest(&self, to: DigestTo<'_>, due: Due) -> Result<Ended, Failed> {
        let through = self.workspace.connected_through().await;
        let through = through.map_err(stored)?;
        if through.is_none_or(|through| through < due.scheduled + LATE_SECONDS) {
            // Messages of the time while the bot was offline, or of the last seconds, may still be missing.
            return Ok(Ended::NotYet);
        }
        let (reader, channels) = match to {
            DigestTo::Channel(wanted) => (None, vec![self.channel(wanted).await?]),
            DigestTo::Person(wanted) => {
                let bot = self.slack.bot_user_id();
                let reader = Reader::find(&self.workspace, wanted, bot).await?;
                let channels = reader.channels(&self.workspace).await?;
                (Some(reader), channels)
            }
        };
        let unread = self.workspace.unread_channels(i64::MAX).await;
        let unread = unread.map_err(stored)?;
        let is_unread =
            |channel: &Channel| unread.iter().any(|unread| unread.channel_id == channel.id);
        if channels.iter().any(is_unread) {
            return Ok(Ended::NotYet);
        }
        let mut digest = Digest::default();
        let mut post_to = String::new();
        for channel in &channels {
            let mut time = (due.previous + 1, due.scheduled);
            post_to.clone_from(&channel.id);
            if let Some(reader) = &reader {
                let written = reader.last_written(&self.workspace, channel, time).await?;
                time.0 = written.map_or(time.0, |written| written + 1);
                post_to.clone_from(&reader.channel_id);
            }
            self.add(&mut digest, channel, &post_to, time).await?;
        }
        if digest.text.is_empty() {
            return Ok(Ended::Quiet);
        }
        let time = TsKey::first_of(due.scheduled);
        let claimed = self.leases.claim(&Piece::answer(&post_to, time)).await;
        let Some(leased) = claimed.map_err(stored)? else {
            // An interrupted post of it is continued.
            return Ok(Ended::NotYet);
        };
        let slack = self.slack.doing(&leased);
        let posted = slack.post(PostRequest {
            channel_id: post_to,
            thread_ts: None,
            text: digest.text,
            answers: time.to_string(),
            may_notify: Vec::new(),
            citations: digest.citations,
        });
        let posted = posted.await;
        leased.release().await;
        match posted {
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

    /// Adds what was in a channel between two times, as far as it may be shown where the digest is posted.
    async fn add(
        &self,
        digest: &mut Digest,
        channel: &Channel,
        post_to: &str,
        (since, until): (i64, i64),
    ) -> Result<(), Failed> {
        let language = self.current.settings().language;
        let time = (self.clock.local(since), self.clock.local(until));
        for what in [decided(language), still_open(language), done(language)] {
            let question = format!("#{} {what}", channel.name);
            let part = self.views.quoted(post_to, &question, time).await;
            let Some((answer, citations)) = part.map_err(Failed::for_now)? else {
                continue;
            };
            // A name that is not understood as that of the channel finds what was said elsewhere.
            let mut cited = citations.iter().flat_map(|citation| &citation.messages);
            if cited.all(|message| message.channel_id == channel.id) {
                digest.add(&answer.heading, &answer.lines, citations);
            }
        }
        Ok(())
    }

    /// The channel with this name or id, if the bot is in it.
    async fn channel(&self, wanted: &str) -> Result<Channel, Failed> {
        let wanted = wanted.trim_start_matches('#');
        for channel in self.workspace.all_channels().await.map_err(stored)? {
            if channel.id == wanted || channel.name == wanted {
                let known = self.workspace.known_channel(&channel.id).await;
                if known.map_err(stored)?.is_some_and(|known| known.is_present) {
                    return Ok(channel);
                }
            }
        }
        Err(Failed::for_good(
            "the bot is in no such channel; invite it, or mend slack.digests",
        ))
    }
}

/// Why there is no digest.
struct Failed {
    text: String,
    /// True if another try is of no use.
    is_final: bool,
}

impl Failed {
    fn for_now(text: String) -> Self {
        Self {
            text,
            is_final: false,
        }
    }

    fn for_good(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_final: true,
        }
    }
}

fn stored(error: StorageError) -> Failed {
    Failed::for_now(explain_storage(&error))
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
