//! OpenTelemetry traces: a span for each call into the component, and below it one for each call of a model, as the
//! [GenAI conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/) want it.
//!
//! Spans hold names, ids, counts and kinds of errors. The texts of prompts and answers are in them only where they
//! are asked for ([`Content::Captured`]); keys never are.

mod component_call;
mod error_type;
mod export;
mod model_call;

use opentelemetry::InstrumentationScope;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

pub use export::TracesError;

pub(crate) use component_call::{ComponentCall, Subject};

/// Where spans go, and what they hold. Clones share it.
#[derive(Debug, Clone)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    content: Content,
}

/// What the spans of a model's calls hold of prompts and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Omitted,
    /// Their whole texts.
    Captured,
}

impl Traces {
    /// Spans for a provider. Its owner flushes and ends it.
    #[must_use]
    pub fn new(provider: &SdkTracerProvider, content: Content) -> Self {
        let scope = InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        Self {
            provider: provider.clone(),
            tracer: provider.tracer_with_scope(scope),
            content,
        }
    }
}
