//! Words that show what somebody wants to know.

use crate::phrases::{Phrases, phrases};

/// Words of questions that say nothing about their subject, besides the stop words of `text::terms`.
pub(super) const ASKING: Phrases =
    phrases!("japanese/asking-words.txt", "english/asking-words.txt");

/// Words for a time, and for plans: many texts mention a day but have nothing to do with the question. Longer words,
/// such as 今週末, are made of these.
pub(super) const WHEN: Phrases = phrases!("japanese/time-words.txt", "english/time-words.txt");

/// Words that ask for an overview.
pub(super) const RECAPS: Phrases =
    phrases!("japanese/recap-requests.txt", "english/recap-requests.txt");

/// Words that ask for the bot itself.
pub(super) const HELPS: Phrases =
    phrases!("japanese/help-requests.txt", "english/help-requests.txt");

pub(super) const THANKS: Phrases = phrases!("japanese/thanks.txt", "english/thanks.txt");

/// A kind of information that a question asks for.
pub(super) struct Wanted {
    /// Words in a question that ask for it.
    pub(super) asking: Phrases,
    /// True if a digit in an answer is a sign of it.
    pub(super) digits: bool,
    /// Other signs of it in an answer.
    pub(super) signs: Phrases,
}

/// Times, amounts, people, reasons and places.
pub(super) const WANTED: &[Wanted] = &[
    Wanted {
        asking: phrases!("japanese/asks-for-time.txt", "english/asks-for-time.txt"),
        digits: true,
        signs: phrases!("japanese/tells-time.txt", "english/tells-time.txt"),
    },
    Wanted {
        asking: phrases!(
            "japanese/asks-for-amount.txt",
            "english/asks-for-amount.txt"
        ),
        digits: true,
        signs: Phrases(&[]),
    },
    Wanted {
        asking: phrases!(
            "japanese/asks-for-person.txt",
            "english/asks-for-person.txt"
        ),
        digits: false,
        signs: phrases!("japanese/tells-person.txt", "english/tells-person.txt"),
    },
    Wanted {
        asking: phrases!(
            "japanese/asks-for-reason.txt",
            "english/asks-for-reason.txt"
        ),
        digits: false,
        signs: phrases!("japanese/tells-reason.txt", "english/tells-reason.txt"),
    },
    Wanted {
        asking: phrases!("japanese/asks-for-place.txt", "english/asks-for-place.txt"),
        digits: false,
        signs: phrases!("english/tells-place.txt"),
    },
];
