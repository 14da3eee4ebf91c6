//! All that is stored in a text form, to compare two databases.

pub(crate) mod conversations;
pub(crate) mod memories;
