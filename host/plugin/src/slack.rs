//! The chat platform, as far as the component's replies need it.
//!
//! [`Slack`] is the part that the component sees, through its import `slack`. For another chat platform, implement this
//! trait.

use std::sync::Arc;

pub use crate::bindings::slack::{PostRequest, SlackError};
pub use crate::bindings::types::{Message, User};

/// The chat platform. `wit/slack.wit` documents each call; an implementation must follow it exactly.
///
/// A platform that has all its messages in its store only needs to post:
///
/// ```
/// use myao_plugin::slack::{Message, PostRequest, Slack, SlackError, User};
///
/// struct MyChat;
/// # impl MyChat {
/// #     async fn post_once(&self, _: &PostRequest) -> Result<String, std::io::Error> { Ok(String::new()) }
/// # }
///
/// #[async_trait::async_trait]
/// impl Slack for MyChat {
///     async fn post(&self, post: PostRequest) -> Result<Vec<String>, SlackError> {
///         // Once for each message that is answered, however often it is asked to.
///         let posted = self.post_once(&post).await;
///         let ts = posted.map_err(|error| SlackError::Unavailable(error.to_string()))?;
///         Ok(vec![ts])
///     }
///     async fn thread(&self, _: String, _: String) -> Result<Vec<Message>, SlackError> {
///         Ok(Vec::new())
///     }
///     async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, SlackError> {
///         Ok(Vec::new())
///     }
///     async fn permalink(&self, channel_id: String, ts: String) -> Result<String, SlackError> {
///         Ok(format!("https://chat.example/{channel_id}/{ts}"))
///     }
///     async fn get_user(&self, id: String) -> Result<User, SlackError> {
///         Err(SlackError::NotFound(format!("nobody is called {id}")))
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait Slack: Send + Sync {
    /// Posts an answer, once for each message that is answered. Returns the ids of the posts in order.
    async fn post(&self, request: PostRequest) -> Result<Vec<String>, SlackError>;

    /// All messages of a thread, oldest first.
    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
    ) -> Result<Vec<Message>, SlackError>;

    /// The newest top-level messages of a channel up to `until`, at most `limit`, oldest first.
    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, SlackError>;

    /// The link to a message, for people.
    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, SlackError>;

    /// Returns a user by id.
    async fn get_user(&self, id: String) -> Result<User, SlackError>;
}

/// A shared platform is a platform, too.
#[async_trait::async_trait]
impl<T: Slack + ?Sized> Slack for Arc<T> {
    async fn post(&self, request: PostRequest) -> Result<Vec<String>, SlackError> {
        (**self).post(request).await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
    ) -> Result<Vec<Message>, SlackError> {
        (**self).thread(channel_id, thread_ts).await
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, SlackError> {
        (**self).history(channel_id, until, limit).await
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, SlackError> {
        (**self).permalink(channel_id, ts).await
    }

    async fn get_user(&self, id: String) -> Result<User, SlackError> {
        (**self).get_user(id).await
    }
}

/// No chat platform: for hosts that only make memories, and for calls that must not post.
#[derive(Debug, Clone, Copy)]
pub struct NoSlack;

#[async_trait::async_trait]
impl Slack for NoSlack {
    async fn post(&self, _: PostRequest) -> Result<Vec<String>, SlackError> {
        Err(none())
    }

    async fn thread(&self, _: String, _: String) -> Result<Vec<Message>, SlackError> {
        Err(none())
    }

    async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, SlackError> {
        Err(none())
    }

    async fn permalink(&self, _: String, _: String) -> Result<String, SlackError> {
        Err(none())
    }

    async fn get_user(&self, _: String) -> Result<User, SlackError> {
        Err(none())
    }
}

fn none() -> SlackError {
    SlackError::NotFound("there is no chat platform here; `myao run` connects to Slack".to_owned())
}
