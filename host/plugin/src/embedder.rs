//! Vectors of texts, by which messages are found that say the same in other words or another language.
//!
//! An embedder is optional: without one, messages are found by their words. The crate `myao-llm` has one for servers with
//! OpenAI's API.

use std::sync::Arc;
use std::time::Duration;

use crate::llm::{CallObserver, LlmError, ModelIdentity};

/// A vector of length 1. The scalar product of two is their cosine.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// Scales numbers to a vector of length 1; `None` if they have no direction.
    #[must_use]
    pub fn new(numbers: Vec<f32>) -> Option<Self> {
        let square: f32 = numbers.iter().map(|number| number * number).sum();
        let length = square.sqrt();
        let has_direction = length.is_normal();
        has_direction.then(|| Self(numbers.into_iter().map(|number| number / length).collect()))
    }

    /// Its numbers, one for each dimension.
    #[must_use]
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }
}

/// The role of a text. Many embedders treat the two differently.
///
/// Exhaustive on purpose: an embedder must know how to treat each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Something that is looked for.
    Question,
    /// Something that is found.
    Message,
}

/// Makes vectors of texts.
#[async_trait::async_trait]
pub trait Embedder: Send + Sync {
    /// The identity of its model. Vectors of different embedders cannot be compared.
    fn identity(&self) -> &ModelIdentity;

    /// The vectors of these texts, in their order. When the call has ended, `calls` receives what it cost.
    ///
    /// # Errors
    /// [`LlmError`]. No vector is returned then.
    async fn embed(
        &self,
        texts: &[String],
        kind: TextKind,
        calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError>;

    /// How long it sends nothing after failures; `None` if it may be asked now.
    fn paused_for(&self) -> Option<Duration> {
        None
    }
}

/// A shared embedder is an embedder, too.
#[async_trait::async_trait]
impl<T: Embedder + ?Sized> Embedder for Arc<T> {
    fn identity(&self) -> &ModelIdentity {
        (**self).identity()
    }

    async fn embed(
        &self,
        texts: &[String],
        kind: TextKind,
        calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError> {
        (**self).embed(texts, kind, calls).await
    }

    fn paused_for(&self) -> Option<Duration> {
        (**self).paused_for()
    }
}

/// The meaning of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The digest of the embedder's identity.
    pub embedder: String,
    /// The question's vector.
    pub vector: Vector,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Vector;

    #[test]
    fn vector_has_length_one_or_none_is_made() {
        assert_eq!(Vector::new(vec![3.0, 4.0]).unwrap().numbers(), [0.6, 0.8]);
        for numbers in [
            vec![],
            vec![0.0, 0.0],
            vec![f32::NAN, 1.0],
            vec![f32::INFINITY],
        ] {
            assert_eq!(Vector::new(numbers), None);
        }
    }
}
