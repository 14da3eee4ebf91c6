//! The model's answers for replies.

use myao_plugin::Scope;
use myao_plugin::journal::{CallEntry, Input};
use myao_plugin::llm::{Agent, CallRecord, FinishReason, Purpose};

use super::journal::recall_time;
use super::replies::{begin, mentioned};
use super::{New, Stored, deleted, key, said};

fn call(agent: Agent) -> CallEntry {
    CallEntry {
        purpose: Purpose {
            agent,
            scope: Scope::Channel,
            scope_id: "C1".into(),
            memory_type: None,
        },
        model: "m".into(),
        input: Some(input()),
        record: CallRecord {
            provider: "openai".into(),
            model: "m".into(),
            input_tokens: None,
            output_tokens: None,
            cached_tokens: None,
            started_at: std::time::UNIX_EPOCH,
            duration: std::time::Duration::ZERO,
            attempts: 1,
            finish_reason: Some(FinishReason::Stop),
            error: None,
        },
        answer: Some("an answer".into()),
        for_memory: true,
    }
}

fn input() -> Input {
    Input {
        digest: "d".into(),
        attempt: "d".into(),
        is_first: true,
    }
}

async fn recalled(stored: &Stored, agent: Agent) -> Option<String> {
    let completion = stored
        .recall(&call(agent).purpose, &input(), recall_time())
        .await;
    completion.unwrap().map(|completion| completion.text)
}

/// After a crash or a failure between the answer and the post, the answer is not paid for again.
pub async fn answer_of_the_model_waits_until_its_reply_is_posted_or_given_up(new: New<'_>) {
    for is_posted in [true, false] {
        let stored = mentioned(new).await;
        let workspace = &stored;
        workspace.record(call(Agent::Response)).await.unwrap();
        workspace
            .fail_reply("C1", key("5.0"), "the disk".into(), 20)
            .await
            .unwrap();
        begin(&stored, &["an answer"]).await;
        workspace
            .fail_reply("C1", key("5.0"), "no connection".into(), 20)
            .await
            .unwrap();
        assert_eq!(
            recalled(&stored, Agent::Response).await.as_deref(),
            Some("an answer")
        );
        if is_posted {
            workspace
                .mark_sent("C1", key("5.0"), 0, key("7.0"))
                .await
                .unwrap();
            workspace.finish_post("C1", key("5.0")).await.unwrap();
        } else {
            workspace
                .give_up_reply("C1", key("5.0"), "no connection".into())
                .await
                .unwrap();
        }
        assert_eq!(recalled(&stored, Agent::Response).await, None);
        assert_eq!(
            workspace.calls(0, 1).await.unwrap().len(),
            1,
            "what it cost stays"
        );
    }
}

pub async fn answer_of_the_model_that_made_no_reply_is_not_taken_again(new: New<'_>) {
    let stored = mentioned(new).await;
    stored.record(call(Agent::Response)).await.unwrap();
    stored.forget_reply_answers("C1", None).await.unwrap();
    assert_eq!(recalled(&stored, Agent::Response).await, None);
}

/// A digest could confirm a guess of what was deleted.
pub async fn answer_of_the_model_that_goes_with_a_message_leaves_no_digest(new: New<'_>) {
    let stored = mentioned(new).await;
    stored
        .apply(&[said("4.0", None, "Akari moves to Kyoto")])
        .await;
    stored.record(call(Agent::Response)).await.unwrap();
    stored.apply(&[deleted("4.0", "6.0")]).await;
    let kept_too_late = CallEntry {
        answer: None,
        ..call(Agent::Response)
    };
    stored.record(kept_too_late).await.unwrap();
    let calls = stored.calls(0, 1).await.unwrap();
    let digests: Vec<_> = calls.iter().map(|call| &call.digest).collect();
    assert_eq!(digests, [&None, &None]);
}

pub async fn answer_of_the_model_is_forgotten_with_the_message_that_asked_for_it(new: New<'_>) {
    let stored = mentioned(new).await;
    stored.record(call(Agent::Response)).await.unwrap();
    stored.apply(&[deleted("5.0", "6.0")]).await;
    assert_eq!(recalled(&stored, Agent::Response).await, None);
}

pub async fn judgment_of_the_model_never_waits(new: New<'_>) {
    let stored = mentioned(new).await;
    stored.record(call(Agent::Judgment)).await.unwrap();
    assert_eq!(recalled(&stored, Agent::Judgment).await, None);
}
