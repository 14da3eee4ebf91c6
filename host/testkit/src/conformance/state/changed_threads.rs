//! Regression 10: edits and deletions update the memories of threads.

use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{DueQuery, Memory, MemoryDraft, SaveMode};
use myao_plugin::{Citation, MessageRef, Scope};

use super::{New, Stored, deleted, draft, edited, key, said};
use crate::conformance::{Records, time};

/// When the runs of these tests start, in Unix seconds.
const RUN: i64 = 1_000;
const NEXT_RUN: i64 = 2_000;

async fn due(stored: &Stored, now: i64) -> Vec<u32> {
    let query = DueQuery {
        until: format!("{now}.999999"),
        window_start: "0.0".into(),
        idle_since: "0.0".into(),
        message_threshold: 50,
        always: false,
    };
    let due = stored.storage().list_due(query).await.unwrap().threads;
    due.iter().map(|thread| thread.new_message_count).collect()
}

/// A memory of the thread 1.0, made in a run that began at `now`.
async fn summarize(stored: &Stored, now: i64, latest: &str, before: Option<&Memory>) -> Memory {
    let drafted = draft("C1");
    let whole = Citation {
        start: 0,
        length: u32::try_from(drafted.content.chars().count()).unwrap(),
        messages: vec![MessageRef {
            channel_id: "C1".into(),
            ts: "1.0".into(),
        }],
        by_program: false,
    };
    let made = MemoryDraft {
        citations: vec![whole],
        scope: Scope::Thread,
        scope_id: "C1:1.0".into(),
        mode: SaveMode::Overwrite,
        expected: before.map(|memory| memory.id),
        now: time(now),
        source_latest_message_ts: Some(latest.into()),
        ..drafted
    };
    stored
        .storage()
        .save_memory(made, Default::default())
        .await
        .unwrap()
}

/// A thread with a memory of all its messages.
async fn summarized(new: New<'_>) -> (Stored, Memory) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "first"),
            said("2.0", Some("1.0"), "reply"),
            said("3.0", Some("1.0"), "last"),
        ])
        .await;
    let made = summarize(&stored, RUN, "3.0", None).await;
    assert_eq!(due(&stored, NEXT_RUN).await, [0_u32; 0]);
    (stored, made)
}

pub async fn thread_is_due_again_after_an_edit_a_deletion_or_a_late_message_and_once(new: New<'_>) {
    for change in [
        edited("2.0", Some("1.0"), "1500.0", "edited"),
        edited("1.0", None, "1500.0", "edited"),
        deleted("2.0", "1500.0"),
        deleted("1.0", "1500.0"),
        said("2.5", Some("1.0"), "late"),
    ] {
        let (stored, made) = summarized(new).await;
        stored.apply_at(1_500, std::slice::from_ref(&change)).await;
        assert_eq!(due(&stored, NEXT_RUN).await, [1], "{change:?}");
        let backlog =
            stored
                .storage()
                .get_backlog("C1".into(), Some("1.0".into()), "2000.0".into());
        assert_eq!(backlog.await.unwrap().new_message_count, 1);
        summarize(&stored, NEXT_RUN, "3.0", Some(&made)).await;
        assert_eq!(
            due(&stored, NEXT_RUN + 1_000).await,
            [0_u32; 0],
            "{change:?}"
        );
    }
}

pub async fn event_that_comes_again_and_an_edit_elsewhere_make_no_thread_due(new: New<'_>) {
    let (stored, _) = summarized(new).await;
    stored
        .apply_at(
            1_500,
            &[
                said("2.0", Some("1.0"), "reply"),
                said("4.0", None, "elsewhere"),
                edited("4.0", None, "1500.0", "edited elsewhere"),
            ],
        )
        .await;
    assert_eq!(due(&stored, NEXT_RUN).await, [0_u32; 0]);
}

/// The run may have read the thread before the edit.
pub async fn edit_during_the_run_makes_the_thread_due_in_the_next(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "first"),
            said("2.0", Some("1.0"), "reply"),
        ])
        .await;
    assert_eq!(due(&stored, RUN).await, [2]);
    stored
        .apply_at(RUN, &[edited("2.0", Some("1.0"), "1000.0", "edited")])
        .await;
    let made = summarize(&stored, RUN, "2.0", None).await;
    assert_eq!(due(&stored, RUN).await, [0_u32; 0], "it would never end");
    assert_eq!(due(&stored, NEXT_RUN).await, [1]);
    summarize(&stored, NEXT_RUN, "2.0", Some(&made)).await;
    assert_eq!(due(&stored, NEXT_RUN + 1).await, [0_u32; 0]);
}

/// A backfill queries a time long past; a change while it runs is later than that time.
pub async fn change_after_until_does_not_exist_yet(new: New<'_>) {
    let (stored, _) = summarized(new).await;
    stored.apply_at(1_500, &[deleted("2.0", "1500.0")]).await;
    assert_eq!(due(&stored, 1_400).await, [0_u32; 0]);
    assert_eq!(due(&stored, NEXT_RUN).await, [1]);
}

pub async fn import_that_edits_a_message_makes_its_thread_due_and_one_that_adds_history_does_not(
    new: New<'_>,
) {
    let (stored, _) = summarized(new).await;
    let import = async |record: MessageRecord| {
        stored.import(Records::default().with(record)).await;
    };
    import(super::record("2.5", Some("1.0"), "history")).await;
    assert_eq!(due(&stored, NEXT_RUN).await, [0_u32; 0]);
    import(MessageRecord {
        edited_at: Some(500),
        ..super::record("2.0", Some("1.0"), "edited")
    })
    .await;
    assert_eq!(due(&stored, NEXT_RUN).await, [1]);
}

pub async fn memory_of_a_thread_whose_replies_are_all_deleted_is_set_aside(new: New<'_>) {
    let (stored, made) = summarized(new).await;
    let memories = async |superseded| {
        let filter = MemoryFilter {
            superseded,
            ..MemoryFilter::default()
        };
        let memories = stored.all().memories(filter).await.unwrap();
        memories
            .iter()
            .map(|stored| stored.memory.id)
            .collect::<Vec<_>>()
    };
    stored.apply_at(1_500, &[deleted("2.0", "1500.0")]).await;
    assert_eq!(memories(false).await, [made.id]);
    stored.apply_at(1_500, &[deleted("3.0", "1500.0")]).await;
    assert_eq!(
        (memories(false).await, memories(true).await),
        (vec![], vec![made.id])
    );
    assert_eq!(due(&stored, NEXT_RUN).await, [0_u32; 0]);
    stored
        .apply_at(1_600, &[said("1600.0", Some("1.0"), "a new reply")])
        .await;
    assert_eq!(due(&stored, NEXT_RUN).await, [2]);
    let first = stored.messages_between("C1", key("0.0"), key("1.0")).await;
    assert_eq!(first.unwrap().len(), 1);
}
