//! Message ids (`ts`), ordered numerically.

use std::fmt;

use crate::bindings::errors::Error;
use crate::bindings::types::Timestamp;

/// A parsed message id: Unix seconds, then a sequence number.
///
/// Regression 2 of the specification: ids compared as text or as floating-point numbers froze
/// the regeneration. They are compared as two whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ts {
    /// Unix seconds.
    pub seconds: u64,
    /// The number after the full stop.
    pub sequence: u32,
}

/// The greatest sequence number: Slack writes six digits.
pub const MAX_SEQUENCE: u32 = 999_999;

impl Ts {
    /// Parses an id.
    ///
    /// # Errors
    /// [`Error::InvalidTs`] if it is not one to twelve digits, a full stop and one to six digits.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let invalid = || Error::InvalidTs(text.to_owned());
        let (seconds, sequence) = text.split_once('.').ok_or_else(invalid)?;
        let digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        };
        if !digits(seconds, 12) || !digits(sequence, 6) {
            return Err(invalid());
        }
        Ok(Self {
            seconds: seconds.parse().map_err(|_| invalid())?,
            sequence: sequence.parse().map_err(|_| invalid())?,
        })
    }

    /// The first id of a second; the lower bound for messages from then on.
    #[must_use]
    pub fn first_of(unix_seconds: i64) -> Self {
        Self {
            seconds: u64::try_from(unix_seconds).unwrap_or(0),
            sequence: 0,
        }
    }

    /// The id right after this one.
    #[must_use]
    pub fn next(self) -> Self {
        if self.sequence < MAX_SEQUENCE {
            Self {
                sequence: self.sequence + 1,
                ..self
            }
        } else {
            Self {
                seconds: self.seconds.saturating_add(1),
                sequence: 0,
            }
        }
    }

    /// The last id of the second of `time`; the upper bound for messages up to then.
    #[must_use]
    pub fn last_of(time: Timestamp) -> Self {
        Self {
            seconds: u64::try_from(time.unix_seconds).unwrap_or(0),
            sequence: MAX_SEQUENCE,
        }
    }
}

impl fmt::Display for Ts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.seconds, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ts(text: &str) -> Ts {
        Ts::parse(text).unwrap_or_else(|e| unreachable!("{e:?}"))
    }

    #[test]
    fn ids_are_ordered_by_seconds_and_then_by_sequence() {
        assert!(ts("999.000001") < ts("1000.000001"), "not as text");
        assert!(ts("1709287200.000009") < ts("1709287200.000010"));
        assert!(
            ts("1709287200.123456") < ts("1709287200.123457"),
            "not as 64-bit floating point with too few digits"
        );
    }

    #[test]
    fn what_is_no_id_is_refused_and_named() {
        for text in [
            "",
            "1709287200",
            "1709287200.",
            ".1",
            "-1.0",
            "1.0e5",
            "1.0000001",
            "１.0",
            "1.0 ",
        ] {
            assert_eq!(Ts::parse(text), Err(Error::InvalidTs(text.to_owned())));
        }
    }

    #[test]
    fn an_id_is_written_as_slack_writes_it() {
        assert_eq!(ts("1709287200.000001").to_string(), "1709287200.000001");
        assert_eq!(Ts::first_of(5).to_string(), "5.000000");
    }
}
