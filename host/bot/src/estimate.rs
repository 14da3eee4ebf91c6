//! The expected cost of work: models that are not asked. They answer with a text of nearly the longest length, and
//! report its tokens. The work itself is done on a copy of the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use myao_plugin::llm::{
    Agents, CallObserver, CallRecord, Completion, Destination, FinishReason, Llm, LlmError,
    ModelIdentity, Request,
};

use crate::clock::Clock;

/// The part of the allowed length that an answer has, in percent. A full one might count as cut off.
pub const ANSWER_PERCENT: u32 = 90;

/// Models that answer in place of these without asking them. `clock` shows when they were called.
#[must_use]
pub fn not_asked(agents: &Agents, clock: &Clock) -> Agents {
    let not_asked = |model: &Arc<dyn Llm>| -> Arc<dyn Llm> {
        Arc::new(NotAsked {
            model: model.clone(),
            clock: clock.clone(),
            lines: AtomicU64::new(0),
        })
    };
    Agents {
        memory: not_asked(&agents.memory),
        response: not_asked(&agents.response),
        judgment: not_asked(&agents.judgment),
    }
}

/// A model that is not asked.
struct NotAsked {
    model: Arc<dyn Llm>,
    clock: Clock,
    /// How many lines it has answered with.
    lines: AtomicU64,
}

impl NotAsked {
    /// A list of words with at most this many tokens. No word comes twice, so that no answer counts as a copy of what is
    /// remembered. They look like names, which are in no language: the component wants the one of the messages. Numbers
    /// would be looked for in the messages.
    fn answer(&self, max_tokens: u32) -> String {
        let wanted = u64::from(max_tokens) * u64::from(ANSWER_PERCENT) / 100;
        let line = |number: u64| format!("- {} {}\n", name(2 * number), name(2 * number + 1));
        let of_a_line = u64::from(self.model.count_tokens(&line(12_345_678))).max(1);
        let count = (wanted / of_a_line).max(1);
        let first = self.lines.fetch_add(count, Ordering::Relaxed);
        (first..first + count).map(line).collect()
    }
}

/// A capitalised word for each number.
fn name(number: u64) -> String {
    let letter = |(at, digit): (usize, u8)| {
        let first = if at == 0 { b'A' } else { b'a' };
        char::from(first + (digit - b'0'))
    };
    format!("{number:08}")
        .bytes()
        .enumerate()
        .map(letter)
        .collect()
}

#[async_trait::async_trait]
impl Llm for NotAsked {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let text = self.answer(request.max_tokens);
        let (provider, model) = self.model.identity().map_or(("?", "?"), |identity| {
            (identity.provider(), identity.model())
        });
        let input_tokens = Some(self.model.count_tokens(&request.system_prompt));
        let output_tokens = Some(self.model.count_tokens(&text));
        calls.observe(CallRecord {
            provider: provider.to_owned(),
            model: model.to_owned(),
            input_tokens,
            output_tokens,
            cached_tokens: Some(0),
            started_at: self.clock.system_time(),
            duration: Duration::ZERO,
            attempts: 1,
            finish_reason: Some(FinishReason::Stop),
            error: None,
        });
        Ok(Completion {
            text,
            finish_reason: FinishReason::Stop,
            model: model.to_owned(),
            input_tokens,
            output_tokens,
        })
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.model.count_tokens(text)
    }

    fn context_window(&self) -> Option<u32> {
        self.model.context_window()
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        self.model.identity()
    }

    fn destination(&self) -> Option<Destination<'_>> {
        self.model.destination()
    }
}
