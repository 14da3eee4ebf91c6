//! The chat platform, as far as the component's replies need it.
//!
//! [`Chat`] is the part that the component sees, through its import `chat`. For another chat platform, implement this
//! trait.

use std::sync::Arc;

pub use crate::bindings::chat::{ChatError, PostOutcome, PostRequest};
pub use crate::bindings::types::{Message, User};

/// The chat platform. `wit/chat.wit` documents each call; an implementation must follow it exactly.
///
/// A platform that has all its messages in its store only needs to post:
///
/// ```
/// use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
///
/// struct MyChat;
/// # impl MyChat {
/// #     async fn post_once(&self, _: &PostRequest) -> Result<String, std::io::Error> { Ok(String::new()) }
/// # }
///
/// #[async_trait::async_trait]
/// impl Chat for MyChat {
///     async fn post(&self, post: PostRequest) -> Result<PostOutcome, ChatError> {
///         // If the message was answered before, return `PostOutcome::Already` with the earlier post.
///         let posted = self.post_once(&post).await;
///         let ts = posted.map_err(|error| ChatError::Unavailable(error.to_string()))?;
///         Ok(PostOutcome::Posted(vec![ts]))
///     }
///     async fn thread(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
///         Ok(Vec::new())
///     }
///     async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
///         Ok(Vec::new())
///     }
///     async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
///         Ok(format!("https://chat.example/{channel_id}/{ts}"))
///     }
///     async fn get_user(&self, id: String) -> Result<User, ChatError> {
///         Err(ChatError::NotFound(format!("nobody is called {id}")))
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait Chat: Send + Sync {
    /// Posts an answer, once for each message that is answered.
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError>;

    /// Takes back the answer to a message: what it was made from was edited, deleted or hidden from the channel while it
    /// was posted. The default does nothing, for a platform on which that cannot be done.
    async fn retract(&self, _channel_id: String, _answers: String) -> Result<(), ChatError> {
        Ok(())
    }

    /// A thread's first message and its newest replies, at most `limit` of these, oldest first.
    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError>;

    /// The newest top-level messages of a channel up to `until`, at most `limit`, oldest first.
    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError>;

    /// The link to a message, for people.
    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError>;

    /// Returns a user by id.
    async fn get_user(&self, id: String) -> Result<User, ChatError>;
}

/// A shared platform is a platform, too.
#[async_trait::async_trait]
impl<T: Chat + ?Sized> Chat for Arc<T> {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        (**self).post(request).await
    }

    async fn retract(&self, channel_id: String, answers: String) -> Result<(), ChatError> {
        (**self).retract(channel_id, answers).await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        (**self).thread(channel_id, thread_ts, limit).await
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        (**self).history(channel_id, until, limit).await
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
        (**self).permalink(channel_id, ts).await
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        (**self).get_user(id).await
    }
}

/// No chat platform: for hosts that only make memories, and for calls that must not post.
#[derive(Debug, Clone, Copy)]
pub struct NoChat;

#[async_trait::async_trait]
impl Chat for NoChat {
    async fn post(&self, _: PostRequest) -> Result<PostOutcome, ChatError> {
        Err(none())
    }

    async fn thread(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Err(none())
    }

    async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Err(none())
    }

    async fn permalink(&self, _: String, _: String) -> Result<String, ChatError> {
        Err(none())
    }

    async fn get_user(&self, _: String) -> Result<User, ChatError> {
        Err(none())
    }
}

fn none() -> ChatError {
    ChatError::NotFound("there is no chat platform here; `myao run` connects to Chat".to_owned())
}
