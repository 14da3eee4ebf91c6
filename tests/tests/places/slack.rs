//! Slack around the store: events as the bot gets them, and posts as it makes them.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
use myao_plugin::erasure;
use myao_plugin::state::Workspace;
use myao_plugin::state::outbox::{NewPost, Part, PartState, PostState};
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{Directory, MessageRecord};
use myao_plugin::ts::TsKey;
use myao_slack::events::{BotIdentity, SlackEvent};
use serde_json::{Value, json};

/// The bot's user.
pub(crate) const BOT: &str = "UBOT";

/// What an event changes in the store.
pub(crate) fn effects(event: &Value, people: &Directory) -> Vec<Effect> {
    let bot = BotIdentity {
        user_id: BOT.to_owned(),
        bot_id: None,
        team_id: "T1".to_owned(),
    };
    let event = SlackEvent::parse(&json!({ "event": event }).to_string()).unwrap();
    event.effects(people, &bot).unwrap()
}

/// A platform that posts as `myao_bot::slack::live` does: through the outbox of the store.
pub(crate) struct Posting {
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) now: Arc<AtomicI64>,
    /// Whether Slack takes no posts.
    pub(crate) fails: AtomicBool,
    /// What was posted, with its channel.
    pub(crate) posts: Mutex<Vec<(String, String)>>,
}

impl Posting {
    fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Continues an answer that was stored but not posted.
    pub(crate) async fn resume(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        answers: TsKey,
    ) -> Result<Vec<String>, ChatError> {
        let parts = self.workspace.begun_post(channel_id, answers).await;
        let parts = parts.map_err(unavailable)?;
        self.send(channel_id, thread_ts, answers, parts).await
    }

    fn keep(&self, channel_id: &str, text: &str) {
        let mut posts = self.posts.lock().unwrap();
        posts.push((channel_id.to_owned(), text.to_owned()));
    }

    /// The id of a post: another one for each part of each answer, and the same after a new start.
    fn post_ts(&self, answers: TsKey, part: u32) -> TsKey {
        let asked_in = answers.to_database() / 1_000_000 % 300_000;
        let post = 1 + 3 * asked_in + i64::from(part);
        TsKey::from_database(TsKey::first_of(self.now()).to_database() + post)
    }

    async fn send(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        answers: TsKey,
        parts: Vec<Part>,
    ) -> Result<Vec<String>, ChatError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(ChatError::Unavailable("Slack is down".to_owned()));
        }
        let workspace = &self.workspace;
        let mut posted = Vec::new();
        for Part {
            number,
            text,
            state,
        } in parts
        {
            let ts = match state {
                // Before the process ended.
                PartState::Sent(ts) => ts,
                PartState::NotSent | PartState::MaybeSent => {
                    self.keep(channel_id, &text);
                    let ts = self.post_ts(answers, number);
                    workspace
                        .mark_sending(channel_id, answers, number)
                        .await
                        .map_err(unavailable)?;
                    workspace
                        .mark_sent(channel_id, answers, number, ts)
                        .await
                        .map_err(unavailable)?;
                    ts
                }
            };
            let record = MessageRecord {
                channel_id: channel_id.to_owned(),
                ts,
                user_id: BOT.to_owned(),
                author_name: None,
                is_bot: true,
                text,
                thread_ts,
                edited_at: None,
            };
            let message = vec![Effect::Message {
                record,
                changed: ts,
            }];
            workspace
                .apply_effects(message, self.now())
                .await
                .map_err(unavailable)?;
            posted.push(ts.to_string());
        }
        workspace
            .finish_post(channel_id, answers)
            .await
            .map_err(unavailable)?;
        Ok(posted)
    }
}

fn unavailable(error: StorageError) -> ChatError {
    ChatError::Unavailable(format!("{error:?}"))
}

fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

#[async_trait::async_trait]
impl Chat for Posting {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        let answers = key(&request.answers);
        let thread_ts = request.thread_ts.as_deref().map(key);
        let post = NewPost {
            channel_id: request.channel_id.clone(),
            answers,
            thread_ts,
            kind: ReplyKind::Unasked,
            parts: vec![request.text],
            sources: erasure::cited(&request.citations),
        };
        let state = self.workspace.begin_post(post, self.now()).await;
        match state.map_err(unavailable)? {
            PostState::AlreadyPosted(posted) => Ok(PostOutcome::Already(
                posted.iter().map(TsKey::to_string).collect(),
            )),
            PostState::NotWanted(_) => Err(ChatError::NotFound("not wanted".to_owned())),
            PostState::Post(mut parts) => {
                parts.retain(|part| !matches!(part.state, PartState::Sent(_)));
                let posted = self
                    .send(&request.channel_id, thread_ts, answers, parts)
                    .await;
                posted.map(PostOutcome::Posted)
            }
        }
    }

    async fn thread(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Ok(Vec::new())
    }

    async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Ok(Vec::new())
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
        Ok(format!("https://slack.example/{channel_id}/{ts}"))
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        Err(ChatError::NotFound(format!("nobody is called {id}")))
    }
}
