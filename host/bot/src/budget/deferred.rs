//! Work that a run leaves for later, because its budget is used up.

use myao_plugin::explain::explain;
use myao_plugin::{CallError, Error};

/// Returns true if a call of the component ended because a budget is used up.
#[must_use]
pub fn is_spent(error: &CallError) -> bool {
    matches!(error, CallError::Refused(Error::Llm(error)) if error.is_budget_spent())
}

/// The places of a run that wait for the budget.
#[derive(Debug, Default)]
pub struct Deferred {
    places: usize,
    /// Why the last of them waits.
    why: Option<String>,
}

impl Deferred {
    /// Counts a place, and returns true, if it failed for want of a budget.
    pub fn takes(&mut self, error: &Error) -> bool {
        let is_spent = matches!(error, Error::Llm(error) if error.is_budget_spent());
        if is_spent {
            self.places += 1;
            self.why = Some(explain(error));
        }
        is_spent
    }

    /// The waiting work, with the reason; `None` if there is none.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let why = self.why.as_ref()?;
        let waits = match self.places {
            1 => "1 place waits".to_owned(),
            places => format!("{places} places wait"),
        };
        Some(format!("stopped by the budget, {waits}: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use myao_plugin::Error;
    use myao_plugin::llm::LlmError;

    use super::Deferred;

    #[test]
    fn only_what_the_budget_stopped_is_counted() {
        let mut deferred = Deferred::default();
        assert!(!deferred.takes(&Error::Llm(LlmError::TimedOut)));
        assert_eq!(deferred.text(), None);
        for expected in ["1 place waits", "2 places wait"] {
            assert!(deferred.takes(&Error::Llm(LlmError::budget_spent("until tomorrow"))));
            let text = format!("stopped by the budget, {expected}: until tomorrow");
            assert_eq!(deferred.text(), Some(text));
        }
    }
}
