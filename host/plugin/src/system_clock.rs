//! The one place that reads the system's clock. What is remembered and when follows the time that the host passes in;
//! this one is for when calls began, and how old files of the cache are. A host may use it for the time that it passes.

use std::time::SystemTime;

/// The time of the system's clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn now() -> SystemTime {
    SystemTime::now()
}
