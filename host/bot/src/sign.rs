//! A sign of life: an emoji on a mention until it is answered. No answer waits for it, and it may be missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use myao_plugin::state::replies::WaitingReply;
use tokio::task::{self, JoinHandle};

use crate::slack::live::LiveSlack;
use crate::slack::post::SIGN;

/// An answer that comes sooner needs no sign.
const SOON: Duration = Duration::from_millis(300);
/// How long a mention that is answered may wait for Slack to take the sign off.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A sign of one attempt.
pub(super) struct Sign {
    task: JoinHandle<()>,
    may_be_there: Arc<AtomicBool>,
}

/// Shows the sign on a mention; `None` if that emoji pins messages, as the bot must not add it then.
pub(super) fn show(slack: &Arc<LiveSlack>, reply: &WaitingReply, pin_emoji: &str) -> Option<Sign> {
    if pin_emoji == SIGN {
        return None;
    }
    let (slack, channel_id, ts) = (slack.clone(), reply.channel_id.clone(), reply.ts);
    let may_be_there = Arc::new(AtomicBool::new(false));
    let is_sent = may_be_there.clone();
    let task = task::spawn(async move {
        tokio::time::sleep(SOON).await;
        is_sent.store(true, Ordering::Relaxed);
        if let Err(error) = slack.sign(&channel_id, ts, true).await {
            tracing::debug!("a mention in {channel_id} has no sign: {error:?}");
        }
    });
    Some(Sign { task, may_be_there })
}

/// Takes the sign off that this attempt at an answer or an earlier one has shown.
pub(super) async fn take_off(shown: Option<Sign>, slack: &LiveSlack, reply: &WaitingReply) {
    let mut may_be_there = reply.failures > 0 || reply.is_begun;
    if let Some(mut shown) = shown {
        // One that is on its way could arrive after it was taken off.
        let is_sent = shown.may_be_there.load(Ordering::Relaxed);
        let wait = if is_sent {
            LONGEST_WAIT
        } else {
            Duration::ZERO
        };
        if tokio::time::timeout(wait, &mut shown.task).await.is_err() {
            shown.task.abort();
            // An error says that it was stopped.
            let _: Result<(), _> = shown.task.await;
        }
        may_be_there |= shown.may_be_there.load(Ordering::Relaxed);
    }
    if !may_be_there {
        return;
    }
    let channel_id = &reply.channel_id;
    let off = slack.sign(channel_id, reply.ts, false);
    if !matches!(tokio::time::timeout(LONGEST_WAIT, off).await, Ok(Ok(()))) {
        tracing::debug!("the sign on a mention in {channel_id} stays");
    }
}
