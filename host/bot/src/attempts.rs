//! When an answer that failed is tried again, and as of when.

use myao_plugin::chat::ChatError;
use myao_plugin::llm::{BUDGET_TOO_SMALL, LlmError};
use myao_plugin::state::replies::MAX_REPLY_WAIT;
use myao_plugin::storage::StorageError;
use myao_plugin::{CallError, Error};

/// The wait after the first failure, in seconds; it doubles with each failure, up to the longest.
const FIRST_WAIT_SECONDS: i64 = 15;
const LONGEST_WAIT_SECONDS: i64 = 15 * 60;
/// After so many attempts an answer that cannot be used is the last.
const MOST_ATTEMPTS: u32 = 3;
/// The longest wait that is accepted from a model or from Slack, in seconds.
const LONGEST_ACCEPTED_SECONDS: i64 = MAX_REPLY_WAIT;
/// For this long, a mention is answered as of the time when it was asked: a retry then has the same prompt, and can
/// reuse the answer that the first attempt may have paid for.
const SAME_INPUT_SECONDS: i64 = 600;
/// How far Slack's clock may be ahead of the bot's, in seconds.
const MAX_SKEW_SECONDS: i64 = 24 * 3600;

/// The time as of which a mention is answered. Slack's clock may be a little ahead of the bot's. A time much later than
/// now was noted while the bot's own clock was ahead.
pub(super) fn as_of(asked_at: i64, now: i64) -> i64 {
    let age = now.saturating_sub(asked_at);
    if (-MAX_SKEW_SECONDS..=SAME_INPUT_SECONDS).contains(&age) {
        asked_at
    } else {
        now
    }
}

/// Seconds until the next attempt.
pub(super) fn wait_after(failures: u32, error: &CallError) -> i64 {
    let doubled =
        FIRST_WAIT_SECONDS.saturating_mul(1_i64.checked_shl(failures).unwrap_or(i64::MAX));
    let asked_for = match error {
        CallError::Refused(
            Error::Llm(LlmError::RateLimited(Some(seconds)))
            | Error::Chat(ChatError::RateLimited(Some(seconds))),
        ) => i64::from(*seconds).min(LONGEST_ACCEPTED_SECONDS),
        _ => 0,
    };
    doubled
        .clamp(FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS)
        .max(asked_for)
}

/// Returns true if only a change by a person can help: the message or the channel is gone, or the bot may not post.
pub(super) fn can_never_succeed(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Refused(
            Error::Chat(ChatError::NotFound(_) | ChatError::NotAllowed(_) | ChatError::Invalid(_))
                | Error::Storage(StorageError::NotFound(_))
                | Error::PromptTooLong(_)
        )
    )
}

/// Returns true if the model is not asked once more after so many failures of any kind: it refuses, or its answer cannot be used, or
/// a budget never allows the call.
pub(super) fn is_hopeless(failures: u32, error: &CallError) -> bool {
    match error {
        CallError::Refused(Error::BadAnswer(_) | Error::Llm(LlmError::Refused(_))) => {
            failures.saturating_add(1) >= MOST_ATTEMPTS
        }
        error => is_too_dear(error),
    }
}

/// Returns true if a budget never allows the call.
pub(super) fn is_too_dear(error: &CallError) -> bool {
    matches!(error, CallError::Refused(Error::Llm(LlmError::Other(other))) if other.code == BUDGET_TOO_SMALL)
}

/// Returns true if other answers of the model may succeed. Answers that the database or Slack did not take, or after which the
/// model could not be asked again, were paid for and are used as they are.
pub(super) fn may_be_the_answers_fault(error: &CallError) -> bool {
    !matches!(
        error,
        CallError::Refused(
            Error::Chat(_)
                | Error::Storage(_)
                | Error::Llm(
                    LlmError::RateLimited(_)
                        | LlmError::Unavailable(_)
                        | LlmError::TimedOut
                        | LlmError::InvalidRequest(_)
                )
        )
    )
}

#[cfg(test)]
mod tests {
    use myao_plugin::chat::ChatError;
    use myao_plugin::llm::{BUDGET_TOO_SMALL, LlmError};
    use myao_plugin::{BadAnswer, CallError, Error, OtherReason};

    use super::{LONGEST_WAIT_SECONDS, as_of, is_hopeless, wait_after};

    #[test]
    fn an_answer_that_cannot_be_used_is_the_last_after_three_attempts() {
        let refused = |error| CallError::Refused(Error::Llm(error));
        let too_small = OtherReason::new(BUDGET_TOO_SMALL, "raise it");
        for (failures, error, expected) in [
            (0, refused(LlmError::Refused(String::new())), false),
            (2, refused(LlmError::Refused(String::new())), true),
            (
                2,
                CallError::Refused(Error::BadAnswer(BadAnswer::Empty)),
                true,
            ),
            (0, refused(LlmError::Other(too_small)), true),
            (40, refused(LlmError::TimedOut), false),
            // A person must set a key or a name right, and then there is an answer.
            (40, refused(LlmError::InvalidRequest(String::new())), false),
            (40, limited(None), false),
        ] {
            assert_eq!(is_hopeless(failures, &error), expected, "{error}");
        }
    }

    fn limited(seconds: Option<u32>) -> CallError {
        CallError::Refused(Error::Chat(ChatError::RateLimited(seconds)))
    }

    #[test]
    fn waits_grow_and_keep_to_what_the_other_side_asks_for() {
        let waits: Vec<i64> = [0, 1, 2, 10, 60, 64, u32::MAX]
            .iter()
            .map(|failures| wait_after(*failures, &limited(None)))
            .collect();
        let longest = LONGEST_WAIT_SECONDS;
        assert_eq!(waits, [15, 30, 60, longest, longest, longest, longest]);
        assert_eq!(wait_after(0, &limited(Some(3600))), 3600);
    }

    #[test]
    fn no_wait_is_longer_than_an_hour_whatever_the_other_side_asks_for() {
        for seconds in [3601, 99_999_999, u32::MAX] {
            let model = CallError::Refused(Error::Llm(LlmError::RateLimited(Some(seconds))));
            for error in [model, limited(Some(seconds))] {
                assert_eq!(wait_after(0, &error), 3600, "{seconds}");
            }
        }
    }

    #[test]
    fn a_mention_that_was_noted_while_the_clock_was_ahead_is_answered_as_of_now() {
        const NOW: i64 = 1_800_000_000;
        const YEAR: i64 = 365 * 24 * 3600;
        for (asked_at, expected) in [
            (NOW - 601, NOW),
            (NOW - 600, NOW - 600),
            (NOW + 60, NOW + 60),
            (NOW + YEAR, NOW),
        ] {
            assert_eq!(as_of(asked_at, NOW), expected);
        }
    }
}
