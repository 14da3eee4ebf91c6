//! What a context contains. A comment above a test names the row of the specification's test table that it covers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod history;

use super::*;
use crate::testing::{DAY, HOUR, TestHost, at, ts};
use MemoryType::{LongTerm, ShortTerm};

/// A channel with so many short-term versions: `version 1`, `version 2`, ….
fn host_with_versions(count: u32) -> TestHost {
    let host = TestHost::new();
    host.storage.add_channel("C1", "general");
    for version in 1..=count {
        host.remember(
            Scope::Channel,
            "C1",
            ShortTerm,
            &format!("version {version}"),
        );
    }
    host
}

/// The memories of the only channel.
fn channel_of(host: &TestHost) -> ChannelMemory {
    let mut memories = host.context("C1").channel_memories;
    assert_eq!(memories.len(), 1);
    memories.remove(0)
}

fn request(channel_id: &str) -> BuildRequest {
    BuildRequest {
        channel_id: channel_id.to_owned(),
        target_thread_ts: None,
        since: None,
        message_limit: None,
    }
}

/// The texts of top-level messages and then of threads.
fn texts(context: &Context) -> Vec<&str> {
    let messages = crate::prompt::conversation_messages(context);
    messages.map(|message| message.text.as_str()).collect()
}

// -- the versions of a channel --

// 01e ChannelMemory: デフォルト値, 01e build_context_with_memory: 履歴なし
#[test]
fn a_channel_without_memories_has_an_empty_history() {
    let nothing = ChannelMemory {
        channel_id: "C1".to_owned(),
        channel_name: "general".to_owned(),
        long_term_memory: None,
        short_term_memory: None,
        short_term_memory_history: Vec::new(),
    };
    assert_eq!(channel_of(&host_with_versions(0)), nothing);
}

// 01e build_context_with_memory: 履歴 1 件
#[test]
fn one_version_is_the_history_and_the_short_term_memory() {
    let channel = channel_of(&host_with_versions(1));
    assert_eq!(channel.short_term_memory_history, ["version 1"]);
    assert_eq!(channel.short_term_memory.as_deref(), Some("version 1"));
}

// 01e ChannelMemory: 履歴あり, 01e build_context_with_memory: 履歴 5 件
#[test]
fn five_versions_are_a_history_oldest_first_that_ends_with_the_short_term_memory() {
    let channel = channel_of(&host_with_versions(5));
    let expected = [
        "version 1",
        "version 2",
        "version 3",
        "version 4",
        "version 5",
    ];
    assert_eq!(channel.short_term_memory_history, expected);
    assert_eq!(channel.short_term_memory.as_deref(), Some("version 5"));
}

// 01e build_context_with_memory: 履歴 10 件、limit 5
#[test]
fn of_ten_versions_the_newest_five_are_shown_oldest_first() {
    let expected = [
        "version 6",
        "version 7",
        "version 8",
        "version 9",
        "version 10",
    ];
    assert_eq!(
        channel_of(&host_with_versions(10)).short_term_memory_history,
        expected
    );
}

#[test]
fn the_setting_limits_the_history() {
    let mut host = host_with_versions(3);
    host.settings.max_history_count = 2;
    assert_eq!(
        channel_of(&host).short_term_memory_history,
        ["version 2", "version 3"]
    );
}

// 01e build_context_with_memory: 機能無効
#[test]
fn without_versions_the_history_holds_the_newest_alone() {
    let mut host = host_with_versions(3);
    host.settings.history_enabled = false;
    let channel = channel_of(&host);
    assert_eq!(channel.short_term_memory_history, ["version 3"]);
    assert_eq!(channel.short_term_memory.as_deref(), Some("version 3"));
}

// 01e 並び替え: 順序確認
#[test]
fn versions_are_put_in_order_whatever_order_they_come_in() {
    let host = host_with_versions(5);
    let memories = host.storage.memories();
    let mixed: Vec<Memory> = [2, 0, 4, 1, 3]
        .map(|index: usize| memories[index].clone())
        .into();
    let remembered = Remembered {
        channels: host.storage.list_channels().unwrap(),
        memories: mixed,
    };
    let context = assemble(&host.settings, remembered, no_conversation());
    let expected = [
        "version 1",
        "version 2",
        "version 3",
        "version 4",
        "version 5",
    ];
    assert_eq!(
        context.channel_memories[0].short_term_memory_history,
        expected
    );
}

// -- a whole context --

/// Two channels and a workspace with every kind of memory.
fn host_with_memories() -> TestHost {
    let host = host_with_versions(2);
    host.storage.add_channel("C2", "a-channel");
    host.remember(Scope::Workspace, "default", LongTerm, "workspace past");
    host.remember(Scope::Workspace, "default", ShortTerm, "workspace present");
    host.remember(Scope::Channel, "C2", LongTerm, "other past");
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.remember(
        Scope::Thread,
        &format!("C1:{}", ts(-60)),
        ShortTerm,
        "thread",
    );
    host.remember(
        Scope::Thread,
        &format!("C2:{}", ts(-60)),
        ShortTerm,
        "another channel's",
    );
    host
}

#[test]
fn a_context_holds_persona_conversation_and_every_memory() {
    let host = host_with_memories();
    let context = host.context("C1");
    assert_eq!(context.persona, persona_for(&host.settings, "", &context));
    assert_eq!(context.conversation_history.channel_name, "general");
    assert_eq!(texts(&context), ["a", "a1"]);
    assert_eq!(
        context.workspace_long_term_memory.as_deref(),
        Some("workspace past")
    );
    let channels: Vec<_> = context
        .channel_memories
        .iter()
        .map(|c| {
            (
                c.channel_name.as_str(),
                c.long_term_memory.as_deref(),
                c.short_term_memory.as_deref(),
            )
        })
        .collect();
    let expected = [
        ("a-channel", Some("other past"), None),
        ("general", None, Some("version 2")),
    ];
    assert_eq!(channels, expected);
    let thread = ThreadMemory {
        thread_ts: ts(-60),
        content: "thread".to_owned(),
    };
    assert_eq!(context.thread_memories, [thread]);
    assert_eq!(context.target_thread_ts, None);
}

// 01 5: "Context から `workspace_short_term_memory` の参照を削除"
#[test]
fn the_retired_workspace_memory_is_loaded_only_with_the_setting() {
    let mut host = host_with_memories();
    assert_eq!(host.context("C1").workspace_short_term_memory, None);
    host.settings.legacy_workspace_short_term = true;
    let loaded = host.context("C1").workspace_short_term_memory;
    assert_eq!(loaded.as_deref(), Some("workspace present"));
}

#[test]
fn the_context_of_the_workspace_has_memories_and_no_conversation() {
    let host = host_with_memories();
    let context = host.context("");
    assert_eq!(context.conversation_history, no_conversation());
    assert_eq!(
        context.channel_memories,
        host.context("C1").channel_memories
    );
    assert!(context.thread_memories.is_empty());
}

#[test]
fn an_unknown_channel_is_not_found_and_named() {
    let error = host_with_memories().requested(request("C404")).unwrap_err();
    assert!(
        matches!(&error, Error::Storage(StorageError::NotFound(text)) if text.contains("C404"))
    );
}

#[test]
fn a_channel_id_may_hold_a_colon() {
    let host = TestHost::new();
    host.say("!room:example.org", -60, "a");
    host.reply("!room:example.org", -60, -50, "a1");
    host.generate(0);
    let threads = host.context("!room:example.org").thread_memories;
    assert_eq!(
        threads,
        [ThreadMemory {
            thread_ts: ts(-60),
            content: "(a a1)".to_owned()
        }]
    );
}

// -- extra05a: `since`, `message_limit` and `target_thread_ts` of the shared function --

#[test]
fn since_leaves_out_what_is_older() {
    let host = TestHost::new();
    host.say("C1", -2 * HOUR, "a");
    host.say("C1", -HOUR, "b");
    let mut since = request("C1");
    since.since = Some(at(-HOUR));
    assert_eq!(texts(&host.requested(since).unwrap()), ["b"]);
    assert_eq!(
        texts(&host.context("C1")),
        ["a", "b"],
        "without it all is shown"
    );
}

#[test]
fn the_message_limit_keeps_the_newest_and_is_the_replies_by_default() {
    let mut host = TestHost::new();
    host.settings.reply_message_limit = 3;
    host.say_many("C1", -HOUR, 5);
    assert_eq!(texts(&host.context("C1")), ["3", "4", "5"]);
    let mut limited = request("C1");
    limited.message_limit = Some(1);
    assert_eq!(texts(&host.requested(limited).unwrap()), ["5"]);
}

#[test]
fn messages_after_now_are_left_out() {
    let host = TestHost::new();
    host.say("C1", 0, "now");
    host.say("C1", 1, "later");
    assert_eq!(texts(&host.context("C1")), ["now"]);
}

#[test]
fn the_target_thread_is_whole_outside_since_and_limit() {
    let host = TestHost::new();
    host.say("C1", -3 * DAY, "a");
    host.reply("C1", -3 * DAY, -2 * DAY, "a1");
    host.say_many("C1", -HOUR, 3);
    let mut target = request("C1");
    target.target_thread_ts = Some(ts(-3 * DAY));
    target.since = Some(at(-HOUR));
    target.message_limit = Some(2);
    let context = host.requested(target).unwrap();
    assert_eq!(texts(&context), ["2", "3", "a", "a1"]);
    assert_eq!(context.target_thread_ts, Some(ts(-3 * DAY)));
}

#[test]
fn a_longer_target_thread_keeps_its_first_message_and_its_newest_replies() {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 2;
    host.say("C1", -HOUR, "a");
    for number in 1..=4 {
        host.reply("C1", -HOUR, -HOUR + number, &format!("a{number}"));
    }
    let mut target = request("C1");
    target.target_thread_ts = Some(ts(-HOUR));
    assert_eq!(texts(&host.requested(target).unwrap()), ["a", "a3", "a4"]);
    host.generate_thread("C1", -HOUR, 0);
    assert_eq!(
        host.storage.versions(&format!("C1:{}", ts(-HOUR))),
        ["(a a3 a4)"]
    );
}

#[test]
fn a_target_that_is_no_id_is_an_error_that_names_it() {
    let channel = Channel {
        id: "C1".to_owned(),
        name: "general".to_owned(),
        is_private: false,
    };
    let error = conversation_history(&channel, Vec::new(), Some("thread")).unwrap_err();
    assert_eq!(error, Error::InvalidTs("thread".to_owned()));
}

#[test]
fn the_order_of_listings_and_of_arrival_changes_no_context() {
    let expected = host_with_memories().context("C1");
    let reversed = host_with_memories();
    reversed.storage.reversed.set(true);
    assert_eq!(reversed.context("C1"), expected);
    let host = TestHost::new();
    host.reply("C1", -60, -50, "a1");
    host.say("C1", -60, "a");
    host.storage.add_channel("C2", "a-channel");
    host.storage.add_channel("C1", "general");
    assert_eq!(
        host.context("C1").conversation_history,
        expected.conversation_history
    );
}
