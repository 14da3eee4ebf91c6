//! The marks of a channel with what its corrections strike, for a host that shows its memories.

use super::{Corrections, Marks, Superseded};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::marks::{ChannelMarks, Correction, ReplacedLine};
use crate::bindings::storage::{ChannelFilter, Memory, MemoryQuery, Strike};
use crate::bindings::types::KeptText;
use crate::context::{history_limit, no_memories};
use crate::ports::Storage;
use crate::settings::Settings;
use crate::text::strip_markers;
use crate::ts::Ts;

/// The marks of a channel up to `until`. Costs at most three storage calls.
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
    let memories = match marks.strikes.as_slice() {
        [] => Vec::new(),
        _ => shown_memories(storage, settings, channel_id, until)?,
    };
    let with_replaced = |said: KeptText| Correction {
        replaces: replaced(&said, &marks.strikes, &memories),
        said,
    };
    Ok(ChannelMarks {
        pinned: marks.pinned,
        corrections: marks.corrections.into_iter().map(with_replaced).collect(),
    })
}

/// The memories of a channel that are shown.
pub(super) fn shown_memories(
    storage: &dyn Storage,
    settings: &Settings,
    channel_id: &str,
    until: Ts,
) -> Result<Vec<Memory>, Error> {
    let query = MemoryQuery {
        channels: ChannelFilter::One(channel_id.to_owned()),
        history_limit: history_limit(settings),
        ..no_memories(Some(until))
    };
    storage.list_memories(&query).map_err(Error::Storage)
}

fn replaced(said: &KeptText, strikes: &[Strike], memories: &[Memory]) -> Vec<ReplacedLine> {
    let one = std::iter::once((&said.span.message, said.text.as_str()));
    let corrections = Corrections::new(one, strikes);
    let replaced = memories.iter().flat_map(|memory| {
        let superseded = corrections.superseded(memory).into_iter();
        superseded.map(|line| place_of(memory, &line))
    });
    replaced.collect()
}

fn place_of(memory: &Memory, line: &Superseded<'_>) -> ReplacedLine {
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
