//! The one place of this library that reads the system's clock: for when calls began and how old files of the cache are.
//! What is remembered and when follows the time that the host passes in.

use std::time::SystemTime;

#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}
