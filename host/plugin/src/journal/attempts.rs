//! The inputs with which the attempts at memories began, within one call into the component.

use super::Input;
use crate::bindings::types::{MemoryType, Scope};
use crate::digest::sha256_hex;
use crate::llm::Purpose;

/// The attempts that have begun and whose memory is not saved yet.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Vec<(Purpose, String)>);

impl Attempts {
    /// Returns the inputs of calls that begin together, from their purposes and digests.
    pub(crate) fn inputs(&mut self, calls: &[(Purpose, String)]) -> Vec<Input> {
        let mut inputs = Vec::with_capacity(calls.len());
        let mut begun = Vec::new();
        for (purpose, digest) in calls {
            let (attempt, is_first) = match self.of(purpose) {
                Some(attempt) => (attempt.to_owned(), false),
                None => {
                    let together = calls.iter().filter(|(other, _)| other == purpose);
                    let digests: Vec<&str> = together.map(|(_, digest)| digest.as_str()).collect();
                    let attempt = match digests.as_slice() {
                        [only] => (*only).to_owned(),
                        several => sha256_hex(several.concat()),
                    };
                    begun.push((purpose.clone(), attempt.clone()));
                    (attempt, digests.len() == 1)
                }
            };
            inputs.push(Input {
                digest: digest.clone(),
                attempt,
                is_first,
            });
        }
        for (purpose, attempt) in begun {
            if self.of(&purpose).is_none() {
                self.0.push((purpose, attempt));
            }
        }
        inputs
    }

    /// Ends an attempt whose call failed: the next call begins a new attempt.
    pub(crate) fn failed(&mut self, purpose: &Purpose) {
        self.0.retain(|(other, _)| other != purpose);
    }

    /// Ends the attempts at a memory that was saved or deferred.
    pub(crate) fn end(&mut self, scope: Scope, scope_id: &str, memory_type: MemoryType) {
        self.0.retain(|(purpose, _)| {
            (
                purpose.scope,
                purpose.scope_id.as_str(),
                purpose.memory_type,
            ) != (scope, scope_id, Some(memory_type))
        });
    }

    fn of(&self, purpose: &Purpose) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == purpose);
        found.map(|(_, attempt)| attempt.as_str())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::Attempts;
    use crate::bindings::types::{MemoryType, Scope};
    use crate::llm::{Agent, Purpose};

    fn call(scope_id: &str, digest: &str) -> (Purpose, String) {
        let purpose = Purpose {
            agent: Agent::Memory,
            scope: Scope::Channel,
            scope_id: scope_id.to_owned(),
            memory_type: Some(MemoryType::ShortTerm),
        };
        (purpose, digest.to_owned())
    }

    #[test]
    fn calls_that_follow_belong_to_the_attempt_of_the_first() {
        let mut attempts = Attempts::default();
        let first = attempts.inputs(&[call("C1", "a")]);
        let again = attempts.inputs(&[call("C1", "b")]);
        let other = attempts.inputs(&[call("C2", "c")]);
        assert_eq!((first[0].attempt.as_str(), first[0].is_first), ("a", true));
        assert_eq!((again[0].attempt.as_str(), again[0].is_first), ("a", false));
        assert_eq!((other[0].attempt.as_str(), other[0].is_first), ("c", true));
    }

    #[test]
    fn calls_that_begin_together_share_an_attempt_that_none_of_them_is() {
        let mut attempts = Attempts::default();
        let chunks = attempts.inputs(&[call("C1", "a"), call("C1", "b")]);
        assert_eq!(chunks[0].attempt, chunks[1].attempt);
        assert!(
            chunks
                .iter()
                .all(|chunk| !chunk.is_first && chunk.attempt != chunk.digest)
        );
        let merge = attempts.inputs(&[call("C1", "m")]);
        assert_eq!(merge[0].attempt, chunks[0].attempt);
    }

    #[test]
    fn a_saved_memory_and_a_failed_call_end_the_attempt() {
        let mut attempts = Attempts::default();
        attempts.inputs(&[call("C1", "a")]);
        attempts.end(Scope::Channel, "C1", MemoryType::LongTerm);
        assert!(!attempts.inputs(&[call("C1", "b")])[0].is_first);
        attempts.end(Scope::Channel, "C1", MemoryType::ShortTerm);
        assert!(attempts.inputs(&[call("C1", "c")])[0].is_first);
        attempts.failed(&call("C1", "").0);
        assert!(attempts.inputs(&[call("C1", "d")])[0].is_first);
    }
}
