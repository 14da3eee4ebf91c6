//! The exports that answer people.

use tracing::Instrument as _;

use super::MemoryPlugin;
use crate::Place;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Answer, Judgment, Target};
use crate::bindings::types::{Context, Timestamp};
use crate::capabilities::Purpose;
use crate::error::CallError;
use crate::spans::{Subject, component_call, record_outcome};

impl<'a> From<&'a Target> for Subject<'a> {
    fn from(target: &'a Target) -> Self {
        match &target.thread_ts {
            Some(thread) => Self::Thread(&target.channel_id, thread),
            None => Self::Channel(&target.channel_id),
        }
    }
}

impl MemoryPlugin {
    /// `responder.reply-to-mention`: answers a mention, and posts the answer, unless it was answered before.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn reply_to_mention(
        &self,
        target: &Target,
        now: Timestamp,
    ) -> Result<Answer, CallError> {
        call!(
            self,
            target.into(),
            target,
            Purpose::Reply,
            responder.call_reply_to_mention(target, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `responder.judge`: decides on a reply that nobody asked for.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn judge(&self, target: &Target, now: Timestamp) -> Result<Judgment, CallError> {
        call!(
            self,
            target.into(),
            target,
            Purpose::Look,
            responder.call_judge(target, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `responder.reply-unasked`: answers without having been asked, and posts the answer, unless the message was
    /// answered before.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn reply_unasked(
        &self,
        target: &Target,
        now: Timestamp,
    ) -> Result<Answer, CallError> {
        call!(
            self,
            target.into(),
            target,
            Purpose::Reply,
            responder.call_reply_unasked(target, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `reply-prompt.render-reply`: the exact prompt of a reply.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn render_reply(
        &self,
        context: &Context,
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<String, CallError> {
        call!(
            self,
            context.into(),
            Place::from(context),
            Purpose::Look,
            reply_prompt.call_render_reply(context, occasion, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `reply-prompt.render-judgment`: the exact prompt of a judgment.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn render_judgment(
        &self,
        context: &Context,
        now: Timestamp,
    ) -> Result<String, CallError> {
        call!(
            self,
            context.into(),
            Place::from(context),
            Purpose::Look,
            reply_prompt.call_render_judgment(context, now)
        )?
        .map_err(CallError::Refused)
    }
}

impl<'a> From<&'a Context> for Subject<'a> {
    fn from(context: &'a Context) -> Self {
        let channel_id = &context.conversation_history.channel_id;
        match &context.target_thread_ts {
            Some(thread) => Self::Thread(channel_id, thread),
            None => Self::Channel(channel_id),
        }
    }
}
