//! Plays a storm to the bot.

use std::time::Duration;

use tokio::time::{Instant, interval, sleep};

use super::plan::{Action, Step, StormPlan, channel_id, user_id};
use crate::faults::Order;
use crate::post::NewMessage;
use crate::random::Random;
use crate::server::FakeSlack;
use crate::state::State;
use crate::ts::Ts;
use crate::world::{Author, ChannelKind};
use crate::{BOT_USER, Delivery};

/// How long Slack waits for an acknowledgement before it sends again.
const RETRY_AFTER: Duration = Duration::from_secs(3);

/// How often it sends again before the test fails: five minutes.
const RETRIES: usize = 100;

/// The events of a storm that was played.
#[derive(Debug, Clone)]
pub struct StormReport {
    /// Events that came about, the bot's own posts included.
    pub events: usize,
    /// Envelopes or requests that were sent: with duplicates, and again after a drop.
    pub deliveries: usize,
    /// How long it took until everything was acknowledged.
    pub elapsed: Duration,
    /// For each acknowledged delivery, the time until then.
    pub latencies: Vec<Duration>,
}

impl FakeSlack {
    /// Adds the channels and users of a storm, if they are not there yet. For a bot that reads them when it starts.
    pub fn prepare_storm(&self, plan: &StormPlan) {
        self.inner().change(|state| prepare(state, plan));
    }

    /// Plays a storm at its pace, with its faults, and returns when every event is acknowledged. What is not, is sent
    /// again on the next connection and, after the last action, every three seconds. Where nobody is connected, events are lost unless
    /// [`FakeSlack::keep_while_away`] says otherwise.
    ///
    /// # Panics
    ///
    /// Something is still not acknowledged five minutes after the last action.
    pub async fn storm(&self, plan: &StormPlan) -> StormReport {
        let begun = self.begin(plan);
        self.inner().change(|state| {
            let noise = &mut state.outbound.noise;
            noise.window = plan.reorder_window;
            noise.duplicate_ratio = plan.duplicates_ratio;
            noise.random = Random::new(plan.seed);
        });
        let mut pace = interval(Duration::from_micros(plan.pace()));
        for (number, step) in begun.steps.iter().enumerate() {
            pace.tick().await;
            if plan.drops_at.contains(&number) {
                self.faults().drop_sockets();
            }
            self.inner().change(|state| apply(state, step));
        }
        self.inner().change(|state| {
            state.release_events(Order::Kept);
            state.outbound.noise.window = 0;
            state.outbound.noise.duplicate_ratio = 0.0;
        });
        self.settle(&begun).await
    }

    /// Plays the same storm without its faults, as fast as it goes: what the bot should have in the end.
    pub async fn storm_clean(&self, plan: &StormPlan) -> StormReport {
        let begun = self.begin(plan);
        for step in &begun.steps {
            self.inner().change(|state| apply(state, step));
        }
        self.settle(&begun).await
    }

    fn begin(&self, plan: &StormPlan) -> Begun {
        self.inner().change(|state| {
            prepare(state, plan);
            // From a whole second on, so that what the bot said before moves nothing.
            let start = Ts::from_micros(state.clock.second().micros() + 1_000_000);
            Begun {
                steps: plan.steps(start),
                events: state.outbound.events.len(),
                deliveries: state.outbound.deliveries.len(),
                at: Instant::now(),
            }
        })
    }

    async fn settle(&self, begun: &Begun) -> StormReport {
        for _ in 0..RETRIES {
            tokio::select! {
                () = self.wait_settled() => return self.report(begun),
                () = sleep(RETRY_AFTER) => self.retry_unacknowledged(),
            }
        }
        let open = self.inner().read(|state| state.outbound.unsettled());
        panic!("{open} events of the storm were never acknowledged");
    }

    fn report(&self, begun: &Begun) -> StormReport {
        self.inner().read(|state| {
            let deliveries = &state.outbound.deliveries[begun.deliveries..];
            let latency = |delivery: &Delivery| {
                Some(
                    delivery
                        .acknowledged?
                        .saturating_duration_since(delivery.sent?),
                )
            };
            StormReport {
                events: state.outbound.events.len() - begun.events,
                deliveries: deliveries.len(),
                elapsed: begun.at.elapsed(),
                latencies: deliveries.iter().filter_map(latency).collect(),
            }
        })
    }
}

/// Where a storm began.
struct Begun {
    steps: Vec<Step>,
    events: usize,
    deliveries: usize,
    at: Instant,
}

fn prepare(state: &mut State, plan: &StormPlan) {
    for number in 0..plan.users {
        if !state.world.users.contains_key(&user_id(number)) {
            state.add_user(&user_id(number), &format!("Storm {number}"), false);
        }
    }
    for number in 0..plan.channels {
        if !state.world.channels.contains_key(&channel_id(number)) {
            let bot = std::iter::once(BOT_USER.to_owned()).collect();
            state.add_channel(
                &channel_id(number),
                &format!("storm-{number}"),
                ChannelKind::Public,
                bot,
            );
        }
    }
}

/// Lets a step happen at its time.
fn apply(state: &mut State, step: &Step) {
    state.clock.fine(step.ts);
    let channel = &step.channel;
    let done = match &step.action {
        Action::Post {
            user,
            text,
            thread,
            broadcast,
        } => {
            let mut new = NewMessage::new(channel, Author::User(user.clone()), text, *thread);
            new.at = Some(step.ts);
            if *broadcast {
                new = new.with_subtype("thread_broadcast");
            }
            state.post(new).map(drop)
        }
        Action::Edit { ts, text } => state.edit(channel, *ts, text),
        Action::Delete { ts } => state.delete(channel, *ts),
        Action::React { user, ts } => state.react(user, channel, *ts, "eyes"),
        Action::RenameChannel { name } => state.rename(channel, name),
        Action::RenameUser { user, name } => state.rename_user(user, name),
    };
    state.clock.coarse();
    done.unwrap_or_else(|error| panic!("{step:?}: {error}"));
}
