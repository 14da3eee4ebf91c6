//! Keys stay inside: whatever a server says, nothing that leaves the crate holds one.

use serde_json::json;

use super::super::testing::{Server, events, openai_events, reply};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_server_that_echoes_the_key_does_not_get_it_out() {
    let long = format!("{}{KEY}", "x".repeat(290));
    let echo = format!("you sent {KEY}");
    let [.., done] = openai_events("");
    let chunk = json!({ "model": KEY, "choices": [
        { "delta": { "content": format!("鍵は{KEY}") }, "finish_reason": "stop" },
    ] });
    for reply in [
        reply(
            401,
            "",
            &json!({ "error": { "message": echo } }).to_string(),
        ),
        reply(500, "", &long),
        reply(200, "", &echo),
        reply(200, "", &long),
        reply(
            200,
            "",
            &events(&[&json!({ "error": { "message": echo } }).to_string()]),
        ),
        reply(200, "", &events(&[&format!("{{\"x\": \"{long}\"}}")])),
        reply(200, "", &events(&[&chunk.to_string(), &done])),
    ] {
        let server = Server::start([reply]).await;
        let llm = openai_at(&server, json!({}));
        let (result, record) = call(&llm).await;
        // The fault of an attempt is logged, so it must not hold the key either.
        let attempt = llm
            .http
            .ask(&llm.model_api, &request("x"), || {
                std::time::SystemTime::UNIX_EPOCH
            })
            .await;
        let words = match result.is_err() {
            true => said(&llm).await,
            false => String::new(),
        };
        let all = format!("{result:?} {record:?} {attempt:?} {words}");
        // Not even the beginning of it.
        assert!(!all.contains("sk-test"), "{all}");
        assert_eq!(
            server.received()[0].headers["authorization"],
            format!("Bearer {KEY}")
        );
    }
}
