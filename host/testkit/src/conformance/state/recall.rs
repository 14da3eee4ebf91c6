//! Which inputs are answered without asking the model.

use myao_plugin::journal::{CallEntry, StoredCall};
use myao_plugin::llm::{FinishReason, Purpose};
use myao_plugin::storage::{Coverage, Memory, MemoryDraft, SaveMode};
use myao_plugin::{MemoryType, Scope};

use super::New;
use super::journal::{
    digests, entry, first, later, llm_draft, purpose, recall_time, recalled, with_channels,
};
use crate::conformance::whole;

pub async fn answer_is_recalled_for_the_same_input_and_purpose_until_its_memory_is_saved(
    new: New<'_>,
) {
    let stored = with_channels(new).await;
    let journal = &stored;
    let chunks = ["a", "b"].map(|digest| later(digest, "both"));
    for chunk in &chunks {
        let answer = format!("answer {}", chunk.digest);
        journal
            .record(entry("C1", chunk.clone(), &answer))
            .await
            .unwrap();
    }
    for chunk in &chunks {
        let answer = format!("answer {}", chunk.digest);
        assert_eq!(recalled(&stored, "C1", chunk.clone()).await, Some(answer));
    }
    assert_eq!(recalled(&stored, "C1", first("other")).await, None);
    assert_eq!(recalled(&stored, "C2", chunks[0].clone()).await, None);
    let long_term = Purpose {
        memory_type: Some(MemoryType::LongTerm),
        ..purpose("C1")
    };
    assert_eq!(
        journal
            .recall(&long_term, &chunks[0], recall_time())
            .await
            .unwrap(),
        None
    );
    let in_parts = MemoryDraft {
        coverage: Coverage {
            chunks: 2,
            ..whole(1)
        },
        ..llm_draft("merged", None)
    };
    let saved = journal
        .storage()
        .save_memory(in_parts, Default::default())
        .await
        .unwrap();
    for chunk in chunks {
        assert_eq!(recalled(&stored, "C1", chunk).await, None);
    }
    assert_eq!(recalled(&stored, "C1", first("both")).await, None);
    let taken = journal.calls_of_memory(saved.id).await.unwrap();
    assert_eq!(taken.input_digest.as_deref(), Some("both"));
    assert_eq!(
        digests(&stored, &saved).await,
        ["a", "b"].map(|digest| Some(digest.to_owned()))
    );
}

pub async fn input_of_a_current_text_is_answered_with_it_again_and_again(new: New<'_>) {
    let stored = with_channels(new).await;
    let journal = &stored;
    let overwrite = |expected: Option<&Memory>| MemoryDraft {
        mode: SaveMode::Overwrite,
        ..llm_draft("- the text", expected)
    };
    journal
        .record(entry("C1", first("a"), "bad"))
        .await
        .unwrap();
    journal
        .record(entry("C1", later("a with feedback", "a"), "- the text"))
        .await
        .unwrap();
    let mut saved = journal
        .storage()
        .save_memory(overwrite(None), Default::default())
        .await
        .unwrap();
    for _ in 0..2 {
        let answer = recalled(&stored, "C1", first("a")).await;
        assert_eq!(answer.as_deref(), Some("- the text"));
        saved = journal
            .storage()
            .save_memory(overwrite(Some(&saved)), Default::default())
            .await
            .unwrap();
        let calls = journal.calls_of_memory(saved.id).await.unwrap().calls;
        assert!(calls.iter().all(StoredCall::is_recall), "{calls:?}");
    }
    // Only a first call is recalled: later calls depend on its answer.
    assert_eq!(recalled(&stored, "C1", later("a", "z")).await, None);
    journal
        .record(entry("C1", first("b"), "- newer"))
        .await
        .unwrap();
    let newer = MemoryDraft {
        content: "- newer".into(),
        ..overwrite(Some(&saved))
    };
    journal
        .storage()
        .save_memory(newer, Default::default())
        .await
        .unwrap();
    assert_eq!(
        recalled(&stored, "C1", first("a")).await,
        None,
        "it is replaced"
    );
    assert_eq!(
        recalled(&stored, "C1", first("b")).await.as_deref(),
        Some("- newer")
    );
}

pub async fn text_that_was_cut_off_is_an_answer_whose_lines_are_whole(new: New<'_>) {
    let stored = with_channels(new).await;
    stored
        .record(entry("C1", first("a"), "- one\n- tw"))
        .await
        .unwrap();
    let draft = MemoryDraft {
        truncated: true,
        ..llm_draft("- one", None)
    };
    stored
        .storage()
        .save_memory(draft, Default::default())
        .await
        .unwrap();
    let answer = stored
        .recall(&purpose("C1"), &first("a"), recall_time())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.finish_reason),
        ("- one\n", FinishReason::Length)
    );
}

pub async fn input_of_an_attempt_that_was_given_up_is_not_answered_with_the_text_of_a_later_one(
    new: New<'_>,
) {
    let stored = with_channels(new).await;
    let journal = &stored;
    journal
        .record(entry("C1", first("a"), "never used"))
        .await
        .unwrap();
    journal
        .record(entry("C1", first("b"), "- the text"))
        .await
        .unwrap();
    journal
        .storage()
        .save_memory(llm_draft("- the text", None), Default::default())
        .await
        .unwrap();
    assert_eq!(recalled(&stored, "C1", first("a")).await, None);
    assert_eq!(
        recalled(&stored, "C1", first("b")).await.as_deref(),
        Some("- the text")
    );
}

pub async fn answer_that_is_recalled_counts_as_the_newest(new: New<'_>) {
    let stored = with_channels(new).await;
    let journal = &stored;
    journal
        .record(entry("C1", first("a"), "- the text"))
        .await
        .unwrap();
    journal
        .record(entry("C1", first("b"), "never used"))
        .await
        .unwrap();
    assert!(recalled(&stored, "C1", first("a")).await.is_some());
    let saved = journal
        .storage()
        .save_memory(llm_draft("- the text", None), Default::default())
        .await
        .unwrap();
    let input = journal
        .calls_of_memory(saved.id)
        .await
        .unwrap()
        .input_digest;
    assert_eq!(input.as_deref(), Some("a"));
}

pub async fn threads_are_the_same_however_their_ids_are_written(new: New<'_>) {
    let stored = with_channels(new).await;
    let thread = |scope_id: &str| Purpose {
        scope: Scope::Thread,
        scope_id: scope_id.into(),
        ..purpose("")
    };
    let call = CallEntry {
        purpose: thread("C1:1709287200.1"),
        ..entry("C1", first("a"), "answer")
    };
    stored.record(call).await.unwrap();
    let padded = thread("C1:1709287200.000001");
    let answer = stored
        .recall(&padded, &first("a"), recall_time())
        .await
        .unwrap();
    assert_eq!(answer.unwrap().text, "answer");
    let draft = MemoryDraft {
        scope: Scope::Thread,
        scope_id: padded.scope_id,
        mode: SaveMode::Overwrite,
        ..llm_draft("answer", None)
    };
    let saved = stored
        .storage()
        .save_memory(draft, Default::default())
        .await
        .unwrap();
    assert_eq!(digests(&stored, &saved).await, [Some("a".to_owned())]);
}
