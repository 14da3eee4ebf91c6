//! The needs of the logic from outside, as traits: the host's imports in the component, small in-memory versions in
//! tests. They mirror the interfaces of `wit/`, where each call is documented.

use crate::bindings::chat::{ChatError, PostOutcome, PostRequest};
use crate::bindings::llm::{Agent, Completion, LlmError, Request};
use crate::bindings::log::Level;
use crate::bindings::recall::{Candidates, RecallQuery};
use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, ItemQuery, Marked, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, StorageError, Strike,
};
use crate::bindings::types::{Channel, Item, KeptSpan, KeptText, Message, Scope, User};
use crate::settings::Settings;

/// The store (`wit/storage.wit`).
pub trait Storage {
    /// All channels, ordered by name and then by id.
    fn list_channels(&self) -> Result<Vec<Channel>, StorageError>;
    /// Messages of one channel, oldest first.
    fn list_messages(&self, query: &MessageQuery) -> Result<Vec<Message>, StorageError>;
    /// The newest messages of a channel that people may have marked, oldest first.
    fn list_marked(
        &self,
        channel_id: &str,
        until: &str,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError>;
    /// The messages that the authors of corrections picked to be struck.
    fn list_strikes(&self) -> Result<Vec<Strike>, StorageError>;
    /// Memories, ordered by scope, scope id, type and version.
    fn list_memories(&self, query: &MemoryQuery) -> Result<Vec<Memory>, StorageError>;
    /// The words of parts of messages that may be seen.
    fn read_spans(&self, spans: &[KeptSpan]) -> Result<Vec<KeptText>, StorageError>;
    /// The items that a query selects; `None` if the store keeps none.
    fn list_items(&self, query: &ItemQuery) -> Result<Option<Vec<Item>>, StorageError>;
    /// Channels and threads that may be due.
    fn list_due(&self, query: &DueQuery) -> Result<Due, StorageError>;
    /// The backlog of one channel, or of one of its threads.
    fn get_backlog(
        &self,
        channel_id: &str,
        thread_ts: Option<&str>,
        until: &str,
    ) -> Result<Backlog, StorageError>;
    /// Saves one memory, all of it or nothing.
    fn save_memory(&self, draft: &MemoryDraft) -> Result<Memory, StorageError>;
    /// The deferrals of one workspace, channel or thread.
    fn list_deferrals(&self, scope: Scope, scope_id: &str) -> Result<Vec<Deferral>, StorageError>;
    /// Defers a memory.
    fn defer(&self, scope: Scope, scope_id: &str, deferral: &Deferral) -> Result<(), StorageError>;
}

/// Finds messages by their terms (`wit/recall.wit`).
pub trait Recall {
    /// Messages and memories that have one of the terms.
    fn find_candidates(&self, query: &RecallQuery) -> Result<Candidates, StorageError>;
    /// The terms of a text, in order.
    fn terms(&self, text: &str) -> Vec<String>;
}

/// The language model (`wit/llm.wit`).
pub trait Llm {
    /// Asks the model.
    fn complete(&self, request: &Request) -> Result<Completion, LlmError>;
    /// Asks for several answers, which the host may run side by side.
    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>>;
    /// How many tokens prompt and answer may have together, if known.
    fn context_window(&self, agent: Agent) -> Option<u32>;
    /// How many tokens each text has; never too few.
    fn count_tokens(&self, agent: Agent, texts: &[String]) -> Vec<u32>;
}

/// The chat platform (`wit/chat.wit`).
pub trait Chat {
    /// Posts, unless the message was answered before.
    fn post(&self, request: &PostRequest) -> Result<PostOutcome, ChatError>;
    /// A thread's first message and its newest replies, oldest first.
    fn thread(
        &self,
        channel_id: &str,
        thread_ts: &str,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError>;
    /// The newest top-level messages up to `until`, oldest first.
    fn history(&self, channel_id: &str, until: &str, limit: u32)
    -> Result<Vec<Message>, ChatError>;
    /// The URL of a message.
    fn permalink(&self, channel_id: &str, ts: &str) -> Result<String, ChatError>;
    /// Looks up a user.
    fn get_user(&self, id: &str) -> Result<User, ChatError>;
}

/// The log (`wit/log.wit`).
pub trait Log {
    /// Writes one line. It must not contain the text of messages or memories.
    fn write(&self, level: Level, line: &str);
}

/// The dependencies of making memories. Replies need a [`Chat`] besides.
pub struct Ports<'a> {
    /// The store.
    pub storage: &'a dyn Storage,
    /// The search.
    pub recall: &'a dyn Recall,
    /// The language model.
    pub llm: &'a dyn Llm,
    /// The log.
    pub log: &'a dyn Log,
    /// The settings, read once per call.
    pub settings: Settings,
}
