//! A prompt that the model refuses: finds the parts on which the refusal hangs, and makes the memory without them.
//!
//! The parts are shown one after the other, those that are summarised first. Halving finds the shortest beginning that
//! is refused: its last part goes. A message gives way to a note, so that its place in the talk stays; anything else is
//! left out. This goes on until the model answers; more parts go at once if one by one is not enough.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::{Summarizer, Task};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::LlmError;
use crate::bindings::types::{Context, MemoryType, Message, Scope};
use crate::fit::count;
use crate::prompt;
use crate::text::language::{Language, languages_of};

/// So many parts go one by one. Each time after that twice as many go at once, so that a prompt of which much is refused
/// costs few calls, and yet something is remembered.
const ONE_BY_ONE: usize = 4;

/// Which failures are narrowed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// None.
    Nothing,
    /// Refusals: the model will refuse the same prompt again.
    Refusals,
    /// Bad answers, too: the memory failed in an earlier run, so another try does not help.
    BadAnswers,
}

impl Narrowing {
    /// Returns true if a failure hangs on what the prompt says.
    pub(super) fn covers(self, error: &Error) -> bool {
        match error {
            _ if self == Self::Nothing => false,
            Error::Llm(LlmError::Refused(_)) | Error::BadAnswer(BadAnswer::Refusal) => true,
            Error::BadAnswer(
                BadAnswer::Empty
                | BadAnswer::Question
                | BadAnswer::PromptRepeated
                | BadAnswer::Malformed(_),
            ) => self == Self::BadAnswers,
            _ => false,
        }
    }
}

/// The role of a part of a prompt, in the order in which the parts are shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// It is summarised or merged.
    Target,
    /// A line of the memory that is merged into.
    Existing,
    /// Its surroundings.
    Around,
}

/// A part is shown or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
    /// A note stands in its place.
    Note,
}

impl Summarizer<'_> {
    /// The memory without what the model refuses.
    pub(super) fn narrowed(
        &self,
        task: Task<'_>,
        narrowing: Narrowing,
        refused: Error,
    ) -> Result<Summary, Error> {
        let parts = Parts::of(task);
        let calls = Cell::new(self.model.calls());
        let ask = |shown: &[Shown], is_last: bool| {
            let (context, existing) = parts.with(shown);
            let task = Task {
                context: &context,
                existing_memory: existing.as_deref(),
                ..task
            };
            if !prompt::has_input(&context, task.scope, task.memory_type) {
                // Nothing is asked, so nothing is refused.
                return Ok(None);
            }
            let asked = if is_last {
                self.attempt(task)
            } else {
                self.model.without_second_ask(|| self.attempt(task))
            };
            calls.set(calls.get().saturating_add(self.model.calls()));
            match asked {
                Ok(summary) => Ok(Some(summary)),
                Err(error) if narrowing.covers(&error) => Err(None),
                Err(error) => Err(Some(error)),
            }
        };
        let mut gone = BTreeSet::new();
        let (mut first, mut at_once) = (0, 1);
        loop {
            // A prompt up to `low` is answered, one up to `high` is refused.
            let (mut low, mut high) = (first, parts.order.len());
            while low + 1 < high {
                let middle = low + (high - low) / 2;
                match ask(&parts.shown(middle, &gone), false) {
                    Ok(_) => low = middle,
                    Err(None) => high = middle,
                    Err(Some(error)) => return Err(error),
                }
            }
            // It is gone already if the model refuses now what it answered before.
            if low >= parts.order.len() || gone.contains(&low) {
                break;
            }
            gone.extend((low..parts.order.len()).take(at_once));
            if gone.len() >= ONE_BY_ONE {
                at_once *= 2;
            }
            match ask(&parts.shown(parts.order.len(), &gone), true) {
                Ok(Some(mut summary)) => {
                    let messages = gone.iter().filter(|part| parts.is_message(**part));
                    let coverage = &mut summary.coverage;
                    coverage.refused = count(&gone);
                    coverage.covered = coverage
                        .covered
                        .saturating_sub(u32::try_from(messages.count()).unwrap_or(u32::MAX));
                    coverage.calls = calls.get();
                    return Ok(summary);
                }
                // Nothing is left, or the very first part is refused and so is the rest: it is not about a part.
                Ok(None) => break,
                Err(None) if low == 0 => break,
                Err(None) => first = low,
                Err(Some(error)) => return Err(error),
            }
        }
        Err(refused)
    }
}

/// The parts of a task's prompt that can be left out.
struct Parts<'t> {
    task: Task<'t>,
    /// The parts in the order in which they are shown, as numbers in the order in which [`walk`] meets them.
    order: Vec<usize>,
    /// By the number of [`walk`]: whether it is a message that is summarised.
    messages: Vec<bool>,
    note: &'static str,
}

impl<'t> Parts<'t> {
    fn of(task: Task<'t>) -> Self {
        let mut roles = Vec::new();
        let mut messages = Vec::new();
        walk(task, "", &mut |role, is_message| {
            roles.push(role);
            messages.push(is_message && role == Role::Target);
            Shown::Yes
        });
        let mut order: Vec<usize> = (0..roles.len()).collect();
        order.sort_by_key(|part| roles.get(*part).copied());
        Self {
            task,
            order,
            messages,
            note: note(task.context),
        }
    }

    /// Returns true if the part at this place in the order is a message that is summarised.
    fn is_message(&self, place: usize) -> bool {
        let part = self.order.get(place);
        part.and_then(|part| self.messages.get(*part)) == Some(&true)
    }

    /// The first `end` parts without those that are gone, by the numbers of [`walk`].
    fn shown(&self, end: usize, gone: &BTreeSet<usize>) -> Vec<Shown> {
        let mut shown = vec![Shown::No; self.order.len()];
        for (place, part) in self.order.iter().enumerate().take(end) {
            if let Some(shown) = shown.get_mut(*part) {
                *shown = if gone.contains(&place) {
                    Shown::Note
                } else {
                    Shown::Yes
                };
            }
        }
        shown
    }

    /// The context and the existing memory with these parts.
    fn with(&self, shown: &[Shown]) -> (Context, Option<String>) {
        let mut shown = shown.iter().copied();
        walk(self.task, self.note, &mut |_, _| {
            shown.next().unwrap_or(Shown::Yes)
        })
    }
}

/// Copies a task's context and existing memory, without what `is_shown` leaves out. `is_shown` gets the role of each part,
/// and whether it is a message, always in the same order.
fn walk(
    task: Task<'_>,
    note: &str,
    is_shown: &mut dyn FnMut(Role, bool) -> Shown,
) -> (Context, Option<String>) {
    let mut context = task.context.clone();
    let merges = matches!(
        (task.scope, task.memory_type),
        (Scope::Workspace, _) | (Scope::Channel, MemoryType::LongTerm)
    );
    let target_thread = context.target_thread_ts.clone();
    let own = context.conversation_history.channel_id.clone();
    let history = &mut context.conversation_history;
    let role_of = |thread: Option<&str>| match (merges, task.scope) {
        (false, Scope::Channel) => Role::Target,
        (false, _) if thread.is_some() && thread == target_thread.as_deref() => Role::Target,
        _ => Role::Around,
    };
    let mut keep = |role: Role, message: &mut Message| match is_shown(role, true) {
        Shown::Yes => true,
        Shown::No => false,
        Shown::Note => {
            note.clone_into(&mut message.text);
            true
        }
    };
    history
        .top_level_messages
        .retain_mut(|message| keep(role_of(None), message));
    for thread in &mut history.threads {
        let role = role_of(Some(&thread.thread_ts));
        thread.messages.retain_mut(|message| keep(role, message));
    }
    history.threads.retain(|thread| !thread.messages.is_empty());
    let mut is_shown = |role| is_shown(role, false) == Shown::Yes;
    let role = if task.scope == Scope::Workspace {
        Role::Target
    } else {
        Role::Around
    };
    // The channel's own memories are a target of its long-term memory: line by line, below.
    let merged = |channel_id: &str| merges && task.scope == Scope::Channel && channel_id == own;
    context
        .channel_memories
        .retain(|memory| merged(&memory.channel_id) || is_shown(role));
    context.thread_memories.retain(|_| is_shown(Role::Around));
    for memory in [
        &mut context.workspace_long_term_memory,
        &mut context.workspace_short_term_memory,
    ] {
        if memory.is_some() && !is_shown(Role::Around) {
            *memory = None;
        }
    }
    for memory in &mut context.channel_memories {
        if merged(&memory.channel_id) {
            let newest = memory.short_term_memory_history.last_mut();
            if let Some(version) = newest.or(memory.short_term_memory.as_mut()) {
                *version = lines(version, &mut || is_shown(Role::Target));
            }
        }
    }
    let existing = task.existing_memory;
    let existing = existing.map(|memory| lines(memory, &mut || is_shown(Role::Existing)));
    (context, existing)
}

/// The lines of a text that are shown.
fn lines(text: &str, is_shown: &mut dyn FnMut() -> bool) -> String {
    let kept = text.split_inclusive('\n');
    kept.filter(|line| line.trim().is_empty() || is_shown())
        .collect()
}

/// The text that replaces a message.
fn note(context: &Context) -> &'static str {
    let texts = prompt::conversation_messages(context).map(|message| message.text.as_str());
    match languages_of(texts).first() {
        Some(Language::Japanese) | None => "（モデルが応答しないため、この発言は省かれています）",
        Some(_) => "(left out: the model does not answer if it reads this message)",
    }
}
