//! Message ids (`ts`) as sortable numbers.

/// The text is not an id: seconds, a full stop and a sequence number of one to six digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a message id: expected Unix seconds, a full stop and up to six digits, as in 1709287200.000001"
)]
pub struct InvalidTs(pub String);

/// How many sequence numbers there are in a second.
const SEQUENCES: i64 = 1_000_000;

/// A message id as one integer: seconds × 1,000,000 + sequence number. Its order is the numeric order of ids
/// (`wit/types.wit`), so a database index can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TsKey(i64);

impl TsKey {
    /// Parses an id.
    ///
    /// # Errors
    /// [`InvalidTs`] with the text, if it is not an id.
    pub fn parse(text: &str) -> Result<Self, InvalidTs> {
        let invalid = || InvalidTs(text.to_owned());
        let (seconds, sequence) = text.split_once('.').ok_or_else(invalid)?;
        let digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        };
        if !digits(seconds, 12) || !digits(sequence, 6) {
            return Err(invalid());
        }
        let seconds: i64 = seconds.parse().map_err(|_| invalid())?;
        let sequence: i64 = sequence.parse().map_err(|_| invalid())?;
        Ok(Self(seconds * SEQUENCES + sequence))
    }

    /// The key from the value of a database column.
    #[must_use]
    pub fn from_database(key: i64) -> Self {
        Self(key)
    }

    /// The key as the value of a database column.
    #[must_use]
    pub fn to_database(self) -> i64 {
        self.0
    }

    /// The first id of a second.
    #[must_use]
    pub fn first_of(unix_seconds: i64) -> Self {
        Self(unix_seconds.max(0) * SEQUENCES)
    }

    /// The Unix second of the message.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        self.0 / SEQUENCES
    }
}

impl std::fmt::Display for TsKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0 / SEQUENCES, self.0 % SEQUENCES)
    }
}

#[cfg(test)]
mod tests {
    use super::TsKey;

    #[test]
    fn keys_are_ordered_by_seconds_and_then_by_sequence() {
        let key = |text| TsKey::parse(text).map_err(|e| e.to_string());
        assert!(key("999.000001") < key("1000.000001"));
        assert!(key("1709287200.000009") < key("1709287200.000010"));
        assert_eq!(
            key("1709287200.000001").map(|k| k.to_string()),
            Ok("1709287200.000001".to_owned())
        );
    }

    #[test]
    fn what_is_no_id_is_refused_and_named() {
        for text in [
            "",
            "1709287200",
            "1.",
            ".1",
            "-1.0",
            "1.0000001",
            "deadbeef",
        ] {
            assert!(TsKey::parse(text).is_err_and(|e| e.to_string().contains(text)));
        }
    }
}
