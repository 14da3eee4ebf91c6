//! The import `recall`, over a [`Storage`](crate::storage::Storage).

use super::CallState;
use crate::bindings::recall::{Candidates, Host, RecallQuery};
use crate::bindings::storage::StorageError;

impl Host for CallState {
    async fn find_candidates(
        &mut self,
        query: RecallQuery,
    ) -> wasmtime::Result<Result<Candidates, StorageError>> {
        self.bound.searches()?;
        import!(self, "recall.find-candidates", query, {
            let found = self.storage.find_candidates(query).await;
            if let Ok(found) = &found {
                self.bound.hand_candidates(found);
                for found in &found.messages {
                    let message = std::slice::from_ref(&found.message);
                    self.tape.saw_messages(&found.at.channel_id, message);
                }
                for found in &found.memories {
                    self.tape.saw_memories(std::slice::from_ref(&found.memory));
                }
            }
            found
        })
    }

    async fn terms(&mut self, text: String) -> wasmtime::Result<Vec<String>> {
        import!(self, "recall.terms", text, self.storage.terms(&text))
    }
}
