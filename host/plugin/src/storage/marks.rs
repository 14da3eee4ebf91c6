//! Marks of messages (`wit/storage.wit`, `list-marked`); `myao_terms::addressed` says which texts are some.

/// The id of the operator, who writes messages that are in the store alone. No platform has such an id.
pub const OPERATOR_ID: &str = "operator";
