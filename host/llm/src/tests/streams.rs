//! Answers that come piece by piece: cut, slow, without an end, and with errors in them.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::super::testing::{Server, Step, events, head, openai_events, reply};
use super::*;

#[tokio::test(start_paused = true)]
async fn an_answer_without_its_end_is_a_failure_on_every_wire() {
    let [opening, ..] = openai_events("要約");
    for (model_id, begun) in [
        ("openai/m", events(&[&opening])),
        (
            "anthropic/m",
            events(&[
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            ]),
        ),
        (
            "gemini/m",
            events(&[r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#]),
        ),
        (
            "ollama/m",
            r#"{"message":{"content":"a"},"done":false}"#.to_owned(),
        ),
        (
            "openai/m",
            format!("{}data: [DONE]\n\n", events(&[&opening])),
        ),
    ] {
        let server = Server::start([reply(200, "", &begun)]).await;
        let llm = openai_at(&server, json!({ "model_id": model_id }));
        match error(&llm).await {
            LlmError::Unavailable(detail) => assert!(detail.contains("cut off"), "{detail}"),
            other => panic!("{model_id}: {other:?}"),
        }
        assert_eq!(server.received().len(), 4, "{model_id}: it is tried again");
    }
}

#[tokio::test(start_paused = true)]
async fn silence_and_stalls_are_noticed_long_before_the_deadline() {
    let [opening, finish, ..] = openai_events("a");
    let seconds = Duration::from_secs;
    for (steps, after) in [
        (vec![Step::Hang], 120),
        (vec![head(200, ""), Step::Hang], 120),
        (
            vec![
                head(200, ""),
                Step::Send(events(&[&opening]).into()),
                Step::Hang,
            ],
            60,
        ),
        (
            vec![
                head(200, ""),
                Step::Wait(seconds(119)),
                Step::Send(events(&[&opening]).into()),
                Step::Hang,
            ],
            179,
        ),
        // The text is whole, but the connection hangs before its end.
        (
            vec![
                head(200, ""),
                Step::Send(events(&[&opening, &finish]).into()),
                Step::Hang,
            ],
            60,
        ),
    ] {
        let server = Server::start([steps]).await;
        let llm = openai_at(&server, json!({ "client_args": { "max_retries": 0 } }));
        let start = Instant::now();
        assert_eq!(error(&llm).await, LlmError::TimedOut);
        assert_eq!(start.elapsed().as_secs(), after);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_that_keeps_coming_is_waited_for() {
    let mut steps = vec![Step::Wait(Duration::from_secs(100)), head(200, "")];
    for event in openai_events("ゆっくり") {
        steps.extend([
            Step::Send(b": still here\n\n".to_vec()),
            Step::Wait(Duration::from_secs(19)),
            Step::Send(events(&[&event]).into()),
            Step::Wait(Duration::from_secs(50)),
        ]);
    }
    let server = Server::start([steps]).await;
    let (result, record) = call(&openai_at(&server, json!({}))).await;
    assert_eq!(
        (result.unwrap().text.as_str(), record.attempts),
        ("ゆっくり", 1)
    );
}

#[tokio::test(start_paused = true)]
async fn the_last_event_is_not_waited_behind() {
    let events = events(&openai_events("a").each_ref().map(String::as_str));
    let server = Server::start([vec![head(200, ""), Step::Send(events.into()), Step::Hang]]).await;
    let start = Instant::now();
    call(&openai_at(&server, json!({}))).await.0.unwrap();
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// The network may deliver it together with the end, or later.
#[tokio::test(start_paused = true)]
async fn what_follows_the_end_of_an_answer_is_no_part_of_it() {
    let answer = events(&openai_events("要約です").each_ref().map(String::as_str));
    let more = events(&[r#"{"choices":[{"delta":{"content":" and more"}}]}"#]);
    let server = Server::start([reply(200, "", &(answer + &more))]).await;
    let (result, _) = call(&openai_at(&server, json!({}))).await;
    assert_eq!(result.unwrap().text, "要約です");
}

#[tokio::test(start_paused = true)]
async fn bytes_may_be_cut_anywhere() {
    let text = "日本語🎉の要約";
    let bytes = events(&openai_events(text).each_ref().map(String::as_str)).into_bytes();
    let mut steps = vec![head(200, "")];
    for byte in bytes {
        steps.extend([Step::Send(vec![byte]), Step::Wait(Duration::from_millis(1))]);
    }
    let server = Server::start([steps]).await;
    assert_eq!(
        call(&openai_at(&server, json!({}))).await.0.unwrap().text,
        text
    );
}

#[tokio::test(start_paused = true)]
async fn errors_within_a_stream_are_typed() {
    for (model_id, event, expected, attempts) in [
        (
            "anthropic/m",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            LlmError::Unavailable("status 503, code overloaded_error".to_owned()),
            4,
        ),
        (
            "anthropic/m",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"m"}}"#,
            LlmError::RateLimited(None),
            4,
        ),
        (
            "gemini/m",
            r#"{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}"#,
            LlmError::Unavailable("status 503, code UNAVAILABLE".to_owned()),
            4,
        ),
        (
            "openai/m",
            r#"{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size (8 tokens)","type":"exceed_context_size_error"}}"#,
            LlmError::ContextTooLong(Some(8)),
            1,
        ),
        (
            "openai/m",
            r#"{"error":{"type":"authentication_error","message":"no"}}"#,
            LlmError::InvalidRequest("status 401, code authentication_error".to_owned()),
            1,
        ),
    ] {
        let server = Server::start([reply(200, "", &events(&[event]))]).await;
        let llm = openai_at(&server, json!({ "model_id": model_id }));
        assert_eq!(
            (error(&llm).await, server.received().len()),
            (expected, attempts),
            "{event}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_endless_answer_ends_with_an_error_and_is_not_paid_for_again() {
    let [opening, ..] = openai_events(&"長い".repeat(1 << 16));
    let padded = format!(r#"{{"choices":[],"pad":"{}"}}"#, "x".repeat(1 << 20));
    let unbroken = vec![b'x'; 1 << 20];
    for (piece, what) in [
        (events(&[&opening]).into_bytes(), "text is longer"),
        (events(&[&padded]).into_bytes(), "stream is longer"),
        (unbroken, "stream is longer"),
    ] {
        let mut steps = vec![head(200, "")];
        steps.extend(vec![Step::Send(piece); 20]);
        let server = Server::start([steps]).await;
        let llm = openai_at(&server, json!({}));
        let error = format!("{:?}", error(&llm).await);
        assert!(error.contains(what), "{error}");
        assert_eq!(server.received().len(), 1, "{what}");
    }
}
