//! The journal of the model's calls: what is asked again, what belongs to a memory, and what is forgotten.

mod recall;

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use myao_plugin::journal::{CallEntry, CallJournal as _, Input, StoredCall};
use myao_plugin::llm::{Agent, CallRecord, FinishReason, LlmError, ModelIdentity, Purpose};
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::records::{ChannelRecord, ImportSink as _};
use myao_plugin::storage::{Coverage, Memory, MemoryDraft, SaveMode, Storage as _};
use myao_plugin::{Engine, MemoryType, Scope};
use myao_testkit::blocking;
use myao_testkit::conformance::whole;

use super::{Stored, deferral, draft, stored};

/// A store with the channels `C1` and `C2`.
fn with_channels() -> Stored {
    let stored = stored();
    let mut import = stored.store.import("W1").unwrap();
    for id in ["C1", "C2"] {
        let channel = ChannelRecord {
            id: id.into(),
            name: String::new(),
            is_private: false,
        };
        import.channel(&channel).unwrap();
    }
    import.commit().unwrap();
    stored
}

fn purpose(scope_id: &str) -> Purpose {
    Purpose {
        agent: Agent::Memory,
        scope: Scope::Channel,
        scope_id: scope_id.into(),
        memory_type: Some(MemoryType::ShortTerm),
    }
}

/// The first call of an attempt.
fn first(digest: &str) -> Input {
    Input {
        digest: digest.into(),
        attempt: digest.into(),
        is_first: true,
    }
}

/// A later call of an attempt.
fn later(digest: &str, attempt: &str) -> Input {
    Input {
        digest: digest.into(),
        attempt: attempt.into(),
        is_first: false,
    }
}

fn record() -> CallRecord {
    CallRecord {
        provider: "openai".into(),
        model: "m-2024".into(),
        input_tokens: Some(70),
        output_tokens: Some(8),
        cached_tokens: None,
        started_at: UNIX_EPOCH + Duration::from_millis(5_250),
        duration: Duration::from_millis(1_750),
        attempts: 2,
        finish_reason: Some(FinishReason::Stop),
        error: None,
    }
}

fn entry(scope_id: &str, input: Input, answer: &str) -> CallEntry {
    CallEntry {
        purpose: purpose(scope_id),
        model: "m".into(),
        input: Some(input),
        record: record(),
        answer: Some(answer.into()),
        for_memory: true,
    }
}

fn failed(scope_id: &str, input: Input) -> CallEntry {
    CallEntry {
        record: CallRecord {
            finish_reason: None,
            error: Some(LlmError::Unavailable("status 500: secret words".into())),
            input_tokens: None,
            output_tokens: None,
            ..record()
        },
        answer: None,
        ..entry(scope_id, input, "")
    }
}

fn llm_draft(content: &str, expected: Option<&Memory>) -> MemoryDraft {
    MemoryDraft {
        engine: Engine::Llm,
        content: content.into(),
        expected: expected.map(|memory| memory.id),
        ..draft("C1")
    }
}

async fn recalled(stored: &Stored, scope_id: &str, input: Input) -> Option<String> {
    let completion = stored.workspace.recall(&purpose(scope_id), &input).await;
    completion.unwrap().map(|completion| completion.text)
}

fn digests(stored: &Stored, memory: &Memory) -> Vec<Option<String>> {
    let taken = blocking(stored.workspace.calls_of_memory(memory.id)).unwrap();
    taken.calls.into_iter().map(|call| call.digest).collect()
}

#[tokio::test]
async fn call_is_kept_with_what_it_cost() {
    let stored = with_channels();
    stored
        .workspace
        .record(entry("C1", first("a"), "text"))
        .await
        .unwrap();
    stored
        .workspace
        .record(failed("C2", first("b")))
        .await
        .unwrap();
    let calls = blocking(stored.workspace.calls(5_250, 5_251)).unwrap();
    let [answered, failed] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(
        (answered.model.as_str(), answered.answered_by.as_str()),
        ("m", "m-2024")
    );
    assert_eq!(
        (
            answered.input_tokens,
            answered.cached_tokens,
            answered.output_tokens
        ),
        (Some(70), None, Some(8))
    );
    assert_eq!(
        (answered.attempts, answered.duration),
        (2, Duration::from_millis(1_750))
    );
    assert_eq!(answered.finish_reason, Some(FinishReason::Stop));
    assert_eq!(
        failed.error.as_deref(),
        Some("unavailable"),
        "without what the server said"
    );
    assert_eq!(
        (failed.finish_reason, failed.channel_name.as_deref()),
        (None, Some("C2"))
    );
    assert_eq!(
        blocking(stored.workspace.calls(5_251, i64::MAX)).unwrap(),
        []
    );
}

#[tokio::test]
async fn failed_calls_and_bad_answers_belong_to_the_memory_that_is_made_at_last() {
    let stored = with_channels();
    let journal = &stored.workspace;
    journal.record(failed("C1", first("a"))).await.unwrap();
    journal
        .record(entry("C1", first("a"), "bad"))
        .await
        .unwrap();
    journal
        .record(entry("C2", first("c"), "of another channel"))
        .await
        .unwrap();
    journal
        .defer(Scope::Channel, "C1".into(), deferral())
        .await
        .unwrap();
    assert_eq!(
        recalled(&stored, "C1", first("a")).await,
        None,
        "it was bad"
    );
    assert!(recalled(&stored, "C2", first("c")).await.is_some());
    journal
        .record(entry("C1", first("a2"), "good"))
        .await
        .unwrap();
    let saved = journal.save_memory(llm_draft("good", None)).await.unwrap();
    let expected = ["a", "a", "a2"].map(|digest| Some(digest.to_owned()));
    assert_eq!(digests(&stored, &saved), expected);
    let input = blocking(journal.calls_of_memory(saved.id))
        .unwrap()
        .input_digest;
    assert_eq!(input.as_deref(), Some("a2"));
}

#[tokio::test]
async fn answer_goes_on_waiting_behind_a_stand_in_and_waits_no_longer_behind_an_extract() {
    let stored = with_channels();
    let journal = &stored.workspace;
    journal
        .record(entry("C1", first("a"), "answer"))
        .await
        .unwrap();
    let stand_in = MemoryDraft {
        mode: SaveMode::StandIn,
        ..draft("C1")
    };
    let stand_in = journal.save_memory(stand_in).await.unwrap();
    assert_eq!(digests(&stored, &stand_in), []);
    assert_eq!(
        recalled(&stored, "C1", first("a")).await.as_deref(),
        Some("answer")
    );
    let extract = journal.save_memory(draft("C1")).await.unwrap();
    assert_eq!(digests(&stored, &extract), []);
    assert_eq!(recalled(&stored, "C1", first("a")).await, None);
}

#[tokio::test]
async fn call_whose_answer_is_only_shown_waits_for_no_memory() {
    let stored = with_channels();
    let shown = CallEntry {
        for_memory: false,
        ..entry("C1", first("a"), "shown")
    };
    stored.workspace.record(shown).await.unwrap();
    assert_eq!(recalled(&stored, "C1", first("a")).await, None);
    let saved = stored
        .workspace
        .save_memory(llm_draft("text", None))
        .await
        .unwrap();
    assert_eq!(digests(&stored, &saved), []);
    assert_eq!(
        blocking(stored.workspace.calls(0, i64::MAX)).unwrap().len(),
        1
    );
}

#[tokio::test]
async fn save_that_is_refused_leaves_its_answers_waiting() {
    let stored = with_channels();
    stored
        .workspace
        .record(entry("C1", first("a"), "answer"))
        .await
        .unwrap();
    let conflicting = MemoryDraft {
        expected: Some(77),
        ..llm_draft("answer", None)
    };
    stored.workspace.save_memory(conflicting).await.unwrap_err();
    assert!(recalled(&stored, "C1", first("a")).await.is_some());
}

/// Whether any file of a folder holds these bytes.
fn holds(folder: &Path, wanted: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes
            .windows(wanted.len())
            .any(|part| part == wanted.as_bytes())
    })
}

#[tokio::test]
async fn answer_is_gone_from_the_file_once_its_memory_is_saved() {
    let Stored {
        store,
        workspace,
        _folder: folder,
    } = with_channels();
    // One that fits into a row, and one that takes pages of its own.
    let answers = [
        "a short answer".to_owned(),
        "a very long answer ".repeat(2_000),
    ];
    for (digest, answer) in ["a", "b"].iter().zip(&answers) {
        workspace
            .record(entry("C1", later(digest, "ab"), answer))
            .await
            .unwrap();
    }
    assert!(holds(folder.path(), "a short answer") && holds(folder.path(), "a very long answer"));
    workspace
        .save_memory(llm_draft("something else", None))
        .await
        .unwrap();
    drop((store, workspace));
    assert!(holds(folder.path(), "something else"));
    assert!(!holds(folder.path(), "a short answer") && !holds(folder.path(), "a very long answer"));
}

#[tokio::test]
async fn learned_window_is_kept_for_the_very_same_model() {
    let stored = stored();
    let model = |model| ModelIdentity::new("openai", model, "http://a", &serde_json::Value::Null);
    let journal = &stored.workspace;
    assert_eq!(journal.learned_window(&model("m")).await.unwrap(), None);
    for tokens in [9_000, 7_000] {
        journal
            .learn_window(&model("m"), tokens, UNIX_EPOCH)
            .await
            .unwrap();
    }
    assert_eq!(
        journal.learned_window(&model("m")).await.unwrap(),
        Some(7_000)
    );
    assert_eq!(journal.learned_window(&model("n")).await.unwrap(), None);
}
