//! Searches.

use tracing::Instrument as _;

use super::MemoryPlugin;
use crate::Place;
use crate::bindings::exports::myao::memory::searcher::{SearchRequest, SearchResult};
use crate::bindings::types::Timestamp;
use crate::capabilities::Purpose;
use crate::error::CallError;
use crate::spans::{Subject, component_call, record_outcome};

impl MemoryPlugin {
    /// `searcher.search`: the messages that fit best, among all that may be seen from a place.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn search(
        &self,
        place: Place,
        request: &SearchRequest,
        now: Timestamp,
    ) -> Result<SearchResult, CallError> {
        let channel = match &place {
            Place::Channel(id) => Some(id.clone()),
            _ => None,
        };
        let subject = channel.as_deref().map_or(Subject::All, Subject::Channel);
        call!(
            self,
            subject,
            place,
            Purpose::Look,
            searcher.call_search(request, now)
        )?
        .map_err(CallError::Refused)
    }
}
