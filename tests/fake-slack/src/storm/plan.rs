//! The events of a storm, and their times.

use crate::BOT_USER;
use crate::random::Random;
use crate::ts::Ts;

/// Which storm.
#[derive(Debug, Clone, PartialEq)]
pub struct StormPlan {
    /// How many actions. Most make one event; mentions and renamings of channels make two.
    pub events: usize,
    /// How many actions in a second.
    pub per_second: u32,
    /// In how many channels.
    pub channels: usize,
    /// By how many people, at least 2. Texts name the first half of them; only the second half is renamed.
    pub users: usize,
    /// How probable it is that an action is a mention of the bot.
    pub mentions_ratio: f64,
    /// How probable it is that an event comes twice.
    pub duplicates_ratio: f64,
    /// How many events may overtake each other; 0 keeps the order.
    pub reorder_window: usize,
    /// Before which actions all sockets are dropped.
    pub drops_at: Vec<usize>,
    /// Decides everything else.
    pub seed: u64,
}

impl Default for StormPlan {
    /// A second of 200 events in 20 channels by 40 people, without faults.
    fn default() -> Self {
        Self {
            events: 200,
            per_second: 200,
            channels: 20,
            users: 40,
            mentions_ratio: 0.0,
            duplicates_ratio: 0.0,
            reorder_window: 0,
            drops_at: Vec::new(),
            seed: 1,
        }
    }
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Post {
        user: String,
        text: String,
        thread: Option<Ts>,
        broadcast: bool,
    },
    Edit {
        ts: Ts,
        text: String,
    },
    Delete {
        ts: Ts,
    },
    React {
        user: String,
        ts: Ts,
    },
    RenameChannel {
        name: String,
    },
    RenameUser {
        user: String,
        name: String,
    },
}

/// When and where it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) ts: Ts,
    pub(crate) channel: String,
    pub(crate) action: Action,
}

/// The id of a channel of the storm.
pub(crate) fn channel_id(number: usize) -> String {
    format!("C0STORM{number:03}")
}

/// The id of a user of the storm.
pub(crate) fn user_id(number: usize) -> String {
    format!("U0STORM{number:03}")
}

impl StormPlan {
    /// The microseconds between two actions.
    pub(crate) fn pace(&self) -> u64 {
        1_000_000 / u64::from(self.per_second)
    }

    /// Everything that happens, beginning after `start`.
    pub(crate) fn steps(&self, start: Ts) -> Vec<Step> {
        assert!(
            self.channels > 0 && self.users > 1,
            "a storm needs a channel and two users"
        );
        let mut writer = Writer {
            plan: self,
            random: Random::new(self.seed),
            channels: vec![Vec::new(); self.channels],
        };
        let step = |number: usize| {
            let after = self.pace() * (u64::try_from(number).unwrap() + 1);
            writer.step(number, Ts::from_micros(start.micros() + after))
        };
        (0..self.events).map(step).collect()
    }
}

/// A message that can still be answered, edited or deleted.
#[derive(Clone)]
struct Live {
    ts: Ts,
    is_reply: bool,
}

/// Generates the events.
struct Writer<'plan> {
    plan: &'plan StormPlan,
    random: Random,
    /// The messages of each channel.
    channels: Vec<Vec<Live>>,
}

impl Writer<'_> {
    fn step(&mut self, number: usize, ts: Ts) -> Step {
        let channel = self.random.below(self.plan.channels);
        let action = if self.random.chance(self.plan.mentions_ratio) {
            let question = format!("<@{BOT_USER}> what about {number}?");
            self.post(channel, ts, question)
        } else {
            self.action(channel, number, ts)
        };
        Step {
            ts,
            channel: channel_id(channel),
            action,
        }
    }

    fn action(&mut self, channel: usize, number: usize, ts: Ts) -> Action {
        match self.random.below(100) {
            0..70 => {
                let text = self.text(number);
                self.post(channel, ts, text)
            }
            70..82 => match self.pick(channel) {
                Some(index) => Action::Edit {
                    ts: self.channels[channel][index].ts,
                    text: format!("{} (edited)", self.text(number)),
                },
                None => self.fallback(channel, number, ts),
            },
            82..90 => match self.pick(channel) {
                Some(index) => Action::Delete {
                    ts: self.channels[channel].swap_remove(index).ts,
                },
                None => self.fallback(channel, number, ts),
            },
            90..94 => match self.pick(channel) {
                Some(index) => Action::React {
                    user: self.user(),
                    ts: self.channels[channel][index].ts,
                },
                None => self.fallback(channel, number, ts),
            },
            94..97 => Action::RenameChannel {
                name: format!("storm-{channel}-{number}"),
            },
            _ => {
                let half = self.plan.users / 2;
                let user = half + self.random.below(self.plan.users - half);
                Action::RenameUser {
                    user: user_id(user),
                    name: format!("Storm {user} {number}"),
                }
            }
        }
    }

    fn fallback(&mut self, channel: usize, number: usize, ts: Ts) -> Action {
        let text = self.text(number);
        self.post(channel, ts, text)
    }

    fn post(&mut self, channel: usize, ts: Ts, text: String) -> Action {
        let parents: Vec<Ts> = self.channels[channel]
            .iter()
            .filter(|live| !live.is_reply)
            .map(|live| live.ts)
            .collect();
        let reply = !parents.is_empty() && self.random.chance(0.5);
        let thread = reply.then(|| parents[self.random.below(parents.len())]);
        let broadcast = reply && self.random.chance(0.1);
        self.channels[channel].push(Live {
            ts,
            is_reply: reply,
        });
        Action::Post {
            user: self.user(),
            text,
            thread,
            broadcast,
        }
    }

    fn pick(&mut self, channel: usize) -> Option<usize> {
        let live = self.channels[channel].len();
        (live > 0).then(|| self.random.below(live))
    }

    fn user(&mut self) -> String {
        user_id(self.random.below(self.plan.users))
    }

    fn text(&mut self, number: usize) -> String {
        if self.random.chance(0.1) {
            let named = user_id(self.random.below(self.plan.users / 2));
            return format!("<@{named}> number {number} &amp; more");
        }
        format!("number {number}")
    }
}
