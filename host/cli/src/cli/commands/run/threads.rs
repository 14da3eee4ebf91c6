//! A runtime for each of several workspaces. Its threads are those of the workspace alone, so that a busy one takes none from
//! another, and so that what they log has the workspace's name, whichever task it comes from.

use std::cell::RefCell;
use std::num::NonZero;
use std::thread;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tracing::span::{EnteredSpan, Span};

use crate::cli::logging::LABEL_TARGET;

thread_local! {
    /// The label of this thread's log lines.
    static LABEL: RefCell<Option<EnteredSpan>> = const { RefCell::new(None) };
}

/// Whose threads they are, and of how many workspaces that share the machine.
pub(super) struct Threads {
    pub(super) workspace: String,
    pub(super) of: usize,
}

impl Threads {
    /// Runs the future of `begin` on threads of its own. The result is received; nothing is if it panics.
    pub(super) fn run<T, F>(
        self,
        begin: impl FnOnce() -> F + Send + 'static,
    ) -> anyhow::Result<oneshot::Receiver<T>>
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let label = match self.of {
            1 => Span::none(),
            _ => tracing::error_span!(target: LABEL_TARGET, "bot", workspace = %self.workspace),
        };
        let runtime = self.runtime(&label)?;
        let (done, outcome) = oneshot::channel();
        let run = move || {
            let _label = label.entered();
            let came_to = runtime.block_on(begin());
            drop(runtime);
            // Nobody waits for it any more if the process ends.
            let _ = done.send(came_to);
        };
        thread::Builder::new()
            .name("myao-bot".to_owned())
            .spawn(run)
            .context("cannot start the thread of a bot")?;
        Ok(outcome)
    }

    fn runtime(&self, label: &Span) -> anyhow::Result<Runtime> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let label = label.clone();
        Builder::new_multi_thread()
            .worker_threads((cores / self.of).max(2.min(cores)))
            .enable_all()
            // The threads that block are started so, too.
            .on_thread_start(move || {
                let label = label.clone().entered();
                LABEL.with(|entered| entered.replace(Some(label)));
            })
            .on_thread_stop(|| drop(LABEL.with(RefCell::take)))
            .build()
            .context("cannot start the asynchronous runtime of a bot")
    }
}
