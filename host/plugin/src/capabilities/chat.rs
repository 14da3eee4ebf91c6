//! The import `chat`, over a [`Chat`](crate::chat::Chat). Tokens and addresses stay behind that trait.

use super::CallState;
use crate::bindings::chat::{ChatError, Host, PostOutcome, PostRequest};
use crate::bindings::types::{Message, User};
use crate::explain::explain_storage;

type Answered<T> = wasmtime::Result<Result<T, ChatError>>;

impl Host for CallState {
    async fn post(&mut self, request: PostRequest) -> Answered<PostOutcome> {
        self.bound.may_post(&request)?;
        import!(self, "chat.post", request, {
            self.budget.post(post_bytes(&request))?;
            match self.storage.may_show(self.bound.handed()).await {
                Ok(true) => self.capabilities.chat.post(request).await,
                Ok(false) => Err(ChatError::Unavailable(
                    "what the answer was made from may not be shown here any more; it is made anew"
                        .to_owned(),
                )),
                Err(error) => Err(ChatError::Unavailable(explain_storage(&error))),
            }
        })
    }

    async fn thread(&mut self, channel_id: String, thread_ts: String) -> Answered<Vec<Message>> {
        self.bound.hears(&channel_id, "read a thread of")?;
        import!(self, "chat.thread", (&channel_id, &thread_ts), {
            self.capabilities.chat.thread(channel_id, thread_ts).await
        })
    }

    async fn history(
        &mut self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Answered<Vec<Message>> {
        self.bound.hears(&channel_id, "read the history of")?;
        import!(self, "chat.history", (&channel_id, &until, limit), {
            let chat = &self.capabilities.chat;
            chat.history(channel_id, until, limit).await
        })
    }

    async fn permalink(&mut self, channel_id: String, ts: String) -> Answered<String> {
        self.bound.hears(&channel_id, "link to a message of")?;
        import!(self, "chat.permalink", (&channel_id, &ts), {
            self.capabilities.chat.permalink(channel_id, ts).await
        })
    }

    async fn get_user(&mut self, id: String) -> Answered<User> {
        self.bound.knows_people(&id)?;
        import!(self, "chat.get-user", id, {
            self.capabilities.chat.get_user(id).await
        })
    }
}

/// How many bytes a post adds to the platform and to the store.
fn post_bytes(request: &PostRequest) -> usize {
    let users = request.may_notify.iter();
    let users = users.map(|user| user.id.len() + user.name.len());
    request.text.len() + users.sum::<usize>()
}
