//! The journal of the model's calls: which calls are asked again, which belong to a memory, and which answers are
//! forgotten.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use myao_plugin::journal::{CallEntry, Input, ModelUse};
use myao_plugin::llm::{Agent, CallRecord, FinishReason, LlmError, ModelIdentity, Purpose};
use myao_plugin::storage::{Memory, MemoryDraft, SaveMode};
use myao_plugin::{Engine, MemoryType, Scope};

use serde_json::json;

use super::{New, Stored, deferral, draft};
use crate::conformance::Records;

/// A store with the channels `C1` and `C2`.
pub(super) async fn with_channels(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    let records = Records::default().channel("C1", "").channel("C2", "");
    stored.import(records).await;
    stored
}

pub(super) fn purpose(scope_id: &str) -> Purpose {
    Purpose {
        agent: Agent::Memory,
        scope: Scope::Channel,
        scope_id: scope_id.into(),
        memory_type: Some(MemoryType::ShortTerm),
    }
}

/// The first call of an attempt.
pub(super) fn first(digest: &str) -> Input {
    Input {
        digest: digest.into(),
        attempt: digest.into(),
        is_first: true,
    }
}

/// A later call of an attempt.
pub(super) fn later(digest: &str, attempt: &str) -> Input {
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

pub(super) fn entry(scope_id: &str, input: Input, answer: &str) -> CallEntry {
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

pub(super) fn llm_draft(content: &str, expected: Option<&Memory>) -> MemoryDraft {
    MemoryDraft {
        engine: Engine::Llm,
        content: content.into(),
        expected: expected.map(|memory| memory.id),
        ..draft("C1")
    }
}

/// When answers are recalled: after all calls.
pub(super) fn recall_time() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

pub(super) async fn recalled(stored: &Stored, scope_id: &str, input: Input) -> Option<String> {
    let completion = stored
        .recall(&purpose(scope_id), &input, recall_time())
        .await;
    completion.unwrap().map(|completion| completion.text)
}

pub(super) async fn digests(stored: &Stored, memory: &Memory) -> Vec<Option<String>> {
    let taken = stored.calls_of_memory(memory.id).await.unwrap();
    taken.calls.into_iter().map(|call| call.digest).collect()
}

pub async fn call_is_kept_with_what_it_cost(new: New<'_>) {
    let stored = with_channels(new).await;
    stored
        .record(entry("C1", first("a"), "text"))
        .await
        .unwrap();
    stored.record(failed("C2", first("b"))).await.unwrap();
    let calls = stored.calls(5_250, 5_251).await.unwrap();
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
    assert_eq!(stored.calls(5_251, i64::MAX).await.unwrap(), []);
}

pub async fn use_of_models_is_the_sum_of_what_their_answers_took(new: New<'_>) {
    let stored = with_channels(new).await;
    let with = |change: &dyn Fn(&mut CallRecord)| {
        let mut entry = entry("C1", first("a"), "text");
        change(&mut entry.record);
        entry
    };
    let later = UNIX_EPOCH + Duration::from_millis(6_000);
    let entries = [
        with(&|record| record.cached_tokens = Some(30)),
        // A provider that reports nonsense.
        with(&|record| record.cached_tokens = Some(100)),
        with(&|record| record.output_tokens = None),
        with(&|record| record.model = "m-2025".into()),
        with(&|record| record.started_at = later),
        failed("C2", first("b")),
    ];
    for entry in entries {
        stored.record(entry).await.unwrap();
    }
    let used = |answered_by: &str, calls: u64, cached_tokens, unreported| ModelUse {
        provider: "openai".into(),
        model: "m".into(),
        answered_by: answered_by.into(),
        input_tokens: 70 * calls,
        cached_tokens,
        output_tokens: 8 * calls,
        unreported,
    };
    let until_then = stored.use_of_models(5_250, 6_000).await.unwrap();
    assert_eq!(
        until_then,
        [used("m-2024", 2, 100, 1), used("m-2025", 1, 0, 0)]
    );
    let from_then = stored.use_of_models(6_000, i64::MAX).await.unwrap();
    assert_eq!(from_then, [used("m-2024", 1, 0, 0)]);
    let calls = stored.calls(0, i64::MAX).await.unwrap();
    let all = stored.use_of_models(0, i64::MAX).await.unwrap();
    assert_eq!(all, ModelUse::of(&calls));
}

pub async fn failed_calls_and_bad_answers_belong_to_the_memory_that_is_made_at_last(new: New<'_>) {
    let stored = with_channels(new).await;
    let journal = &stored;
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
        .storage()
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
    let saved = journal
        .storage()
        .save_memory(llm_draft("good", None), Default::default())
        .await
        .unwrap();
    let expected = ["a", "a", "a2"].map(|digest| Some(digest.to_owned()));
    assert_eq!(digests(&stored, &saved).await, expected);
    let input = journal
        .calls_of_memory(saved.id)
        .await
        .unwrap()
        .input_digest;
    assert_eq!(input.as_deref(), Some("a2"));
}

pub async fn answer_goes_on_waiting_behind_a_stand_in_and_waits_no_longer_behind_an_extract(
    new: New<'_>,
) {
    let stored = with_channels(new).await;
    let journal = &stored;
    journal
        .record(entry("C1", first("a"), "answer"))
        .await
        .unwrap();
    let stand_in = MemoryDraft {
        mode: SaveMode::StandIn,
        ..draft("C1")
    };
    let stand_in = journal
        .storage()
        .save_memory(stand_in, Default::default())
        .await
        .unwrap();
    assert_eq!(digests(&stored, &stand_in).await, []);
    assert_eq!(
        recalled(&stored, "C1", first("a")).await.as_deref(),
        Some("answer")
    );
    let extract = journal
        .storage()
        .save_memory(draft("C1"), Default::default())
        .await
        .unwrap();
    assert_eq!(digests(&stored, &extract).await, []);
    assert_eq!(recalled(&stored, "C1", first("a")).await, None);
}

pub async fn call_whose_answer_is_only_shown_waits_for_no_memory(new: New<'_>) {
    let stored = with_channels(new).await;
    let shown = CallEntry {
        for_memory: false,
        ..entry("C1", first("a"), "shown")
    };
    stored.record(shown).await.unwrap();
    assert_eq!(recalled(&stored, "C1", first("a")).await, None);
    let saved = stored
        .storage()
        .save_memory(llm_draft("text", None), Default::default())
        .await
        .unwrap();
    assert_eq!(digests(&stored, &saved).await, []);
    assert_eq!(stored.calls(0, i64::MAX).await.unwrap().len(), 1);
}

pub async fn save_that_is_refused_leaves_its_answers_waiting(new: New<'_>) {
    let stored = with_channels(new).await;
    stored
        .record(entry("C1", first("a"), "answer"))
        .await
        .unwrap();
    let conflicting = MemoryDraft {
        expected: Some(77),
        ..llm_draft("answer", None)
    };
    stored
        .storage()
        .save_memory(conflicting, Default::default())
        .await
        .unwrap_err();
    assert!(recalled(&stored, "C1", first("a")).await.is_some());
}

pub async fn deferrals_end_with_the_model_that_caused_them(new: New<'_>) {
    let stored = with_channels(new).await;
    let deferred = async || {
        let storage = stored.storage();
        let deferred = storage.list_deferrals(Scope::Channel, "C1".into()).await;
        deferred.unwrap().len()
    };
    let model = |parameters| ModelIdentity::new("openai", "m", "http://a", &parameters);
    let (first, other) = (model(json!({})), model(json!({ "temperature": 1 })));
    stored.begin_run(&first).await.unwrap();
    let storage = stored.storage();
    let defer = storage.defer(Scope::Channel, "C1".into(), deferral());
    defer.await.unwrap();
    stored.begin_run(&first).await.unwrap();
    assert_eq!(deferred().await, 1);
    stored.begin_run(&other).await.unwrap();
    assert_eq!(deferred().await, 0);
}
