//! The import `recall`, which finds nothing yet.

use super::CallState;
use crate::bindings::recall::{Candidates, Host, RecallQuery};
use crate::bindings::storage::StorageError;

impl Host for CallState {
    async fn find_candidates(
        &mut self,
        query: RecallQuery,
    ) -> wasmtime::Result<Result<Candidates, StorageError>> {
        import!(self, "recall.find-candidates", query, {
            Ok(Candidates {
                messages: Vec::new(),
                memories: Vec::new(),
                records: Vec::new(),
                counts: Vec::new(),
                message_count: 0,
            })
        })
    }
}
