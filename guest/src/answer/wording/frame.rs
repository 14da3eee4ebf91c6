//! Titles, lead-ins and offers around a summary.

use crate::phrases::{Phrases, phrases};

const TITLES: Phrases = phrases!("japanese/titles.txt", "english/titles.txt");

/// Returns true if a line is only the title of a summary.
pub(in crate::answer) fn is_title(line: &str) -> bool {
    TITLES.has(line.trim_end_matches([':', ' ']))
}

const SUBJECTS: Phrases = phrases!("japanese/summary-words.txt", "english/summary-words.txt");
const ACKNOWLEDGEMENTS: Phrases = phrases!(
    "japanese/acknowledgements.txt",
    "english/acknowledgements.txt"
);
const ANNOUNCEMENTS: Phrases = phrases!("japanese/announcements.txt", "english/announcements.txt");

/// Returns true if a line announces a summary.
pub(in crate::answer) fn is_lead_in(line: &str) -> bool {
    let (_, rest) = split_acknowledgement(line);
    ANNOUNCEMENTS.starts(rest) && SUBJECTS.is_in(line)
}

/// An acknowledgement that says nothing else is no longer than this, in characters.
const MAX_ACKNOWLEDGEMENT: usize = 20;

/// Returns true if a line only says that the work will be done ("Sure!").
pub(in crate::answer) fn is_acknowledgement(line: &str) -> bool {
    let (acknowledges, rest) = split_acknowledgement(line);
    acknowledges
        && line.chars().count() <= MAX_ACKNOWLEDGEMENT
        && line.ends_with(['.', '!', '。'])
        && (rest.is_empty() || SUBJECTS.is_in(rest))
}

/// Returns true if a line begins with an acknowledgement, and the text after that sentence.
fn split_acknowledgement(line: &str) -> (bool, &str) {
    if !ACKNOWLEDGEMENTS.starts(line) {
        return (false, line);
    }
    let end = line.find(['!', '.', ',', '。', '、']);
    let rest = end.and_then(|end| line.get(end..)).unwrap_or_default();
    (
        true,
        rest.trim_start_matches(['!', '.', ',', '。', '、', ' ']),
    )
}

const OFFERS_AT_HEAD: Phrases = phrases!("english/offers.txt");
const OFFERS: Phrases = phrases!("japanese/offers.txt");
const ENDS: Phrases = phrases!("japanese/closings.txt");

/// Returns true if a line after a summary offers more, or says that it is over.
pub(in crate::answer) fn is_offer(line: &str) -> bool {
    OFFERS_AT_HEAD.starts(line) || OFFERS.is_in(line) || ENDS.has(line)
}
