//! Vectors of messages, by which they are found beside their words ([`crate::embedder`]).

use crate::embedder::Vector;
use crate::llm::CallRecord;
use crate::storage::StorageError;

/// A message whose vector is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutVector {
    /// The store's key of the message.
    pub key: i64,
    /// The name of its author; empty if it is not known.
    pub author: String,
    /// Its text.
    pub text: String,
}

/// The cost of calls of embedders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbeddingUse {
    /// Calls with vectors.
    pub calls: u64,
    /// Tokens of their texts, as far as they were reported.
    pub tokens: u64,
    /// Calls whose tokens were not reported.
    pub unreported: u64,
}

/// How far a store is with the vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VectorCount {
    /// Messages with a vector.
    pub made: u64,
    /// Messages without one. Those whose text says nothing count until they have been looked at.
    pub missing: u64,
}

/// The vectors of one workspace's messages. An embedder is named by the digest of its identity. Those of two are kept, so that a model
/// can take the place of another one; a third takes the place of the one that was offered fewer messages.
///
/// A vector goes with the text that it was made of: in the transaction that changes or removes it. The defaults are those of
/// a store without vectors.
#[async_trait::async_trait]
pub trait Vectors: Send + Sync {
    /// Messages without a vector, oldest first, at most `limit`.
    async fn without_vector(
        &self,
        _embedder: &str,
        _limit: u32,
    ) -> Result<Vec<WithoutVector>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns true if the centre of this embedder's vectors is known.
    async fn has_center(&self, _embedder: &str) -> Result<bool, StorageError> {
        Ok(true)
    }

    /// Saves the centre of an embedder's vectors: what all of them have in common. Vectors that are saved later are found by how they
    /// differ from it.
    async fn save_center(&self, _embedder: &str, _center: Vec<f32>) -> Result<(), StorageError> {
        Ok(())
    }

    /// Saves what was made of these messages; `None` for one that has no vector. A message that reads differently by now is
    /// left as it is.
    async fn save_vectors(
        &self,
        _embedder: &str,
        _vectors: Vec<(WithoutVector, Option<Vector>)>,
    ) -> Result<(), StorageError> {
        Ok(())
    }

    /// How many messages have a vector by this embedder.
    async fn vector_count(&self, _embedder: &str) -> Result<VectorCount, StorageError> {
        Ok(VectorCount::default())
    }

    /// Keeps what a call of the embedder cost.
    async fn record_embedding(&self, _call: CallRecord) -> Result<(), StorageError> {
        Ok(())
    }

    /// The cost of the calls that began from `since` on and before `before`, in milliseconds since 1970.
    async fn embedding_use(&self, _since: i64, _before: i64) -> Result<EmbeddingUse, StorageError> {
        Ok(EmbeddingUse::default())
    }
}
