//! What one call may write and ask for. `tests/faulty-component` wants more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao::config::Config;
use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, NoLlm, Request};
use myao_plugin::{CallError, Excess, Limits, LogLevel, MemoryPlugin, Outcome};
use myao_testkit::LogLines;
use myao_tests::backfills::llm_settings;
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::store::{TestStore, utc};
use myao_tests::{component, telling};

use crate::runs::sandbox::{ending, faulty, told_to};
use crate::runs::trespassing;

/// What `tests/trespassing-component` is told.
const SAVE: &str = "save-without-end workspace default";
const DEFER: &str = "defer-without-end workspace default";

#[track_caller]
fn assert_exceeded(error: &CallError, expected: Excess, name: &str) {
    assert!(
        matches!(error, CallError::Exceeded { excess, .. } if *excess == expected),
        "{error:?}"
    );
    assert!(error.to_string().contains(name), "{error}");
}

#[tokio::test]
async fn saves_and_deferrals_of_a_call_are_counted() {
    let limits = Limits::default().with(|limits| limits.saves = 100);
    for what in [SAVE, DEFER] {
        let error = trespassing::ending(what, limits).await;
        assert_exceeded(&error, Excess::Saves(100), "the limit saves");
    }
    let limits = Limits::default();
    let error = trespassing::ending(SAVE, limits).await;
    assert_exceeded(&error, Excess::Saves(limits.saves), "the limit saves");
}

#[tokio::test]
async fn bytes_that_a_call_saves_and_posts_are_counted() {
    let limit = Limits::default().write_bytes;
    for what in [SAVE, DEFER] {
        let much = format!("{what} 1048576");
        let error = trespassing::ending(&much, Limits::default()).await;
        assert_exceeded(&error, Excess::WriteBytes(limit), "the limit write_bytes");
    }
}

/// A model that answers at once, and counts its calls.
#[derive(Default)]
struct Quick(AtomicUsize);

#[async_trait::async_trait]
impl Llm for Quick {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Completion {
            text: "an answer".to_owned(),
            finish_reason: FinishReason::Stop,
            model: "quick".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

#[tokio::test]
async fn calls_of_the_model_are_counted() {
    let limits = Limits::default().with(|limits| limits.model_calls = 7);
    for what in ["ask without end", "ask for all at once"] {
        let model = Arc::new(Quick::default());
        let plugin = faulty(model.clone(), limits);
        let error = told_to(&plugin, what).await.unwrap_err();
        assert_exceeded(&error, Excess::ModelCalls(7), "the limit model_calls");
        assert_eq!(model.0.load(Ordering::SeqCst), 7, "{what}");
        // Each call has a limit of its own.
        assert_eq!(
            told_to(&plugin, "ask the model").await.unwrap(),
            "an answer"
        );
    }
    let model = Arc::new(Quick::default());
    let plugin = faulty(model.clone(), Limits::default());
    told_to(&plugin, "ask for all at once").await.unwrap_err();
    assert_eq!(model.0.load(Ordering::SeqCst), 500);
}

#[tokio::test]
async fn what_is_asked_of_the_model_is_weighed() {
    let limit = Limits::default().prompt_bytes;
    let error = ending("ask long questions", Limits::default()).await;
    assert_exceeded(&error, Excess::PromptBytes(limit), "the limit prompt_bytes");
    let limits = Limits::default().with(|limits| limits.answer_bytes = 100);
    let model = Arc::new(Quick::default());
    let plugin = faulty(model.clone(), limits);
    let error = told_to(&plugin, "ask without end").await.unwrap_err();
    assert_exceeded(&error, Excess::AnswerBytes(100), "the limit answer_bytes");
    // "an answer".
    assert_eq!(model.0.load(Ordering::SeqCst), 100 / 9 + 1);
}

#[tokio::test]
async fn beyond_its_lines_and_bytes_the_log_says_once_that_more_is_left_out() {
    let lines = Limits::default().with(|limits| limits.log_lines = 10);
    // "line 0" to "line 9".
    let bytes = Limits::default().with(|limits| limits.log_bytes = 60);
    for limits in [lines, bytes] {
        let log = LogLines::capture();
        let plugin = faulty(Arc::new(NoLlm), limits);
        assert_eq!(told_to(&plugin, "chatter").await.unwrap(), "said");
        let said = log.lines();
        assert_eq!(said.len(), 11, "{said:?}");
        assert_eq!(said[9].1, "line 9");
        assert_eq!(said[10].0, LogLevel::Warn);
        assert!(said[10].1.contains("left out"), "{said:?}");
    }
    let log = LogLines::capture();
    let plugin = faulty(Arc::new(NoLlm), Limits::default());
    told_to(&plugin, "chatter").await.unwrap();
    assert_eq!(log.lines().len(), 1000);
}

/// A long conversation in one channel.
fn conversation() -> History {
    let messages = (0..40).map(|n| {
        let text = format!("Crate {n} is on board. {}", "It weighs much. ".repeat(30));
        message(&channel_id(0), ts(START + n, 1), text)
    });
    History {
        users: vec![user("alice")],
        channels: vec![channel(0)],
        messages: messages.collect(),
        ..History::default()
    }
}

#[tokio::test]
async fn what_takes_more_calls_of_the_model_than_one_call_may_goes_on_in_the_next() {
    const MOST: u64 = 3;
    let server = LlmServer::start(|call| answer(&telling::answer(call.prompt())));
    let config = server.config_with("context_window: 3000");
    let config = Config::parse(&config, &|_| Ok(Vec::new())).unwrap();
    let agents = myao_llm::configured_models(&config.agents).unwrap();
    let (_file, workspace) = TestStore::of(&conversation()).into_workspace();
    let limits = Limits::default().with(|limits| limits.model_calls = MOST);
    let plugin = MemoryPlugin::builder()
        .component(component())
        .storage(Arc::new(workspace.clone()))
        .llm(agents)
        .settings(llm_settings())
        .limits(limits)
        .build()
        .unwrap();
    let plugin = plugin.with_journal(Arc::new(workspace));
    let mut calls = 0;
    let entry = loop {
        calls += 1;
        assert!(calls < 100, "it does not come to an end");
        let now = utc(START + 6 * 3600);
        match plugin.generate_channel(&channel_id(0), now).await {
            Ok(entry) => break entry,
            Err(error) => assert_exceeded(&error, Excess::ModelCalls(MOST), "model_calls"),
        }
    };
    assert_eq!(entry.outcome, Outcome::Done, "{entry:?}");
    assert!(calls > 2, "{calls}");
    let prompts = server.prompts();
    let different: BTreeSet<&String> = prompts.iter().collect();
    assert_eq!(different.len(), prompts.len(), "nothing is asked twice");
}
