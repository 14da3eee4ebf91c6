//! The settings of the bot: what it does and when.

use std::num::NonZeroU32;

use myao_plugin::state::forgetting::Retention;
use myao_plugin::state::off_record::Participation;
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::ts::TsKey;
use myao_slack::blocks::Language;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::schedule::DigestConfig;

/// The emoji with which people pin a message.
pub const PIN_EMOJI: &str = "pushpin";

/// The bot's actions and their times.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BotSettings {
    /// When and how often it answers.
    pub response: Response,
    /// How many mentions of one person are answered within 24 hours; 0 for any number.
    pub answers_per_person_per_day: u32,
    /// How often generation runs, in seconds.
    pub generation_interval_seconds: u32,
    /// How many channels a generation run works on side by side.
    pub channels_in_flight: usize,
    /// The language in which the bot itself speaks.
    pub language: Language,
    /// How long messages and memories are kept.
    pub retention: RetentionDays,
    /// How long the audit log is kept.
    pub audit: AuditLog,
    /// The emoji with which people pin a message, without colons; empty for none.
    pub pin_emoji: String,
    /// Which channels get digests, and when.
    pub digests: Vec<DigestConfig>,
    /// The treatment of channels that are shared with others.
    pub external_channels: ExternalChannels,
    /// True if messages go that Slack does not show any more.
    pub follow_retention: bool,
}

/// The treatment of channels that are shared with other organisations or workspaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ExternalChannels {
    /// They are remembered, each for itself.
    #[default]
    Remember,
    /// Nothing of them is stored, and the bot says so once in each.
    Ignore,
}

/// How the bot takes part in a channel that it remembers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChannelMode {
    /// It only remembers.
    Remember,
    /// It answers mentions.
    #[default]
    Answer,
    /// It also answers what nobody else has answered.
    Join,
}

impl From<ChannelMode> for Participation {
    fn from(mode: ChannelMode) -> Self {
        match mode {
            ChannelMode::Remember => Self::Silent,
            ChannelMode::Answer => Self::Mentions,
            ChannelMode::Join => Self::JoinsIn,
        }
    }
}

impl BotSettings {
    /// Returns true if an effect counts with these settings: of reactions only those that pin.
    #[must_use]
    pub fn counts(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Pin {
                by: PinnedBy::Emoji { name, .. },
                ..
            } => *name == self.pin_emoji,
            _ => true,
        }
    }

    /// Returns these settings with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Default for BotSettings {
    fn default() -> Self {
        Self {
            response: Response::default(),
            answers_per_person_per_day: 0,
            generation_interval_seconds: 3600,
            channels_in_flight: 32,
            language: Language::English,
            retention: RetentionDays::default(),
            audit: AuditLog::default(),
            pin_emoji: PIN_EMOJI.to_owned(),
            digests: Vec::new(),
            external_channels: ExternalChannels::Remember,
            follow_retention: false,
        }
    }
}

/// `retention`: how long messages and memories are kept. What is older is removed before each generation run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RetentionDays {
    /// Messages are kept for so many days, at least 1; older ones that arrive later are refused. What was remembered of
    /// them stays. Default: for ever.
    #[serde(deserialize_with = "days")]
    pub messages_days: Option<NonZeroU32>,
    /// The texts of memories are kept for so many days after they were made, at least 1. What a newer memory says again
    /// stays. Default: for ever.
    #[serde(deserialize_with = "days")]
    pub memories_days: Option<NonZeroU32>,
    /// The records of what calls of models and embedders took, which hold no texts, are kept for so many days, at least 2.
    /// Those of a current memory stay. Default: for ever.
    #[serde(deserialize_with = "days_of_calls")]
    pub calls_days: Option<NonZeroU32>,
}

impl RetentionDays {
    /// The retention at `now`, in Unix seconds.
    #[must_use]
    pub fn at(self, now: i64) -> Retention {
        let begin = |days| beginning(days, now);
        Retention {
            messages: self.messages_days.map(begin).map(TsKey::first_of),
            memories: self.memories_days.map(begin),
            calls: self.calls_days.map(begin),
        }
    }
}

/// `audit`: the log of who did what takes effect for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AuditLog {
    /// The entries of the [audit log](privacy.md#audit) are kept for so many days, at least 1. Default `400`.
    pub days: NonZeroU32,
}

impl AuditLog {
    /// The oldest time that is kept at `now`, both in Unix seconds.
    #[must_use]
    pub fn begin(self, now: i64) -> i64 {
        beginning(self.days, now)
    }
}

impl Default for AuditLog {
    fn default() -> Self {
        let days = NonZeroU32::MIN.saturating_add(399);
        Self { days }
    }
}

/// So many days before `now`, in Unix seconds.
fn beginning(days: NonZeroU32, now: i64) -> i64 {
    let seconds = i64::from(days.get()) * DAY_SECONDS;
    now.saturating_sub(seconds).max(0)
}

/// The budget of a day counts its calls, and a day may have 25 hours.
fn days_of_calls<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NonZeroU32>, D::Error> {
    match days(deserializer)? {
        Some(NonZeroU32::MIN) => Err(D::Error::custom("expected a whole number from 2 on")),
        days => Ok(days),
    }
}

fn days<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NonZeroU32>, D::Error> {
    let days: Option<u32> = Deserialize::deserialize(deserializer)?;
    let from_one = |days| {
        NonZeroU32::new(days).ok_or_else(|| D::Error::custom("expected a whole number from 1 on"))
    };
    days.map(from_one).transpose()
}

fn part<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let part = f64::deserialize(deserializer)?;
    if (0.0..=1.0).contains(&part) {
        return Ok(part);
    }
    Err(D::Error::custom("expected a number from 0 to 1"))
}

const DAY_SECONDS: i64 = 24 * 3600;

/// `response`: when and how often the bot answers. The section also has settings of the component.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Response {
    /// How the bot takes part in channels whose people have not chosen with `/memory mode`. Default `answer`.
    pub mode: ChannelMode,
    /// How often the bot looks for something to answer unasked. Default `60`.
    pub check_interval_seconds: u32,
    /// How long others may answer first. Default `300`.
    pub min_wait_seconds: u32,
    /// By which part that time varies from message to message, from 0 to 1. Default `0.3`.
    #[serde(deserialize_with = "part")]
    pub jitter_ratio: f64,
    /// Older messages are left alone, mentions too. Default `43200`.
    pub max_message_age_seconds: u32,
    /// How many mentions are answered.
    pub mention_limits: MentionLimits,
    /// When a judgment is not asked for again.
    pub judgment_skip: JudgmentSkip,
    /// How many judgments are asked for.
    pub judgment_limits: JudgmentLimits,
}

impl Default for Response {
    fn default() -> Self {
        Self {
            mode: ChannelMode::default(),
            check_interval_seconds: 60,
            min_wait_seconds: 300,
            jitter_ratio: 0.3,
            max_message_age_seconds: 43_200,
            mention_limits: MentionLimits::default(),
            judgment_skip: JudgmentSkip::default(),
            judgment_limits: JudgmentLimits::default(),
        }
    }
}

/// `response.mention_limits`: beyond them, a person who mentions the bot is asked once to try again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MentionLimits {
    /// At most so many mentions of one person are answered within the time; 0 for any number. Default `30`.
    pub per_person: u32,
    /// At most so many in one channel; 0 for any number. Default `120`.
    pub per_channel: u32,
    /// The time, in seconds. Default `3600`.
    pub window_seconds: u32,
}

impl MentionLimits {
    /// Returns these limits with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Default for MentionLimits {
    fn default() -> Self {
        Self {
            per_person: 30,
            per_channel: 120,
            window_seconds: 3600,
        }
    }
}

/// `response.judgment_limits`: beyond them, nothing is answered unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct JudgmentLimits {
    /// At most so many judgments of one message; 0 for any number. Default `3`.
    pub per_message: u32,
    /// At most so many within an hour; 0 for any number. Default `60`.
    pub per_hour: u32,
}

impl Default for JudgmentLimits {
    fn default() -> Self {
        Self {
            per_message: 3,
            per_hour: 60,
        }
    }
}

/// `response.judgment_skip`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JudgmentSkip {
    /// Remembers judgments. Default `true`.
    pub enabled: bool,
    /// From a `min_confidence` on, a judgment is not asked for again for `skip_seconds`, unless a new message comes.
    /// Default `[{ min_confidence: 0.9, skip_seconds: 43200 }, { min_confidence: 0.7, skip_seconds: 3600 }]`.
    pub thresholds: Vec<JudgmentThreshold>,
    /// The same below all thresholds, and after a failure. Default `600`.
    pub default_skip_seconds: u32,
}

impl Default for JudgmentSkip {
    fn default() -> Self {
        Self {
            enabled: true,
            thresholds: vec![
                JudgmentThreshold {
                    min_confidence: 0.9,
                    skip_seconds: 43_200,
                },
                JudgmentThreshold {
                    min_confidence: 0.7,
                    skip_seconds: 3600,
                },
            ],
            default_skip_seconds: 600,
        }
    }
}

/// One of `response.judgment_skip.thresholds`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgmentThreshold {
    /// From this confidence on, 0 to 1.
    #[serde(deserialize_with = "part")]
    pub min_confidence: f64,
    /// No new judgment for so many seconds.
    pub skip_seconds: u32,
}
