//! Which of two statements counts: the newer one.

/// Whether a value replaces the stored one; at the same time, the greater value wins.
pub(super) fn is_newer<At: Ord + Copy, T: Ord>(
    told: (Option<At>, T),
    tells: (Option<At>, T),
    latest: At,
) -> bool {
    let was_ahead = told.0 > Some(latest) && tells.0 <= Some(latest);
    was_ahead || told < tells
}

/// Whether a time was noted while the clock was ahead, and a new one was not.
pub(super) fn was_ahead<At: Ord>(known: At, at: At, latest: At) -> bool {
    known > latest && at <= latest
}

/// The order of statements that makes more people possible: no, not known, yes.
pub(super) fn certainty(fact: Option<bool>) -> u8 {
    match fact {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    }
}
