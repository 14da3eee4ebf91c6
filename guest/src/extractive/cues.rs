//! Words that show what a sentence does: decide, ask, or only chat.

use crate::phrases::{Phrases, contains_words, phrases, weighted};

/// Words for decisions, duties, deadlines and causes, with their weights.
const DECISIONS: Phrases = phrases!("japanese/decisions.txt", "english/decisions.txt");

/// The most that such words add.
const MOST_DECISION: f64 = 2.4;

/// Greetings, thanks, laughter, and messages of chat programs about people who join and leave.
const CHATTER: Phrases = phrases!("japanese/chatter.txt", "english/chatter.txt");

/// Talk that is not about work, whatever numbers it contains.
const SMALL_TALK: Phrases = phrases!("japanese/small-talk.txt", "english/small-talk.txt");
const QUESTION_ENDINGS: Phrases = phrases!("japanese/question-endings.txt");

/// How much a sentence decides, assigns, dates or explains; 0 if not at all.
pub(crate) fn decision(folded_lower: &str) -> f64 {
    let found = DECISIONS.iter().filter_map(weighted);
    let found = found.filter(|(cue, _)| contains_words(folded_lower, cue));
    let mut weights: Vec<f64> = found.map(|(_, weight)| weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    // Every further cue counts half as much as the one before.
    let sum: f64 = weights
        .iter()
        .rev()
        .fold(0.0, |rest, weight| weight + rest / 2.0);
    sum.min(MOST_DECISION)
}

/// Whether the sentence is a greeting, thanks, laughter or agreement.
pub(crate) fn is_chatter(folded_lower: &str) -> bool {
    CHATTER.iter().any(|cue| contains_words(folded_lower, cue))
}

/// Whether the sentence is about lunch and the like.
pub(super) fn is_small_talk(folded_lower: &str) -> bool {
    SMALL_TALK
        .iter()
        .any(|cue| contains_words(folded_lower, cue))
}

/// Whether the sentence asks.
pub(crate) fn is_question(folded_lower: &str) -> bool {
    let text = folded_lower.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    text.ends_with('?') || QUESTION_ENDINGS.ends(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_told_from_talk() {
        assert!(decision("リリースは来週に延期することにしました。") > 1.2);
        assert!(decision("we agreed: bob owns the migration") > 1.2);
        assert!(
            decision("the willow is duel") == 0.0,
            "cues are whole words"
        );
        assert!(decision("今日は暑いですね") == 0.0);
        assert!(is_chatter("thanks a lot!") && !is_chatter("this okayed nothing"));
        assert!(is_question("いつ出ますか。") && is_question("really?") && !is_question("yes."));
    }
}
