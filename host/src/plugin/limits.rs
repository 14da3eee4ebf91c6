//! What a call may use up.

use std::time::Duration;

/// What a call may use up, and how many run at once. What a call exceeds ends it with a
/// [`CallError`](super::CallError) that names the limit.
///
/// ```
/// use std::time::Duration;
///
/// use myao::plugin::Limits;
///
/// // For replies that somebody waits for, beside a store of small channels.
/// let limits = Limits {
///     deadline: Duration::from_secs(60),
///     admission_wait: Duration::from_secs(10),
///     memory_bytes: 32 << 20,
///     ..Limits::default()
/// };
/// assert_eq!(limits.transfer_bytes, 64 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory of one call, in bytes. The default of 256 MiB holds contexts of some 100,000 messages.
    pub memory_bytes: usize,
    /// What the component may hand to the host at once, in bytes: the arguments of one import, or the result of an
    /// export. The default is 64 MiB.
    pub transfer_bytes: usize,
    /// How many times one call may call its imports: the fuel of its host calls. The default of ten million is a run
    /// over a million channels.
    pub import_calls: u64,
    /// Time of one call, the time inside imports included. The default of 15 minutes leaves room for
    /// slow models. An import that blocks its thread is not interrupted: let it wait the asynchronous way.
    pub deadline: Duration,
    /// How many calls of one plugin and its clones run at once, each in an instance of its own; more of them wait.
    /// The default is 64.
    pub concurrent_calls: usize,
    /// How long a call waits for its turn. The default is 15 minutes.
    pub admission_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            transfer_bytes: 64 << 20,
            import_calls: 10_000_000,
            deadline: Duration::from_secs(15 * 60),
            concurrent_calls: 64,
            admission_wait: Duration::from_secs(15 * 60),
        }
    }
}
