//! Search by words and by meaning.

pub(crate) mod codes;
pub(crate) mod index;
pub(crate) mod query;
pub(crate) mod vector_rows;
