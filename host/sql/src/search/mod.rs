//! Search by words and by meaning.

pub(crate) mod code_cache;
pub(crate) mod codes;
pub(crate) mod index;
pub(crate) mod query;
pub(crate) mod vector_rows;

/// The lower bits of a row's id are the message's key, the others the channel's: so the messages of a channel stand side by
/// side, and it is known without a look which channel a row belongs to.
pub(crate) const KEY_BITS: u32 = 36;
/// The bit of the second generation of vectors (`vector_rows`). No message's key is so great.
pub(crate) const SECOND: i64 = 1 << (KEY_BITS - 1);
