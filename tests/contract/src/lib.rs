//! What is released beside the components: the contract (`wit/`), whether it fits its version, its documentation as a
//! page, a bill of materials and its provenance. Also the public API of the libraries.

pub mod api;
pub mod bom;
pub mod describe;
pub mod docs;
pub mod imports;
pub mod project;
pub mod provenance;
pub mod released;
pub mod wit;

#[cfg(test)]
mod library_tests;
