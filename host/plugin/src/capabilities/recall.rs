//! The import `recall`, over a [`Storage`](crate::storage::Storage).

use std::time::Duration;

use super::CallState;
use crate::bindings::recall::{Candidates, Host, RecallQuery};
use crate::bindings::storage::StorageError;
use crate::embedder::{Meaning, TextKind};
use crate::explain::explain_llm;

/// A search does not wait longer for the meaning of its question: it then finds by words.
const EMBEDDING_TIMEOUT: Duration = Duration::from_secs(10);

impl Host for CallState {
    async fn find_candidates(
        &mut self,
        query: RecallQuery,
    ) -> wasmtime::Result<Result<Candidates, StorageError>> {
        self.bound.searches()?;
        import!(self, "recall.find-candidates", query, {
            let meaning = self.meaning_of(&query.text).await;
            let found = self.storage.find_candidates(query, meaning).await;
            if let Ok(found) = &found {
                self.bound.hand_candidates(found);
                for found in &found.messages {
                    let message = std::slice::from_ref(&found.message);
                    self.tape.saw_messages(&found.at.channel_id, message);
                }
            }
            found
        })
    }

    async fn terms(&mut self, text: String) -> wasmtime::Result<Vec<String>> {
        import!(self, "recall.terms", text, self.storage.terms(&text))
    }
}

impl CallState {
    /// The meaning of a question; `None` without an embedder, or if it fails. The searches of a call mostly ask the same.
    async fn meaning_of(&mut self, text: &str) -> Option<Meaning> {
        let embedder = self.capabilities.embedder.clone()?;
        if text.trim().is_empty() {
            return None;
        }
        if let Some((known, meaning)) = &self.meaning
            && known == text
        {
            return meaning.clone();
        }
        let texts = [text.to_owned()];
        let asked = embedder.embed(&texts, TextKind::Question, &*self.capabilities.calls);
        let vector = match tokio::time::timeout(EMBEDDING_TIMEOUT, asked).await {
            Ok(Ok(vectors)) => vectors.into_iter().next(),
            Ok(Err(error)) => {
                let reason = explain_llm(&error);
                tracing::warn!("messages are found by their words alone: the embedder: {reason}");
                None
            }
            Err(_) => {
                tracing::warn!(
                    "messages are found by their words alone: the embedder does not answer"
                );
                None
            }
        };
        let embedder = embedder.identity().digest().to_owned();
        let meaning = vector.map(|vector| Meaning { embedder, vector });
        self.meaning = Some((text.to_owned(), meaning.clone()));
        meaning
    }
}
