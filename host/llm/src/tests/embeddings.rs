//! Vectors of texts from a scripted server.

use std::time::Duration;

use myao_plugin::embedder::{Embedder as _, TextKind, Vector};
use myao_plugin::llm::{CallRecord, LlmError};
use serde_json::{Value, json};

use super::{KEY, Seen};
use crate::embeddings::{Embeddings, OpenAiEmbedder, embedder};
use crate::testing::{Reply, Server, reply};

fn configured(address: &str, more: Value) -> Embeddings {
    let mut value = json!({
        "model_id": "openai/e5",
        "client_args": { "api_key": KEY, "base_url": format!("{address}/v1"), "max_retries": 0 },
        "question_params": { "input_type": "query" },
        "message_params": { "input_type": "passage", "dimensions": 2 },
    });
    for (key, more) in more.as_object().unwrap() {
        value[key] = more.clone();
    }
    serde_json::from_value(value).unwrap()
}

fn at(server: &Server) -> OpenAiEmbedder {
    let embeddings = configured(&server.address, json!({}));
    embedder(&embeddings, embeddings.model_id.as_ref().unwrap(), &|_| {
        None
    })
    .unwrap()
}

async fn embed(
    embedder: &OpenAiEmbedder,
    texts: &[&str],
    kind: TextKind,
) -> (Result<Vec<Vector>, LlmError>, Vec<CallRecord>) {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let seen = Seen::default();
    let made = embedder.embed(&texts, kind, &seen).await;
    (made, seen.records.into_inner().unwrap())
}

fn vectors(vectors: &[(usize, &[f32])]) -> Reply {
    let data: Vec<Value> = vectors
        .iter()
        .map(|(index, numbers)| json!({ "index": index, "embedding": numbers }))
        .collect();
    let body = json!({ "data": data, "usage": { "prompt_tokens": 7, "total_tokens": 7 } });
    reply(200, "", &body.to_string())
}

#[tokio::test(start_paused = true)]
async fn texts_are_sent_in_one_call_and_their_vectors_come_in_their_order() {
    let server = Server::start([vectors(&[(1, &[0.0, 2.0]), (0, &[3.0, 4.0])])]).await;
    let embedder = at(&server);
    let (made, records) = embed(&embedder, &["予算", "b"], TextKind::Message).await;
    let made = made.unwrap();
    assert_eq!(made[0].numbers(), [0.6, 0.8]);
    assert_eq!(made[1].numbers(), [0.0, 1.0]);
    let sent = server.only();
    assert_eq!(sent.line, "POST /v1/embeddings");
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    let body = json!({
        "model": "e5", "input": ["予算", "b"], "encoding_format": "float",
        "input_type": "passage", "dimensions": 2
    });
    assert_eq!(sent.body, body);
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!((&*record.provider, &*record.model), ("openai", "e5"));
    assert_eq!(record.input_tokens, Some(7));
}

#[tokio::test(start_paused = true)]
async fn questions_have_parameters_of_their_own_and_long_texts_are_cut() {
    let server = Server::start([vectors(&[(0, &[1.0])])]).await;
    let long = "あ".repeat(10_000);
    let (made, _) = embed(&at(&server), &[&long], TextKind::Question).await;
    made.unwrap();
    let body = server.only().body;
    assert_eq!(body["input_type"], "query");
    assert_eq!(body["dimensions"], Value::Null);
    assert_eq!(body["input"][0].as_str().unwrap().chars().count(), 6_000);
}

#[tokio::test(start_paused = true)]
async fn answer_without_a_vector_for_each_text_is_a_failure() {
    let answers = [
        vectors(&[(0, &[1.0, 0.0])]),
        vectors(&[(0, &[1.0, 0.0]), (0, &[1.0, 0.0])]),
        vectors(&[(0, &[1.0, 0.0]), (7, &[1.0, 0.0])]),
        vectors(&[(0, &[1.0, 0.0]), (1, &[0.0, 0.0])]),
        reply(200, "", "{}"),
        reply(200, "", "<html>"),
    ];
    for answer in answers {
        let server = Server::start([answer]).await;
        let (made, records) = embed(&at(&server), &["a", "b"], TextKind::Message).await;
        let error = made.unwrap_err();
        assert!(matches!(error, LlmError::Other(_)), "{error:?}");
        assert_eq!(records[0].error, Some(error));
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_failure_it_rests_longer_and_longer_and_says_so() {
    let down = reply(503, "", "");
    let good = vectors(&[(0, &[1.0, 0.0])]);
    let server = Server::start([down.clone(), down.clone(), good.clone(), down, good]).await;
    let embedder = at(&server);
    let ask = async || embed(&embedder, &["a"], TextKind::Question).await.0;
    for (rest, sent) in [(30, 1), (60, 2)] {
        ask().await.unwrap_err();
        let LlmError::Unavailable(reason) = ask().await.unwrap_err() else {
            panic!("it is at rest");
        };
        assert!(reason.contains("nothing is sent for another"), "{reason}");
        assert_eq!(server.received().len(), sent);
        assert_eq!(embedder.paused_for(), Some(Duration::from_secs(rest)));
        tokio::time::advance(Duration::from_secs(rest)).await;
    }
    assert_eq!(embedder.paused_for(), None);
    ask().await.unwrap();
    ask().await.unwrap_err();
    tokio::time::advance(Duration::from_secs(30)).await;
    ask().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn request_that_is_wrong_is_no_reason_to_rest_and_hides_the_key() {
    let body = json!({ "error": { "message": format!("too long, {KEY}") } }).to_string();
    let server = Server::start([reply(400, "", &body), vectors(&[(0, &[1.0])])]).await;
    let embedder = at(&server);
    let seen = Seen::default();
    let made = embedder
        .embed(&["a".to_owned()], TextKind::Message, &seen)
        .await;
    let error = made.unwrap_err();
    assert!(matches!(error, LlmError::InvalidRequest(_)), "{error:?}");
    let said = seen.said.into_inner().unwrap().join("|");
    assert!(said.contains("too long") && !said.contains(KEY), "{said}");
    let (made, _) = embed(&embedder, &["a"], TextKind::Message).await;
    made.unwrap();
}

#[test]
fn what_cannot_be_used_is_named_with_its_key() {
    let none = |embeddings: &Embeddings| {
        let model_id = embeddings.model_id.clone().unwrap();
        embedder(embeddings, &model_id, &|_| None)
            .err()
            .map(|error| error.to_string())
    };
    let wrong = [
        (
            json!({ "model_id": "anthropic/x" }),
            "recall.embeddings.model_id: anthropic has another API",
        ),
        (
            json!({ "model_id": "nobody/x" }),
            "recall.embeddings.model_id: the provider `nobody`",
        ),
        (
            json!({ "message_params": { "input": "x" } }),
            "recall.embeddings.message_params.input: myao sets this",
        ),
        (
            json!({ "client_args": { "key": "x" } }),
            "recall.embeddings.client_args.key: not known",
        ),
    ];
    for (more, expected) in wrong {
        let error = none(&configured("http://localhost", more)).unwrap();
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(none(&configured("http://localhost", json!({}))), None);
    let shown = format!("{:?}", configured("http://localhost", json!({})));
    assert!(!shown.contains(KEY), "{shown}");
}
