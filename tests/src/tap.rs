//! A storage and a model with a listener at every call: it can count, fail, kill, or let others go first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao::bindings::types::Scope;
use myao::llm::{CallObserver, Completion, Llm, LlmError, ModelIdentity, Request};
use myao::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};

/// One call of the component to its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Counted from 0, over storage and model together.
    pub number: usize,
    /// As in `wit/`: `save-memory`.
    pub name: &'static str,
}

/// What listens. An error takes the place of the call's result.
#[async_trait::async_trait]
pub trait Tap: Send + Sync {
    /// Before the call is done.
    async fn before(&self, _call: Call) -> Result<(), StorageError> {
        Ok(())
    }

    /// After it was done, with success; `items` are the rows of its result.
    async fn after(&self, _call: Call, _items: usize) -> Result<(), StorageError> {
        Ok(())
    }
}

/// A storage and a model that tell `tap` of their calls.
#[must_use]
pub fn tapped(
    storage: Arc<dyn Storage>,
    llm: Arc<dyn Llm>,
    tap: Arc<dyn Tap>,
) -> (Arc<dyn Storage>, Arc<dyn Llm>) {
    let line = Line {
        calls: Arc::default(),
        tap,
    };
    (
        Arc::new(TappedStorage {
            inner: storage,
            line: line.clone(),
        }),
        Arc::new(TappedLlm { inner: llm, line }),
    )
}

#[derive(Clone)]
struct Line {
    calls: Arc<AtomicUsize>,
    tap: Arc<dyn Tap>,
}

impl Line {
    async fn through<T>(
        &self,
        name: &'static str,
        items: impl Fn(&T) -> usize + Send,
        call: impl Future<Output = Result<T, StorageError>> + Send,
    ) -> Result<T, StorageError> {
        let this = Call {
            number: self.calls.fetch_add(1, Ordering::SeqCst),
            name,
        };
        self.tap.before(this).await?;
        let result = call.await?;
        self.tap.after(this, items(&result)).await?;
        Ok(result)
    }
}

struct TappedStorage {
    inner: Arc<dyn Storage>,
    line: Line,
}

#[async_trait::async_trait]
impl Storage for TappedStorage {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.line
            .through("list-channels", Vec::len, self.inner.list_channels())
            .await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.line
            .through("list-messages", Vec::len, self.inner.list_messages(query))
            .await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.line
            .through("list-memories", Vec::len, self.inner.list_memories(query))
            .await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        let items = |due: &Due| due.channels.len() + due.threads.len();
        self.line
            .through("list-due", items, self.inner.list_due(query))
            .await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        let call = self.inner.get_backlog(channel_id, thread_ts, until);
        self.line.through("get-backlog", |_| 1, call).await
    }

    async fn save_memory(&self, draft: MemoryDraft) -> Result<Memory, StorageError> {
        self.line
            .through("save-memory", |_| 1, self.inner.save_memory(draft))
            .await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        let call = self.inner.list_deferrals(scope, scope_id);
        self.line.through("list-deferrals", Vec::len, call).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        let call = self.inner.defer(scope, scope_id, deferral);
        self.line.through("defer", |()| 1, call).await
    }
}

struct TappedLlm {
    inner: Arc<dyn Llm>,
    line: Line,
}

#[async_trait::async_trait]
impl Llm for TappedLlm {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let call = async {
            let answer = self.inner.complete(request, calls).await;
            answer.map_err(|error| StorageError::Other(format!("{error:?}")))
        };
        let answer = self.line.through("complete", |_| 1, call).await;
        answer.map_err(|error| LlmError::Unavailable(format!("{error:?}")))
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.inner.count_tokens(text)
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        self.inner.identity()
    }
}
