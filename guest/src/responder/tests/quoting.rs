//! Replies without a model.
