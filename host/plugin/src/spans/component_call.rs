//! The span of one call into the component.

use tracing::Span;
use tracing::field::Empty;

use super::{TARGET, error_type};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Outcome};
use crate::bindings::types::{MemoryType, Scope};
use crate::error::CallError;
use crate::names;

/// The subject of a call.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// The whole workspace's due work.
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

/// The span of a call of `export`, below the caller's current span if there is one.
pub(crate) fn component_call(export: &str, subject: Subject<'_>) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "component call",
        otel.name = export,
        otel.status_description = Empty,
        myao.scope = Empty,
        myao.scope_id = Empty,
        myao.memory_type = Empty,
        myao.channel_name = Empty,
        error.type = Empty,
    );
    let (scope, scope_id) = match subject {
        Subject::All => return span,
        Subject::Memory(scope, memory_type) => {
            span.record("myao.memory_type", names::memory_type(memory_type));
            (scope, None)
        }
        Subject::Channel(id) => (Scope::Channel, Some(id.to_owned())),
        Subject::Thread(channel, thread) => (Scope::Thread, Some(format!("{channel}:{thread}"))),
        Subject::Workspace(id) => (Scope::Workspace, Some(id.to_owned())),
    };
    span.record("myao.scope", names::scope(scope));
    if let Some(scope_id) = scope_id {
        span.record("myao.scope_id", scope_id);
    }
    span
}

/// Records the result of the call.
pub(crate) fn record_outcome<T: CallOutcome>(span: &Span, result: &Result<T, CallError>) {
    let channel_name = result.as_ref().ok().and_then(CallOutcome::channel_name);
    if let Some(name) = channel_name.filter(|name| !name.is_empty()) {
        span.record("myao.channel_name", name);
    }
    let error_type = match result {
        Ok(result) => result.error().map(error_type::of_error),
        Err(error) => Some(error_type::of_call(error)),
    };
    if let Some(error_type) = error_type {
        // The text of an error may quote a server.
        span.record("otel.status_description", &*error_type);
        span.record("error.type", error_type);
    }
}

/// The attributes of a call that its result has.
pub(crate) trait CallOutcome {
    /// The channel's name, without `#`.
    fn channel_name(&self) -> Option<&str> {
        None
    }

    /// The failure, although the call itself returned.
    fn error(&self) -> Option<&Error>;
}

impl<T> CallOutcome for Result<T, Error> {
    fn error(&self) -> Option<&Error> {
        self.as_ref().err()
    }
}

impl CallOutcome for Entry {
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

/// The channel's entry, and the workspace's if that follows.
impl CallOutcome for Vec<Entry> {
    fn channel_name(&self) -> Option<&str> {
        self.first().and_then(CallOutcome::channel_name)
    }

    fn error(&self) -> Option<&Error> {
        self.iter().find_map(CallOutcome::error)
    }
}
