//! Spans of `tracing`: one for each call into the component, and below it one for each call of a model, with the fields
//! of the [GenAI conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). A subscriber such as
//! `tracing-opentelemetry` exports them. Without a subscriber they cost nothing.
//!
//! Spans contain ids, names of channels, counts and kinds of errors. They contain prompts and answers only if the
//! plugin was built with [`capture_content`](crate::MemoryPluginBuilder::capture_content). They never contain keys.

mod component_call;
mod error_type;
mod model_call;

pub(crate) use component_call::{Subject, component_call, record_outcome};
pub(crate) use model_call::ask;

/// The target of all these spans.
pub const TARGET: &str = "myao::spans";
