//! Made-up histories of a workspace: the same for the same seed.

use myao_plugin::audience::ChannelFacts;
use myao_plugin::storage::records::{ChannelRecord, MemoryRecord, MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;

/// Midnight, 1 March 2024, UTC: a whole multiple of every interval that is tested.
pub const START: i64 = 1_709_251_200;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The content of a workspace.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Who writes.
    pub users: Vec<UserRecord>,
    /// Where.
    pub channels: Vec<ChannelRecord>,
    /// What.
    pub messages: Vec<MessageRecord>,
    /// Memories of another program.
    pub memories: Vec<MemoryRecord>,
}

/// The shape of a history.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// How many channels. Every third starts late.
    pub channels: u64,
    /// How long the history is.
    pub days: i64,
    /// The most messages of one burst.
    pub burst: u64,
}

/// Makes a history of chats, bursts, silences of hours and days, threads that wake up again, and messages
/// in the very second of a tick.
#[must_use]
pub fn history(seed: u64, shape: Shape) -> History {
    let mut random = Random(seed);
    let users = ["alice", "bob", "carol", "佐藤"];
    let mut history = History {
        users: users.iter().map(|name| user(name)).collect(),
        ..History::default()
    };
    for n in 0..shape.channels {
        let mut writer = Writer {
            channel: channel_id(n),
            users: &users,
            random: &mut random,
            messages: Vec::new(),
        };
        let late = if n % 3 == 2 { shape.days * DAY / 2 } else { 0 };
        writer.write(START + late, START + shape.days * DAY, shape.burst);
        history.messages.append(&mut writer.messages);
        history.channels.push(channel(n));
    }
    history
}

/// The id of the `n`th channel.
#[must_use]
pub fn channel_id(n: u64) -> String {
    format!("C{n:06}")
}

/// The `n`th channel.
#[must_use]
pub fn channel(n: u64) -> ChannelRecord {
    ChannelRecord {
        id: channel_id(n),
        name: format!("channel-{n}"),
        facts: ChannelFacts::PUBLIC,
    }
}

/// A person.
#[must_use]
pub fn user(name: &str) -> UserRecord {
    UserRecord {
        id: format!("U-{name}"),
        name: name.to_owned(),
        is_bot: false,
    }
}

/// A top-level message of alice.
#[must_use]
pub fn message(channel_id: &str, ts: TsKey, text: impl Into<String>) -> MessageRecord {
    MessageRecord {
        channel_id: channel_id.to_owned(),
        ts,
        user_id: "U-alice".to_owned(),
        author_name: None,
        is_bot: false,
        text: text.into(),
        thread_ts: None,
        edited_at: None,
    }
}

/// The id of the `sequence`th message in a second.
#[must_use]
pub fn ts(unix_seconds: i64, sequence: i64) -> TsKey {
    TsKey::from_database(unix_seconds * 1_000_000 + sequence)
}

/// Numbers that look random (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to `below`, without `below`.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below.max(1)
    }

    fn seconds(&mut self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.below((to - from).unsigned_abs())).unwrap_or(0)
    }
}

/// Writes the messages of one channel.
struct Writer<'a> {
    channel: String,
    users: &'a [&'a str],
    random: &'a mut Random,
    messages: Vec<MessageRecord>,
}

impl Writer<'_> {
    fn write(&mut self, start: i64, end: i64, burst: u64) {
        let mut now = start + self.random.seconds(0, 6 * HOUR);
        while now < end {
            let (count, pause) = match self.random.below(10) {
                0 => (burst / 2 + self.random.below(burst / 2), 2),
                1 | 2 => (1, HOUR),
                _ => (2 + self.random.below(12), 600),
            };
            for _ in 0..count {
                self.say(now);
                now += self.random.seconds(0, pause);
            }
            now += match self.random.below(6) {
                0 => self.random.seconds(DAY, 3 * DAY),
                1 => self.random.seconds(0, HOUR),
                _ => self.random.seconds(HOUR, 9 * HOUR),
            };
            // Sometimes in the very second of a tick.
            now -= match self.random.below(8) {
                0 => now.rem_euclid(HOUR),
                1 => now.rem_euclid(DAY),
                _ => 0,
            };
            now = now.max(
                self.messages
                    .last()
                    .map_or(now, |last| last.ts.unix_seconds()),
            );
        }
        self.messages
            .retain(|message| message.ts.unix_seconds() <= end);
    }

    fn say(&mut self, now: i64) {
        let n = self.messages.len();
        let sequence = self
            .messages
            .last()
            .filter(|last| last.ts.unix_seconds() == now);
        let sequence = sequence.map_or(1, |last| last.ts.to_database() % 1_000_000 + 1);
        let text = self.text(n);
        let mut said = message(&self.channel, ts(now, sequence), text);
        let who = usize::try_from(self.random.below(4)).unwrap_or(0);
        said.user_id = format!("U-{}", self.users.get(who).copied().unwrap_or_default());
        said.thread_ts = self.answered();
        self.messages.push(said);
    }

    /// The message that this replies to, if any: mostly one of the last messages, sometimes an old one.
    fn answered(&mut self) -> Option<TsKey> {
        let n = u64::try_from(self.messages.len()).unwrap_or(0);
        let back = match self.random.below(10) {
            0 | 1 => self.random.below(n.min(5)),
            2 => self.random.below(n),
            _ => return None,
        };
        let parent = self
            .messages
            .get(usize::try_from(n.checked_sub(back + 1)?).ok()?)?;
        Some(parent.thread_ts.unwrap_or(parent.ts))
    }

    fn text(&mut self, n: usize) -> String {
        let subject = ["the harbour crane", "リリース", "the budget", "次の会議"];
        let which = usize::try_from(self.random.below(4)).unwrap_or(0);
        let subject = subject.get(which).copied().unwrap_or_default();
        let (day, sum) = (1 + self.random.below(28), 100 + self.random.below(900));
        format!(
            "{} {n}: {subject} is due on March {day}, and costs {sum} euros.",
            self.channel
        )
    }
}
