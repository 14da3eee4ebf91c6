//! The scripted model.

use std::time::Duration;

use myao_plugin::llm::{Agent, Llm, LlmError};
use myao_plugin::{MemoryType, Scope};
use myao_testkit::{Asked, Reply, ScriptedLlm};
use tokio::time::Instant;

use super::{ask, request};

#[tokio::test]
async fn the_first_rule_that_fits_answers_and_each_counts_its_own_questions() {
    let c1 = || Asked::about(Scope::Channel, "C1");
    let llm = ScriptedLlm::new(|n, request| format!("{n}: {}", request.system_prompt))
        .on(c1().nth(1), "second")
        .on(c1().and_with("nothing like it"), "never")
        .on(c1().for_memory(MemoryType::LongTerm), "never")
        .on(Asked::by(Agent::Judgment), "never")
        .on(c1().nth(2), LlmError::TimedOut)
        .on(Asked::call(4), "fifth of all");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "0: about C1");
    assert_eq!(ask(&llm, "C2").await.unwrap(), "1: about C2");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "second");
    assert_eq!(ask(&llm, "C1").await, Err(LlmError::TimedOut));
    assert_eq!(ask(&llm, "C1").await.unwrap(), "fifth of all");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "5: about C1");
    let asked: Vec<String> = llm
        .requests()
        .into_iter()
        .map(|r| r.purpose.scope_id)
        .collect();
    assert_eq!(asked, ["C1", "C2", "C1", "C1", "C1", "C1"]);
    assert_eq!(llm.prompts()[1], "about C2");
}

#[tokio::test(start_paused = true)]
async fn delays_go_by_the_clock_and_no_more_answers_come_at_once_than_may() {
    let second = Duration::from_secs(1);
    let llm = ScriptedLlm::answering(Reply::from("slow").after(second)).with_calls_in_flight(2);
    assert_eq!(llm.calls_in_flight(), 2);
    let begun = Instant::now();
    let (a, b, c) = tokio::join!(ask(&llm, "C1"), ask(&llm, "C1"), ask(&llm, "C1"));
    assert_eq!(
        (a, b, c),
        (Ok("slow".into()), Ok("slow".into()), Ok("slow".into()))
    );
    assert_eq!(begun.elapsed(), 2 * second);
    let never = ScriptedLlm::answering(Reply::never());
    let waited = tokio::time::timeout(1000 * second, ask(&never, "C1")).await;
    assert!(waited.is_err());
}

#[tokio::test]
async fn answers_tell_what_they_cost_and_why_they_ended() {
    let llm = ScriptedLlm::answering(Reply::cut_off("half").with_tokens(7, 3))
        .with_context_window(100)
        .with_count(|text| u32::try_from(text.len()).unwrap());
    let calls = std::sync::Mutex::new(Vec::new());
    let asked = request("C1", MemoryType::ShortTerm);
    llm.complete(asked, &calls).await.unwrap();
    let [record] = calls.into_inner().unwrap().try_into().unwrap();
    assert_eq!(
        (record.input_tokens, record.output_tokens),
        (Some(7), Some(3))
    );
    assert_eq!(
        record.finish_reason,
        Some(myao_plugin::llm::FinishReason::Length)
    );
    assert_eq!(
        (llm.context_window(), llm.count_tokens("abc")),
        (Some(100), 3)
    );
}
