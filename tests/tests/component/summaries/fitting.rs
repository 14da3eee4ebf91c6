//! Targets that do not fit the model: shorter prompts, chunks, and at last an error.

use myao_plugin::MemoryType::ShortTerm;
use myao_plugin::Scope::{Channel, Thread};
use myao_plugin::llm::LlmError;
use myao_plugin::{Context, Error, TokenExcess};
use myao_testkit::{Asked, ScriptedLlm};
use myao_tests::telling::letters;

use super::{SUMMARY, answering, context, host};
use crate::component::host::{Host, llm_errors, refused};

#[tokio::test]
async fn after_a_prompt_that_was_too_long_a_shorter_one_is_sent() {
    for told in [Some(2000), None] {
        let too_long = LlmError::ContextTooLong(told);
        let host = host(ScriptedLlm::answering(SUMMARY).on(Asked::call(0), too_long));
        let summary = host
            .plugin()
            .summarize(&long_context(), Thread, ShortTerm, None)
            .await
            .unwrap();
        assert_eq!(summary.text, SUMMARY);
        assert!(summary.coverage.left_out.messages > 0, "{summary:?}");
        let lengths: Vec<usize> = host.llm.prompts().iter().map(String::len).collect();
        assert!(lengths.len() >= 2 && lengths[1] < lengths[0], "{lengths:?}");
    }
}

#[tokio::test]
async fn a_model_that_takes_no_prompt_at_all_is_given_up() {
    let host = answering(LlmError::ContextTooLong(None));
    let failed = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await;
    assert!(matches!(refused(failed), Error::PromptTooLong(_)));
    assert!(host.llm.requests().len() < 20);
}

#[tokio::test]
async fn a_prompt_that_cannot_fit_is_an_error_that_tells_its_length_and_asks_no_model() {
    let window = 500;
    let host = host(ScriptedLlm::answering(SUMMARY).with_context_window(window));
    let failed = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await;
    let Error::PromptTooLong(TokenExcess { tokens, limit }) = refused(failed) else {
        panic!("another error")
    };
    assert!(tokens > limit && limit < window);
    assert_eq!(host.take_calls(), [""; 0]);
}

/// A conversation of which each part fits the model, and the whole does not.
fn long_context() -> Context {
    let mut context = context();
    for message in &mut context.conversation_history.top_level_messages {
        message.text = format!("{} {}", message.text, "そうだね。".repeat(60));
    }
    context
}

fn part(number: usize) -> String {
    format!("- 要約その{}", letters(number as u64))
}

fn small_model(llm: ScriptedLlm) -> Host {
    host(llm.with_context_window(1200)).with(|settings| {
        settings.set("memory.short_term_summary_max_tokens", 100);
        settings.set("memory.context_margin_tokens", 100);
    })
}

#[tokio::test]
async fn what_does_not_fit_is_summarised_in_chunks_and_merged() {
    let host = small_model(ScriptedLlm::new(|n, _| part(n)));
    let summary = host
        .plugin()
        .summarize(&long_context(), Channel, ShortTerm, None)
        .await
        .unwrap();
    let chunks = usize::try_from(summary.coverage.chunks).unwrap();
    assert!(chunks > 1, "{summary:?}");
    assert_eq!(summary.coverage.covered, summary.coverage.messages);
    let prompts = host.llm.prompts();
    assert_eq!(prompts.len(), chunks + 1);
    assert_eq!(summary.text, part(chunks));
    assert!((0..chunks).all(|n| prompts[chunks].contains(&part(n))));
}

#[tokio::test]
async fn a_chunk_that_the_model_fails_on_fails_the_whole() {
    for error in llm_errors() {
        let llm = ScriptedLlm::new(|n, _| part(n));
        let host = small_model(llm.on(Asked::call(1), error.clone()));
        let failed = host
            .plugin()
            .summarize(&long_context(), Channel, ShortTerm, None)
            .await;
        assert_eq!(refused(failed), Error::Llm(error));
    }
}
