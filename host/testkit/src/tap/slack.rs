//! A chat platform that reports its calls to a listener.

use std::sync::Arc;

use myao_plugin::slack::{Message, PostRequest, Slack, SlackError, User};

use super::Line;

pub(super) fn tapped(inner: Arc<dyn Slack>, line: Line) -> Arc<dyn Slack> {
    Arc::new(Tapped { inner, line })
}

struct Tapped {
    inner: Arc<dyn Slack>,
    line: Line,
}

#[async_trait::async_trait]
impl Slack for Tapped {
    async fn post(&self, request: PostRequest) -> Result<Vec<String>, SlackError> {
        let call = self.line.call("slack.post", &request);
        self.line.through(call, self.inner.post(request)).await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
    ) -> Result<Vec<Message>, SlackError> {
        let call = self.line.call("slack.thread", &(&channel_id, &thread_ts));
        let done = self.inner.thread(channel_id, thread_ts);
        self.line.through(call, done).await
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, SlackError> {
        let arguments = (&channel_id, &until, limit);
        let call = self.line.call("slack.history", &arguments);
        let done = self.inner.history(channel_id, until, limit);
        self.line.through(call, done).await
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, SlackError> {
        let call = self.line.call("slack.permalink", &(&channel_id, &ts));
        let done = self.inner.permalink(channel_id, ts);
        self.line.through(call, done).await
    }

    async fn get_user(&self, id: String) -> Result<User, SlackError> {
        let call = self.line.call("slack.get-user", &id);
        self.line.through(call, self.inner.get_user(id)).await
    }
}
