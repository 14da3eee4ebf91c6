//! The notice to somebody who exceeded the limit of mentions.

use myao_plugin::state::replies::MentionLimits;
use myao_slack::blocks::Language;

/// The notice, in the language of the mention, or in `fallback` if that is not clear. `wait` is in seconds.
pub(super) fn notice(
    mention: &str,
    fallback: Language,
    answered: u32,
    limits: MentionLimits,
    wait: i64,
) -> String {
    let minutes = wait.max(1).saturating_add(59) / 60;
    let window = i64::from(limits.window_seconds).saturating_add(59) / 60;
    match language_of(mention).unwrap_or(fallback) {
        Language::Japanese => format!(
            "{window}分のあいだに{answered}回お答えしたので、少し休みます。約{minutes}分後に、もう一度メンションしてください。\
             それまでのメンションにはお答えしません。"
        ),
        Language::English => format!(
            "I have answered {answered} mentions within {window} minutes, so I am taking a break. Please mention me again in \
             about {minutes} minutes. Mentions until then get no answer."
        ),
    }
}

/// The language of a mention, as far as its letters show it; names (`@myao`) are ignored.
pub(super) fn language_of(mention: &str) -> Option<Language> {
    let is_japanese = |c: char| matches!(c, 'ぁ'..='ヿ' | '一'..='鿿');
    let words = || {
        mention
            .split_whitespace()
            .filter(|word| !word.starts_with('@'))
    };
    if words().any(|word| word.contains(is_japanese)) {
        return Some(Language::Japanese);
    }
    let is_english = words().any(|word| word.contains(|c: char| c.is_ascii_alphabetic()));
    is_english.then_some(Language::English)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notice_is_in_the_language_of_the_mention_and_says_when() {
        let limits = MentionLimits {
            per_person: 20,
            per_channel: 60,
            window_seconds: 3600,
        };
        let said = |mention| notice(mention, Language::Japanese, 20, limits, 61);
        assert!(said("@myao 予算は？").contains("約2分後"));
        assert!(said("@myao where?").contains("in about 2 minutes"));
        assert_eq!(said("@myao ?"), said("@myao はい"));
    }
}
