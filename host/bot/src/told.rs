//! Logs a lasting failure once, not at each attempt.

use myao_plugin::explain::explain_storage;
use myao_plugin::storage::StorageError;

/// Why something waits, as it was told last; empty while nothing waits.
#[derive(Default)]
pub(crate) struct Told(String);

impl Told {
    /// Why something waits, if that is to be told now.
    pub(crate) fn waits(&mut self, error: &StorageError) -> Option<&str> {
        let why = explain_storage(error);
        if why == self.0 {
            return None;
        }
        self.0 = why;
        Some(&self.0)
    }

    /// It has worked. Returns whether it waited before.
    pub(crate) fn works(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Told;
    use myao_plugin::storage::StorageError;

    #[test]
    fn a_failure_is_told_again_only_after_it_was_over_or_has_changed() {
        let away = StorageError::Unavailable("away".to_owned());
        let full = StorageError::Unavailable("full".to_owned());
        let mut told = Told::default();
        assert!(!told.works());
        assert_eq!(told.waits(&away), Some("away"));
        assert_eq!(told.waits(&away), None);
        assert_eq!(told.waits(&full), Some("full"));
        assert!(told.works() && !told.works());
        assert_eq!(told.waits(&full), Some("full"));
    }
}
