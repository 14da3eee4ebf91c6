//! A chat platform in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
use myao_plugin::ts::{InvalidTs, TsKey};

/// The second at which the platform's own posts begin: later than all times in tests.
const FIRST_POST: i64 = 4_000_000_000;

/// A chat platform that implements the whole of `wit/chat.wit`: it stores posts, answers each message once, and knows
/// the messages and people that a test adds. [`Faults`](crate::Faults) makes its calls fail.
///
/// ```
/// use myao_plugin::chat::{Chat as _, PostOutcome, PostRequest};
/// use myao_testkit::MemoryChat;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let chat = MemoryChat::default();
/// let request = PostRequest {
///     channel_id: "C1".to_owned(),
///     thread_ts: None,
///     text: "On March 3.".to_owned(),
///     answers: "1709287200.000000".to_owned(),
///     may_notify: Vec::new(),
///     citations: Vec::new(),
/// };
/// let PostOutcome::Posted(posted) = chat.post(request.clone()).await.unwrap() else { panic!() };
/// // A message is answered once.
/// assert_eq!(chat.post(request).await.unwrap(), PostOutcome::Already(posted));
/// assert_eq!(chat.posts().len(), 1);
/// # });
/// ```
#[derive(Default)]
pub struct MemoryChat {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In order.
    posts: Vec<PostRequest>,
    /// Ids of posts, by channel and the message that they answer.
    answered: BTreeMap<(String, TsKey), Vec<String>>,
    /// Messages by channel and id.
    messages: BTreeMap<(String, TsKey), Message>,
    /// People and programs by id.
    users: BTreeMap<String, User>,
}

impl MemoryChat {
    /// Adds a message of a channel to the platform, whether or not the store has it.
    ///
    /// # Errors
    /// `invalid` if its id is not a message id.
    pub fn add_message(&self, channel_id: &str, message: Message) -> Result<(), ChatError> {
        let ts = key(&message.ts)?;
        let mut state = self.state();
        state.messages.insert((channel_id.to_owned(), ts), message);
        Ok(())
    }

    /// Adds a person or program to the platform.
    pub fn add_user(&self, user: User) {
        self.state().users.insert(user.id.clone(), user);
    }

    /// What was posted and not retracted, in order.
    #[must_use]
    pub fn posts(&self) -> Vec<PostRequest> {
        self.state().posts.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A channel's messages up to `until`, oldest first.
    fn of_channel(
        &self,
        channel_id: &str,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = (TsKey, &Message)> {
        let first = (channel_id.to_owned(), TsKey::first_of(0));
        let range = self.messages.range(first..=(channel_id.to_owned(), until));
        range.map(|((_, ts), message)| (*ts, message))
    }
}

#[async_trait::async_trait]
impl Chat for MemoryChat {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        let answers = (request.channel_id.clone(), key(&request.answers)?);
        let mut state = self.state();
        if let Some(posted) = state.answered.get(&answers) {
            return Ok(PostOutcome::Already(posted.clone()));
        }
        let post = i64::try_from(state.posts.len()).unwrap_or(i64::MAX);
        let posted = vec![TsKey::first_of(FIRST_POST.saturating_add(post)).to_string()];
        state.posts.push(request);
        state.answered.insert(answers, posted.clone());
        Ok(PostOutcome::Posted(posted))
    }

    async fn retract(&self, channel_id: String, answers: String) -> Result<(), ChatError> {
        let mut state = self.state();
        let posts = &mut state.posts;
        posts.retain(|post| post.channel_id != channel_id || post.answers != answers);
        Ok(())
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let thread = key(&thread_ts)?;
        let state = self.state();
        let mut messages: Vec<Message> = state
            .of_channel(&channel_id, TsKey::from_database(i64::MAX))
            .filter(|(ts, message)| *ts == thread || thread_of(message) == Some(thread))
            .map(|(_, message)| message.clone())
            .collect();
        if messages.is_empty() {
            return Err(ChatError::NotFound(format!(
                "thread {thread_ts} of channel `{channel_id}`"
            )));
        }
        let is_reply = |message: &Message| TsKey::parse(&message.ts) != Ok(thread);
        let replies = messages.iter().filter(|message| is_reply(message)).count();
        let mut older = replies.saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
        messages.retain(|message| {
            let is_older = is_reply(message) && older > 0;
            older -= usize::from(is_older);
            !is_older
        });
        Ok(messages)
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let state = self.state();
        let mut messages: Vec<Message> = state
            .of_channel(&channel_id, key(&until)?)
            .filter(|(ts, message)| thread_of(message).is_none_or(|thread| thread == *ts))
            .rev()
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .map(|(_, message)| message.clone())
            .collect();
        messages.reverse();
        Ok(messages)
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
        Ok(format!("https://chat.example/{channel_id}/{}", key(&ts)?))
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        let user = self.state().users.get(&id).cloned();
        user.ok_or_else(|| ChatError::NotFound(format!("user `{id}`")))
    }
}

fn thread_of(message: &Message) -> Option<TsKey> {
    TsKey::parse(message.thread_ts.as_deref()?).ok()
}

fn key(ts: &str) -> Result<TsKey, ChatError> {
    TsKey::parse(ts).map_err(|error: InvalidTs| ChatError::Invalid(error.to_string()))
}
