//! Answers as the bot gives them: to mentions, and unasked.

use myao_plugin::chat::ChatError;
use myao_plugin::llm::LlmError;
use myao_plugin::state::judgments::{StoredJudgment, Unanswered};
use myao_plugin::state::replies::WaitingReply;
use myao_plugin::storage::StorageError;
use myao_plugin::{CallError, Error, Target};
use myao_tests::store::utc;

use super::run::Run;

impl Run {
    /// Answers every mention that waits. Returns whether there was an answer.
    pub(super) async fn answer(&mut self, plugin: usize) -> bool {
        let waiting = self.workspace.waiting_replies(self.now(), 8).await.unwrap();
        let mut answered = false;
        for reply in waiting {
            // What is stored is sent without a call of the component, so before a change that waits for one.
            let is_too_early = reply.is_begun && self.strike.is_waiting();
            if self.may_answer(&reply.channel_id) && !is_too_early {
                answered |= self.answer_one(plugin, &reply).await;
            }
        }
        answered
    }

    async fn answer_one(&mut self, plugin: usize, reply: &WaitingReply) -> bool {
        let (channel_id, now) = (&reply.channel_id, self.now());
        let result = if reply.is_begun {
            let resumed = self
                .posting
                .resume(channel_id, reply.thread_ts, reply.ts)
                .await;
            resumed
                .map(drop)
                .map_err(|error| CallError::Refused(Error::Chat(error)))
        } else {
            let target = Target {
                channel_id: channel_id.clone(),
                thread_ts: reply.thread_ts.map(|ts| ts.to_string()),
                message_ts: reply.ts.to_string(),
            };
            let answer = self.plugins[plugin]
                .reply_to_mention(&target, utc(now))
                .await;
            answer.map(drop)
        };
        let Err(error) = result else {
            return true;
        };
        let said = error.to_string();
        self.see_error(channel_id, &said);
        let kept = if can_never_succeed(&error) {
            self.workspace
                .give_up_reply(channel_id, reply.ts, said)
                .await
        } else {
            self.workspace
                .fail_reply(channel_id, reply.ts, said, now + 15)
                .await
        };
        assert!(
            matches!(kept, Ok(()) | Err(StorageError::Conflict(_))),
            "{kept:?}"
        );
        false
    }

    /// Answers what nobody answered, if an answer helps.
    pub(super) async fn look_around(&mut self) {
        let now = self.now();
        let waiting = self
            .workspace
            .unanswered(now - 300, now - 43_200)
            .await
            .unwrap();
        for conversation in waiting {
            if self.may_answer(&conversation.channel_id)
                && let Err(error) = self.consider(&conversation).await
            {
                self.see_error(&conversation.channel_id, &error.to_string());
            }
        }
    }

    async fn consider(&mut self, conversation: &Unanswered) -> Result<(), CallError> {
        let (channel_id, thread_ts) = (&conversation.channel_id, conversation.thread_ts);
        let now = self.now();
        let target = Target {
            channel_id: channel_id.clone(),
            thread_ts: thread_ts.map(|ts| ts.to_string()),
            message_ts: conversation.message_ts.to_string(),
        };
        let judgment = self.plugins[0].judge(&target, utc(now)).await?;
        if judgment.should_respond {
            self.plugins[0].reply_unasked(&target, utc(now)).await?;
        }
        let judgment = StoredJudgment {
            message_ts: conversation.message_ts,
            should_respond: judgment.should_respond,
            confidence: judgment.confidence,
            until: now + 3600,
        };
        let kept = self
            .workspace
            .keep_judgment(channel_id, thread_ts, judgment, now)
            .await;
        kept.unwrap();
        Ok(())
    }
}

/// As in `myao_bot::mentions`.
fn can_never_succeed(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Refused(
            Error::Chat(ChatError::NotFound(_) | ChatError::NotAllowed(_) | ChatError::Invalid(_))
                | Error::Storage(StorageError::NotFound(_))
                | Error::PromptTooLong(_)
                | Error::Llm(LlmError::Refused(_))
        )
    )
}
