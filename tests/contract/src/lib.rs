//! What is released beside the components: the contract (`wit/`), whether it fits its version, its documentation as a
//! page, and a bill of materials. Also the public API of the libraries.

pub mod api;
pub mod bom;
pub mod docs;
pub mod imports;
pub mod project;
pub mod released;
pub mod wit;

#[cfg(test)]
mod library_tests;
