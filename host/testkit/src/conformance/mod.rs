//! Tests that every [`Storage`] passes: those of the contract, which a component makes for stores in any language
//! ([`contract`]), and those of what importers and events bring.
//!
//! `myao_testkit::storage_conformance!(fixture)`, in a module of tests, makes `#[tokio::test]`s of them; `fixture` is an
//! expression that creates an empty store as a [`Fixture`].
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod contract;
pub mod due;
pub mod memories;
pub mod messages;
pub mod state;

use std::sync::Arc;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::storage::records::{
    ChannelRecord, ImportSink, MemoryRecord, MessageRecord, UserRecord,
};
use myao_plugin::storage::{
    ChannelFilter, Coverage, DueQuery, Keep, LeftOut, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, SaveMode, Storage, StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope, Timestamp, names};

/// The scope id of the workspace's own memories in the store of a [`Fixture`].
pub const WORKSPACE: &str = "default";

/// A store to check, with functions to write what importers and events bring.
#[async_trait::async_trait]
pub trait Fixture: Send + Sync {
    /// The store, as it is seen by the operator.
    fn storage(&self) -> Arc<dyn Storage>;
    /// Imports records, all at once.
    async fn add(&self, records: Records);
    /// Deletes a message.
    async fn delete(&self, channel_id: &str, ts: TsKey);
}

/// Records for one import.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// People and programs.
    pub users: Vec<UserRecord>,
    /// Channels.
    pub channels: Vec<ChannelRecord>,
    /// Messages.
    pub messages: Vec<MessageRecord>,
    /// Memories of another program.
    pub memories: Vec<MemoryRecord>,
}

impl Records {
    /// Writes all records.
    ///
    /// # Errors
    /// If the store refuses a record.
    pub fn write(&self, sink: &mut dyn ImportSink) -> Result<(), StorageError> {
        self.users.iter().try_for_each(|user| sink.user(user))?;
        let mut channels = self.channels.iter();
        channels.try_for_each(|channel| sink.channel(channel))?;
        let mut messages = self.messages.iter();
        messages.try_for_each(|message| sink.message(message))?;
        let mut memories = self.memories.iter();
        memories.try_for_each(|memory| sink.memory(memory))
    }

    fn channel(mut self, id: &str, name: &str) -> Self {
        self.channels.push(ChannelRecord {
            id: id.into(),
            name: name.into(),
            facts: ChannelFacts::PUBLIC,
        });
        self
    }

    /// And a channel without a name.
    #[must_use]
    pub fn of_channel(mut self, id: &str, facts: ChannelFacts) -> Self {
        let (id, name) = (id.into(), String::new());
        self.channels.push(ChannelRecord { id, name, facts });
        self
    }

    /// And a person.
    #[must_use]
    pub fn user(mut self, id: &str, name: &str) -> Self {
        self.users.push(UserRecord {
            id: id.into(),
            name: name.into(),
            is_bot: false,
        });
        self
    }

    fn message(self, channel: &str, ts: &str) -> Self {
        self.with(message(channel, ts))
    }

    fn reply(self, channel: &str, thread: &str, ts: &str) -> Self {
        self.with(MessageRecord {
            thread_ts: Some(key(thread)),
            ..message(channel, ts)
        })
    }

    /// And a message.
    #[must_use]
    pub fn with(mut self, message: MessageRecord) -> Self {
        self.messages.push(message);
        self
    }

    fn memory(mut self, memory: MemoryRecord) -> Self {
        self.memories.push(memory);
        self
    }
}

/// A channel C1.
fn channel() -> Records {
    Records::default().channel("C1", "general")
}

/// A message id.
#[must_use]
pub fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

fn message(channel: &str, ts: &str) -> MessageRecord {
    MessageRecord {
        channel_id: channel.into(),
        ts: key(ts),
        user_id: "U1".into(),
        author_name: None,
        is_bot: false,
        text: format!("text of {ts}"),
        thread_ts: None,
        edited_at: None,
    }
}

fn imported(scope: Scope, scope_id: &str, memory_type: MemoryType) -> MemoryRecord {
    MemoryRecord {
        scope,
        scope_id: scope_id.into(),
        memory_type,
        content: format!("{} of {scope_id}", names::memory_type(memory_type)),
        created_at: 100,
        updated_at: 200,
        source_message_count: 3,
        source_latest_message_ts: None,
    }
}

/// All messages of C1 up to `until`.
#[must_use]
pub fn read(until: &str) -> MessageQuery {
    MessageQuery {
        channel_id: "C1".into(),
        since: None,
        until: until.into(),
        limit: 1000,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    }
}

async fn ids(fixture: &dyn Fixture, query: MessageQuery) -> Vec<String> {
    let messages = fixture.storage().list_messages(query).await.unwrap();
    messages.into_iter().map(|message| message.ts).collect()
}

/// A time in UTC.
#[must_use]
pub fn time(unix_seconds: i64) -> Timestamp {
    Timestamp {
        unix_seconds,
        utc_offset_seconds: 0,
    }
}

/// The coverage of a memory for which all messages went into one prompt.
#[must_use]
pub fn whole(messages: u32) -> Coverage {
    Coverage {
        messages,
        covered: messages,
        left_out: LeftOut {
            other_channels: 0,
            workspace: 0,
            messages: 0,
            channel: 0,
        },
        chunks: 1,
        calls: 1,
        unfounded: 0,
        doubtful: 0,
        refused: 0,
        records: 0,
        late: 0,
        refused_items: 0,
    }
}

/// A draft of a new version, made from the messages of C1 up to `latest`.
fn draft(
    scope: Scope,
    scope_id: &str,
    memory_type: MemoryType,
    latest: Option<&str>,
) -> MemoryDraft {
    MemoryDraft {
        scope,
        scope_id: scope_id.into(),
        memory_type,
        mode: SaveMode::NewVersion,
        expected: None,
        content: "a text".into(),
        engine: Engine::Extractive,
        now: time(500),
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: latest.map(Into::into),
        merged_through: None,
        truncated: false,
        coverage: whole(1),
        citations: Vec::new(),
        records: Vec::new(),
        items: Vec::new(),
    }
}

/// Everything that the checks save.
#[must_use]
pub fn all_memories() -> MemoryQuery {
    MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: 100,
        unmerged: true,
        threads: ["1", "2", "150"]
            .map(|second| format!("C1:{second}.000000"))
            .into(),
        citations: false,
    }
}

async fn memories(fixture: &dyn Fixture, query: MemoryQuery) -> Vec<Memory> {
    fixture.storage().list_memories(query).await.unwrap()
}

/// Due at 10000.0: a window of 5000 s, idle after 1000 s, full with 3 messages.
#[must_use]
pub fn due_query() -> DueQuery {
    DueQuery {
        until: "10000.0".into(),
        window_start: "5000.0".into(),
        idle_since: "9000.0".into(),
        message_threshold: 3,
        always: false,
    }
}

/// Makes a test of the contract, and one of each check of what records bring; see [`crate::conformance`].
#[macro_export]
macro_rules! storage_conformance {
    ($fixture:expr) => {
        #[tokio::test]
        async fn the_contract_is_kept() {
            let skipped = $crate::conformance::contract::check(|| Box::new($fixture)).await;
            for (check, what) in skipped {
                println!("skipped {check}: {what}");
            }
        }

        $crate::record_conformance!($fixture);
    };
}

/// Makes one test of each check of what records bring.
#[doc(hidden)]
#[macro_export]
macro_rules! record_conformance {
    ($fixture:expr) => {
        $crate::record_conformance!($fixture; messages:
            unknown_names_never_overwrite_known_ones,
            deleted_message_never_comes_back,
            deletion_before_the_message_arrives_counts,
            older_edit_changes_nothing,
            authors_have_names_and_never_ids,
            ids_are_the_same_however_they_are_written,
        );
        $crate::record_conformance!($fixture; memories:
            imported_memory_is_version_one_and_the_stored_one_stays,
            imported_long_term_memory_has_merged_the_imported_short_term,
            imported_memory_without_watermark_takes_the_newest_message_of_its_time,
        );
    };
    ($fixture:expr; $part:ident: $($check:ident,)*) => {
        $(
            #[tokio::test]
            async fn $check() {
                $crate::conformance::$part::$check(&$fixture).await;
            }
        )*
    };
}
