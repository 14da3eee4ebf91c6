//! Turns mentions away that are over the limits, with a notice to the first person who exceeded them.

use std::time::Duration;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::leases::Pause;
use myao_plugin::state::replies::{Admission, MentionLimits, TOO_MANY, WaitingReply};
use myao_plugin::storage::StorageError;
use myao_plugin::{Answer, CallError, Error};
use myao_secrets::MAX_QUESTION_CHARS;
use myao_slack::blocks::Language;
use myao_slack::events::is_direct_message;

use super::budget::is_spent;
use super::mentions::{Answered, Mentions, post_for};

/// How long a channel that was told of a used up budget is not told again, by this host or another.
const BUDGET_NOTICE_SECONDS: u32 = 3600;

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
            limits.per_person_per_day = settings.answers_per_person_per_day;
            limits.per_channel = configured.per_channel;
            limits.window_seconds = configured.window_seconds;
        });
        let admission = self
            .workspace
            .admit_mention(&reply.channel_id, reply.ts, limits)
            .await
            .map_err(|error| CallError::Refused(Error::Storage(error)))?;
        let (told, text) = match admission {
            Admission::Answer => return Ok(None),
            Admission::Silent => return Ok(Some(Answered::TooMany)),
            Admission::Notify {
                answered,
                window_seconds,
                until,
                text,
            } => {
                let wait = until - now;
                let told = Told {
                    answered,
                    window_seconds,
                    wait,
                };
                (told, text)
            }
            _ => return Ok(Some(Answered::TooMany)),
        };
        let place = Asked::of(reply);
        let text = notice(&text, settings.language, place, told);
        self.post(post_for(reply, text)).await?;
        Ok(Some(Answered::Notified))
    }

    /// The result of an attempt. If the budget of the day is used up, or the question is too long, the author gets a notice.
    pub(super) async fn unless_refused(
        &self,
        reply: &WaitingReply,
        answered: Result<Answer, CallError>,
    ) -> Result<Answered, CallError> {
        match answered {
            Ok(_) => Ok(Answered::Posted),
            Err(error) if is_spent(&error) => self.put_off(reply).await,
            Err(CallError::Refused(error)) if error.is_question_too_long() => {
                self.refuse(reply).await
            }
            Err(error) => Err(error),
        }
    }

    /// Says to the author alone that the question is too long.
    async fn refuse(&self, reply: &WaitingReply) -> Result<Answered, CallError> {
        let refused = |error| CallError::Refused(Error::Storage(error));
        if let Some(mention) = self.mention(reply).await.map_err(refused)? {
            let language = Language::of(&mention.text);
            let language = language.unwrap_or(self.current.settings().language);
            let place = (reply.channel_id.as_str(), reply.thread_ts);
            self.slack
                .whisper(place, &mention.user.id, &too_long(language), None)
                .await
                .map_err(|error| CallError::Refused(Error::Chat(error)))?;
        }
        let why = "its question is too long".to_owned();
        let given_up = self
            .workspace
            .give_up_reply(&reply.channel_id, reply.ts, why);
        given_up.await.map_err(refused)?;
        Ok(Answered::Notified)
    }

    /// Says that the budget of the day is used up, and when to ask again; once in a while in a channel.
    async fn put_off(&self, reply: &WaitingReply) -> Result<Answered, CallError> {
        let refused = |error| CallError::Refused(Error::Storage(error));
        let (channel, now) = (&reply.channel_id, self.clock.seconds());
        if self
            .was_told_of_budget(channel, now)
            .await
            .map_err(refused)?
        {
            let given_up = self
                .workspace
                .give_up_reply(channel, reply.ts, TOO_MANY.to_owned());
            given_up.await.map_err(refused)?;
            return Ok(Answered::TooMany);
        }
        let mention = self.mention(reply).await.map_err(refused)?;
        let language = mention.and_then(|mention| Language::of(&mention.text));
        let language = language.unwrap_or(self.current.settings().language);
        let wait = self
            .budget
            .spent()
            .map_or(0, |spent| spent.until.saturating_sub(now));
        let text = out_of_budget(language, Asked::of(reply), wait);
        self.post(post_for(reply, text)).await?;
        self.told_of_budget
            .add(channel.clone(), now, BUDGET_NOTICE_SECONDS);
        let told = Pause {
            of: budget_notice(channel),
            left: Duration::from_secs(BUDGET_NOTICE_SECONDS.into()),
        };
        if let Err(error) = self.leases.exchange(vec![told]).await {
            let error = explain_storage(&error);
            tracing::warn!("other hosts may tell {channel} of the budget again: {error}");
        }
        Ok(Answered::Notified)
    }

    async fn was_told_of_budget(&self, channel: &str, now: i64) -> Result<bool, StorageError> {
        if self.told_of_budget.holds(channel, now) {
            return Ok(true);
        }
        let told = self.leases.exchange(Vec::new()).await?.pauses;
        let notice = budget_notice(channel);
        Ok(told.iter().any(|pause| pause.of == notice))
    }
}

/// The key by which hosts tell each other that a channel was told of a used up budget.
fn budget_notice(channel_id: &str) -> String {
    format!("budget:{channel_id}")
}

/// The answer to a question that is too long.
pub(super) fn too_long(language: Language) -> String {
    let most = MAX_QUESTION_CHARS;
    match language {
        Language::Japanese => format!(
            "質問が長すぎるので、お答えできません。質問は{most}文字までです。短くして、もう一度お願いします。"
        ),
        Language::English => format!(
            "I cannot answer this: it is too long. A question can have {most} characters. Please ask with fewer."
        ),
    }
}

/// How the bot was asked.
#[derive(Debug, Clone, Copy)]
enum Asked {
    /// With a mention.
    InChannel,
    /// In a direct message, where none is needed.
    Directly,
}

impl Asked {
    fn of(reply: &WaitingReply) -> Self {
        if is_direct_message(&reply.channel_id) {
            Self::Directly
        } else {
            Self::InChannel
        }
    }

    /// Says to ask again.
    fn again(self, language: Language) -> &'static str {
        match (language, self) {
            (Language::Japanese, Self::InChannel) => "もう一度メンションしてください",
            (Language::Japanese, Self::Directly) => "もう一度書いてください",
            (Language::English, Self::InChannel) => "mention me again",
            (Language::English, Self::Directly) => "write to me again",
        }
    }

    /// A question's name for people.
    fn with(self, language: Language) -> &'static str {
        match (language, self) {
            (Language::Japanese, Self::InChannel) => "メンション",
            (Language::Japanese, Self::Directly) => "メッセージ",
            (Language::English, Self::InChannel) => "mentions",
            (Language::English, Self::Directly) => "messages",
        }
    }
}

/// The answer when the budget of the day is used up. `wait` is in seconds.
fn out_of_budget(language: Language, asked: Asked, wait: i64) -> String {
    let (wait, again) = (length(language, wait), asked.again(language));
    match language {
        Language::Japanese => format!(
            "今日使える予算を使い切ったので、いまはお答えできません。約{wait}後に、{again}。"
        ),
        Language::English => format!(
            "I have used up my budget for today, so I cannot answer now. Please {again} in about {wait}."
        ),
    }
}

/// A length of time, rounded up: in minutes, or from two hours on in hours.
fn length(language: Language, seconds: i64) -> String {
    let minutes = seconds.max(1).saturating_add(59) / 60;
    let hours = minutes.saturating_add(59) / 60;
    match (language, minutes) {
        (Language::Japanese, ..120) => format!("{minutes}分"),
        (Language::Japanese, _) => format!("{hours}時間"),
        (Language::English, ..=1) => "1 minute".to_owned(),
        (Language::English, ..120) => format!("{minutes} minutes"),
        (Language::English, _) => format!("{hours} hours"),
    }
}

/// The values of a notice.
#[derive(Clone, Copy)]
struct Told {
    /// How many mentions were answered.
    answered: u32,
    /// Within how many seconds.
    window_seconds: u32,
    /// How many seconds later another one is answered.
    wait: i64,
}

/// The notice, in the language of the mention, or in `fallback` if that is not clear.
fn notice(mention: &str, fallback: Language, asked: Asked, told: Told) -> String {
    let language = Language::of(mention).unwrap_or(fallback);
    let answered = told.answered;
    let window = length(language, told.window_seconds.into());
    let wait = length(language, told.wait);
    let (again, with) = (asked.again(language), asked.with(language));
    match language {
        Language::Japanese => format!(
            "{window}のあいだに{answered}回お答えしたので、少し休みます。約{wait}後に、{again}。\
             それまでの{with}にはお答えしません。"
        ),
        Language::English => format!(
            "I have answered {answered} {with} within {window}, so I am taking a break. Please {again} in about \
             {wait}. I do not answer {with} until then."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_the_budget_puts_off_says_when_to_ask_again() {
        let said = |language, wait| out_of_budget(language, Asked::InChannel, wait);
        for (wait, words) in [
            (0, "about 1 minute."),
            (7_140, "about 119 minutes."),
            (7_141, "about 2 hours."),
            (7_201, "about 3 hours."),
        ] {
            let english = said(Language::English, wait);
            assert!(english.ends_with(words), "{english}");
        }
        let japanese = said(Language::Japanese, 18_000);
        assert!(japanese.contains("約5時間後に"), "{japanese}");
    }

    #[test]
    fn the_notice_is_in_the_language_of_the_mention_and_says_when() {
        let told = |window_seconds, wait| Told {
            answered: 20,
            window_seconds,
            wait,
        };
        let said = |mention| {
            notice(
                mention,
                Language::Japanese,
                Asked::InChannel,
                told(3600, 61),
            )
        };
        assert!(
            said("@myao 予算は？")
                .contains("60分のあいだに20回お答えしたので、少し休みます。約2分後に")
        );
        assert!(said("@myao where?").contains("within 60 minutes"));
        assert!(said("@myao where?").contains("in about 2 minutes."));
        assert_eq!(said("@myao ?"), said("@myao はい"));
        let of_day = |mention| {
            notice(
                mention,
                Language::English,
                Asked::InChannel,
                told(86_400, 40_000),
            )
        };
        assert!(of_day("@myao where?").contains("within 24 hours"));
        assert!(of_day("@myao where?").contains("in about 12 hours."));
        assert!(of_day("予算は？").contains("24時間のあいだに20回"));
    }
    #[test]
    fn nobody_is_told_to_mention_the_bot_in_a_direct_message() {
        let told = Told {
            answered: 20,
            window_seconds: 3600,
            wait: 61,
        };
        for (question, again) in [
            ("where?", "write to me again in about 2 minutes"),
            ("どこ？", "約2分後に、もう一度書いてください"),
        ] {
            let language = Language::of(question).unwrap_or(Language::English);
            let limit = notice(question, language, Asked::Directly, told);
            let budget = out_of_budget(language, Asked::Directly, 61);
            for text in [limit, budget] {
                assert!(text.contains(again), "{text}");
                assert!(
                    !text.contains("mention") && !text.contains("メンション"),
                    "{text}"
                );
            }
        }
    }
}
