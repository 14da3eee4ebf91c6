//! A host around the component: a store, a model and a chat platform in memory, with a recorder and faults in front.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::OtherReason;
use myao_plugin::chat::ChatError;
use myao_plugin::llm::LlmError;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{
    CallError, Entry, Error, Limits, MemoryPlugin, Outcome, Report, Scope, Settings, Timestamp,
};
use myao_testkit::{
    Call, Faults, Imports, MemoryChat, MemoryStorage, Recorder, Reply, ScriptedLlm,
};
use myao_tests::backfills::telling_settings;
use myao_tests::store::utc;
use myao_tests::telling::telling_llm;
use myao_tests::{plugin_over, plugin_within};

/// When the conversation of [`Host::with_conversation`] begins: 2024-03-01 10:00:00 UTC.
pub(crate) const START: i64 = 1_709_287_200;
/// Seconds.
pub(crate) const HOUR: i64 = 3600;
/// When everything of it is due: three hours of silence later.
pub(crate) const NOW: i64 = START + 3 * HOUR;

/// Everything that a plugin stands on.
pub(crate) struct Host {
    pub(crate) storage: Arc<MemoryStorage>,
    pub(crate) llm: Arc<ScriptedLlm>,
    pub(crate) chat: Arc<MemoryChat>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) settings: Settings,
}

impl Host {
    /// An empty workspace, with room for the memories of the model that tells.
    pub(crate) fn new(llm: ScriptedLlm) -> Self {
        Self {
            storage: Arc::default(),
            llm: Arc::new(llm),
            chat: Arc::default(),
            faults: Arc::default(),
            recorder: Arc::default(),
            settings: telling_settings().with(|settings| {
                settings.set("engines.response", "llm");
            }),
        }
    }

    /// A workspace with two channels, C1 with a thread.
    pub(crate) fn with_conversation(llm: ScriptedLlm) -> Self {
        let host = Self::new(llm);
        fill(&host.storage);
        host
    }

    /// The same with a model whose answers show what it was asked.
    pub(crate) fn telling() -> Self {
        Self::with_conversation(telling_llm())
    }

    /// The same with a model that always answers so.
    pub(crate) fn answering(reply: impl Into<Reply>) -> Self {
        Self::with_conversation(ScriptedLlm::answering(reply))
    }

    /// The same with other settings.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// The same host with another model: what it stores stays.
    pub(crate) fn with_llm(self, llm: ScriptedLlm) -> Self {
        Self {
            llm: Arc::new(llm),
            ..self
        }
    }

    fn imports(&self) -> Imports {
        Imports::new(self.storage.clone(), self.llm.clone()).with_chat(self.chat.clone())
    }

    /// The component, with recorder and faults in its way.
    pub(crate) fn plugin(&self) -> MemoryPlugin {
        self.plugin_until(Limits::default().deadline)
    }

    /// The same with another deadline.
    pub(crate) fn plugin_until(&self, deadline: Duration) -> MemoryPlugin {
        let imports = self
            .imports()
            .tapped(self.faults.clone())
            .tapped(self.recorder.clone());
        let limits = Limits::default().with(|limits| limits.deadline = deadline);
        plugin_within(imports, self.settings.clone(), limits)
    }

    /// Another host's component over the same store, with nothing in its way.
    pub(crate) fn other_plugin(&self) -> MemoryPlugin {
        plugin_over(self.imports(), self.settings.clone())
    }

    /// One run.
    pub(crate) async fn generate(&self, now: i64) -> Report {
        self.plugin().generate(utc(now)).await.unwrap()
    }

    /// The calls so far that can fail, by their names; forgets them.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        let calls = self.recorder.take().into_iter().map(|made| made.call);
        calls
            .filter(Call::can_fail)
            .map(|call| call.import)
            .collect()
    }

    /// What is remembered: scope id, version and text of each memory.
    pub(crate) fn remembered(&self) -> Vec<(String, u32, String)> {
        let memories = self.storage.memories().into_iter();
        memories
            .map(|memory| (memory.scope_id, memory.version, memory.content))
            .collect()
    }
}

/// Three hours' talk: a top-level exchange and a thread in C1, one message in C2.
pub(crate) fn fill(storage: &MemoryStorage) {
    storage.add_channel("C1", "harbour");
    storage.add_channel("C2", "servers");
    storage.say("C1", START, "alice", "The crane comes on March 3.");
    storage.say("C1", START + 60, "bob", "It costs 120 euros a day.");
    let question = storage.say("C1", START + 120, "alice", "Who picks up the keys?");
    storage.reply(
        "C1",
        question,
        START + 180,
        "dave",
        "I do, at nine o'clock.",
    );
    storage.say(
        "C2",
        START + 240,
        "carol",
        "The backup server was replaced.",
    );
}

/// The id of the thread in C1.
pub(crate) fn thread_ts() -> TsKey {
    TsKey::first_of(START + 120)
}

/// The scope id of that thread.
pub(crate) fn thread_id() -> String {
    format!("C1:{}", thread_ts())
}

/// The time, in UTC.
pub(crate) fn now() -> Timestamp {
    utc(NOW)
}

/// The component's own error.
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, CallError>) -> Error {
    match result {
        Err(CallError::Refused(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// How something ended in a report.
pub(crate) fn outcome_of<'r>(entries: &'r [Entry], scope: Scope, scope_id: &str) -> &'r Outcome {
    let mut entries = entries.iter();
    let entry = entries.find(|entry| (entry.scope, entry.scope_id.as_str()) == (scope, scope_id));
    &entry.unwrap_or_else(|| panic!("no {scope_id}")).outcome
}

/// One step of each kind, the seconds after [`NOW`], and how it ended.
pub(crate) async fn step(host: &Host, scope: Scope, seconds: i64) -> Outcome {
    let now = utc(NOW + seconds);
    let plugin = host.plugin();
    match scope {
        Scope::Workspace => plugin.generate_workspace(now).await.unwrap().outcome,
        Scope::Channel => plugin.generate_channel("C1", now).await.unwrap().outcome,
        Scope::Thread => {
            let thread = thread_ts().to_string();
            let entry = plugin.generate_thread("C1", &thread, now).await.unwrap();
            entry.outcome
        }
    }
}

/// A host in which the step of a scope has something to make, and the model to make it with.
pub(crate) async fn ready_for(scope: Scope, llm: ScriptedLlm) -> Host {
    let host = Host::telling();
    if scope == Scope::Workspace {
        host.plugin().generate_channel("C1", now()).await.unwrap();
        host.take_calls();
    }
    host.with_llm(llm)
}

/// Versions that are not kept, but overwritten.
pub(crate) fn without_versions(settings: &mut Settings) {
    settings.set("memory.short_term_history.enabled", false);
}

/// The retired memory of the workspace too, and a merge after each channel.
pub(crate) fn with_every_workspace_memory(settings: &mut Settings) {
    settings.set("memory.legacy_workspace_short_term", true);
    settings.set("memory.workspace_merge_per_channel", true);
}

/// Each error of the import `storage`.
pub(crate) fn storage_errors() -> Vec<StorageError> {
    vec![
        StorageError::NotFound("channel C1".to_owned()),
        StorageError::Conflict("somebody else wrote first".to_owned()),
        StorageError::Unavailable("the disk is full".to_owned()),
        StorageError::Invalid("no such id".to_owned()),
        StorageError::Other(OtherReason::new("thread-ended", "the store's thread ended")),
    ]
}

/// Each error of the import `llm` but `context-too-long`, after which a shorter prompt is tried.
pub(crate) fn llm_errors() -> Vec<LlmError> {
    vec![
        LlmError::RateLimited(Some(7)),
        LlmError::RateLimited(None),
        LlmError::Unavailable("connection refused".to_owned()),
        LlmError::Refused("no".to_owned()),
        LlmError::InvalidRequest("no such model".to_owned()),
        LlmError::TimedOut,
        LlmError::Other(OtherReason::new("unknown", "?")),
    ]
}

/// Each error of the import `chat`.
pub(crate) fn chat_errors() -> Vec<ChatError> {
    vec![
        ChatError::RateLimited(Some(7)),
        ChatError::NotFound("channel C1".to_owned()),
        ChatError::NotAllowed("not_in_channel".to_owned()),
        ChatError::Unavailable("connection refused".to_owned()),
        ChatError::Invalid("no text".to_owned()),
        ChatError::Other(OtherReason::new("slack", "fatal_error")),
    ]
}
