//! The import `slack`, over a [`Slack`](crate::slack::Slack). Tokens and addresses stay behind that trait.

use super::CallState;
use crate::bindings::slack::{Host, PostRequest, SlackError};
use crate::bindings::types::{Message, User};

type Answered<T> = wasmtime::Result<Result<T, SlackError>>;

impl Host for CallState {
    async fn post(&mut self, request: PostRequest) -> Answered<Vec<String>> {
        import!(self, "slack.post", request, {
            self.budget.post(post_bytes(&request))?;
            self.capabilities.slack.post(request).await
        })
    }

    async fn thread(&mut self, channel_id: String, thread_ts: String) -> Answered<Vec<Message>> {
        import!(self, "slack.thread", (&channel_id, &thread_ts), {
            self.capabilities.slack.thread(channel_id, thread_ts).await
        })
    }

    async fn history(
        &mut self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Answered<Vec<Message>> {
        import!(self, "slack.history", (&channel_id, &until, limit), {
            let slack = &self.capabilities.slack;
            slack.history(channel_id, until, limit).await
        })
    }

    async fn permalink(&mut self, channel_id: String, ts: String) -> Answered<String> {
        import!(self, "slack.permalink", (&channel_id, &ts), {
            self.capabilities.slack.permalink(channel_id, ts).await
        })
    }

    async fn get_user(&mut self, id: String) -> Answered<User> {
        import!(self, "slack.get-user", id, {
            self.capabilities.slack.get_user(id).await
        })
    }
}

/// How many bytes a post adds to the platform and to the store.
fn post_bytes(request: &PostRequest) -> usize {
    let users = request.may_notify.iter();
    let users = users.map(|user| user.id.len() + user.name.len());
    request.text.len() + users.sum::<usize>()
}
