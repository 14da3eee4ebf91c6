//! Readers of what other programs stored.
