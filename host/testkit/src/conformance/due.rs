//! What waits to be processed.

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Backlog, DueQuery, Keep, MemoryDraft, MessageQuery};
use myao_plugin::{MemoryType, Scope};

use super::{
    Fixture, WORKSPACE, channel, draft, due_channels, due_query, due_threads, key, long_term,
    message, save, save_versions, short_term, thread_memory, time,
};

fn always() -> DueQuery {
    DueQuery {
        always: true,
        ..due_query()
    }
}

async fn backlog(fixture: &dyn Fixture, thread: Option<&str>, until: &str) -> Backlog {
    let thread = thread.map(str::to_owned);
    fixture
        .storage()
        .get_backlog("C1".into(), thread, until.into())
        .await
        .unwrap()
}

/// Older messages are history, which a backfill takes in.
pub async fn never_summarized_channel_is_due_with_a_message_in_the_window(fixture: &dyn Fixture) {
    let records = channel()
        .channel("C0", "first")
        .channel("C2", "old")
        .channel("C3", "empty");
    let records = records.message("C1", "100.0").message("C1", "5000.0");
    fixture
        .add(records.message("C0", "9999.0").message("C2", "4999.9"))
        .await;
    assert_eq!(due_channels(fixture, due_query()).await, ["C0", "C1"]);
}

/// For a store that implements [`Storage::expect_first_version`](myao_plugin::storage::Storage::expect_first_version);
/// it is not part of the suite, because a store need not implement it. The window has moved on since the run that found
/// the channel due.
pub async fn first_version_that_was_expected_is_due_whatever_its_age(fixture: &dyn Fixture) {
    let records = channel().channel("C2", "history").message("C2", "900.0");
    let records = records.message("C1", "800.0").message("C1", "1200.0");
    fixture.add(records).await;
    let storage = fixture.storage();
    let expect = async |ids: &[&str], since: &str| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        storage
            .expect_first_version(ids, since.into())
            .await
            .unwrap();
    };
    assert!(due_channels(fixture, due_query()).await.is_empty());
    expect(&["C1", "C2"], "1000.0").await;
    assert_eq!(due_channels(fixture, due_query()).await, ["C1"]);
    let waiting = backlog(fixture, None, "10000.0").await;
    assert_eq!(
        (
            waiting.short_term_version,
            waiting.summarized_through.as_deref()
        ),
        (None, Some("999.999999"))
    );
    assert_eq!(waiting.new_message_count, 2, "all, as without");
    let due = storage.list_due(due_query()).await.unwrap();
    assert_eq!(due.channels, [waiting]);

    // The earlier time counts.
    expect(&["C1"], "1100.0").await;
    expect(&["C1", "C9"], "700.0").await;
    let waiting = backlog(fixture, None, "10000.0").await;
    assert_eq!(waiting.summarized_through.as_deref(), Some("699.999999"));

    // It ends when the version is saved.
    let versions = save_versions(fixture, &["1200.0"]).await;
    save(fixture, long_term("C1", &versions[0])).await;
    expect(&["C1"], "100.0").await;
    assert!(due_channels(fixture, always()).await.is_empty());
    let waiting = backlog(fixture, None, "10000.0").await;
    assert_eq!(waiting.summarized_through.as_deref(), Some("1200.000000"));
}

/// However long it was silent.
pub async fn channel_without_new_messages_is_not_due(fixture: &dyn Fixture) {
    fixture
        .add(channel().message("C1", "6000.0").message("C1", "7000.0"))
        .await;
    let versions = save_versions(fixture, &["7000.0"]).await;
    save(fixture, long_term("C1", &versions[0])).await;
    assert!(due_channels(fixture, always()).await.is_empty());
    let backlog = backlog(fixture, None, "10000.0").await;
    assert_eq!((backlog.new_message_count, backlog.unmerged_count), (0, 0));
}

/// Otherwise it may be left out.
pub async fn channel_with_a_new_message_is_due_when_idle_or_full_or_always(fixture: &dyn Fixture) {
    fixture
        .add(
            channel()
                .message("C1", "6000.0")
                .message("C1", "9000.000001"),
        )
        .await;
    let versions = save_versions(fixture, &["6000.0"]).await;
    save(fixture, long_term("C1", &versions[0])).await;
    assert_eq!(due_channels(fixture, always()).await, ["C1"]);
    let idle = DueQuery {
        idle_since: "9000.000001".into(),
        ..due_query()
    };
    assert_eq!(due_channels(fixture, idle).await, ["C1"]);
    let full = DueQuery {
        message_threshold: 1,
        ..due_query()
    };
    assert_eq!(due_channels(fixture, full).await, ["C1"]);
}

/// Even without new messages, until it is merged.
pub async fn channel_with_an_unmerged_version_is_due(fixture: &dyn Fixture) {
    fixture.add(channel().message("C1", "6000.0")).await;
    let versions = save_versions(fixture, &["6000.0", "6000.0"]).await;
    assert_eq!(due_channels(fixture, due_query()).await, ["C1"]);
    assert_eq!(backlog(fixture, None, "10000.0").await.unmerged_count, 2);
    let merged = save(fixture, long_term("C1", &versions[0])).await;
    assert_eq!(backlog(fixture, None, "10000.0").await.unmerged_count, 1);
    let rest = MemoryDraft {
        expected: Some(merged.id),
        ..long_term("C1", &versions[1])
    };
    save(fixture, rest).await;
    assert!(due_channels(fixture, due_query()).await.is_empty());
}

/// A backfill queries a time long past, and must get the answer for that time.
pub async fn messages_after_until_do_not_exist_yet(fixture: &dyn Fixture) {
    let records = channel().channel("C2", "later").message("C2", "10001.0");
    let records = records
        .channel("C3", "gone")
        .message("C3", "4000.0")
        .message("C3", "11000.0");
    let records = records.message("C1", "6000.0").message("C1", "9500.0");
    let future = records
        .clone()
        .message("C1", "10001.0")
        .message("C1", "10002.0");
    fixture.add(future.reply("C1", "9500.0", "10003.0")).await;
    let due = fixture.storage().list_due(due_query()).await.unwrap();
    assert_eq!(due.threads, []);
    assert_eq!(due.channels.len(), 1);
    assert_eq!(due.channels[0], backlog(fixture, None, "10000.0").await);
    assert_eq!(
        due.channels[0].latest_message_ts.as_deref(),
        Some("9500.000000")
    );
    assert_eq!(due.channels[0].new_message_count, 2);
    let versions = save_versions(fixture, &["9500.0"]).await;
    save(fixture, long_term("C1", &versions[0])).await;
    assert!(due_channels(fixture, always()).await.is_empty());
}

/// Without a memory, all messages count.
pub async fn backlog_counts_what_is_in_no_version_yet(fixture: &dyn Fixture) {
    fixture
        .add(
            channel()
                .message("C1", "1.0")
                .message("C1", "2.0")
                .message("C1", "3.0"),
        )
        .await;
    let before = backlog(fixture, None, "9.0").await;
    assert_eq!(
        (before.new_message_count, before.short_term_version),
        (3, None)
    );
    save(fixture, short_term("C1", "2.0")).await;
    let after = backlog(fixture, None, "9.0").await;
    assert_eq!(
        (after.new_message_count, after.short_term_version),
        (1, Some(1))
    );
    assert_eq!(after.summarized_through.as_deref(), Some("2.000000"));
    assert_eq!(after.latest_message_ts.as_deref(), Some("3.000000"));
    fixture.add(channel().message("C1", "4.0")).await;
    assert_eq!(backlog(fixture, None, "9.0").await.new_message_count, 2);
    assert_eq!(backlog(fixture, None, "3.0").await.new_message_count, 1);
}

/// Whatever their age, and once. What is older than the first version is history.
pub async fn late_messages_wait_until_a_version_is_made_from_them(fixture: &dyn Fixture) {
    let records = channel().message("C1", "1.0").message("C1", "20.0");
    fixture
        .add(records.message("C1", "30.0").message("C1", "60.0"))
        .await;
    let version = |expected, latest: &str, messages: &[&str]| MemoryDraft {
        expected,
        source_channel_id: "C1".into(),
        source_messages: messages.iter().map(|ts| (*ts).to_owned()).collect(),
        ..short_term("C1", latest)
    };
    let first = save(fixture, version(None, "30.0", &["20.0", "30.0"])).await;
    let late = channel().message("C1", "10.0").message("C1", "25.0");
    fixture.add(late.reply("C1", "1.0", "26.0")).await;
    let waits = async |until| {
        let backlog = backlog(fixture, None, until).await;
        (backlog.new_message_count, backlog.late_message_count)
    };
    assert_eq!(waits("99.0").await, (4, 3));
    assert_eq!(waits("25.0").await, (2, 2));
    assert_eq!(due_channels(fixture, always()).await, ["C1"]);
    let new = async |limit, keep, since: Option<&str>| {
        let query = MessageQuery {
            channel_id: "C1".into(),
            since: since.map(str::to_owned),
            until: "99.0".into(),
            limit,
            keep,
            whole_thread: None,
            thread_limit: 0,
            only_new: true,
        };
        let found = fixture.storage().list_messages(query).await.unwrap();
        found
            .iter()
            .map(|message| message.ts[..2].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        new(9, Keep::Oldest, None).await,
        ["1.", "10", "25", "26", "60"]
    );
    assert_eq!(new(2, Keep::Oldest, None).await, ["10", "25"]);
    assert_eq!(new(1, Keep::Newest, None).await, ["60"]);
    assert_eq!(new(9, Keep::Oldest, Some("26.5")).await, ["60"]);

    let second = version(Some(first.id), "30.0", &["10.0", "20.0", "25.0"]);
    let second = save(fixture, second).await;
    assert_eq!(waits("99.0").await, (2, 1));
    let third = version(Some(second.id), "60.0", &["1.0", "26.0", "60.0"]);
    save(fixture, third).await;
    assert_eq!(waits("99.0").await, (0, 0));
    assert!(new(9, Keep::Oldest, None).await.is_empty());
}

/// Deleted replies do not make a thread either.
pub async fn deleted_messages_do_not_wait(fixture: &dyn Fixture) {
    fixture
        .add(
            channel()
                .message("C1", "6000.0")
                .reply("C1", "6000.0", "7000.0"),
        )
        .await;
    fixture.delete("C1", key("7000.0")).await;
    assert_eq!(due_threads(fixture, due_query()).await, []);
    assert_eq!(backlog(fixture, None, "9999.0").await.new_message_count, 1);
    fixture.delete("C1", key("6000.0")).await;
    assert!(due_channels(fixture, due_query()).await.is_empty());
    assert_eq!(
        backlog(fixture, None, "9999.0").await.latest_message_ts,
        None
    );
}

/// And only then.
pub async fn thread_is_due_with_a_reply_and_again_with_a_new_one(fixture: &dyn Fixture) {
    fixture
        .add(
            channel()
                .message("C1", "100.0")
                .reply("C1", "100.0", "6000.0"),
        )
        .await;
    let due = fixture.storage().list_due(due_query()).await.unwrap();
    assert_eq!(
        due.threads,
        [backlog(fixture, Some("100.0"), "10000.0").await]
    );
    assert_eq!(due.threads[0].thread_ts.as_deref(), Some("100.000000"));
    assert_eq!(due.threads[0].new_message_count, 2);
    assert_eq!(
        due.threads[0].latest_message_ts.as_deref(),
        Some("6000.000000")
    );
    save(fixture, thread_memory("100.0", "6000.0")).await;
    assert_eq!(due_threads(fixture, due_query()).await, []);
    fixture.add(channel().reply("C1", "100.0", "6001.0")).await;
    assert_eq!(
        due_threads(fixture, due_query()).await,
        [Some("100.000000".into())]
    );
    let new = backlog(fixture, Some("100.0"), "10000.0").await;
    assert_eq!(
        (new.new_message_count, new.short_term_version),
        (1, Some(1))
    );
}

/// Nothing waits in it.
pub async fn first_message_alone_is_no_thread(fixture: &dyn Fixture) {
    fixture.add(channel().message("C1", "6000.0")).await;
    assert_eq!(due_threads(fixture, due_query()).await, []);
    let nothing = backlog(fixture, Some("6000.0"), "10000.0").await;
    assert_eq!(
        (nothing.new_message_count, nothing.latest_message_ts),
        (0, None)
    );
}

/// Imports and events may deliver a reply first.
pub async fn thread_whose_first_message_comes_late_counts_it(fixture: &dyn Fixture) {
    fixture.add(channel().reply("C1", "6000.0", "7000.0")).await;
    assert_eq!(
        backlog(fixture, Some("6000.0"), "9999.0")
            .await
            .new_message_count,
        1
    );
    fixture.add(channel().message("C1", "6000.0")).await;
    assert_eq!(
        backlog(fixture, Some("6000.0"), "9999.0")
            .await
            .new_message_count,
        2
    );
}

/// Once, whether by an edit or by a deletion; the memory that is made then ends it.
pub async fn thread_of_which_a_summarized_message_changed_is_due_again(fixture: &dyn Fixture) {
    let records = channel().message("C1", "100.0");
    let records = records.reply("C1", "100.0", "6000.0");
    fixture.add(records.reply("C1", "100.0", "6500.0")).await;
    let made_at = |now: i64, expected| MemoryDraft {
        expected,
        now: time(now),
        ..thread_memory("100.0", "6500.0")
    };
    let mut newest = save(fixture, made_at(6600, None)).await;
    assert_eq!(due_threads(fixture, due_query()).await, []);
    let edited = MessageRecord {
        thread_ts: Some(key("100.0")),
        text: "another text".into(),
        edited_at: Some(7000),
        ..message("C1", "6000.0")
    };
    for change in [Some(edited), None] {
        match change {
            Some(edited) => fixture.add(channel().with(edited)).await,
            None => fixture.delete("C1", key("6000.0")).await,
        }
        let again = backlog(fixture, Some("100.0"), "10000.0").await;
        assert_eq!(again.new_message_count, 1);
        let due = fixture.storage().list_due(due_query()).await.unwrap();
        assert_eq!(due.threads, [again]);
        newest = save(fixture, made_at(8000, Some(newest.id))).await;
        assert_eq!(due_threads(fixture, due_query()).await, []);
    }
}

/// If it was never summarised.
pub async fn thread_outside_the_window_is_not_due(fixture: &dyn Fixture) {
    let records = channel()
        .message("C1", "100.0")
        .reply("C1", "100.0", "4999.0");
    fixture.add(records.reply("C1", "100.0", "10001.0")).await;
    assert_eq!(due_threads(fixture, due_query()).await, []);
}

/// Newer than those merged into the workspace's memory; each type is checked separately.
pub async fn workspace_is_due_when_a_channel_memory_is_newer(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let flags = async || {
        let due = fixture.storage().list_due(due_query()).await.unwrap();
        (due.workspace_long_term, due.workspace_short_term)
    };
    assert_eq!(flags().await, (false, false));
    let short = save(fixture, short_term("C1", "1.0")).await;
    assert_eq!(flags().await, (false, true));
    let long = save(fixture, long_term("C1", &short)).await;
    assert_eq!(flags().await, (true, true));
    for (memory_type, merged) in [
        (MemoryType::LongTerm, &long),
        (MemoryType::ShortTerm, &short),
    ] {
        let draft = MemoryDraft {
            merged_through: Some(merged.id),
            ..draft(Scope::Workspace, WORKSPACE, memory_type, None)
        };
        save(fixture, draft).await;
    }
    assert_eq!(flags().await, (false, false));
    let newer = MemoryDraft {
        expected: Some(long.id),
        ..long_term("C1", &short)
    };
    save(fixture, newer).await;
    assert_eq!(flags().await, (true, false));
}
