//! Answers mentions. They never wait for memories to be made: the response agent has limits of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::clock::Clock;
use super::current::Current;
use super::metrics::{Metrics, seconds};
use super::stop::Stop;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::llm::LlmError;
use crate::bindings::slack::SlackError;
use crate::explain::explain_storage;
use crate::plugin::CallError;
use crate::storage::StorageError;
use crate::storage::sqlite::SqliteWorkspace;
use crate::storage::sqlite::replies::{ReplyKind, WaitingReply};
use crate::ts::TsKey;

/// How many mentions are answered side by side.
const IN_FLIGHT: usize = 8;
/// How often it looks for answers that failed and are due again.
const LOOK: Duration = Duration::from_secs(5);
/// The wait after the first failure, in seconds; it doubles with each, up to the longest.
const FIRST_WAIT_SECONDS: i64 = 15;
const LONGEST_WAIT_SECONDS: i64 = 15 * 60;
/// How long answers under way may take once the bot is to stop. One that takes longer is given at the next start.
const GRACE: Duration = Duration::from_secs(20);

/// Answers mentions.
#[derive(Clone)]
pub(super) struct Mentions {
    pub(super) workspace: SqliteWorkspace,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    /// Told of new mentions.
    pub(super) asked: Arc<Notify>,
}

impl Mentions {
    /// Works until asked to stop, and then ends what is under way.
    pub(super) async fn run(self, mut stop: Stop) {
        let mut under_way = JoinSet::new();
        let mut answering: Vec<(String, TsKey)> = Vec::new();
        while !stop.is_requested() {
            let room = IN_FLIGHT.saturating_sub(under_way.len());
            match self.waiting(room, &answering).await {
                Ok(waiting) => {
                    for reply in waiting {
                        answering.push((reply.channel_id.clone(), reply.ts));
                        let this = self.clone();
                        under_way.spawn(async move { this.answer(reply).await });
                    }
                }
                Err(error) => tracing::error!("mentions wait: {}", explain_storage(&error)),
            }
            tokio::select! {
                () = self.asked.notified() => {}
                Some(ended) = under_way.join_next() => {
                    match ended {
                        Ok(done) => answering.retain(|other| *other != done),
                        // Which one it was is not known; all that still run are known to the store.
                        Err(error) => {
                            tracing::error!("an answer ended before its time: {error}");
                            answering.clear();
                        }
                    }
                }
                () = stop.sleep(LOOK) => {}
            }
        }
        let ended = tokio::time::timeout(GRACE, async {
            while under_way.join_next().await.is_some() {}
        });
        if ended.await.is_err() {
            tracing::warn!(
                "{} answers were still under way; they are given at the next start",
                under_way.len()
            );
        }
    }

    /// What is due, without what is under way.
    async fn waiting(
        &self,
        room: usize,
        answering: &[(String, TsKey)],
    ) -> Result<Vec<WaitingReply>, StorageError> {
        if room == 0 {
            return Ok(Vec::new());
        }
        let now = self.clock.seconds();
        let waiting = self
            .workspace
            .waiting_replies(
                now,
                u32::try_from(room + answering.len()).unwrap_or(u32::MAX),
            )
            .await?;
        let is_new = |reply: &WaitingReply| {
            !answering
                .iter()
                .any(|(channel_id, ts)| *channel_id == reply.channel_id && *ts == reply.ts)
        };
        Ok(waiting.into_iter().filter(is_new).take(room).collect())
    }

    /// Answers one, and says which.
    async fn answer(&self, reply: WaitingReply) -> (String, TsKey) {
        let began = Instant::now();
        let now = self.clock.now();
        let target = Target {
            channel_id: reply.channel_id.clone(),
            thread_ts: reply.thread_ts.map(|ts| ts.to_string()),
            message_ts: reply.ts.to_string(),
        };
        let channel_id = &reply.channel_id;
        let too_old = i64::from(self.current.config().response.max_message_age_seconds);
        let kept = if now.unix_seconds - reply.asked_at > too_old {
            self.metrics.replies.count("given-up");
            tracing::warn!("a mention in {channel_id} is too old to be answered");
            self.workspace
                .give_up_reply(channel_id, reply.ts, "too old to be answered".to_owned())
                .await
        } else {
            let plugin = self.current.plugin();
            let (kind, answered) = match reply.kind {
                ReplyKind::Mention => ("mention", plugin.reply_to_mention(&target, now).await),
                // One whose posting was interrupted.
                ReplyKind::OwnAccord => ("unasked", plugin.reply_unasked(&target, now).await),
            };
            match answered {
                Ok(_) => {
                    self.metrics.replies.count(kind);
                    self.metrics.reply_seconds.observe(seconds(began.elapsed()));
                    tracing::info!("answered a mention in {channel_id}");
                    Ok(())
                }
                Err(error) => self.failed(&reply, &error).await,
            }
        };
        if let Err(error) = kept {
            tracing::error!(
                "what became of a mention is not kept: {}",
                explain_storage(&error)
            );
        }
        (reply.channel_id, reply.ts)
    }

    async fn failed(&self, reply: &WaitingReply, error: &CallError) -> Result<(), StorageError> {
        self.metrics.replies.count("failed");
        let channel_id = &reply.channel_id;
        if can_never_succeed(error) {
            self.metrics.replies.count("given-up");
            tracing::error!("a mention in {channel_id} cannot be answered: {error}");
            return self
                .workspace
                .give_up_reply(channel_id, reply.ts, error.to_string())
                .await;
        }
        let wait = wait_after(reply.failures, error);
        tracing::warn!(
            "a mention in {channel_id} is not answered yet, tried again in {wait} s: {error}"
        );
        let next = self.clock.seconds() + wait;
        self.workspace
            .fail_reply(channel_id, reply.ts, error.to_string(), next)
            .await
    }
}

/// Seconds until the next try.
fn wait_after(failures: u32, error: &CallError) -> i64 {
    let doubled =
        FIRST_WAIT_SECONDS.saturating_mul(1_i64.checked_shl(failures).unwrap_or(i64::MAX));
    let told = match error {
        CallError::Refused(
            Error::Llm(LlmError::RateLimited(Some(seconds)))
            | Error::Slack(SlackError::RateLimited(Some(seconds))),
        ) => i64::from(*seconds),
        _ => 0,
    };
    doubled
        .clamp(FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS)
        .max(told)
}

/// Whether nothing but a change by somebody can help: the message or the channel is gone, or the bot may not post.
fn can_never_succeed(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Refused(
            Error::Slack(
                SlackError::NotFound(_) | SlackError::NotAllowed(_) | SlackError::Invalid(_)
            ) | Error::Storage(StorageError::NotFound(_))
                | Error::PromptTooLong(_)
        )
    )
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_WAIT_SECONDS, wait_after};
    use crate::bindings::errors::Error;
    use crate::bindings::slack::SlackError;
    use crate::plugin::CallError;

    fn limited(seconds: Option<u32>) -> CallError {
        CallError::Refused(Error::Slack(SlackError::RateLimited(seconds)))
    }

    #[test]
    fn waits_grow_and_keep_to_what_the_other_side_asks_for() {
        let waits: Vec<i64> = [0, 1, 2, 10, 60, 64, u32::MAX]
            .iter()
            .map(|failures| wait_after(*failures, &limited(None)))
            .collect();
        let longest = LONGEST_WAIT_SECONDS;
        assert_eq!(waits, [15, 30, 60, longest, longest, longest, longest]);
        assert_eq!(wait_after(0, &limited(Some(3600))), 3600);
    }
}
