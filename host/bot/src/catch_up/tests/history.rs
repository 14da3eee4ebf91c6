//! Random histories.

use fastrand::Rng;
use myao_fake_slack::Fault;

/// Whom and where something happens, by number; `nth` is one of the messages that are there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Say {
        channel: usize,
        by: usize,
    },
    Reply {
        channel: usize,
        by: usize,
        nth: usize,
    },
    Edit {
        channel: usize,
        nth: usize,
    },
    Delete {
        channel: usize,
        nth: usize,
    },
    /// A person, or the bot, comes in, or goes if there already.
    Move {
        channel: usize,
        who: usize,
    },
    /// A public channel becomes private, or a private one public.
    Convert {
        channel: usize,
    },
    /// A channel goes into the archive, or comes out of it.
    Archive {
        channel: usize,
    },
    /// A channel is shared with another organisation, or is not any more.
    Share {
        channel: usize,
    },
    /// A person becomes a guest, or a full member.
    Guest {
        who: usize,
    },
    /// Slack sends again what was not delivered.
    SendAgain,
    /// For a minute Slack leaves out events.
    LeaveOut,
    Disconnect,
    Connect,
    /// The process ends at once, and another one is started.
    Restart,
    /// The bot looks after what it missed.
    Look,
    Sweep {
        pages: usize,
    },
    /// The next calls of a method go wrong.
    Refuse {
        method: &'static str,
        fault: &'static Fault,
        times: usize,
    },
    /// The history of a channel is refused until `Heal`.
    RefuseChannel {
        channel: usize,
        why: &'static str,
    },
    /// The database fails after some more transactions until `Heal`.
    StoreFails {
        after: i64,
    },
    /// This machine's clock is set so many seconds ahead of Slack's.
    SetClock {
        ahead: i64,
    },
    Heal,
    /// No step of random histories: the store holds what Slack shows now.
    Agree,
}

/// The fate of the events of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Told,
    /// They come again later, too.
    Twice,
    /// They come with `Step::SendAgain`.
    Late,
    /// Nobody hears of them.
    Silent,
    /// They come while the bot reads: after Slack has made the answer of this method, and before the bot has it.
    During(&'static str),
}

#[derive(Debug, Clone)]
pub(super) struct History {
    /// Seconds to wait, and what happens then.
    pub(super) steps: Vec<(u64, Step, Fate)>,
}

pub(super) const CHANNELS: usize = 4;
pub(super) const PEOPLE: usize = 4;
/// The number of the bot among those who come and go.
pub(super) const THE_BOT: usize = PEOPLE;

impl Step {
    /// Where people do something.
    pub(super) fn channel(self) -> Option<usize> {
        match self {
            Self::Say { channel, .. }
            | Self::Reply { channel, .. }
            | Self::Edit { channel, .. }
            | Self::Delete { channel, .. }
            | Self::Move { channel, .. }
            | Self::Convert { channel }
            | Self::Archive { channel }
            | Self::Share { channel } => Some(channel),
            _ => None,
        }
    }
}

const READS: [&str; 7] = [
    "conversations.members",
    "conversations.history",
    "conversations.replies",
    "conversations.list",
    "conversations.info",
    "users.list",
    "users.info",
];
const FAULTS: [&Fault; 8] = [
    &Fault::Status(500),
    &Fault::Status(404),
    &Fault::RateLimited(0),
    &Fault::RateLimited(30),
    &Fault::RateLimited(400),
    &Fault::Error("internal_error"),
    &Fault::Error("invalid_auth"),
    &Fault::HangUp,
];
const SKEWS: [i64; 7] = [-90_000, -3600, -45, 0, 45, 3600, 90_000];
const REFUSALS: [&str; 4] = [
    "internal_error",
    "not_in_channel",
    "channel_not_found",
    "missing_scope",
];

impl History {
    pub(super) fn of(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let length = rng.usize(15..45);
        let steps = (0..length).map(|_| {
            let wait = match rng.u8(..20) {
                0 => 24 * 3600 + 1000,
                1 | 2 => 4000,
                3..6 => 400,
                _ => rng.u64(6..40),
            };
            let step = step(&mut rng);
            (wait, step, fate(&mut rng))
        });
        let steps = steps.collect();
        Self { steps }
    }
}

fn fate(rng: &mut Rng) -> Fate {
    match rng.u8(..10) {
        0..4 => Fate::Told,
        4 => Fate::Twice,
        5 => Fate::Late,
        6 | 7 => Fate::Silent,
        _ => Fate::During(rng.choice(READS).unwrap()),
    }
}

fn step(rng: &mut Rng) -> Step {
    let channel = rng.usize(..CHANNELS);
    let (by, nth) = (rng.usize(..PEOPLE), rng.usize(..20));
    match rng.u8(..52) {
        0..6 => Step::Say { channel, by },
        6..12 => Step::Reply { channel, by, nth },
        12..15 => Step::Edit { channel, nth },
        15..19 => Step::Delete { channel, nth },
        19 | 20 => Step::Move { channel, who: by },
        21 => Step::Move {
            channel,
            who: THE_BOT,
        },
        22 | 23 => Step::Convert { channel },
        24 | 25 => Step::SendAgain,
        26 | 27 => Step::Disconnect,
        28 | 29 => Step::Connect,
        30 => Step::Restart,
        31..34 => Step::Look,
        34 | 35 => Step::Sweep {
            pages: rng.usize(1..9),
        },
        36..40 => Step::Refuse {
            method: rng.choice(READS).unwrap(),
            fault: rng.choice(FAULTS).unwrap(),
            times: rng.usize(1..8),
        },
        40 => Step::RefuseChannel {
            channel,
            why: rng.choice(REFUSALS).unwrap(),
        },
        41 => Step::Archive { channel },
        42 => Step::Share { channel },
        43 => Step::Guest { who: by },
        44..47 => Step::LeaveOut,
        47 => Step::StoreFails {
            after: rng.i64(0..40),
        },
        48 | 49 => Step::SetClock {
            ahead: rng.choice(SKEWS).unwrap(),
        },
        _ => Step::Heal,
    }
}
