//! Recordings: which memory was saved in which, and what they hold.

use myao_plugin::Timestamp;
use myao_plugin::recording::{Export, Head, ImportCall, Part, Recordings as _, SAVE};
use myao_plugin::state::Workspace as _;
use myao_plugin::state::view::Place;
use myao_plugin::storage::records::{ChannelRecord, ImportSink as _};
use myao_plugin::storage::{Memory, MemoryDraft, Storage as _};
use myao_testkit::blocking;
use serde_json::{Value, json};

use super::{Stored, draft, stored};

fn with_channel() -> Stored {
    let stored = stored();
    let mut import = stored.store.import("W1").unwrap();
    let channel = ChannelRecord {
        id: "C1".into(),
        name: String::new(),
        is_private: false,
    };
    import.channel(&channel).unwrap();
    import.commit().unwrap();
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
            export: Export::GenerateWorkspace {
                now: Timestamp {
                    unix_seconds: 7,
                    utc_offset_seconds: 0,
                },
            },
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

#[tokio::test]
async fn memories_of_one_call_are_each_replayed_up_to_their_save() {
    let stored = with_channel();
    let workspace = &stored.workspace;
    let get = call("settings.get", Value::Null, Some(json!({ "a": 1 })));
    let save = |content: &str, result| call(SAVE, json!({ "content": content }), result);
    let first = part(
        None,
        0,
        vec![get.clone(), save("one", None)],
        text("one", None),
    );
    let recording = workspace.keep(first).await.unwrap();
    let one = workspace.save_memory(text("one", None)).await.unwrap();
    let told = save("one", Some(json!("saved")));
    let calls = vec![told.clone(), get.clone(), save("two", None)];
    let second = part(Some(recording), 1, calls, text("two", Some(&one)));
    assert_eq!(workspace.keep(second).await.unwrap(), recording);
    let two = workspace
        .save_memory(text("two", Some(&one)))
        .await
        .unwrap();

    let recorded = blocking(workspace.view(Place::Operator).recording_of(one.id))
        .unwrap()
        .unwrap();
    assert_eq!(recorded.head.component, "c0ffee");
    assert_eq!(recorded.calls, [get.clone(), told.clone()]);
    let recorded = blocking(workspace.view(Place::Operator).recording_of(two.id))
        .unwrap()
        .unwrap();
    assert_eq!(recorded.calls, [get.clone(), told, get, save("two", None)]);
    let other = stored
        .store
        .workspace("W2", chrono_tz::UTC, "default")
        .unwrap();
    assert_eq!(
        blocking(other.view(Place::Operator).recording_of(one.id)).unwrap(),
        None
    );
}

#[tokio::test]
async fn memory_comes_from_the_newest_recorded_save_of_its_text_and_of_no_other() {
    let stored = with_channel();
    let workspace = &stored.workspace;
    // Two runs that were killed before their saves, and one of another text.
    for content in ["the text", "the text", "another text"] {
        let save = call(SAVE, json!({ "content": content }), None);
        let part = part(None, 0, vec![save], text(content, None));
        workspace.keep(part).await.unwrap();
    }
    let unrecorded = workspace
        .save_memory(text("not recorded", None))
        .await
        .unwrap();
    assert_eq!(
        blocking(workspace.view(Place::Operator).recording_of(unrecorded.id)).unwrap(),
        None
    );
    let saved = workspace
        .save_memory(text("the text", Some(&unrecorded)))
        .await
        .unwrap();
    let recorded = blocking(workspace.view(Place::Operator).recording_of(saved.id))
        .unwrap()
        .unwrap();
    assert_eq!(
        recorded.calls[0].arguments,
        json!({ "content": "the text" })
    );
    let refused = workspace.save_memory(text("another text", None)).await;
    assert!(refused.is_err(), "it expects no memory");
    let again = workspace
        .save_memory(text("another text", Some(&saved)))
        .await
        .unwrap();
    assert!(
        blocking(workspace.view(Place::Operator).recording_of(again.id))
            .unwrap()
            .is_some()
    );
}
