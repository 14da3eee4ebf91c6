//! What is stored and shown beside a text: the messages of its lines, and records.

use std::collections::BTreeSet;

use myao_plugin::state::view::SourceMessage;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::storage::{Memory, MemoryDraft, MemoryQuery, StorageError};
use myao_plugin::{KeptSpan, Place};

use super::erasure::{LINES, everything, here, of_c1, save, stored, version};
use super::{New, Stored, deleted, edited};

/// Whatever the draft says of it. A user may be known as a program only later.
pub async fn citation_says_whether_programs_wrote_all_its_messages(new: New<'_>) {
    let stored = stored(new).await;
    let by = |ts: &str, user_id: &str, is_bot| {
        super::message(MessageRecord {
            user_id: user_id.into(),
            is_bot,
            ..super::record(ts, None, "deployed")
        })
    };
    stored
        .apply(&[by("5.0", "B1", true), by("6.0", "U7", false)])
        .await;
    let lines: [(&str, &[&str]); 5] = [
        ("- a person", &["1.0"]),
        ("- a program", &["5.0"]),
        ("- both", &["1.0", "5.0"]),
        ("- two programs", &["5.0", "6.0"]),
        ("- nobody", &[]),
    ];
    let mut draft = version(&lines, &["1.0", "5.0"]);
    for citation in &mut draft.citations {
        citation.by_program = true;
    }
    let by_program = |memory: &Memory| -> Vec<bool> {
        memory
            .citations
            .iter()
            .map(|line| line.by_program)
            .collect()
    };
    let saved = save(&stored, draft, &[]).await;
    assert_eq!(by_program(&saved), [false, true, false, false, false]);
    let record = UserRecord {
        id: "U7".into(),
        name: "ci".into(),
        is_bot: true,
    };
    let changed_at = 7;
    stored.apply(&[Effect::User { record, changed_at }]).await;
    let read = here(&stored).list_memories(everything()).await.unwrap();
    assert_eq!(by_program(&read[0]), [false, true, false, true, false]);
}

pub async fn citations_that_are_no_lines_or_cite_what_is_not_stored_are_refused(new: New<'_>) {
    let stored = stored(new).await;
    let good = version(&LINES, &["1.0"]);
    let mut unordered = good.clone();
    unordered.citations.reverse();
    let mut outside = good.clone();
    outside.citations.last_mut().unwrap().length += 1;
    let mut unknown = good.clone();
    unknown.citations[0].messages = vec![of_c1("7.0")];
    for bad in [unordered, outside, unknown] {
        let refused = here(&stored).save_memory(bad, BTreeSet::new()).await;
        assert!(
            matches!(refused, Err(StorageError::Invalid(_))),
            "{refused:?}"
        );
    }
    let saved = save(&stored, good.clone(), &[]).await;
    assert_eq!(saved.citations, good.citations);
    let without = MemoryQuery {
        citations: false,
        ..everything()
    };
    let read = here(&stored).list_memories(without).await.unwrap();
    assert!(read[0].citations.is_empty());
}

fn span(ts: &str, start: u32, length: u32) -> KeptSpan {
    KeptSpan {
        message: of_c1(ts),
        start,
        length,
    }
}

fn with_records(records: Vec<KeptSpan>) -> MemoryDraft {
    MemoryDraft {
        records,
        ..version(&LINES[1..], &["1.0", "2.0", "3.0"])
    }
}

/// The words of parts of messages, as a channel reads them.
async fn words(stored: &Stored, spans: Vec<KeptSpan>) -> Vec<String> {
    let texts = here(stored).read_spans(spans).await.unwrap();
    texts.into_iter().map(|text| text.text).collect()
}

pub async fn records_come_with_their_words_and_go_with_their_messages(new: New<'_>) {
    let stored = stored(new).await;
    let records = vec![span("2.0", 9, 99), span("1.0", 17, 4), span("3.0", 0, 11)];
    let saved = save(&stored, with_records(records.clone()), &[]).await;
    assert_eq!(saved.records, records);
    let read = async || here(&stored).list_memories(everything()).await.unwrap();
    assert_eq!(read().await[0].records, records);
    assert_eq!(
        words(&stored, records.clone()).await,
        ["at noon", "4711", "the printer"]
    );
    let elsewhere = stored.at(Place::Schedule).read_spans(records.clone()).await;
    assert!(elsewhere.is_ok_and(|texts| texts.is_empty()));
    let without = MemoryQuery {
        citations: false,
        ..everything()
    };
    let plain = here(&stored).list_memories(without).await.unwrap();
    assert!(plain[0].records.is_empty());

    // Who was given the memory must read it again.
    let reader = here(&stored);
    reader.list_memories(everything()).await.unwrap();
    stored.apply_at(9, &[deleted("1.0", "9.0")]).await;
    assert!(!reader.may_show(BTreeSet::from([saved.id])).await.unwrap());
    let left = [records[0].clone(), records[2].clone()];
    assert_eq!(read().await[0].records, left);
    assert_eq!(
        words(&stored, records.clone()).await,
        ["at noon", "the printer"]
    );
    stored
        .apply_at(10, &[edited("3.0", None, "10.0", "it is broken")])
        .await;
    assert_eq!(read().await[0].records, left[..1]);
}

pub async fn each_line_is_shown_with_the_messages_that_may_be_seen(new: New<'_>) {
    let stored = stored(new).await;
    let draft = MemoryDraft {
        records: vec![span("2.0", 9, 99)],
        ..version(&LINES, &["1.0", "2.0", "3.0"])
    };
    let saved = save(&stored, draft, &[]).await;
    let shown = async || {
        let sources = stored.all().sources(saved.id).await.unwrap();
        let said = |messages: Vec<SourceMessage>| -> Vec<String> {
            messages.into_iter().map(|message| message.text).collect()
        };
        let lines = sources.lines.into_iter();
        let lines: Vec<_> = lines.map(|line| (line.text, said(line.messages))).collect();
        (lines, said(sources.records))
    };
    let line = |at: usize, messages: &[&str]| -> (String, Vec<String>) {
        let messages = messages.iter().map(|&text| text.to_owned());
        (LINES[at].0.to_owned(), messages.collect())
    };
    let (lines, records) = shown().await;
    let expected = [
        line(0, &["the door code is 4711", "lunch is at noon"]),
        line(1, &["the printer works"]),
        line(2, &["lunch is at noon"]),
    ];
    assert_eq!(lines, expected);
    assert_eq!(records, ["at noon"]);
    stored.apply_at(9, &[deleted("2.0", "9.0")]).await;
    let (lines, records) = shown().await;
    assert_eq!(lines, [line(1, &["the printer works"])]);
    assert_eq!(records, [""; 0]);
}

pub async fn records_of_what_is_not_stored_are_refused(new: New<'_>) {
    let stored = stored(new).await;
    let unknown = with_records(vec![span("7.0", 0, 1)]);
    let refused = here(&stored).save_memory(unknown, BTreeSet::new()).await;
    assert!(
        matches!(refused, Err(StorageError::Invalid(_))),
        "{refused:?}"
    );
}
