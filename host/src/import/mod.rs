//! Readers of what other programs stored.
//!
//! [`detect`] looks at what a path is, [`import`] reads it into an [`ImportSink`]: users first, then
//! channels, messages and memories. Text becomes readable here ([`mrkdwn`]), so that nothing
//! behind this edge ever sees an entity or a raw id.

mod error;
pub mod mrkdwn;
mod report;
pub mod slack_export;
#[cfg(test)]
mod testing;

pub use error::ImportError;
pub use report::{ImportReport, LeftOut, Progress};
