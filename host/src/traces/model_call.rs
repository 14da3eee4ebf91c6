//! The span of one call of a model, all its attempts together.

use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Status};
use opentelemetry::{Array, KeyValue, StringValue, Value};
use serde_json::json;

use super::Content;
use super::component_call::{ComponentCall, place};
use crate::llm::record::Witness;
use crate::llm::{
    CallObserver, CallRecord, Completion, Destination, FinishReason, Llm, LlmError, Purpose,
    Request,
};
use crate::names;

impl ComponentCall {
    /// Asks a model, as [`Llm::complete`]; the call becomes a span below the component's.
    pub(crate) async fn ask(
        &self,
        llm: &dyn Llm,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let mut attributes = of_request(&request, llm.destination());
        if self.traces.content == Content::Captured {
            let prompt = json!([{ "type": "text", "content": request.system_prompt }]);
            attributes.push(text("gen_ai.system_instructions", prompt.to_string()));
        }
        let witness = Witness::of(calls);
        let result = llm.complete(request, &witness).await;
        if let Some(record) = witness.record() {
            if let (Content::Captured, Ok(completion)) = (self.traces.content, &result) {
                attributes.push(text("gen_ai.output.messages", messages(completion)));
            }
            self.add_span(record, attributes, llm.destination());
        }
        result
    }

    /// The span of a call that is over.
    fn add_span(
        &self,
        record: CallRecord,
        mut attributes: Vec<KeyValue>,
        destination: Option<Destination<'_>>,
    ) {
        let asked = destination.map_or(record.model.as_str(), |destination| destination.model);
        let name = format!("chat {asked}");
        attributes.push(text("gen_ai.request.model", asked.to_owned()));
        attributes.extend(of_record(&record));
        let error_type = record.error.as_ref().map(names::llm_error);
        let mut span = SpanBuilder::from_name(name)
            .with_kind(SpanKind::Client)
            .with_start_time(record.started_at)
            .with_attributes(attributes)
            .start_with_context(&self.traces.tracer, &self.context);
        if let Some(error_type) = error_type {
            span.set_status(Status::error(error_type));
        }
        span.end_with_timestamp(record.started_at + record.duration);
    }
}

/// What is known before the call.
fn of_request(request: &Request, destination: Option<Destination<'_>>) -> Vec<KeyValue> {
    let Purpose {
        scope,
        scope_id,
        memory_type,
        ..
    } = &request.purpose;
    let most = destination.and_then(|destination| destination.max_tokens);
    let max_tokens = most.map_or(request.max_tokens, |most| most.min(request.max_tokens));
    let mut attributes = place(*scope, scope_id.clone());
    attributes.extend([
        KeyValue::new("gen_ai.operation.name", "chat"),
        number("gen_ai.request.max_tokens", max_tokens),
    ]);
    if let Some(memory_type) = memory_type {
        let memory_type = names::memory_type(*memory_type);
        attributes.push(KeyValue::new("myao.memory_type", memory_type));
    }
    if let Some(destination) = destination {
        attributes.push(text("server.address", destination.address.to_owned()));
        attributes.extend(
            destination
                .port
                .map(|port| number("server.port", port.into())),
        );
    }
    attributes
}

/// What is known after it.
fn of_record(record: &CallRecord) -> impl Iterator<Item = KeyValue> {
    let always = [
        text("gen_ai.provider.name", provider(&record.provider)),
        number("myao.attempts", record.attempts),
    ];
    let counts = [
        ("gen_ai.usage.input_tokens", record.input_tokens),
        ("gen_ai.usage.output_tokens", record.output_tokens),
        ("gen_ai.usage.cache_read.input_tokens", record.cached_tokens),
    ];
    let counts = counts
        .into_iter()
        .filter_map(|(key, count)| Some(number(key, count?)));
    let answered = record.finish_reason.map(|reason| {
        let reasons = Array::String(vec![StringValue::from(finish_reason(reason))]);
        [
            text("gen_ai.response.model", record.model.clone()),
            KeyValue::new("gen_ai.response.finish_reasons", Value::Array(reasons)),
        ]
    });
    let error = record.error.as_ref().map(names::llm_error);
    let error = error.map(|error_type| KeyValue::new("error.type", error_type));
    always
        .into_iter()
        .chain(counts)
        .chain(answered.into_iter().flatten())
        .chain(error)
}

/// The conventions' name of a provider; its own where they have none.
fn provider(name: &str) -> String {
    let name = match name {
        "azure" => "azure.ai.openai",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "ollama_chat" => "ollama",
        other => other,
    };
    name.to_owned()
}

fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Other => "other",
    }
}

/// An answer in the shape of `gen_ai.output.messages`.
fn messages(completion: &Completion) -> String {
    json!([{
        "role": "assistant",
        "parts": [{ "type": "text", "content": completion.text }],
        "finish_reason": finish_reason(completion.finish_reason),
    }])
    .to_string()
}

fn text(key: &'static str, value: String) -> KeyValue {
    KeyValue::new(key, value)
}

fn number(key: &'static str, value: u32) -> KeyValue {
    KeyValue::new(key, i64::from(value))
}
