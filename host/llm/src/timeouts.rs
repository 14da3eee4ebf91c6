//! Every timeout of a call to a model.

use std::time::Duration;

/// The timeouts of a call. `agents.NAME.client_args` sets all but `connect` and `linger`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timeouts {
    /// Opening the TCP and TLS connection.
    pub(super) connect: Duration,
    /// From sending a request to the first event of its answer (`first_token_timeout`). Models that reason, or read a
    /// long prompt on a slow machine, send nothing for a long time.
    pub(super) first_token: Duration,
    /// Between two pieces of an answer (`stall_timeout`).
    pub(super) stall: Duration,
    /// The whole call (`timeout`): all attempts, and the waits between them and for the limits.
    pub(super) call: Duration,
    /// From the last event to the end of the stream, so that the connection can be used again.
    pub(super) linger: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: Duration::from_secs(120),
            stall: Duration::from_secs(60),
            call: Duration::from_secs(600),
            linger: Duration::from_millis(100),
        }
    }
}
