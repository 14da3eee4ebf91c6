//! `@myao forget`: who mentions the bot with this word, in reply to a message or with a link to one, has it forgotten.
//!
//! The author of a message may have it forgotten, and so may the admins and owners of the workspace. What somebody may not
//! have forgotten is answered like what is not there, so that the answer tells nothing.

use myao_plugin::chat::{ChatError, PostRequest};
use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::state::replies::WaitingReply;
use myao_plugin::storage::{Message, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{CallError, Error};
use myao_slack::blocks::Language;
use myao_slack::permalink;
use myao_terms::addressed::request_to_forget;

use super::mentions::{Mentions, post_for};

/// A request to forget.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    /// The messages that it links to.
    links: Vec<(String, TsKey)>,
    language: Language,
}

impl Request {
    /// Reads the text of a mention of the bot with this name; returns `None` if it asks something else.
    fn parse(text: &str, bot: &str) -> Option<Self> {
        let text = match bot {
            "" => text.to_owned(),
            bot => text.replace(&format!("@{bot}"), " "),
        };
        let mut links = Vec::new();
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            let bare = word.trim_start_matches(['<', '(', '「']);
            let bare = bare.trim_end_matches(['>', ')', '」', '.', ',', '。', '、']);
            match permalink::parse(bare) {
                Some(link) => links.push(link),
                None if word.starts_with('@') => {}
                None => words.push(word),
            }
        }
        let said = request_to_forget(words)?;
        Some(Self {
            links,
            language: Language::of(said).unwrap_or(Language::English),
        })
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Forgotten,
    /// Some of the messages are not there, or the person may not have them forgotten.
    Refused,
    /// It names no message.
    NamesNothing,
}

fn answer(outcome: Outcome, language: Language) -> &'static str {
    match (outcome, language) {
        (Outcome::Forgotten, Language::Japanese) => {
            "忘れました。その発言と、そこから作られた記憶を消しました。Slack の発言そのものは残っているので、必要なら Slack で削除してください。"
        }
        (Outcome::Forgotten, Language::English) => {
            "Forgotten: the message, and what I remembered from it. The message itself is still in Slack; delete it there if you \
             want it gone."
        }
        (Outcome::Refused, Language::Japanese) => {
            "忘れられるのは、私が覚えている発言だけで、頼めるのはその発言を書いた本人とワークスペースの管理者だけです。"
        }
        (Outcome::Refused, Language::English) => {
            "I can only forget messages that I remember, and only for their author or for an admin of the workspace."
        }
        (Outcome::NamesNothing, Language::Japanese) => {
            "どの発言ですか？ その発言のスレッドで「忘れて」とメンションするか、発言へのリンクを付けてください。"
        }
        (Outcome::NamesNothing, Language::English) => {
            "Which message? Mention me with “forget” in the message's thread, or add a link to the message."
        }
    }
}

impl Mentions {
    /// Forgets what a mention asks to have forgotten, and returns the answer; `None` if it asks something else.
    pub(super) async fn forgets(
        &self,
        reply: &WaitingReply,
    ) -> Result<Option<PostRequest>, CallError> {
        let Some(mention) = self.mention(reply).await.map_err(storage)? else {
            return Ok(None);
        };
        let bot = self.workspace.known_user(self.slack.bot_user_id()).await;
        let bot = bot.map_err(storage)?.map(|user| user.name);
        let Some(request) = Request::parse(&mention.text, &bot.unwrap_or_default()) else {
            return Ok(None);
        };
        let in_reply_to = reply.thread_ts.filter(|thread| *thread != reply.ts);
        let in_reply_to = in_reply_to.map(|thread| (reply.channel_id.clone(), thread));
        let meant = if request.links.is_empty() {
            in_reply_to.into_iter().collect()
        } else {
            request.links
        };
        let outcome = self.forget_for(&mention.user.id, meant).await?;
        let text = answer(outcome, request.language).to_owned();
        Ok(Some(post_for(reply, text)))
    }

    /// The mention itself; `None` if it is not stored.
    pub(super) async fn mention(
        &self,
        reply: &WaitingReply,
    ) -> Result<Option<Message>, StorageError> {
        self.slack.stored(&reply.channel_id, reply.ts).await
    }

    async fn forget_for(
        &self,
        user_id: &str,
        meant: Vec<(String, TsKey)>,
    ) -> Result<Outcome, CallError> {
        if meant.is_empty() {
            return Ok(Outcome::NamesNothing);
        }
        let mut authors = Vec::new();
        for (channel_id, ts) in &meant {
            let author = self
                .workspace
                .author(channel_id, *ts)
                .await
                .map_err(storage)?;
            authors.push(author);
        }
        let is_author = authors
            .iter()
            .all(|author| author.as_deref() == Some(user_id));
        if !is_author && !self.slack.is_admin(user_id).await.map_err(chat)? {
            return Ok(Outcome::Refused);
        }
        let now = self.clock.seconds();
        let workspace = self.workspace.by(Actor::person(user_id, Door::Slack));
        for (channel_id, ts) in meant {
            let what = Forget::Message { channel_id, ts };
            match workspace.forget(what, now, Mode::Erase).await {
                Ok(_) => {}
                Err(StorageError::NotFound(_)) => return Ok(Outcome::Refused),
                Err(error) => return Err(storage(error)),
            }
        }
        Ok(Outcome::Forgotten)
    }
}

fn storage(error: StorageError) -> CallError {
    CallError::Refused(Error::Storage(error))
}

fn chat(error: ChatError) -> CallError {
    CallError::Refused(Error::Chat(error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const LINK: &str = "https://a.slack.com/archives/C1/p1709287200000100";

    #[test]
    fn a_request_is_nothing_but_the_word_and_links() {
        for (text, language, links) in [
            ("@myao forget", Language::English, 0),
            ("@myao bot forget", Language::English, 0),
            ("@myao bot忘れて", Language::Japanese, 0),
            ("@myao Forget this!", Language::English, 0),
            ("@myao 忘れて", Language::Japanese, 0),
            ("@myao 忘れてください。", Language::Japanese, 0),
            (&format!("@myao forget {LINK}"), Language::English, 1),
            (
                &format!("@myao これを忘れて <{LINK}> {LINK}"),
                Language::Japanese,
                2,
            ),
        ] {
            let request = Request::parse(text, "myao bot").unwrap();
            assert_eq!(
                (request.language, request.links.len()),
                (language, links),
                "{text}"
            );
        }
        for text in [
            "@myao did you forget?",
            "@myao forget everything",
            "@myao 傘を忘れて困った",
            "@myao don't forget",
            "@myao",
            LINK,
        ] {
            assert_eq!(Request::parse(text, "myao bot"), None, "{text}");
        }
    }
}
