//! Failures: which are retried, which error the component gets, and that every call ends in time.

use std::time::Duration;

use myao_plugin::OtherReason;
use myao_plugin::llm::FinishReason;
use serde_json::json;
use tokio::time::Instant;

use super::super::testing::{Reply, Server, Step, events, head, openai, openai_events, reply};
use super::*;

async fn openai_error(replies: Vec<Reply>) -> (LlmError, usize) {
    let server = Server::start(replies).await;
    let error = error(&openai_at(&server, json!({}))).await;
    (error, server.received().len())
}

fn body(message: &str) -> String {
    json!({ "error": { "message": message } }).to_string()
}

#[tokio::test(start_paused = true)]
async fn statuses_become_typed_errors_and_only_those_that_may_pass_are_tried_again() {
    let told = |status: u16| format!("status {status}");
    for (status, message, expected, attempts) in [
        (400, "bad", LlmError::InvalidRequest(told(400)), 1),
        (401, "no", LlmError::InvalidRequest(told(401)), 1),
        (403, "no", LlmError::InvalidRequest(told(403)), 1),
        (404, "no model", LlmError::InvalidRequest(told(404)), 1),
        (
            422,
            "wrong:\n  top_p\n",
            LlmError::InvalidRequest(told(422)),
            1,
        ),
        (
            301,
            "moved",
            LlmError::Other(OtherReason::new("http-301", told(301))),
            1,
        ),
        (429, "slow down", LlmError::RateLimited(None), 4),
        (
            429,
            "insufficient_quota",
            LlmError::InvalidRequest(told(429)),
            1,
        ),
        (408, "slow", LlmError::TimedOut, 4),
        (409, "locked", LlmError::Unavailable(told(409)), 4),
        (500, "oops", LlmError::Unavailable(told(500)), 4),
        (504, "slow", LlmError::TimedOut, 4),
        (529, "overloaded", LlmError::Unavailable(told(529)), 4),
        (
            400,
            "prompt is too long: 21 tokens > 20 maximum",
            LlmError::ContextTooLong(Some(20)),
            1,
        ),
        (
            500,
            "the input length exceeds the context length",
            LlmError::ContextTooLong(None),
            1,
        ),
    ] {
        let result = openai_error(vec![reply(status, "", &body(message))]).await;
        assert_eq!(result, (expected, attempts), "{status} {message}");
    }
}

/// A server may echo the prompt, so its message is only for the observer of calls.
#[tokio::test(start_paused = true)]
async fn an_error_holds_the_servers_codes_and_the_observer_hears_its_words() {
    let echo = |kind: &str| json!({ "error": { "message": "you said:\n 要約", "type": kind } });
    for (headers, kind, expected) in [
        (
            "",
            "invalid_request_error",
            "status 400, code invalid_request_error",
        ),
        (
            "x-request-id: req_0a-1\r\n",
            "",
            "status 400, request req_0a-1",
        ),
        // A text that does not look like a code may be anything.
        (
            "request-id: to be or not\r\n",
            "you said 要約",
            "status 400",
        ),
        ("", &"a".repeat(65), "status 400"),
    ] {
        let reply = reply(400, headers, &echo(kind).to_string());
        let server = Server::start([reply.clone(), reply]).await;
        let llm = openai_at(&server, json!({}));
        let expected = LlmError::InvalidRequest(expected.to_owned());
        assert_eq!(error(&llm).await, expected);
        assert_eq!(said(&llm).await, "you said: 要約");
    }
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_errors_is_survived_and_counted() {
    let failure = reply(500, "", "oops");
    let server = Server::start([failure.clone(), failure, openai("a")]).await;
    let start = Instant::now();
    let (result, record) = call(&openai_at(&server, json!({}))).await;
    assert_eq!(result.unwrap().text, "a");
    assert_eq!((record.attempts, record.error), (3, None));
    assert_eq!(start.elapsed().as_secs(), 3, "one second and two");
    assert_eq!(record.duration.as_secs(), 3, "the waits included");
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured_in_all_its_forms() {
    for (headers, seconds) in [
        ("retry-after: 20\r\n", 20),
        ("retry-after-ms: 2500\r\nretry-after: 90\r\n", 2),
        (
            "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:28:30 GMT\r\n",
            30,
        ),
        ("retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", 0),
        ("retry-after: soon\r\n", 0),
    ] {
        let server = Server::start([reply(429, headers, "{}"), openai("a")]).await;
        let start = Instant::now();
        call(&openai_at(&server, json!({}))).await.0.unwrap();
        assert!(
            (seconds..=seconds + 1).contains(&start.elapsed().as_secs()),
            "{headers}: {:?}",
            start.elapsed()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_deadline_is_handed_on_at_once() {
    let server = Server::start([reply(429, "retry-after: 3600\r\n", "{}")]).await;
    let start = Instant::now();
    let llm = openai_at(&server, json!({}));
    assert_eq!(error(&llm).await, LlmError::RateLimited(Some(3600)));
    let (result, record) = call(&llm).await;
    assert_eq!(result.unwrap_err(), LlmError::RateLimited(Some(3600)));
    assert_eq!(record.attempts, 0, "the next call does not even ask");
    assert_eq!((start.elapsed().as_secs(), server.received().len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_of_more_than_an_hour_counts_as_an_hour() {
    for wait in ["4294967295", "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let headers = format!("retry-after: {wait}\r\n");
        let server = Server::start([reply(429, &headers, "{}"), openai("a")]).await;
        let llm = openai_at(&server, json!({}));
        assert_eq!(
            error(&llm).await,
            LlmError::RateLimited(Some(3600)),
            "{wait}"
        );
        assert_eq!(llm.paused_for(), Some(Duration::from_secs(3600)));
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(llm.paused_for(), None);
        assert_eq!(call(&llm).await.0.unwrap().text, "a");
    }
}

#[tokio::test(start_paused = true)]
async fn the_servers_word_on_a_retry_counts() {
    let (_, attempts) = openai_error(vec![reply(500, "x-should-retry: false\r\n", "{}")]).await;
    assert_eq!(attempts, 1);
    let (_, attempts) = openai_error(vec![reply(400, "x-should-retry: true\r\n", "{}")]).await;
    assert_eq!(attempts, 4);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_is_tried_again() {
    let [opening, ..] = openai_events("半分");
    let broken = [
        // Before an answer, within its head, and within its body.
        vec![],
        vec![Step::Send(b"HTTP/1.1 200 -\r\ncontent-".to_vec())],
        reply(200, "content-length: 9999\r\n", &events(&[&opening])),
    ];
    for reply in broken {
        let server = Server::start([reply, openai("a")]).await;
        let (result, record) = call(&openai_at(&server, json!({}))).await;
        assert_eq!((result.unwrap().text.as_str(), record.attempts), ("a", 2));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_there_is_unavailable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let llm = build(&agent(json!({
        "model_id": "ollama/m",
        "client_args": { "base_url": &address, "max_retries": 1 },
    })));
    let (result, record) = call(&llm.unwrap()).await;
    match result {
        Err(LlmError::Unavailable(detail)) => assert!(detail.contains(&address), "{detail}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(record.attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn garbage_is_a_failure_that_says_what_came() {
    for (body, words) in [
        (b"<html>welcome</html>".to_vec(), "<html>welcome</html>"),
        (
            b"data: {\"choices\": [{]}\n\n".to_vec(),
            "not an event of the API",
        ),
        (
            b"data: {\"some\": \"thing\"}\n\n".to_vec(),
            "missing field `choices`",
        ),
        (b"data: \xff\xfe\n\n".to_vec(), "not UTF-8"),
        (vec![], "no events"),
    ] {
        let reply = vec![head(200, ""), Step::Send(body)];
        let server = Server::start(vec![reply]).await;
        let llm = openai_at(&server, json!({}));
        let told = format!("{:?} {}", error(&llm).await, said(&llm).await);
        assert!(told.contains(words), "{told}");
        assert_eq!(server.received().len(), 8);
    }
}

#[tokio::test(start_paused = true)]
async fn ollamas_error_in_an_error_is_understood() {
    let inner = r#"{"error":{"code":400,"message":"request (351 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":351,"n_ctx":256}}"#;
    for status in [400, 200] {
        let server =
            Server::start([reply(status, "", &json!({ "error": inner }).to_string())]).await;
        let llm = openai_at(&server, json!({ "model_id": "ollama/m" }));
        assert_eq!(error(&llm).await, LlmError::ContextTooLong(Some(256)));
    }
}

/// Whatever the server does.
#[tokio::test(start_paused = true)]
async fn no_call_outlives_its_timeout() {
    let [opening, ..] = openai_events("a");
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut replies = Vec::new();
        for _ in 0..6 {
            let wait = Step::Wait(Duration::from_millis(random.u64(0..90_000)));
            let after = random.u32(0..60);
            replies.push(match random.u8(0..5) {
                0 => vec![wait],
                1 => vec![Step::Hang],
                2 => vec![
                    head(200, ""),
                    wait,
                    Step::Send(events(&[&opening]).into()),
                    Step::Hang,
                ],
                3 => reply(429, &format!("retry-after: {after}\r\n"), "{}"),
                _ => [vec![wait], reply(500, "", "{}")].concat(),
            });
        }
        let timeout = random.u64(1..300);
        let server = Server::start(replies).await;
        let llm = openai_at(
            &server,
            json!({
                "client_args": { "timeout": timeout, "max_retries": random.u32(0..8) },
            }),
        );
        let start = Instant::now();
        let (result, record) = call(&llm).await;
        result.unwrap_err();
        let most = Duration::from_secs(timeout) + Duration::from_millis(5);
        assert!(
            start.elapsed() <= most,
            "seed {seed}: {:?} > {most:?}",
            start.elapsed()
        );
        assert!(record.duration <= most);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_the_model_keeps_its_text_as_it_is() {
    let text = "  \n- 一行目\n\n";
    let server = Server::start([openai(text)]).await;
    let completion = call(&openai_at(&server, json!({}))).await.0.unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.finish_reason),
        (text, FinishReason::Stop)
    );
}
