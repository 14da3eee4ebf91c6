//! The span of one call of a model, with all its attempts.

use serde_json::json;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::TARGET;
use crate::llm::record::RecordTap;
use crate::llm::{
    CallObserver, CallRecord, Completion, Destination, FinishReason, Llm, LlmError, Request,
};
use crate::names;

/// Asks a model within a span, as [`Llm::complete`] does. With `captures_content`, the span contains the prompt and the
/// answer.
pub(crate) async fn ask(
    llm: &dyn Llm,
    request: Request,
    calls: &dyn CallObserver,
    captures_content: bool,
) -> Result<Completion, LlmError> {
    let span = of_request(&request, llm.destination());
    if span.is_disabled() {
        return llm.complete(request, calls).await;
    }
    if captures_content {
        let prompt = json!([{ "type": "text", "content": request.system_prompt }]);
        span.record("gen_ai.system_instructions", prompt.to_string());
    }
    let tap = RecordTap::of(calls);
    let result = llm.complete(request, &tap).instrument(span.clone()).await;
    if let Some(record) = tap.record() {
        add_record(&span, &record);
    }
    if let Ok(completion) = &result
        && captures_content
    {
        span.record("gen_ai.output.messages", messages(completion));
    }
    result
}

/// Creates the span, with the attributes known before the call.
fn of_request(request: &Request, destination: Option<Destination<'_>>) -> Span {
    let purpose = &request.purpose;
    let most = destination.and_then(|destination| destination.max_tokens);
    let max_tokens = most.map_or(request.max_tokens, |most| most.min(request.max_tokens));
    let span = tracing::info_span!(
        target: TARGET,
        "model call",
        otel.name = Empty,
        otel.kind = "client",
        otel.status_description = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = Empty,
        gen_ai.request.model = Empty,
        gen_ai.request.max_tokens = i64::from(max_tokens),
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.system_instructions = Empty,
        gen_ai.output.messages = Empty,
        server.address = Empty,
        server.port = Empty,
        myao.scope = names::scope(purpose.scope),
        myao.scope_id = purpose.scope_id,
        myao.memory_type = Empty,
        myao.attempts = Empty,
        error.type = Empty,
    );
    if let Some(memory_type) = purpose.memory_type {
        span.record("myao.memory_type", names::memory_type(memory_type));
    }
    let name = match destination {
        Some(destination) => {
            span.record("gen_ai.request.model", destination.model);
            span.record("server.address", destination.address);
            if let Some(port) = destination.port {
                span.record("server.port", i64::from(port));
            }
            format!("chat {}", destination.model)
        }
        None => "chat".to_owned(),
    };
    span.record("otel.name", name);
    span
}

/// Adds the attributes known after the call.
fn add_record(span: &Span, record: &CallRecord) {
    span.record("gen_ai.provider.name", provider(&record.provider));
    span.record("myao.attempts", i64::from(record.attempts));
    for (key, count) in [
        ("gen_ai.usage.input_tokens", record.input_tokens),
        ("gen_ai.usage.output_tokens", record.output_tokens),
        ("gen_ai.usage.cache_read.input_tokens", record.cached_tokens),
    ] {
        if let Some(count) = count {
            span.record(key, i64::from(count));
        }
    }
    if let Some(reason) = record.finish_reason {
        span.record("gen_ai.response.model", &*record.model);
        span.record("gen_ai.response.finish_reasons", finish_reason(reason));
    }
    if let Some(error) = &record.error {
        let error_type = names::llm_error(error);
        span.record("otel.status_description", error_type);
        span.record("error.type", error_type);
    }
}

/// The name of a provider in the conventions; its own name if they have none.
fn provider(name: &str) -> &str {
    match name {
        "azure" => "azure.ai.openai",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "ollama_chat" => "ollama",
        other => other,
    }
}

fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Other => "other",
    }
}

/// An answer in the format of `gen_ai.output.messages`.
fn messages(completion: &Completion) -> String {
    json!([{
        "role": "assistant",
        "parts": [{ "type": "text", "content": completion.text }],
        "finish_reason": finish_reason(completion.finish_reason),
    }])
    .to_string()
}
