//! Receives what Slack delivers. Events are stored on disk before they are acknowledged; events that arrive together
//! share one transaction.

use std::sync::Arc;
use std::time::Instant;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::catch_up::Gap;
use myao_plugin::state::inbox::{IncomingEvent, Kept};
use myao_slack::delivery::{Delivery, DeliveryKind, Inbox, InboxError};
use myao_slack::installation::Installation;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};

use super::clock::Clock;
use super::commands::Commands;
use super::gaps::{Gaps, Unkept};
use super::metrics::{Metrics, NOT_KEPT, seconds};
use super::shortcuts::Shortcuts;
use super::told::Told;

/// The maximum number of events in one transaction, so that a burst does not delay the first event.
const BATCH: usize = 256;
/// How many deliveries may wait to be stored; if more come, Slack waits.
const WAITING: usize = 1024;

/// The time of which Slack may leave out events when it says so, in seconds.
const RATE_LIMITED_SECONDS: i64 = 60;

/// Stores events, and answers commands and shortcuts.
pub(super) struct DurableInbox {
    events: mpsc::Sender<Waiting>,
    workspace: Arc<dyn Workspace>,
    commands: Commands,
    shortcuts: Shortcuts,
    metrics: Arc<Metrics>,
    clock: Clock,
    installation: Installation,
    gaps: Gaps,
}

/// An event, and the caller that waits until it is stored.
struct Waiting {
    event: IncomingEvent,
    kept: oneshot::Sender<Result<Kept, InboxError>>,
}

impl DurableInbox {
    /// Creates an inbox over a store; it notifies `arrived` of new events. The task ends once the inbox is dropped and
    /// everything in it is stored.
    pub(super) fn new(
        workspace: Arc<dyn Workspace>,
        commands: Commands,
        shortcuts: Shortcuts,
        metrics: Arc<Metrics>,
        clock: Clock,
        installation: Installation,
        (arrived, gaps): (Arc<Notify>, Gaps),
    ) -> (Self, impl Future<Output = ()>) {
        let (events, waiting) = mpsc::channel(WAITING);
        let inbox = Self {
            events,
            workspace: workspace.clone(),
            commands,
            shortcuts,
            metrics,
            clock,
            installation,
            gaps,
        };
        (inbox, keep_all(workspace, waiting, arrived))
    }

    async fn keep(&self, delivery: Delivery) -> Result<(), InboxError> {
        let began = Instant::now();
        let received_at_ms = self.clock.milliseconds();
        let until = received_at_ms / 1000;
        let since = delivery.time.unwrap_or(until);
        // This future may also be dropped before its end.
        let mut unkept = Unkept::new(self.gaps.clone(), Gap { since, until });
        let (kept, answer) = oneshot::channel();
        let event = IncomingEvent {
            event_id: delivery.id,
            received_at_ms,
            payload: delivery.payload,
        };
        let closed = || InboxError::new("the bot is stopping");
        let sent = self.events.send(Waiting { event, kept }).await;
        sent.map_err(|_| closed())?;
        let kept = answer.await.map_err(|_| closed())?;
        let kept = kept.inspect_err(|_| self.metrics.deliveries.count(NOT_KEPT))?;
        unkept.is_kept = true;
        self.metrics.keep_seconds.observe(seconds(began.elapsed()));
        self.metrics.deliveries.count(match kept {
            Kept::New => "new",
            Kept::Duplicate => "duplicate",
        });
        Ok(())
    }

    /// Slack leaves out events of the minute that begins at `minute`.
    async fn open_gap(&self, minute: Option<i64>) -> Result<(), InboxError> {
        let now = self.clock.seconds();
        let since = minute.unwrap_or(now - RATE_LIMITED_SECONDS);
        let until = now + RATE_LIMITED_SECONDS;
        tracing::warn!("Slack leaves out events, as there are too many; that time is read again");
        self.gaps.open(Gap { since, until });
        let saved = self.gaps.save(&*self.workspace).await;
        saved
            .map(drop)
            .map_err(|error| InboxError::new(explain_storage(&error)))
    }
}

#[async_trait::async_trait]
impl Inbox for DurableInbox {
    async fn accept(&self, delivery: Delivery) -> Result<Option<Value>, InboxError> {
        if let Some(misdelivery) = self.installation.misdelivery(&delivery.addressee) {
            // It is acknowledged all the same, or Slack would send it again.
            tracing::warn!("{} is refused: {misdelivery}", delivery.id);
            self.metrics.deliveries.count("foreign");
            let is_command = delivery.kind == DeliveryKind::SlashCommand;
            return Ok(is_command.then(not_here));
        }
        match delivery.kind {
            DeliveryKind::Events => self.keep(delivery).await.map(|()| None),
            DeliveryKind::RateLimited => self.open_gap(delivery.time).await.map(|()| None),
            DeliveryKind::SlashCommand => Ok(Some(self.commands.answer(&delivery.payload).await)),
            DeliveryKind::Interactive => {
                self.shortcuts.answer(&delivery.payload);
                Ok(None)
            }
        }
    }
}

/// The answer to somebody in another workspace.
fn not_here() -> Value {
    let text =
        "This bot belongs to another workspace. / このボットは別のワークスペースのものです。";
    json!({ "response_type": "ephemeral", "text": text })
}

/// Stores events in batches until all senders are gone.
async fn keep_all(
    workspace: Arc<dyn Workspace>,
    mut waiting: mpsc::Receiver<Waiting>,
    arrived: Arc<Notify>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut told = Told::default();
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let (events, waiters): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|waiting| (waiting.event, waiting.kept))
            .unzip();
        match workspace.keep_events(events).await {
            Ok(kept) => {
                if let Some(refused) = told.over() {
                    tracing::info!("what Slack sends is kept again; {refused} deliveries were not");
                }
                for (waiter, kept) in waiters.into_iter().zip(kept) {
                    // If the caller no longer waits, Slack delivers the event again, as a duplicate.
                    let _ = waiter.send(Ok(kept));
                }
                arrived.notify_one();
            }
            Err(error) => {
                let why = explain_storage(&error);
                if let Some(why) = told.waits(why.clone(), waiters.len()) {
                    tracing::error!("what Slack sends is not kept; it will be sent again: {why}");
                }
                for waiter in waiters {
                    let _ = waiter.send(Err(InboxError::new(why.clone())));
                }
            }
        }
    }
}
