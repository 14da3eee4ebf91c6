//! What a call may use up.

use std::time::Duration;

/// What a call may use up, write and ask for, and how many run at once. What a call exceeds ends it with a
/// [`CallError`](super::CallError) that names the limit; what it saved until then stays, and what a model answered is kept
/// where there is a journal, so that the next call goes on from there.
///
/// ```
/// use std::time::Duration;
///
/// use myao_plugin::Limits;
///
/// // For replies that somebody waits for, beside a store of small channels.
/// let limits = Limits::default().with(|limits| {
///     limits.deadline = Duration::from_secs(60);
///     limits.admission_wait = Duration::from_secs(10);
///     limits.memory_bytes = 32 << 20;
/// });
/// assert_eq!(limits.transfer_bytes, 64 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    /// How many memories and deferrals one call may save. The default of 30,000 is a whole run over 10,000 channels: two memories
    /// of each, and the memory of a thread.
    pub saves: u64,
    /// How many times one call may post. A reply posts once, whatever its length: the host splits it. The default is 8.
    pub posts: u64,
    /// What one call may save and post, in bytes. The default of 64 MiB is those 30,000 memories, of 500 tokens in Japanese, with
    /// the ids of what they were made from.
    pub write_bytes: u64,
    /// How many prompts one call may have answered by models; answers that the journal has are not counted. The default of 500 is
    /// a channel of 1,000 messages of 1,000 characters, in chunks for a window of 8,000 tokens, all of them asked about twice. With
    /// two seconds for an answer it is also what a whole run can ask for, one after the other, until its deadline.
    pub model_calls: u64,
    /// What those prompts may have together, in bytes. The default of 32 MiB is 1,000 messages of 4,000 characters in Japanese,
    /// with the words around them, all of them asked about twice.
    pub prompt_bytes: u64,
    /// What their answers may have together, in bytes. The default of 16 MiB is 500 answers of 10,000 characters in Japanese. How
    /// long one answer may be is up to the settings and to the model.
    pub answer_bytes: u64,
    /// How many lines of the log one call may write. What it says beyond that is left out, which the log says. The default
    /// of 10,000 is a run over 1,000 channels with ten lines for each.
    pub log_lines: u64,
    /// What those lines may have together, in bytes. The default is 1 MiB.
    pub log_bytes: u64,
}

impl Limits {
    /// These limits with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
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
            saves: 30_000,
            posts: 8,
            write_bytes: 64 << 20,
            model_calls: 500,
            prompt_bytes: 32 << 20,
            answer_bytes: 16 << 20,
            log_lines: 10_000,
            log_bytes: 1 << 20,
        }
    }
}
