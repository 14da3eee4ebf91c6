//! The marks of a channel with what its corrections replace, for a host that shows its memories.

use super::{Corrections, Marks, Superseded};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::marks::{ChannelMarks, Correction, ReplacedLine};
use crate::bindings::storage::{ChannelFilter, Memory, MemoryQuery};
use crate::bindings::types::KeptText;
use crate::context::{history_limit, no_memories};
use crate::ports::Storage;
use crate::settings::Settings;
use crate::text::strip_markers;
use crate::ts::Ts;

/// The marks of a channel up to `until`. Costs at most two storage calls.
///
/// # Errors
/// [`Error::Storage`].
pub fn read_all(
    storage: &dyn Storage,
    settings: &Settings,
    channel_id: &str,
    until: Ts,
) -> Result<ChannelMarks, Error> {
    let marks = Marks::load(storage, channel_id, until, &settings.bot_name)?;
    let memories = if marks.corrections.is_empty() {
        Vec::new()
    } else {
        let query = MemoryQuery {
            channels: ChannelFilter::One(channel_id.to_owned()),
            history_limit: history_limit(settings),
            ..no_memories(Some(until))
        };
        storage.list_memories(&query).map_err(Error::Storage)?
    };
    let corrections = marks.corrections.into_iter();
    Ok(ChannelMarks {
        pinned: marks.pinned,
        corrections: corrections
            .map(|said| with_replaced(said, &memories))
            .collect(),
    })
}

fn with_replaced(said: KeptText, memories: &[Memory]) -> Correction {
    let corrections = Corrections::of(std::slice::from_ref(&said));
    let replaces = memories.iter().flat_map(|memory| {
        let superseded = corrections.superseded(memory).into_iter();
        superseded.map(|line| replaced(memory, &line))
    });
    let replaces = replaces.collect();
    Correction { said, replaces }
}

fn replaced(memory: &Memory, line: &Superseded<'_>) -> ReplacedLine {
    let scalars = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let (said, _) = strip_markers(line.text);
    // The marks of a list are at the beginning, and nothing is cut off at the end.
    let marks = line.text.len().saturating_sub(said.len());
    let start = line.start.saturating_add(marks);
    ReplacedLine {
        memory: memory.id,
        start: scalars(memory.content.get(..start).unwrap_or_default()),
        length: scalars(said),
    }
}
