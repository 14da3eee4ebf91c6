//! Turns mentions away that are over the limits, with a notice to the first person who exceeded them.

use myao_plugin::state::replies::{Admission, MentionLimits, WaitingReply};
use myao_plugin::{CallError, Error};
use myao_slack::blocks::Language;

use super::mentions::{Answered, Mentions, post_for};

impl Mentions {
    /// Gives up a mention that is over the limits; for the first one, its author gets a notice.
    pub(super) async fn turn_away(
        &self,
        reply: &WaitingReply,
        now: i64,
    ) -> Result<Option<Answered>, CallError> {
        let settings = self.current.settings();
        let configured = settings.response.mention_limits;
        let limits = MentionLimits::default().with(|limits| {
            limits.per_person = configured.per_person;
            limits.per_channel = configured.per_channel;
            limits.window_seconds = configured.window_seconds;
        });
        let admission = self
            .workspace
            .admit_mention(&reply.channel_id, reply.ts, limits)
            .await
            .map_err(|error| CallError::Refused(Error::Storage(error)))?;
        let (answered, until, text) = match admission {
            Admission::Answer => return Ok(None),
            Admission::Silent => return Ok(Some(Answered::TooMany)),
            Admission::Notify {
                answered,
                until,
                text,
            } => (answered, until, text),
            _ => return Ok(Some(Answered::TooMany)),
        };
        let text = notice(&text, settings.language, answered, limits, until - now);
        self.post(post_for(reply, text)).await?;
        Ok(Some(Answered::Notified))
    }
}

/// The notice, in the language of the mention, or in `fallback` if that is not clear. `wait` is in seconds.
fn notice(
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
        let limits = MentionLimits::default().with(|limits| limits.window_seconds = 3600);
        let said = |mention| notice(mention, Language::Japanese, 20, limits, 61);
        assert!(said("@myao 予算は？").contains("約2分後"));
        assert!(said("@myao where?").contains("in about 2 minutes"));
        assert_eq!(said("@myao ?"), said("@myao はい"));
    }
}
