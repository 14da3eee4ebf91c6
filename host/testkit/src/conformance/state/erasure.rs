//! What edited and deleted messages said is erased from everything that was made from them.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_plugin::state::forgetting::{Erased, Forget, Mode, Retention};
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{
    Memory, MemoryDraft, MemoryQuery, MessageQuery, SaveMode, Storage, StorageError,
};
use myao_plugin::{Citation, MemoryType, MessageRef, Place, Scope};

use super::{New, Stored, deleted, draft, edited, public, said};
use crate::conformance::{Records, WORKSPACE, all_memories, imported, read, time};

/// A channel C1 with four messages.
pub(super) async fn stored(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "the door code is 4711"),
            said("2.0", None, "lunch is at noon"),
            said("3.0", None, "the printer works"),
            said("4.0", None, "new"),
        ])
        .await;
    stored.apply(&public("C1", "1.0")).await;
    stored
}

pub(super) fn everything() -> MemoryQuery {
    MemoryQuery {
        citations: true,
        ..all_memories()
    }
}

pub(super) fn here(stored: &Stored) -> Arc<dyn Storage> {
    stored.at(Place::Channel("C1".into()))
}

/// Each line with its messages; the lines follow one another.
fn cited(lines: &[(&str, &[&str])]) -> (String, Vec<Citation>) {
    let mut content = String::new();
    let mut citations = Vec::new();
    for (line, messages) in lines {
        if !content.is_empty() {
            content.push('\n');
        }
        let start = u32::try_from(content.chars().count()).unwrap();
        content.push_str(line);
        citations.push(Citation {
            start,
            length: u32::try_from(line.chars().count()).unwrap(),
            messages: messages.iter().map(|ts| of_c1(ts)).collect(),
            by_program: false,
        });
    }
    (content, citations)
}

pub(super) fn of_c1(ts: &str) -> MessageRef {
    MessageRef {
        channel_id: "C1".into(),
        ts: format!("{ts}00000"),
    }
}

pub(super) fn version(lines: &[(&str, &[&str])], messages: &[&str]) -> MemoryDraft {
    let (content, citations) = cited(lines);
    MemoryDraft {
        content,
        citations,
        now: time(5),
        source_channel_id: "C1".into(),
        source_messages: messages.iter().map(|ts| (*ts).to_owned()).collect(),
        source_latest_message_ts: messages.last().map(|ts| (*ts).to_owned()),
        ..draft("C1")
    }
}

pub(super) async fn save(stored: &Stored, draft: MemoryDraft, handed: &[&Memory]) -> Memory {
    let handed = handed.iter().map(|memory| memory.id).collect();
    here(stored).save_memory(draft, handed).await.unwrap()
}

pub(super) const LINES: [(&str, &[&str]); 3] = [
    ("- 暗証番号は4711、昼食は正午", &["1.0", "2.0"]),
    ("- The printer works", &["3.0"]),
    ("- Lunch is at noon", &["2.0"]),
];

/// The texts of all memories, those that are kept aside included.
async fn texts(stored: &Stored) -> Vec<String> {
    let mut texts = Vec::new();
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let memories = stored.all().memories(filter).await.unwrap();
        texts.extend(memories.into_iter().map(|stored| stored.memory.content));
    }
    texts
}

async fn waiting(stored: &Stored) -> Vec<String> {
    let query = MessageQuery {
        only_new: true,
        ..read("99.0")
    };
    let found = here(stored).list_messages(query).await.unwrap();
    found.into_iter().map(|message| message.ts).collect()
}

pub async fn lines_that_cite_a_deleted_message_go_and_the_rest_comes_again(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    assert_eq!(waiting(&stored).await, ["4.000000"]);
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    assert_eq!(
        texts(&stored).await,
        ["- The printer works\n- Lunch is at noon"]
    );
    let rest = ["2.000000", "3.000000", "4.000000"];
    assert_eq!(waiting(&stored).await, rest);
    let memories = here(&stored).list_memories(everything()).await.unwrap();
    let (content, citations) = cited(&LINES[1..]);
    assert_eq!(
        (&memories[0].content, &memories[0].citations),
        (&content, &citations)
    );
    // Again, and what was not cited, changes nothing.
    stored
        .apply_at(9, &[deleted("1.0", "9.0"), deleted("4.0", "9.0")])
        .await;
    assert_eq!(texts(&stored).await, [content]);
}

pub async fn rest_comes_again_in_other_channels_too(new: New<'_>) {
    let stored = stored(new).await;
    let elsewhere = |text| Effect::Message {
        record: MessageRecord {
            channel_id: "C2".into(),
            ..super::record("1.5", None, text)
        },
        changed: crate::conformance::key("1.5"),
    };
    stored.apply(&[elsewhere("the crane comes at noon")]).await;
    stored.apply(&public("C2", "1.0")).await;
    let (content, mut citations) = cited(&[("- The printer works, the crane comes", &["3.0"])]);
    citations[0].messages.push(MessageRef {
        channel_id: "C2".into(),
        ts: crate::conformance::key("1.5").to_string(),
    });
    let draft = MemoryDraft {
        content,
        citations,
        ..version(&[], &["1.0", "2.0", "3.0"])
    };
    save(&stored, draft, &[]).await;
    assert_eq!(waiting(&stored).await, ["4.000000"]);
    let gone = Effect::MessageDeleted {
        channel_id: "C2".into(),
        ts: crate::conformance::key("1.5"),
        at: crate::conformance::key("9.0"),
    };
    stored.apply_at(9, &[gone]).await;
    let all = ["1.000000", "2.000000", "3.000000", "4.000000"];
    assert_eq!(waiting(&stored).await, all);
}

pub async fn edit_erases_what_was_said_before_and_the_message_comes_again(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    stored
        .apply_at(9, &[edited("3.0", None, "9.0", "the printer is broken")])
        .await;
    let (content, _) = cited(&[LINES[0], LINES[2]]);
    assert_eq!(texts(&stored).await, [content]);
    let all = ["1.000000", "2.000000", "3.000000", "4.000000"];
    assert_eq!(waiting(&stored).await, all);
}

pub async fn import_that_edits_a_message_erases_too(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    let record = super::record("3.0", None, "the printer is broken");
    let edited = MessageRecord {
        edited_at: Some(9),
        ..record
    };
    stored.import(Records::default().with(edited)).await;
    assert!(!texts(&stored).await.concat().contains("printer"));
}

pub async fn every_text_that_was_made_from_it_loses_its_lines(new: New<'_>) {
    let stored = stored(new).await;
    let first = save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    let long_term = |lines: &[(&str, &[&str])], expected| MemoryDraft {
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        expected,
        source_messages: Vec::new(),
        source_memories: vec![first.id],
        merged_through: Some(first.id),
        ..version(lines, &[])
    };
    let old = save(&stored, long_term(&LINES[..1], None), &[&first]).await;
    let long = save(
        &stored,
        long_term(&LINES[..2], Some(old.id)),
        &[&first, &old],
    )
    .await;
    let (content, citations) = cited(&LINES[..2]);
    let of_all = MemoryDraft {
        scope: Scope::Workspace,
        scope_id: WORKSPACE.into(),
        content,
        citations,
        source_channel_id: String::new(),
        ..long_term(&[], None)
    };
    let workspace = stored.at(Place::Workspace);
    let of_all = workspace.save_memory(of_all, BTreeSet::from([long.id]));
    of_all.await.unwrap();
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    let texts = texts(&stored).await;
    assert_eq!(texts.len(), 4, "{texts:?}");
    assert!(!texts.concat().contains("4711"), "{texts:?}");
    assert_eq!(texts.concat().matches("printer").count(), 3, "{texts:?}");
}

const UNKNOWN: (&str, &[&str]) = ("- a code was said", &[]);

pub async fn line_without_a_source_goes_with_a_message_that_its_call_was_given(new: New<'_>) {
    let stored = stored(new).await;
    let lines = [UNKNOWN, LINES[1]];
    save(&stored, version(&lines, &["1.0", "3.0"]), &[]).await;
    // The call was given neither of them.
    stored.apply_at(9, &[said("20.0", None, "later")]).await;
    stored.apply_at(21, &[deleted("20.0", "21.0")]).await;
    stored.apply_at(22, &[deleted("2.0", "22.0")]).await;
    assert_eq!(texts(&stored).await, [cited(&lines).0]);
    stored.apply_at(23, &[deleted("1.0", "23.0")]).await;
    assert_eq!(texts(&stored).await, [cited(&LINES[1..2]).0]);
}

/// A thread's memory names the messages of the thread as its sources, and its prompt shows those around it, too.
pub async fn line_without_a_source_goes_with_a_message_beside_the_sources(new: New<'_>) {
    let stored = stored(new).await;
    let lines = [UNKNOWN, LINES[1]];
    let call = here(&stored);
    call.list_messages(read("2.0")).await.unwrap();
    let draft = version(&lines, &["3.0"]);
    call.save_memory(draft, BTreeSet::new()).await.unwrap();
    stored.apply_at(9, &[deleted("4.0", "9.0")]).await;
    assert_eq!(texts(&stored).await, [cited(&lines).0]);
    stored.apply_at(9, &[deleted("2.0", "9.0")]).await;
    assert_eq!(texts(&stored).await, [cited(&LINES[1..2]).0]);
}

/// A long-term memory of C1 that was made from another memory, at a time in Unix seconds.
pub(super) fn merged(lines: &[(&str, &[&str])], from: &Memory, at: i64) -> MemoryDraft {
    MemoryDraft {
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        now: time(at),
        source_messages: Vec::new(),
        source_memories: vec![from.id],
        merged_through: Some(from.id),
        ..version(lines, &[])
    }
}

pub async fn line_without_a_source_goes_with_a_memory_that_holds_the_message(new: New<'_>) {
    let stored = stored(new).await;
    let first = version(&[UNKNOWN, LINES[2]], &["1.0", "2.0"]);
    let first = save(&stored, first, &[]).await;
    let long = merged(&[UNKNOWN, LINES[2]], &first, 5);
    let long = save(&stored, long, &[&first]).await;
    // It was given what it replaces, and was not made from it.
    let second = MemoryDraft {
        expected: Some(first.id),
        ..version(&[UNKNOWN, LINES[1]], &["3.0"])
    };
    save(&stored, second, &[&first, &long]).await;
    let workspace = MemoryDraft {
        scope: Scope::Workspace,
        scope_id: WORKSPACE.into(),
        source_channel_id: String::new(),
        source_memories: Vec::new(),
        ..merged(&[UNKNOWN], &long, 5)
    };
    let handed = BTreeSet::from([long.id]);
    let place = stored.at(Place::Workspace);
    place.save_memory(workspace, handed).await.unwrap();
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    let lunch = cited(&LINES[2..]).0;
    let second = cited(&[UNKNOWN, LINES[1]]).0;
    let expected = ["-".to_owned(), lunch.clone(), lunch, second];
    assert_eq!(texts(&stored).await, expected);
}

pub async fn line_without_a_source_goes_though_what_held_the_message_was_too_old(new: New<'_>) {
    let stored = stored(new).await;
    let first = save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    let long = merged(&[UNKNOWN, LINES[1]], &first, 7);
    save(&stored, long, &[&first]).await;
    let retention = Retention {
        messages: None,
        memories: Some(6),
        calls: None,
    };
    assert_eq!(stored.expire(retention, 8).await.unwrap().memories, 1);
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    assert_eq!(texts(&stored).await, [cited(&LINES[1..2]).0, "-".into()]);
}

/// C1 with the memories of another program.
async fn with_imported(stored: &Stored) {
    let memories = Records::default()
        .memory(imported(Scope::Channel, "C1", MemoryType::ShortTerm))
        .memory(imported(Scope::Channel, "C1", MemoryType::LongTerm));
    stored.import(memories).await;
}

async fn forget(stored: &Stored, ts: &str) -> Erased {
    let what = Forget::Message {
        channel_id: "C1".into(),
        ts: crate::conformance::key(ts),
    };
    stored.forget(what, 9, Mode::Erase).await.unwrap().erased
}

pub async fn accepted_memory_that_loses_its_text_gives_back_its_messages(new: New<'_>) {
    let stored = stored(new).await;
    with_imported(&stored).await;
    assert_eq!(stored.accept_memories(Some("C1".into()), 50).await, Ok(2));
    stored.apply_at(9, &[said("50.0", None, "later")]).await;
    assert_eq!(waiting(&stored).await, ["50.000000"]);
    let erased = forget(&stored, "1.0").await;
    assert_eq!((erased.lines, erased.remembered_anew), (2, 3));
    assert_eq!(texts(&stored).await, ["-", "-"]);
    let rest = ["2.000000", "3.000000", "4.000000", "50.000000"];
    assert_eq!(waiting(&stored).await, rest);
    let place = here(&stored);
    let backlog = place.get_backlog("C1".into(), None, "999.0".into());
    assert_eq!(backlog.await.unwrap().new_message_count, 4);
    // The next version takes them, and they do not wait again.
    let next = MemoryDraft {
        mode: SaveMode::NewVersion,
        now: time(400),
        expected: place.list_memories(everything()).await.unwrap()[1]
            .id
            .into(),
        ..version(&LINES[1..], &["2.0", "3.0", "4.0", "50.0"])
    };
    save(&stored, next, &[]).await;
    assert!(waiting(&stored).await.is_empty());
    forget(&stored, "4.0").await;
    assert_eq!(
        waiting(&stored).await,
        ["2.000000", "3.000000", "50.000000"]
    );
}

pub async fn memory_that_was_not_accepted_and_loses_its_text_bars_no_backfill(new: New<'_>) {
    let stored = stored(new).await;
    with_imported(&stored).await;
    save(&stored, version(&[("- new", &["4.0"])], &["4.0"]), &[]).await;
    assert_eq!(stored.oldest_history_message().await, Ok(None));
    assert_eq!(forget(&stored, "1.0").await.remembered_anew, 0);
    assert!(waiting(&stored).await.is_empty());
    let oldest = stored.oldest_history_message().await.unwrap();
    assert_eq!(oldest, Some(crate::conformance::key("2.0")));
    stored.take_in_history().await.unwrap();
    assert_eq!(waiting(&stored).await, ["2.000000", "3.000000"]);
}

pub async fn text_that_loses_every_line_is_empty(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, version(&LINES[..1], &["1.0", "2.0", "3.0"]), &[]).await;
    let unknown = MemoryDraft {
        citations: Vec::new(),
        expected: None,
        mode: SaveMode::Overwrite,
        memory_type: MemoryType::LongTerm,
        ..version(&LINES, &[])
    };
    save(&stored, unknown, &[]).await;
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    assert_eq!(texts(&stored).await, ["-", "-"]);
    let rest = ["2.000000", "3.000000", "4.000000"];
    assert_eq!(waiting(&stored).await, rest);
}

pub async fn text_of_unknown_origin_goes_with_a_message_of_its_channel(new: New<'_>) {
    let stored = stored(new).await;
    let memories = Records::default()
        .channel("C2", "other")
        .memory(imported(Scope::Channel, "C1", MemoryType::LongTerm))
        .memory(imported(Scope::Channel, "C2", MemoryType::LongTerm));
    stored.import(memories).await;
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    let texts = texts(&stored).await;
    assert_eq!(
        texts.iter().filter(|text| *text == "-").count(),
        1,
        "{texts:?}"
    );
}

pub async fn save_is_a_conflict_when_what_was_read_has_changed_or_gone(new: New<'_>) {
    let stored = stored(new).await;
    let first = save(&stored, version(&LINES, &["1.0", "2.0", "3.0"]), &[]).await;
    let next = || MemoryDraft {
        expected: Some(first.id),
        ..version(&[("- new", &["4.0"])], &["4.0"])
    };
    let is_conflict = async |call: &dyn Storage, handed: BTreeSet<u64>| {
        let may_show = call.may_show(handed.clone()).await.unwrap();
        match call.save_memory(next(), handed).await {
            Ok(_) => panic!("it was saved"),
            Err(error) => matches!(error, StorageError::Conflict(_)) && !may_show,
        }
    };
    let read_messages = here(&stored);
    read_messages.list_messages(read("99.0")).await.unwrap();
    let read_memories = here(&stored);
    read_memories.list_memories(everything()).await.unwrap();
    stored.apply_at(9, &[deleted("2.0", "9.0")]).await;
    assert!(is_conflict(&*read_messages, BTreeSet::new()).await);
    assert!(is_conflict(&*read_memories, BTreeSet::from([first.id])).await);
    // Who reads now sees what is left.
    let again = here(&stored);
    again.list_messages(read("99.0")).await.unwrap();
    again.list_memories(everything()).await.unwrap();
    assert!(again.may_show(BTreeSet::from([first.id])).await.unwrap());
    again
        .save_memory(next(), BTreeSet::from([first.id]))
        .await
        .unwrap();
}
