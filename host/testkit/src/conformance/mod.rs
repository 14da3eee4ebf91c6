//! Tests that every [`Storage`] passes.
//!
//! `myao_testkit::storage_conformance!(fixture)`, in a module of tests, makes one `#[tokio::test]` of each check;
//! `fixture` is an expression that creates an empty store as a [`Fixture`].
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod deferrals;
pub mod due;
pub mod memories;
pub mod messages;
pub mod saving;
pub mod stand_ins;
pub mod state;

use std::collections::BTreeSet;
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

    fn user(mut self, id: &str, name: &str) -> Self {
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

    fn with(mut self, message: MessageRecord) -> Self {
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
fn read(until: &str) -> MessageQuery {
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

fn time(unix_seconds: i64) -> Timestamp {
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
    }
}

fn short_term(channel: &str, latest: &str) -> MemoryDraft {
    draft(Scope::Channel, channel, MemoryType::ShortTerm, Some(latest))
}

fn long_term(channel: &str, merged: &Memory) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::Overwrite,
        merged_through: Some(merged.id),
        ..draft(Scope::Channel, channel, MemoryType::LongTerm, None)
    }
}

fn thread_memory(thread: &str, latest: &str) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::Overwrite,
        ..draft(
            Scope::Thread,
            &format!("C1:{thread}"),
            MemoryType::ShortTerm,
            Some(latest),
        )
    }
}

/// The same draft as a stand-in beside the newest memory.
fn stand_in(newest: Option<&Memory>, draft: MemoryDraft) -> MemoryDraft {
    MemoryDraft {
        mode: SaveMode::StandIn,
        expected: newest.map(|memory| memory.id),
        ..draft
    }
}

async fn save(fixture: &dyn Fixture, draft: MemoryDraft) -> Memory {
    let storage = fixture.storage();
    storage.save_memory(draft, BTreeSet::new()).await.unwrap()
}

/// Saves versions of C1's short-term memory, one for each watermark.
async fn save_versions(fixture: &dyn Fixture, watermarks: &[&str]) -> Vec<Memory> {
    let mut saved: Vec<Memory> = Vec::new();
    for latest in watermarks {
        let expected = saved.last().map(|memory| memory.id);
        saved.push(
            save(
                fixture,
                MemoryDraft {
                    expected,
                    ..short_term("C1", latest)
                },
            )
            .await,
        );
    }
    saved
}

/// Everything that the suite saves.
fn all_memories() -> MemoryQuery {
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
fn due_query() -> DueQuery {
    DueQuery {
        until: "10000.0".into(),
        window_start: "5000.0".into(),
        idle_since: "9000.0".into(),
        message_threshold: 3,
        always: false,
    }
}

async fn due_channels(fixture: &dyn Fixture, query: DueQuery) -> Vec<String> {
    let due = fixture.storage().list_due(query).await.unwrap();
    due.channels
        .into_iter()
        .map(|backlog| backlog.channel.id)
        .collect()
}

async fn due_threads(fixture: &dyn Fixture, query: DueQuery) -> Vec<Option<String>> {
    let due = fixture.storage().list_due(query).await.unwrap();
    due.threads
        .into_iter()
        .map(|backlog| backlog.thread_ts)
        .collect()
}

/// Makes one test of each check; see [`crate::conformance`].
#[macro_export]
macro_rules! storage_conformance {
    ($fixture:expr) => {
        $crate::storage_conformance!($fixture; messages:
            channels_are_ordered_by_name_and_then_by_id,
            unknown_names_never_overwrite_known_ones,
            messages_come_oldest_first_within_inclusive_bounds,
            messages_are_ordered_numerically,
            limit_keeps_the_newest_or_the_oldest,
            first_message_of_a_thread_comes_with_its_replies,
            whole_thread_is_read_outside_since_and_limit,
            long_thread_keeps_its_first_message_and_its_newest_replies,
            first_message_names_its_thread_once_there_is_a_reply,
            deleted_message_is_not_returned_and_never_comes_back,
            deletion_before_the_message_arrives_counts,
            edit_replaces_the_text_and_an_older_one_changes_nothing,
            authors_have_names_and_never_ids,
            unknown_channel_is_not_found,
            what_is_no_message_id_is_invalid,
        );
        $crate::storage_conformance!($fixture; saving:
            saved_memory_is_listed_as_it_was_returned,
            versions_count_up_and_ids_grow,
            overwritten_memory_takes_a_greater_id_and_keeps_its_creation_time,
            overwriting_replaces_all_versions,
            stale_expectation_is_a_conflict_and_writes_nothing,
            empty_text_is_refused,
            unknown_sources_are_refused_and_nothing_is_saved,
            memory_of_an_unknown_channel_is_not_found,
        );
        $crate::storage_conformance!($fixture; memories:
            memories_are_ordered_by_scope_id_type_and_version,
            only_the_scopes_asked_for_are_read,
            history_limit_takes_the_newest_versions,
            unmerged_versions_come_however_old,
            memories_made_after_until_do_not_exist_yet,
            imported_memory_is_version_one_and_the_stored_one_stays,
            imported_long_term_memory_has_merged_the_imported_short_term,
            imported_memory_without_watermark_takes_the_newest_message_of_its_time,
        );
        $crate::storage_conformance!($fixture; due:
            never_summarized_channel_is_due_with_a_message_in_the_window,
            channel_without_new_messages_is_not_due,
            channel_with_a_new_message_is_due_when_idle_or_full_or_always,
            channel_with_an_unmerged_version_is_due,
            messages_after_until_do_not_exist_yet,
            backlog_counts_what_is_in_no_version_yet,
            late_messages_wait_until_a_version_is_made_from_them,
            deleted_messages_do_not_wait,
            thread_is_due_with_a_reply_and_again_with_a_new_one,
            first_message_alone_is_no_thread,
            thread_whose_first_message_comes_late_counts_it,
            thread_of_which_a_summarized_message_changed_is_due_again,
            thread_outside_the_window_is_not_due,
            workspace_is_due_when_a_channel_memory_is_newer,
        );
        $crate::storage_conformance!($fixture; stand_ins:
            stand_in_is_version_zero_beside_the_versions,
            stand_in_takes_the_place_of_an_earlier_one,
            saved_memory_sets_its_stand_in_aside,
            stand_ins_are_no_expectation,
            stand_ins_are_listed_outside_the_history_limit,
            stand_ins_change_no_backlog,
            stand_ins_make_no_workspace_due,
        );
        $crate::storage_conformance!($fixture; deferrals:
            deferrals_are_listed_by_what_they_are_about,
            deferring_again_replaces_the_deferral,
            saved_memory_ends_its_deferral,
            stand_in_and_refused_save_end_no_deferral,
            deferral_of_an_unknown_channel_is_not_found,
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
