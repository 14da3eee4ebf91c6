//! Waits: what is put off, until when, and why. Every wait has a longest length, so that no slip of a server or of a clock
//! mutes the bot, and every wait under way shows in `/ready`, the metrics and `myao doctor`.
//!
//! | what waits | at most |
//! |---|---|
//! | a method of Slack's API, after a 429 (`host/slack/src/client/attempts.rs`) | an hour |
//! | a model, after a 429 (`llm/fault.rs`) | an hour |
//! | a memory that the model keeps failing to make (`guest/src/generator/rest.rs`) | a day |
//! | an answer that failed (`storage/sqlite/replies.rs`) | an hour |
//! | an event that took no effect (`storage/sqlite/inbox.rs`) | ten minutes |
//! | a channel that Slack does not tell of (`storage/sqlite/catch_up.rs`) | an hour |
//! | a conversation that was judged (`bot/unasked.rs`) | the longest `skip_seconds` of the configuration |
//!
//! A stored time that lies further ahead was written while the clock was ahead. It does not count.

/// The longest wait of a memory, in seconds.
pub const LONGEST_DEFERRAL: i64 = 24 * 3600;

/// What kind of thing waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitKind {
    /// A method of Slack's API.
    Slack,
    /// A model.
    Model,
    /// A memory.
    Memory,
    /// An answer to somebody.
    Answer,
    /// An event.
    Event,
    /// The reading of a channel that Slack does not tell of.
    Channel,
    /// A conversation's judgment.
    Judgment,
}

impl WaitKind {
    /// The name in `/ready` and of the metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Model => "model",
            Self::Memory => "memory",
            Self::Answer => "answer",
            Self::Event => "event",
            Self::Channel => "channel",
            Self::Judgment => "judgment",
        }
    }
}

/// Something that waits. Nothing in it was written by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Its kind.
    pub kind: WaitKind,
    /// What the metrics tell it from others of its kind by: the method, the agent, the layer.
    pub label: &'static str,
    /// What it is, with its id.
    pub what: String,
    /// When it ends, in Unix seconds.
    pub until: i64,
    /// Why.
    pub why: String,
}

/// Whether a wait goes on at `now` that ends at `until` and lasts `longest` at most; all in seconds.
#[must_use]
pub fn is_under_way(until: i64, now: i64, longest: i64) -> bool {
    (1..=longest).contains(&until.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::is_under_way;

    #[test]
    fn a_wait_that_ends_later_than_it_can_last_is_none() {
        let ends = [-1, 100, 101, 200, 201, i64::MAX];
        let found = ends.map(|until| is_under_way(until, 100, 100));
        assert_eq!(found, [false, false, true, true, false, false]);
        assert!(!is_under_way(i64::MIN, i64::MAX, 100));
    }
}
