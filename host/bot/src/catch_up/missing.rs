//! Messages that were missing from an answer of Slack: each is requested by itself before it counts as deleted.

use myao_plugin::state::catch_up::MissingMessage;
use myao_plugin::ts::TsKey;
use myao_slack::error::{ClientError, RefusalKind};
use serde_json::Value;

use super::channel::{concerns_all, deleted, is_tombstone};
use super::{CatchUp, CatchUpError};
use crate::slack::history::{Stretch, id_of};

/// No plan or policy of Slack deletes or hides a message younger than this, in seconds.
const SHORTEST_RETENTION_SECONDS: i64 = 24 * 3600;

/// The result of a request for a message that was missing from an answer.
enum Verdict {
    /// It exists.
    There(Vec<Value>),
    /// It was deleted.
    Gone,
    /// Not certain.
    Unsure,
}

impl CatchUp {
    /// Requests at most `most` of the messages that are due.
    pub(super) async fn ask_for_missing(&self, now: i64, most: u32) -> Result<(), CatchUpError> {
        let (mut gone, mut unsure) = (0, 0);
        for missing in self.workspace.missing_messages(now, most).await? {
            let MissingMessage { channel_id, id } = &missing;
            let verdict = match id.thread_ts {
                None => self.judge(channel_id, id.ts, now).await,
                Some(thread) => self.judge_reply(channel_id, thread, id.ts, now).await,
            };
            match verdict {
                Ok(Verdict::There(messages)) => self.keep(channel_id, &messages, now).await?,
                Ok(Verdict::Gone) => {
                    let effects = vec![deleted(channel_id, id.ts, now)];
                    self.workspace.apply_effects(effects, now).await?;
                    gone += 1;
                }
                // The others keep waiting.
                Err(error) if concerns_all(&error) => {
                    tracing::warn!("messages that may be deleted are asked for later: {error}");
                    break;
                }
                Ok(Verdict::Unsure) | Err(_) => {
                    self.workspace.ask_again(&missing, now).await?;
                    unsure += 1;
                    continue;
                }
            }
            self.workspace.end_missing(&missing).await?;
        }
        if gone + unsure > 0 {
            tracing::info!("deleted in Slack meanwhile: {gone} messages, not certain: {unsure}");
        }
        Ok(())
    }

    /// Judges a top-level message. It requests the newest message up to it: an older one shows that the history goes
    /// back further than this message, so no plan or policy is hiding it.
    async fn judge(&self, channel_id: &str, ts: TsKey, now: i64) -> Result<Verdict, ClientError> {
        let stretch = self
            .slack
            .newest(channel_id, Some(ts.to_string()), 1)
            .await?;
        if let Some(verdict) = find(&stretch, ts) {
            return Ok(verdict);
        }
        if !stretch.ids().is_empty() {
            return Ok(Verdict::Gone);
        }
        let is_young = now - ts.unix_seconds() < SHORTEST_RETENTION_SECONDS;
        if !is_young || stretch.is_limited || !stretch.is_whole {
            return Ok(Verdict::Unsure);
        }
        // Nothing is older. That proves something only if the channel has any message at all.
        let newest = self.slack.newest(channel_id, None, 1).await?;
        Ok(if newest.ids().is_empty() {
            Verdict::Unsure
        } else {
            Verdict::Gone
        })
    }

    /// Judges a reply. Its thread's first message shows that the thread exists.
    async fn judge_reply(
        &self,
        channel_id: &str,
        thread_ts: TsKey,
        ts: TsKey,
        now: i64,
    ) -> Result<Verdict, ClientError> {
        let stretch = match self
            .slack
            .replies_between(channel_id, thread_ts, (ts, ts))
            .await
        {
            Ok(stretch) => stretch,
            Err(error) if error.refusal() == Some(RefusalKind::NotFound) => {
                return Ok(match self.judge(channel_id, thread_ts, now).await? {
                    Verdict::Gone => Verdict::Gone,
                    Verdict::There(_) | Verdict::Unsure => Verdict::Unsure,
                });
            }
            Err(error) => return Err(error),
        };
        if let Some(verdict) = find(&stretch, ts) {
            return Ok(verdict);
        }
        let is_answered = stretch.is_whole && !stretch.ids().is_empty();
        Ok(if is_answered {
            Verdict::Gone
        } else {
            Verdict::Unsure
        })
    }
}

/// The state of a message in a range, if the range contains it.
fn find(stretch: &Stretch, ts: TsKey) -> Option<Verdict> {
    if stretch.unreadable.contains(&ts) {
        return Some(Verdict::There(Vec::new()));
    }
    let message = stretch
        .messages
        .iter()
        .find(|message| id_of(message) == Some(ts))?;
    Some(if is_tombstone(message) {
        Verdict::Gone
    } else {
        Verdict::There(vec![message.clone()])
    })
}
