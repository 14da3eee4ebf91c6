//! The limits of an agent apply to all its calls.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use super::super::testing::{Reply, Server, Step, openai, reply};
use super::*;

/// An answer that takes a second.
fn slow() -> Reply {
    [vec![Step::Wait(Duration::from_secs(1))], openai("a")].concat()
}

async fn calls(llm: &AgentLlm, count: usize) -> Vec<(Result<Completion, LlmError>, CallRecord)> {
    join_all((0..count).map(|_| call(llm))).await
}

#[tokio::test(start_paused = true)]
async fn a_hundred_calls_take_as_long_as_sixteen_at_a_time_take() {
    let server = Server::start([slow()]).await;
    let start = Instant::now();
    let results = calls(&openai_at(&server, json!({})), 100).await;
    assert!(results.iter().all(|(result, _)| result.is_ok()));
    let ideal = Duration::from_secs(7);
    assert!(
        (ideal..ideal.mul_f64(1.25)).contains(&start.elapsed()),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn requests_per_minute_hold_back_all_calls_of_an_agent() {
    let server = Server::start([openai("a")]).await;
    let llm = openai_at(&server, json!({ "limits": { "requests_per_minute": 2 } }));
    let start = Instant::now();
    let results = calls(&llm, 4).await;
    assert!(results.iter().all(|(result, _)| result.is_ok()));
    assert_eq!(start.elapsed().as_secs(), 60);
    assert_eq!(
        results[3].1.duration.as_secs(),
        60,
        "the wait is part of the call"
    );
}

#[tokio::test(start_paused = true)]
async fn prompt_and_longest_answer_count_for_tokens_per_minute() {
    let server = Server::start([openai("a")]).await;
    // Each call counts for the tokens of its prompt and 300.
    let llm = openai_at(&server, json!({ "limits": { "tokens_per_minute": 650 } }));
    let start = Instant::now();
    calls(&llm, 3).await;
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn attempts_count_as_requests() {
    let server = Server::start([reply(500, "", "{}"), openai("a")]).await;
    let llm = openai_at(&server, json!({ "limits": { "requests_per_minute": 1 } }));
    let start = Instant::now();
    call(&llm).await.0.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn waits_for_the_limits_count_against_the_deadline() {
    let server = Server::start([slow()]).await;
    let llm = openai_at(
        &server,
        json!({
            "limits": { "calls_in_flight": 1 },
            "client_args": { "timeout": 2.5 },
        }),
    );
    let start = Instant::now();
    let results = calls(&llm, 4).await;
    let errors: Vec<_> = results
        .iter()
        .filter_map(|(result, _)| result.as_ref().err())
        .collect();
    assert_eq!(errors, [&LlmError::TimedOut, &LlmError::TimedOut]);
    assert!(start.elapsed() <= Duration::from_millis(2510));
}

#[tokio::test(start_paused = true)]
async fn one_answer_of_retry_after_holds_back_the_other_calls() {
    let server = Server::start([reply(429, "retry-after: 10\r\n", "{}"), openai("a")]).await;
    let llm = openai_at(&server, json!({ "limits": { "calls_in_flight": 1 } }));
    let start = Instant::now();
    let results = calls(&llm, 3).await;
    assert!(results.iter().all(|(result, _)| result.is_ok()));
    assert_eq!(server.received().len(), 4, "one in vain");
    assert!(
        results
            .iter()
            .all(|(_, record)| record.duration.as_secs() >= 10)
    );
    assert!(start.elapsed().as_secs() < 12);
}
