//! The import `chat`, over a [`Chat`](crate::chat::Chat). Tokens and addresses stay behind that trait.

use std::collections::BTreeSet;

use super::CallState;
use crate::bindings::chat::{ChatError, Host, PostOutcome, PostRequest};
use crate::bindings::types::{Message, User};
use crate::explain::explain_storage;
use crate::storage::{MemoryId, Storage};

type Answered<T> = wasmtime::Result<Result<T, ChatError>>;

impl Host for CallState {
    async fn post(&mut self, request: PostRequest) -> Answered<PostOutcome> {
        self.bound.may_post(&request)?;
        import!(self, "chat.post", request, {
            self.budget.post(post_bytes(&request))?;
            self.post_what_may_be_shown(request).await
        })
    }

    async fn thread(
        &mut self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Answered<Vec<Message>> {
        self.bound.hears(&channel_id, "read a thread of")?;
        import!(self, "chat.thread", (&channel_id, &thread_ts, limit), {
            let chat = &self.capabilities.chat;
            let messages = chat.thread(channel_id.clone(), thread_ts, limit).await;
            self.hand_out(channel_id, messages).await
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
            let messages = chat.history(channel_id.clone(), until, limit).await;
            self.hand_out(channel_id, messages).await
        })
    }

    async fn permalink(&mut self, channel_id: String, ts: String) -> Answered<String> {
        self.bound.may_link(&channel_id, &ts)?;
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

impl CallState {
    async fn post_what_may_be_shown(
        &mut self,
        request: PostRequest,
    ) -> Result<PostOutcome, ChatError> {
        let (storage, handed) = (&*self.storage, self.bound.handed());
        may_still_show(storage, handed.clone()).await?;
        let chat = &self.capabilities.chat;
        let (channel_id, answers) = (request.channel_id.clone(), request.answers.clone());
        let posted = chat.post(request).await?;
        // Later changes find the post by its citations; earlier ones did not.
        if may_still_show(storage, handed).await.is_err() {
            chat.retract(channel_id, answers).await?;
        }
        Ok(posted)
    }

    /// Notes that the call is given these messages, as if they came from the store.
    async fn hand_out(
        &mut self,
        channel_id: String,
        messages: Result<Vec<Message>, ChatError>,
    ) -> Result<Vec<Message>, ChatError> {
        let messages = messages?;
        self.bound.hand_messages(&messages);
        let ids = messages.iter().map(|message| message.ts.clone()).collect();
        let noted = self.storage.hand_out(channel_id, ids).await;
        noted.map_err(|error| ChatError::Unavailable(explain_storage(&error)))?;
        Ok(messages)
    }
}

/// Returns true if the texts that a call was given may still be shown in its place.
async fn may_still_show(
    storage: &dyn Storage,
    handed: BTreeSet<MemoryId>,
) -> Result<(), ChatError> {
    match storage.may_show(handed).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(ChatError::Unavailable(
            "what the answer was made from may not be shown here any more; it is made anew"
                .to_owned(),
        )),
        Err(error) => Err(ChatError::Unavailable(explain_storage(&error))),
    }
}

/// How many bytes a post adds to the platform and to the store.
fn post_bytes(request: &PostRequest) -> usize {
    let users = request.may_notify.iter();
    let users = users.map(|user| user.id.len() + user.name.len());
    request.text.len() + users.sum::<usize>()
}
