//! Messages, and who wrote them where.

pub(crate) mod channels;
pub(crate) mod done;
pub(crate) mod lookup;
pub(crate) mod message_row;
pub(crate) mod pins;
pub(crate) mod progress;
pub(crate) mod stored;
pub(crate) mod strikes;
pub(crate) mod tombstones;
