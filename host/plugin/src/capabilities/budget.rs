//! The remaining budget of one call for writes and requests. The call ends if it exceeds one of its limits.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::bindings::llm::Request;
use crate::error::Excess;
use crate::limits::Limits;

/// The rest of a call's [`Limits`].
pub(super) struct Budget {
    limits: Limits,
    saves: Left,
    posts: Left,
    write_bytes: Left,
    model_calls: Left,
    prompt_bytes: Left,
    answer_bytes: Left,
    log_lines: Left,
    log_bytes: Left,
    /// True if the log already says that lines are left out.
    log_is_full: bool,
}

/// The treatment of a log line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// It is written.
    Written,
    /// It is the first that is left out.
    FirstLeftOut,
    /// It is left out, and so was one before it.
    LeftOut,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            saves: Left::new(limits.saves),
            posts: Left::new(limits.posts),
            write_bytes: Left::new(limits.write_bytes),
            model_calls: Left::new(limits.model_calls),
            prompt_bytes: Left::new(limits.prompt_bytes),
            answer_bytes: Left::new(limits.answer_bytes),
            log_lines: Left::new(limits.log_lines),
            log_bytes: Left::new(limits.log_bytes),
            log_is_full: false,
        }
    }

    /// Call before a memory or a deferral is saved.
    pub(super) fn save(&self, bytes: usize) -> Result<(), Excess> {
        self.saves.take(1, Excess::Saves(self.limits.saves))?;
        self.write(bytes)
    }

    /// Call before a text is posted.
    pub(super) fn post(&self, bytes: usize) -> Result<(), Excess> {
        self.posts.take(1, Excess::Posts(self.limits.posts))?;
        self.write(bytes)
    }

    fn write(&self, bytes: usize) -> Result<(), Excess> {
        let excess = Excess::WriteBytes(self.limits.write_bytes);
        self.write_bytes.take(bytes_of(bytes), excess)
    }

    /// Call before a model is asked. Requests may run in parallel.
    pub(super) fn ask(&self, request: &Request) -> Result<(), Excess> {
        let excess = Excess::ModelCalls(self.limits.model_calls);
        self.model_calls.take(1, excess)?;
        let schema = request.answer_schema.as_ref().map_or(0, String::len);
        let bytes = request.system_prompt.len().saturating_add(schema);
        let excess = Excess::PromptBytes(self.limits.prompt_bytes);
        self.prompt_bytes.take(bytes_of(bytes), excess)
    }

    /// Call after a model has answered.
    pub(super) fn answered(&self, bytes: usize) -> Result<(), Excess> {
        let excess = Excess::AnswerBytes(self.limits.answer_bytes);
        self.answer_bytes.take(bytes_of(bytes), excess)
    }

    /// Call before a line is written to the log.
    pub(super) fn log(&mut self, bytes: usize) -> Line {
        let fits = self.log_lines.has(1) && self.log_bytes.has(bytes_of(bytes));
        if fits && !self.log_is_full {
            return Line::Written;
        }
        if std::mem::replace(&mut self.log_is_full, true) {
            Line::LeftOut
        } else {
            Line::FirstLeftOut
        }
    }
}

fn bytes_of(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The rest of one limit.
struct Left(AtomicU64);

impl Left {
    fn new(limit: u64) -> Self {
        Self(AtomicU64::new(limit))
    }

    /// Takes `amount` if that much is left; else takes nothing.
    fn has(&self, amount: u64) -> bool {
        let rest = |left: u64| left.checked_sub(amount);
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        taken.is_ok()
    }

    fn take(&self, amount: u64, excess: Excess) -> Result<(), Excess> {
        self.has(amount).then_some(()).ok_or(excess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_counted_and_weighed() {
        let limits = Limits::default().with(|limits| limits.write_bytes = 1000);
        let budget = Budget::new(&limits);
        for _ in 0..limits.posts {
            assert_eq!(budget.post(10), Ok(()));
        }
        assert_eq!(budget.post(10), Err(Excess::Posts(limits.posts)));
        let budget = Budget::new(&limits);
        assert_eq!(budget.post(1001), Err(Excess::WriteBytes(1000)));
    }
}
