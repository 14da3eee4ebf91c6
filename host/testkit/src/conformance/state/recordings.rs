//! Recordings: in which one a memory was saved, and what they contain.

use myao_plugin::recording::{Export, Head, ImportCall, Part, SAVE};
use myao_plugin::storage::{Memory, MemoryDraft};
use serde_json::{Value, json};

use super::{New, Stored, draft};
use crate::conformance::{channel, time};

async fn with_channel(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored.import(channel()).await;
    stored
}

fn call(import: &str, arguments: Value, result: Option<Value>) -> ImportCall {
    ImportCall {
        import: import.into(),
        arguments,
        result,
    }
}

fn text(content: &str, expected: Option<&Memory>) -> MemoryDraft {
    MemoryDraft {
        content: content.into(),
        expected: expected.map(|memory| memory.id),
        ..draft("C1")
    }
}

/// A part whose calls end with the save of a text.
fn part(recording: Option<i64>, first: usize, calls: Vec<ImportCall>, draft: MemoryDraft) -> Part {
    Part {
        head: Head {
            export: Export::GenerateWorkspace { now: time(7) },
            component: "c0ffee".into(),
            started_at: 9,
        },
        recording,
        first,
        calls,
        draft,
        messages: [("C1".to_owned(), "5.000001".to_owned())].into(),
        memories: [].into(),
    }
}

pub async fn memories_of_one_call_are_each_replayed_up_to_their_save(new: New<'_>) {
    let stored = with_channel(new).await;
    let workspace = &stored;
    let get = call("settings.get", Value::Null, Some(json!({ "a": 1 })));
    let save = |content: &str, result| call(SAVE, json!({ "content": content }), result);
    let first = part(
        None,
        0,
        vec![get.clone(), save("one", None)],
        text("one", None),
    );
    let recording = workspace.keep(first).await.unwrap();
    let one = workspace
        .storage()
        .save_memory(text("one", None), Default::default())
        .await
        .unwrap();
    let told = save("one", Some(json!("saved")));
    let calls = vec![told.clone(), get.clone(), save("two", None)];
    let second = part(Some(recording), 1, calls, text("two", Some(&one)));
    assert_eq!(workspace.keep(second).await.unwrap(), recording);
    let two = workspace
        .storage()
        .save_memory(text("two", Some(&one)), Default::default())
        .await
        .unwrap();

    let recorded = workspace.all().recording_of(one.id).await.unwrap().unwrap();
    assert_eq!(recorded.head.component, "c0ffee");
    assert_eq!(recorded.calls, [get.clone(), told.clone()]);
    let recorded = workspace.all().recording_of(two.id).await.unwrap().unwrap();
    assert_eq!(recorded.calls, [get.clone(), told, get, save("two", None)]);
}

pub async fn memory_comes_from_the_newest_recorded_save_of_its_text_and_of_no_other(new: New<'_>) {
    let stored = with_channel(new).await;
    let workspace = &stored;
    // Two runs that were killed before their saves, and one with another text.
    for content in ["the text", "the text", "another text"] {
        let save = call(SAVE, json!({ "content": content }), None);
        let part = part(None, 0, vec![save], text(content, None));
        workspace.keep(part).await.unwrap();
    }
    let unrecorded = workspace
        .storage()
        .save_memory(text("not recorded", None), Default::default())
        .await
        .unwrap();
    assert_eq!(
        workspace.all().recording_of(unrecorded.id).await.unwrap(),
        None
    );
    let saved = workspace
        .storage()
        .save_memory(text("the text", Some(&unrecorded)), Default::default())
        .await
        .unwrap();
    let recorded = workspace
        .all()
        .recording_of(saved.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        recorded.calls[0].arguments,
        json!({ "content": "the text" })
    );
    let refused = workspace
        .storage()
        .save_memory(text("another text", None), Default::default())
        .await;
    assert!(refused.is_err(), "it expects no memory");
    let again = workspace
        .storage()
        .save_memory(text("another text", Some(&saved)), Default::default())
        .await
        .unwrap();
    assert!(
        workspace
            .all()
            .recording_of(again.id)
            .await
            .unwrap()
            .is_some()
    );
}
