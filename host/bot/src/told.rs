//! Logs a lasting failure when it begins and when it is over, not at each attempt.

/// Why something waits, as it was told last, and how often it failed since then; nothing while nothing waits.
#[derive(Default)]
pub(crate) struct Told {
    why: String,
    failures: usize,
}

impl Told {
    /// Counts failures. Returns why something waits, if that is to be told now.
    pub(crate) fn waits(&mut self, why: String, failures: usize) -> Option<&str> {
        self.failures += failures;
        if why == self.why {
            return None;
        }
        self.why = why;
        Some(&self.why)
    }

    /// It has worked. Returns how often it failed before, if it did.
    pub(crate) fn over(&mut self) -> Option<usize> {
        let Self { failures, .. } = std::mem::take(self);
        (failures > 0).then_some(failures)
    }
}

#[cfg(test)]
mod tests {
    use super::Told;

    #[test]
    fn a_failure_is_told_again_only_after_it_was_over_or_has_changed() {
        let mut told = Told::default();
        let mut waits = |why: &str| told.waits(why.to_owned(), 1).map(str::to_owned);
        assert_eq!(waits("away").as_deref(), Some("away"));
        assert_eq!(waits("away"), None);
        assert_eq!(waits("full").as_deref(), Some("full"));
        assert_eq!((told.over(), told.over()), (Some(3), None));
        assert_eq!(told.waits("full".to_owned(), 2), Some("full"));
        assert_eq!(told.over(), Some(2));
    }
}
