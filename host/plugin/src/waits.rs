//! Waits: what is deferred, until when, and why. Every kind of wait has a maximum length, so that no error of a server
//! or a clock can silence the bot. `/ready` and the metrics show all current waits. `myao doctor` asks the bot if
//! it runs, and reads the store if not: the waits of a method, of models, of a budget, of a judgment that failed and of
//! who reads a channel are known only to the process that waits, and end with it.
//!
//! | what waits | at most |
//! |---|---|
//! | a method of Slack's API, after a 429 (`host/slack/src/client/attempts.rs`) | an hour |
//! | a model, after a 429 (`host/llm/src/fault.rs`) | an hour |
//! | the model for embeddings, after failures (`host/llm/src/embeddings.rs`) | an hour |
//! | all models, after the budget of a day is used up (`host/bot/src/budget/`) | until the next day |
//! | a memory that the model keeps failing to make (`guest/src/generator/backoff.rs`) | a day |
//! | an answer that failed (`host/plugin/src/state/replies.rs`) | an hour |
//! | an event that could not be applied (`host/sql/src/events/inbox.rs`) | ten minutes |
//! | a channel of which Slack sends no events (`host/sql/src/reading/catch_up.rs`) | an hour |
//! | asking who reads a channel, after Slack did not say (`host/bot/src/catch_up/audiences.rs`) | an hour |
//! | a message that was missing from an answer of Slack (`host/sql/src/reading/catch_up.rs`) | six hours |
//! | a conversation that was judged (`host/bot/src/unasked.rs`) | the longest `skip_seconds` of the configuration |
//!
//! A stored time that is further ahead was stored while the clock was ahead. It is ignored.

/// The longest wait of a memory, in seconds.
pub const LONGEST_DEFERRAL: i64 = 24 * 3600;

/// The kind of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitKind {
    /// A method of Slack's API.
    Slack,
    /// A model.
    Model,
    /// All models, for want of a budget.
    Budget,
    /// A memory.
    Memory,
    /// An answer to a person.
    Answer,
    /// An event.
    Event,
    /// Reading a channel of which Slack sends no events.
    Channel,
    /// Asking who reads a channel.
    Audience,
    /// Asking for a message that was missing from an answer of Slack.
    Message,
    /// The judgment of a conversation.
    Judgment,
}

impl WaitKind {
    /// The name in `/ready` and in the metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Model => "model",
            Self::Budget => "budget",
            Self::Memory => "memory",
            Self::Answer => "answer",
            Self::Event => "event",
            Self::Channel => "channel",
            Self::Audience => "audience",
            Self::Message => "message",
            Self::Judgment => "judgment",
        }
    }
}

/// Something that waits. It contains no text that people wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Its kind.
    pub kind: WaitKind,
    /// The label that distinguishes it from others of its kind in the metrics: the method, the agent or the layer.
    pub label: &'static str,
    /// The waiting work, with its id.
    pub what: String,
    /// When it ends, in Unix seconds.
    pub until: i64,
    /// Why.
    pub why: String,
}

/// Returns true if a wait that ends at `until`, and lasts at most `longest`, is still active at `now`. All values are
/// in seconds.
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
