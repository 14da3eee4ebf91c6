//! Search by terms, and the rules by which every store picks the same candidates. `wit/recall.wit` documents them.

pub use crate::bindings::recall::{Candidates, FoundMessage, RecallQuery, TermCount};

/// A term in no more messages finds all of them. A common term finds messages among so many of the newest.
pub const COMMON_MESSAGES: u32 = 1000;
/// A term in no more than one of so many messages finds all of them.
const COMMON_PART: u32 = 50;

/// Returns true if a term is common that `count` of `total` messages have.
#[must_use]
pub fn is_common(count: u32, total: u32) -> bool {
    count > COMMON_MESSAGES.max(total / COMMON_PART)
}

/// How much it weighs in the choice of candidates that a message has this term: the rarer, the more. A common term does not
/// count.
#[must_use]
pub fn weight(count: u32, total: u32) -> u32 {
    (total / count.max(1)).max(1).ilog2() + 1
}

/// Nothing was found.
#[must_use]
pub fn nothing() -> Candidates {
    Candidates {
        messages: Vec::new(),
        counts: Vec::new(),
        message_count: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn term_is_common_in_many_messages_and_in_a_part_of_them() {
        assert!(!is_common(1000, 1000));
        assert!(is_common(1001, 2000));
        assert!(!is_common(20_000, 1_000_000));
        assert!(is_common(20_001, 1_000_000));
    }

    #[test]
    fn rarer_term_weighs_more() {
        assert!(weight(1, 1000) > weight(10, 1000));
        assert_eq!(weight(0, 0), 1);
        assert_eq!(weight(1000, 1000), 1);
    }
}
