//! The resources that a call may use.

use std::time::Duration;

/// How much a call may use, write and request, and how many calls run at once. A call that exceeds a limit ends with a
/// [`CallError`](super::CallError) that names the limit. What it saved until then stays. If there is a journal, the
/// answers of the model are kept, so that the next call continues from there.
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
    /// Linear memory of one call, in bytes. The default of 256 MiB is enough for contexts of about 100,000 messages.
    pub memory_bytes: usize,
    /// How much data the component may pass to the host at once, in bytes: the arguments of one import, or the result
    /// of an export. The default is 64 MiB.
    pub transfer_bytes: usize,
    /// How often one call may call its imports. The default of ten million is enough for a run over a million channels.
    pub import_calls: u64,
    /// Time of one call, including the time inside imports. The default of 15 minutes leaves room for slow models. An
    /// import that blocks its thread is not interrupted, so imports should wait asynchronously.
    pub deadline: Duration,
    /// How many calls of one plugin and its clones run at once, each in its own instance. Further calls wait. The
    /// default is 64.
    pub concurrent_calls: usize,
    /// How long a call waits until it may run. The default is 15 minutes.
    pub admission_wait: Duration,
    /// How many memories and deferrals one call may save. The default of 30,000 is enough for a full run over 10,000
    /// channels: two memories for each, and the memory of a thread.
    pub saves: u64,
    /// How often one call may post. A reply counts as one post, whatever its length: the host splits it. The default is
    /// 8.
    pub posts: u64,
    /// How much one call may save and post, in bytes. The default of 64 MiB is enough for those 30,000 memories with
    /// 500 tokens of Japanese each, and the ids of their sources.
    pub write_bytes: u64,
    /// How many prompts one call may send to models; answers from the journal do not count. The default of 500 is
    /// enough for a channel of 1,000 messages of 1,000 characters, in chunks for a window of 8,000 tokens, with every
    /// chunk asked about twice. At two seconds an answer, it is also about what a whole run can ask in sequence before
    /// its deadline.
    pub model_calls: u64,
    /// The total size of those prompts, in bytes. The default of 32 MiB is enough for 1,000 messages of 4,000
    /// characters of Japanese, with the text around them, all of them asked about twice.
    pub prompt_bytes: u64,
    /// The total size of their answers, in bytes. The default of 16 MiB is enough for 500 answers of 10,000 characters
    /// of Japanese. The length of a single answer depends on the settings and the model.
    pub answer_bytes: u64,
    /// How many log lines one call may write. Further lines are left out, and the log says so. The default of 10,000 is
    /// enough for a run over 1,000 channels with ten lines for each.
    pub log_lines: u64,
    /// The total size of those lines, in bytes. The default is 1 MiB.
    pub log_bytes: u64,
}

impl Limits {
    /// Returns these limits with some of them changed.
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
