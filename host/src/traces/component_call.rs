//! The span of one call into the component.

use opentelemetry::trace::{SpanBuilder, Status, TraceContextExt as _};
use opentelemetry::{Context, KeyValue};

use super::{Traces, error_type};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Outcome};
use crate::bindings::types::{MemoryType, Scope};
use crate::names;
use crate::plugin::CallError;
use crate::printable::line;

/// A call under way. Its span ends with [`Self::end`], or when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct ComponentCall {
    pub(super) traces: Traces,
    /// Holds the span.
    pub(super) context: Context,
}

/// What a call is about.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// Nothing less than all.
    All,
    /// A memory of a context.
    Memory(Scope, MemoryType),
    /// A channel's id.
    Channel(&'a str),
    /// A channel's and a thread's id.
    Thread(&'a str, &'a str),
    /// The workspace's scope id.
    Workspace(&'a str),
}

impl<'a> From<&'a BuildRequest> for Subject<'a> {
    fn from(request: &'a BuildRequest) -> Self {
        match (&request.channel_id, &request.target_thread_ts) {
            (channel, _) if channel.is_empty() => Self::All,
            (channel, Some(thread)) => Self::Thread(channel, thread),
            (channel, None) => Self::Channel(channel),
        }
    }
}

impl Subject<'_> {
    fn attributes(self) -> Vec<KeyValue> {
        match self {
            Self::All => Vec::new(),
            Self::Memory(scope, memory_type) => vec![
                KeyValue::new("myao.scope", names::scope(scope)),
                KeyValue::new("myao.memory_type", names::memory_type(memory_type)),
            ],
            Self::Channel(id) => place(Scope::Channel, id.to_owned()),
            Self::Thread(channel, thread) => place(Scope::Thread, format!("{channel}:{thread}")),
            Self::Workspace(id) => place(Scope::Workspace, id.to_owned()),
        }
    }
}

/// A scope and its id.
pub(super) fn place(scope: Scope, scope_id: String) -> Vec<KeyValue> {
    vec![
        KeyValue::new("myao.scope", names::scope(scope)),
        KeyValue::new("myao.scope_id", scope_id),
    ]
}

impl ComponentCall {
    /// Begins the span of a call of `export`, below the caller's current span if there is one.
    pub(crate) fn start(traces: &Traces, export: &'static str, subject: Subject<'_>) -> Self {
        let span = SpanBuilder::from_name(export)
            .with_attributes(subject.attributes())
            .start(&traces.tracer);
        Self {
            traces: traces.clone(),
            context: Context::current_with_span(span),
        }
    }

    /// Ends it with what came of the call.
    pub(crate) fn end<T: Told>(self, export: &'static str, result: &Result<T, CallError>) {
        let span = self.context.span();
        let channel_name = result.as_ref().ok().and_then(Told::channel_name);
        if let Some(name) = channel_name.filter(|name| !name.is_empty()) {
            span.update_name(format!("{export} #{}", line(name)));
        }
        let error_type = match result {
            Ok(result) => result.error().map(error_type::of_error),
            Err(error) => Some(error_type::of_call(error)),
        };
        if let Some(error_type) = error_type {
            // The words of an error may hold what a server said.
            span.set_status(Status::error(error_type.clone()));
            span.set_attribute(KeyValue::new("error.type", error_type));
        }
        span.end();
    }
}

/// What a result says of its call.
pub(crate) trait Told {
    /// The channel's name, without `#`.
    fn channel_name(&self) -> Option<&str> {
        None
    }

    /// What failed, although the call itself came to its end.
    fn error(&self) -> Option<&Error>;
}

impl<T> Told for Result<T, Error> {
    fn error(&self) -> Option<&Error> {
        self.as_ref().err()
    }
}

impl Told for Entry {
    fn channel_name(&self) -> Option<&str> {
        Some(&self.channel_name)
    }

    fn error(&self) -> Option<&Error> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Done | Outcome::Skipped(_) | Outcome::Deferred(_) => None,
        }
    }
}

/// The channel's entry, and the workspace's where that follows.
impl Told for Vec<Entry> {
    fn channel_name(&self) -> Option<&str> {
        self.first().and_then(Told::channel_name)
    }

    fn error(&self) -> Option<&Error> {
        self.iter().find_map(Told::error)
    }
}
