//! A chat platform that consists only of the store: to post a message is to store it. For conversations in a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
use myao_plugin::state::Workspace;
use myao_plugin::state::outbox::{NewPost, Part, PartState, PostState};
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::storage::{Keep, MessageQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Timestamp, erasure};
use tokio::sync::Mutex;

use super::live::{from_storage, retract};
use crate::clock::Clock;

/// The chat platform of one conversation.
pub struct StoredChat {
    workspace: Arc<dyn Workspace>,
    clock: Clock,
    /// The user that posts.
    bot: UserRecord,
    /// The id of the last message, as a key.
    last: AtomicI64,
    posting: Mutex<()>,
}

impl StoredChat {
    /// A platform on which `bot` answers.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, clock: Clock, bot: UserRecord) -> Self {
        Self {
            workspace,
            clock,
            bot,
            last: AtomicI64::new(0),
            posting: Mutex::default(),
        }
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Ensures that later messages get greater ids than those that a channel has now.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn go_on_after(&self, channel_id: &str) -> Result<(), StorageError> {
        let query = MessageQuery {
            limit: 1,
            ..query_up_to(channel_id, self.clock.now())
        };
        let place = Place::Channel(channel_id.to_owned());
        for message in self.workspace.at(place).list_messages(query).await? {
            if let Ok(ts) = TsKey::parse(&message.ts) {
                self.last.fetch_max(ts.to_database(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Stores a message at the top level or in a thread, and returns its id.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn write(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        author: &UserRecord,
        text: &str,
    ) -> Result<TsKey, StorageError> {
        let ts = self.next_ts();
        let now = self.clock.seconds();
        let record = MessageRecord {
            channel_id: channel_id.to_owned(),
            ts,
            user_id: author.id.clone(),
            author_name: None,
            is_bot: author.is_bot,
            text: text.to_owned(),
            thread_ts,
            edited_at: None,
        };
        let effects = vec![
            Effect::User {
                record: author.clone(),
                changed_at: now.max(1),
            },
            Effect::Message {
                record,
                changed: ts,
            },
        ];
        self.workspace.apply_effects(effects, now).await?;
        Ok(ts)
    }

    /// Stores the parts of an answer as messages; returns their ids.
    async fn post_parts(
        &self,
        post: &NewPost,
        parts: Vec<Part>,
    ) -> Result<Vec<String>, StorageError> {
        let (channel_id, answers) = (&post.channel_id, post.answers);
        let mut posted = Vec::new();
        for part in parts {
            let ts = match part.state {
                PartState::Sent(ts) => ts,
                PartState::NotSent | PartState::MaybeSent => {
                    let written = self.write(channel_id, post.thread_ts, &self.bot, &part.text);
                    let ts = written.await?;
                    let sent = self
                        .workspace
                        .mark_sent(channel_id, answers, part.number, ts);
                    sent.await?;
                    ts
                }
            };
            posted.push(ts.to_string());
        }
        self.workspace.finish_post(channel_id, answers).await?;
        Ok(posted)
    }

    /// The clock's time, or the next id if the clock is not after the last id.
    fn next_ts(&self) -> TsKey {
        let now = self.clock.microseconds();
        let after = |last: i64| now.max(last.saturating_add(1));
        let last = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                Some(after(last))
            });
        TsKey::from_database(after(last.unwrap_or_else(|last| last)))
    }
}

/// A query that ends with the second `now`, with a limit of zero messages so far.
fn query_up_to(channel_id: &str, now: Timestamp) -> MessageQuery {
    let end = TsKey::first_of(now.unix_seconds.saturating_add(1)).to_database();
    MessageQuery {
        channel_id: channel_id.to_owned(),
        since: None,
        until: TsKey::from_database(end.saturating_sub(1)).to_string(),
        limit: 0,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    }
}

fn key(ts: &str) -> Result<TsKey, ChatError> {
    TsKey::parse(ts).map_err(|error| ChatError::Invalid(error.to_string()))
}

#[async_trait::async_trait]
impl Chat for StoredChat {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        if request.text.trim().is_empty() {
            return Err(ChatError::Invalid("there is nothing to post".to_owned()));
        }
        let (channel_id, answers) = (request.channel_id.clone(), key(&request.answers)?);
        let post = NewPost {
            channel_id: channel_id.clone(),
            answers,
            thread_ts: request.thread_ts.as_deref().map(key).transpose()?,
            kind: ReplyKind::Unasked,
            parts: vec![request.text],
            sources: erasure::cited(&request.citations),
        };
        // Held while it posts, so that the same answer is not posted twice at once.
        let _turn = self.posting.lock().await;
        let begun = self
            .workspace
            .begin_post(post.clone(), self.clock.seconds());
        match begun.await.map_err(from_storage)? {
            PostState::AlreadyPosted(posted) => {
                let posted = posted.iter().map(TsKey::to_string).collect();
                Ok(PostOutcome::Already(posted))
            }
            PostState::NotWanted(_) => Err(ChatError::NotFound(format!(
                "{answers} is no longer to be answered"
            ))),
            PostState::Post(parts) => {
                let posted = self.post_parts(&post, parts).await.map_err(from_storage)?;
                Ok(PostOutcome::Posted(posted))
            }
        }
    }

    async fn retract(&self, channel_id: String, answers: String) -> Result<(), ChatError> {
        retract(
            &*self.workspace,
            &channel_id,
            &answers,
            self.clock.seconds(),
        )
        .await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let query = MessageQuery {
            whole_thread: Some(thread_ts),
            thread_limit: limit,
            only_new: false,
            ..query_up_to(&channel_id, self.clock.now())
        };
        let place = Place::Channel(channel_id);
        let messages = self.workspace.at(place).list_messages(query).await;
        messages.map_err(from_storage)
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let query = MessageQuery {
            until,
            limit,
            ..query_up_to(&channel_id, self.clock.now())
        };
        let place = Place::Channel(channel_id);
        let messages = self.workspace.at(place).list_messages(query).await;
        let mut messages = messages.map_err(from_storage)?;
        messages.retain(|message| {
            let thread = message.thread_ts.as_ref();
            thread.is_none_or(|thread| *thread == message.ts)
        });
        Ok(messages)
    }

    async fn permalink(&self, _: String, _: String) -> Result<String, ChatError> {
        Err(ChatError::NotFound(
            "messages of a terminal have no address".to_owned(),
        ))
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        let known = self.workspace.known_user(&id).await.map_err(from_storage)?;
        let user = known.ok_or_else(|| ChatError::NotFound(format!("nobody has the id {id}")))?;
        Ok(User {
            id: user.id,
            name: user.name,
            is_bot: user.is_bot,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::time::Duration;

    use myao_sql::SqlWorkspace;

    use super::{Chat as _, PostOutcome, PostRequest, StoredChat, TsKey, UserRecord};
    use crate::clock::Clock;
    use crate::test_store::workspace;

    /// A platform whose clock does not move.
    fn platform(workspace: &SqlWorkspace) -> StoredChat {
        let clock = Clock::new(chrono_tz::UTC, || Duration::from_secs(1000));
        StoredChat::new(Arc::new(workspace.clone()), clock, user("myao", true))
    }

    fn user(name: &str, is_bot: bool) -> UserRecord {
        UserRecord {
            id: format!("U-{name}"),
            name: name.to_owned(),
            is_bot,
        }
    }

    fn post(answers: TsKey, thread_ts: Option<TsKey>) -> PostRequest {
        PostRequest {
            channel_id: "C1".to_owned(),
            thread_ts: thread_ts.map(|ts| ts.to_string()),
            text: "On 4 March.".to_owned(),
            answers: answers.to_string(),
            may_notify: Vec::new(),
            citations: Vec::new(),
        }
    }

    async fn ask(slack: &StoredChat, text: &str) -> TsKey {
        let ann = user("ann", false);
        slack.write("C1", None, &ann, text).await.unwrap()
    }

    async fn history(slack: &StoredChat, limit: u32) -> Vec<String> {
        let until = "1000.999999".to_owned();
        let history = slack.history("C1".to_owned(), until, limit).await;
        let texts = history.unwrap().into_iter().map(|message| message.text);
        texts.collect()
    }

    #[tokio::test]
    async fn a_message_is_answered_once() {
        let (_folder, workspace) = workspace();
        let slack = platform(&workspace);
        let asked = ask(&slack, "When?").await;
        let posted = match slack.post(post(asked, None)).await.unwrap() {
            PostOutcome::Posted(posted) => posted,
            PostOutcome::Already(_) => Vec::new(),
        };
        assert_eq!(posted.len(), 1);
        let again = slack.post(post(asked, None)).await.unwrap();
        assert_eq!(again, PostOutcome::Already(posted));
        assert_eq!(history(&slack, 10).await, ["When?", "On 4 March."]);
        let bot = slack.get_user("U-myao".to_owned()).await.unwrap();
        assert!(bot.is_bot && bot.name == "myao");
    }

    #[tokio::test]
    async fn ids_grow_where_the_clock_stands_still_and_where_it_begins_again() {
        let (_folder, workspace) = workspace();
        let first = platform(&workspace);
        let one = ask(&first, "one").await;
        let two = ask(&first, "two").await;
        let again = platform(&workspace);
        again.go_on_after("C1").await.unwrap();
        let three = ask(&again, "three").await;
        assert!(one < two && two < three);
        assert_eq!(history(&again, 2).await, ["two", "three"]);
    }

    #[tokio::test]
    async fn a_thread_is_read_alone_and_the_history_without_it() {
        let (_folder, workspace) = workspace();
        let slack = platform(&workspace);
        let asked = ask(&slack, "When?").await;
        ask(&slack, "Another thing").await;
        slack.post(post(asked, Some(asked))).await.unwrap();
        let thread = slack.thread("C1".to_owned(), asked.to_string(), 10).await;
        let texts: Vec<String> = thread.unwrap().into_iter().map(|m| m.text).collect();
        assert_eq!(texts, ["When?", "On 4 March."]);
        assert_eq!(history(&slack, 10).await, ["When?", "Another thing"]);
    }
}
