//! Words that show what a sentence does: decide, ask, or only chat.

use super::terms::is_stop_word;
use super::{is_kanji, is_katakana, strip_markers};
use crate::phrases::{Phrases, phrases};

/// Titles behind the name of a person who is spoken about.
const TITLES: [&str; 5] = ["さん", "くん", "ちゃん", "様", "氏"];
/// Particles behind a title if something is said about the person.
const PARTICLES: [char; 8] = ['が', 'は', 'に', 'を', 'の', 'へ', 'で', 'も'];

/// Words for decisions, duties, deadlines and causes, with their weights.
const WORK: Phrases = phrases!(
    "japanese/decisions.txt",
    "japanese/work.txt",
    "english/decisions.txt",
    "english/work.txt"
);

/// A word of this weight decides by itself.
const STRONG_CUE: f64 = 1.0;
/// The most that such words add.
const MOST_DECISION: f64 = 2.4;

/// Greetings, thanks, laughter, and messages of chat programs about people who join and leave.
const CHATTER: Phrases = phrases!("japanese/chatter.txt", "english/chatter.txt");

const QUESTION_ENDINGS: Phrases = phrases!("japanese/question-endings.txt");

/// How much a sentence decides, assigns, dates or explains; 0 if not at all.
pub(crate) fn decision(folded_lower: &str) -> f64 {
    let mut weights: Vec<f64> = WORK.weights_in(folded_lower).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    // Every further cue counts half as much as the one before.
    let sum: f64 = weights
        .iter()
        .rev()
        .fold(0.0, |rest, weight| weight + rest / 2.0);
    sum.min(MOST_DECISION)
}

/// Returns true if the sentence has a word that stands for a decision, a duty, a deadline or a cause by itself.
pub(crate) fn decides(folded_lower: &str) -> bool {
    WORK.weights_in(folded_lower)
        .any(|weight| weight >= STRONG_CUE)
}

/// Returns true if the sentence says what somebody does or is, by name: `Okafor leads the audit`, `小林さんが担当します`. Talking to
/// somebody (`小林さん、…`) is not that.
pub(crate) fn gives_task(sentence: &str) -> bool {
    let titled = TITLES.iter().any(|title| {
        sentence.match_indices(title).any(|(at, _)| {
            let before = sentence.get(..at).and_then(|head| head.chars().next_back());
            let after = sentence.get(at + title.len()..).unwrap_or_default();
            before.is_some_and(|c| is_kanji(c) || is_katakana(c)) && after.starts_with(PARTICLES)
        })
    });
    titled || is_about_a_name(sentence)
}

/// Returns true if an English sentence begins with a name and a verb in the third person.
fn is_about_a_name(sentence: &str) -> bool {
    let body = strip_markers(sentence).0;
    let mut words = body.split(' ').filter(|word| !word.is_empty());
    let (Some(name), Some(verb), Some(_)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let is_name = name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().skip(1).all(|c| c.is_ascii_lowercase())
        && !is_stop_word(&name.to_lowercase());
    let is_verb = verb.len() > 1
        && verb.bytes().all(|b| b.is_ascii_lowercase())
        && (verb.ends_with('s') && !verb.ends_with("ss") || matches!(verb, "will" | "can"));
    is_name && is_verb
}

/// Returns true if the sentence is a greeting, thanks, laughter or agreement.
pub(crate) fn is_chatter(folded_lower: &str) -> bool {
    CHATTER.words_in(folded_lower).next().is_some()
}

/// Returns true if the sentence asks.
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
        assert!(decides("the deadline is friday"));
        assert!(is_question("いつ出ますか。") && is_question("really?") && !is_question("yes."));
    }
}
