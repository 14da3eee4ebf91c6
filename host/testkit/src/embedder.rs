//! An embedder without a model: texts with the same words have similar vectors.

use std::time::Duration;

use myao_plugin::embedder::{Embedder, TextKind, Vector};
use myao_plugin::llm::{CallObserver, CallRecord, LlmError, ModelIdentity};
use myao_plugin::system_clock;
use serde_json::Value;

/// The dimensions of its vectors.
const DIMENSIONS: usize = 512;

/// Makes vectors of texts by their words, in the same way for questions and messages. Words of one group count as the same.
pub struct WordEmbedder {
    identity: ModelIdentity,
    groups: Vec<Vec<String>>,
}

impl WordEmbedder {
    /// An embedder for which the words of each group mean the same.
    #[must_use]
    pub fn new(name: &str, groups: &[&[&str]]) -> Self {
        let words = |group: &&[&str]| group.iter().map(|word| (*word).to_owned()).collect();
        Self {
            identity: ModelIdentity::new("test", name, "", &Value::Null),
            groups: groups.iter().map(words).collect(),
        }
    }

    /// The vector of a text; `None` without a word.
    #[must_use]
    pub fn vector(&self, text: &str) -> Option<Vector> {
        let mut numbers = vec![0.0; DIMENSIONS];
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let group = self
                .groups
                .iter()
                .find(|group| group.iter().any(|other| other == word));
            let word = group.and_then(|group| group.first()).map_or(word, |w| w);
            // FNV-1a.
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let dimensions = u64::try_from(DIMENSIONS).unwrap_or(1);
            let at = usize::try_from(hash % dimensions).unwrap_or(0);
            if let Some(number) = numbers.get_mut(at).filter(|_| !word.is_empty()) {
                *number += 1.0;
            }
        }
        Vector::new(numbers)
    }
}

#[async_trait::async_trait]
impl Embedder for WordEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    async fn embed(
        &self,
        texts: &[String],
        _kind: TextKind,
        calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError> {
        calls.observe(CallRecord {
            provider: self.identity.provider().to_owned(),
            model: self.identity.model().to_owned(),
            input_tokens: u32::try_from(texts.len()).ok(),
            output_tokens: Some(0),
            cached_tokens: None,
            started_at: system_clock::now(),
            duration: Duration::ZERO,
            attempts: 1,
            finish_reason: None,
            error: None,
        });
        let vectors: Option<Vec<Vector>> = texts.iter().map(|text| self.vector(text)).collect();
        vectors.ok_or_else(|| LlmError::InvalidRequest("a text has no word".to_owned()))
    }
}
