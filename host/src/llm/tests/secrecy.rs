//! Keys stay in: whatever a server says, nothing that leaves the module holds one.

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
        let all = format!("{result:?} {record:?}");
        // Not even the beginning of it.
        assert!(!all.contains("sk-test"), "{all}");
        assert_eq!(
            server.received()[0].headers["authorization"],
            format!("Bearer {KEY}")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_never_holds_the_key() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<String>>);
    impl tracing::field::Visit for Log {
        fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn std::fmt::Debug) {
            *self.0.lock().unwrap() += &format!("{value:?}\n");
        }
    }
    impl tracing::Subscriber for Log {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            span.record(&mut self.clone());
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut self.clone());
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    let server = Server::start([reply(500, "", &format!("you sent {KEY}"))]).await;
    error(&openai_at(&server, json!({}))).await;
    drop(guard);
    let log = log.0.lock().unwrap().clone();
    assert!(
        log.contains("trying again: status 500: you sent [key]"),
        "{log}"
    );
    assert!(!log.contains(KEY), "{log}");
}
