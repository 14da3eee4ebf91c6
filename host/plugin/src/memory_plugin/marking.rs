//! Messages that people marked.

use tracing::Instrument as _;

use super::MemoryPlugin;
use crate::Place;
use crate::bindings::exports::myao::memory::marks::{ChannelMarks, Strikable};
use crate::bindings::types::Timestamp;
use crate::capabilities::Purpose;
use crate::error::CallError;
use crate::spans::{Subject, component_call, record_outcome};

impl MemoryPlugin {
    /// `marks.read-marks`: what people marked in a channel, and which lines of its memories its corrections replace.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn read_marks(
        &self,
        channel_id: &str,
        now: Timestamp,
    ) -> Result<ChannelMarks, CallError> {
        call!(
            self,
            Subject::Channel(channel_id),
            Place::Channel(channel_id.to_owned()),
            Purpose::Look,
            marks.call_read_marks(channel_id, now)
        )?
        .map_err(CallError::Refused)
    }

    /// `marks.list-strikable`: what a correction in a channel may strike, for its author to pick from.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_strikable(
        &self,
        channel_id: &str,
        correction: &str,
        now: Timestamp,
    ) -> Result<Vec<Strikable>, CallError> {
        call!(
            self,
            Subject::Channel(channel_id),
            Place::Channel(channel_id.to_owned()),
            Purpose::Look,
            marks.call_list_strikable(channel_id, &correction.to_owned(), now)
        )?
        .map_err(CallError::Refused)
    }
}
