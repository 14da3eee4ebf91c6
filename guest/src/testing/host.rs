//! A host in memory, with short ways to describe its content.

use std::cell::RefCell;

use super::{MemoryStorage, ScriptedChat, ScriptedLlm};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::exports::myao::memory::memory_generator::{Batch, DoneStep, Entry, Step};
use crate::bindings::log::Level;
use crate::bindings::storage::{MemoryDraft, SaveMode};
use crate::bindings::types::{
    Citation, Context, Coverage, Engine, LeftOut, MemoryType, Message, MessageRef, Scope,
    Timestamp, User,
};
use crate::context;
use crate::generator::Run;
use crate::ports::{Log, Ports, Storage};
use crate::settings::{PromptLanguage, Settings, Template, ThreadMemories};

/// 2024-03-01 10:00:00 UTC. Tests tell times as seconds from here.
pub(crate) const NOW: i64 = 1_709_287_200;
/// Seconds.
pub(crate) const HOUR: i64 = 3600;
/// Seconds.
pub(crate) const DAY: i64 = 24 * HOUR;

/// A point in time, so many seconds after [`NOW`], in Japan's offset.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp {
        unix_seconds: NOW + seconds,
        utc_offset_seconds: 32_400,
    }
}

/// The id of a message written so many seconds after [`NOW`].
pub(crate) fn ts(seconds: i64) -> String {
    format!("{}.000000", NOW + seconds)
}

/// A message that alice wrote so many seconds after [`NOW`].
pub(crate) fn message(seconds: i64, text: &str) -> Message {
    Message {
        ts: ts(seconds),
        user: User {
            id: "U1".to_owned(),
            name: "alice".to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: at(seconds),
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    }
}

/// The coverage of an imported memory.
const NO_COVERAGE: Coverage = Coverage {
    messages: 0,
    covered: 0,
    left_out: LeftOut {
        other_channels: 0,
        workspace: 0,
        messages: 0,
        channel: 0,
    },
    chunks: 0,
    calls: 0,
    unfounded: 0,
    doubtful: 0,
    refused: 0,
    records: 0,
    late: 0,
    refused_items: 0,
};

/// Lines of the log.
#[derive(Default)]
pub(crate) struct RecordedLog(pub(crate) RefCell<Vec<String>>);

/// A log that drops all lines.
pub(crate) struct Quiet;

impl Log for Quiet {
    fn write(&self, _: Level, _: &str) {}
}

impl Log for RecordedLog {
    fn write(&self, _: Level, line: &str) {
        self.0.borrow_mut().push(line.to_owned());
    }
}

/// Everything a run needs, with the default settings and the template `echo.j2`.
pub(crate) struct TestHost {
    pub(crate) storage: MemoryStorage,
    pub(crate) llm: ScriptedLlm,
    pub(crate) chat: ScriptedChat,
    pub(crate) log: RecordedLog,
    pub(crate) settings: Settings,
}

impl TestHost {
    /// A host whose memories show what they were made from.
    pub(crate) fn new() -> Self {
        let echo = Template {
            name: "memory_prompt.j2".to_owned(),
            source: include_str!("echo.j2").to_owned(),
        };
        let settings = Settings {
            templates: vec![echo],
            ..default_settings()
        };
        Self {
            storage: MemoryStorage::default(),
            llm: ScriptedLlm::default(),
            chat: ScriptedChat::default(),
            log: RecordedLog::default(),
            settings,
        }
    }

    /// The same with the real prompts.
    pub(crate) fn with_prompts() -> Self {
        Self {
            settings: default_settings(),
            ..Self::new()
        }
    }

    /// A message outside threads.
    pub(crate) fn say(&self, channel_id: &str, seconds: i64, text: &str) {
        self.storage.add_message(channel_id, message(seconds, text));
    }

    /// A message in the thread that began at `thread` seconds.
    pub(crate) fn reply(&self, channel_id: &str, thread: i64, seconds: i64, text: &str) {
        let message = Message {
            thread_ts: Some(ts(thread)),
            ..message(seconds, text)
        };
        self.storage.add_message(channel_id, message);
    }

    /// Messages `1`, `2`, … at consecutive seconds from `from` on.
    pub(crate) fn say_many(&self, channel_id: &str, from: i64, count: i64) {
        for number in 0..count {
            self.say(channel_id, from + number, &(number + 1).to_string());
        }
    }

    /// A memory that already exists, made at [`NOW`] from one message of that time: a channel's short-term memory as
    /// the next version, any other in place of the existing one.
    pub(crate) fn remember(
        &self,
        scope: Scope,
        scope_id: &str,
        memory_type: MemoryType,
        text: &str,
    ) {
        self.remember_from((scope, scope_id, memory_type), text, Vec::new());
    }

    /// The same, of one line that was made from these messages.
    pub(crate) fn remember_from(
        &self,
        (scope, scope_id, memory_type): (Scope, &str, MemoryType),
        text: &str,
        messages: Vec<MessageRef>,
    ) {
        let line = Citation {
            start: 0,
            length: u32::try_from(text.chars().count()).unwrap(),
            messages,
            by_program: false,
        };
        let keeps_versions = (scope, memory_type) == (Scope::Channel, MemoryType::ShortTerm);
        let draft = MemoryDraft {
            scope,
            scope_id: scope_id.to_owned(),
            memory_type,
            mode: if keeps_versions {
                SaveMode::NewVersion
            } else {
                SaveMode::Overwrite
            },
            expected: self
                .storage
                .of(scope_id, memory_type)
                .last()
                .map(|memory| memory.id),
            content: text.to_owned(),
            engine: Engine::Imported,
            now: at(0),
            source_channel_id: String::new(),
            source_messages: Vec::new(),
            source_memories: Vec::new(),
            source_message_count: 1,
            source_latest_message_ts: Some(ts(0)),
            merged_through: None,
            truncated: false,
            coverage: NO_COVERAGE,
            citations: vec![line]
                .into_iter()
                .filter(|line| !line.messages.is_empty())
                .collect(),
            records: Vec::new(),
            items: Vec::new(),
        };
        self.storage.save_memory(&draft).unwrap();
    }

    pub(crate) fn ports(&self) -> Ports<'_> {
        Ports {
            storage: &self.storage,
            recall: &self.storage,
            llm: &self.llm,
            log: &self.log,
            settings: self.settings.clone(),
        }
    }

    /// One run, so many seconds after [`NOW`], as a host makes it: each step on its own.
    pub(crate) fn try_generate(&self, seconds: i64) -> Result<Vec<Entry>, Error> {
        self.try_generate_at(at(seconds))
    }

    /// One run at any time.
    pub(crate) fn try_generate_at(&self, now: Timestamp) -> Result<Vec<Entry>, Error> {
        let ports = self.ports();
        let run = Run::new(&ports, now);
        let (mut done, mut entries) = (Vec::new(), Vec::new());
        let mut batch = run.next_steps(&done)?;
        while !batch.steps.is_empty() {
            for step in batch.steps {
                let entry = match &step {
                    Step::Thread(thread) => {
                        run.generate_thread(&thread.channel_id, &thread.thread_ts)
                    }
                    Step::Channel(channel_id) => run.generate_channel(channel_id),
                    Step::Workspace => run.generate_workspace(),
                };
                let made = !entry.made.is_empty();
                done.push(DoneStep { step, made });
                entries.push(entry);
            }
            match run.next_steps(&done) {
                Ok(next) => batch = next,
                Err(_) => break,
            }
        }
        Ok(entries)
    }

    /// One run that succeeds.
    pub(crate) fn generate(&self, seconds: i64) -> Vec<Entry> {
        self.try_generate(seconds).unwrap()
    }

    /// The steps after these.
    pub(crate) fn next_steps(&self, done: &[DoneStep], seconds: i64) -> Result<Batch, Error> {
        Run::new(&self.ports(), at(seconds)).next_steps(done)
    }

    /// One channel's step, as a run of its own.
    pub(crate) fn generate_channel(&self, channel_id: &str, seconds: i64) -> Vec<Entry> {
        vec![Run::new(&self.ports(), at(seconds)).generate_channel(channel_id)]
    }

    /// One thread's step.
    pub(crate) fn generate_thread(&self, channel_id: &str, thread: i64, seconds: i64) -> Entry {
        Run::new(&self.ports(), at(seconds)).generate_thread(channel_id, &ts(thread))
    }

    /// The workspace's step.
    pub(crate) fn generate_workspace(&self, seconds: i64) -> Entry {
        Run::new(&self.ports(), at(seconds)).generate_workspace()
    }

    /// The context of a reply in a channel.
    pub(crate) fn context(&self, channel_id: &str) -> Context {
        self.context_at(channel_id, 0)
    }

    /// The context of a reply in a channel, so many seconds after [`NOW`].
    pub(crate) fn context_at(&self, channel_id: &str, seconds: i64) -> Context {
        let request = BuildRequest {
            channel_id: channel_id.to_owned(),
            target_thread_ts: None,
            since: None,
            message_limit: None,
        };
        context::build_requested(&self.storage, &self.settings, request, at(seconds)).unwrap()
    }

    /// The requested context at [`NOW`].
    pub(crate) fn requested(&self, request: BuildRequest) -> Result<Context, Error> {
        context::build_requested(&self.storage, &self.settings, request, at(0))
    }
}

/// The defaults of the specification. Threads' memories are made at every run, as its documents say.
fn default_settings() -> Settings {
    Settings {
        bot_name: "みゃお".to_owned(),
        system_prompt: "あなたは「みゃお」です。".to_owned(),
        engine: Engine::Llm,
        reply_engine: Engine::Llm,
        response_prompt: "返事をします。".to_owned(),
        judgment_prompt: "返事をするか決めます。".to_owned(),
        prompt_language: PromptLanguage::Japanese,
        thread_memories: ThreadMemories::Always,
        ..Settings::default()
    }
}
