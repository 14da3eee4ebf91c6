//! Every timeout of a call to a model.

use std::time::Duration;

/// How long a call waits for what. `agents.NAME.client_args` sets all but `connect` and `linger`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The TCP and TLS connection.
    pub connect: Duration,
    /// From sending a request to the first event of its answer. Models that reason, or read a long
    /// prompt on a slow machine, are silent for so long (`first_token_timeout`).
    pub first_token: Duration,
    /// Between two pieces of an answer that has begun (`stall_timeout`).
    pub stall: Duration,
    /// The whole call: all attempts, the waits between them and those for the limits (`timeout`).
    pub call: Duration,
    /// For the end of the stream behind the last event, so that the connection can be used again.
    pub linger: Duration,
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
