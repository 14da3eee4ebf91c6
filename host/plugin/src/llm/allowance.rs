//! The budget that a host sets for models.

use crate::bindings::errors::OtherReason;
use crate::llm::{CallObserver, Llm, LlmError, Request};

/// The code of an `LlmError::Other` if a budget allows no call until a later time. A later run may succeed.
pub const BUDGET_SPENT: &str = "budget-spent";

/// The code of an `LlmError::Other` if a budget never allows the call.
pub const BUDGET_TOO_SMALL: &str = "budget-too-small";

/// Decides whether a model may be asked. It is asked before each call; an answer that is already in the journal costs
/// nothing and needs no leave.
#[async_trait::async_trait]
pub trait Allowance: Send + Sync {
    /// Allows a call, or says why it may not be made. It may wait for the end of calls that are under way, which may
    /// cost less than they could.
    ///
    /// The returned guard receives the cost of the call, and is dropped once the call is in the journal, or was given up.
    /// Until then the call counts with the highest possible cost: the tokens of its prompt and of its longest answer.
    ///
    /// # Errors
    /// Why the call is not made: `LlmError::budget_spent`, for example.
    async fn admit(
        &self,
        llm: &dyn Llm,
        request: &Request,
    ) -> Result<Box<dyn CallObserver>, LlmError>;
}

impl LlmError {
    /// A budget allows no call until a later time. `text` names the budget, and says when it allows calls again.
    #[must_use]
    pub fn budget_spent(text: impl Into<String>) -> Self {
        Self::Other(OtherReason::new(BUDGET_SPENT, text.into()))
    }

    /// Returns true if a budget allows no call until a later time.
    #[must_use]
    pub fn is_budget_spent(&self) -> bool {
        matches!(self, Self::Other(reason) if reason.code == BUDGET_SPENT)
    }

    /// Returns true if a budget does not allow the call, now or ever: no model was asked.
    #[must_use]
    pub fn is_of_budget(&self) -> bool {
        let is_too_small = matches!(self, Self::Other(reason) if reason.code == BUDGET_TOO_SMALL);
        is_too_small || self.is_budget_spent()
    }
}
