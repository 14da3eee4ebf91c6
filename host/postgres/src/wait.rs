//! Waits for a future on this thread, wherever it is.
//!
//! The store is called from plain threads, from tokio's blocking threads and, by importers, from within a runtime, where tokio
//! refuses to block. The sockets live on the store's own runtime, so nothing here can starve them.

use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Wakes the thread that waits. It does not use the thread's own token, which somebody further up may wait for.
#[derive(Default)]
struct Signal {
    is_woken: Mutex<bool>,
    woken: Condvar,
}

impl Signal {
    fn wait(&self) {
        let mut is_woken = self.is_woken.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_woken {
            is_woken = self
                .woken
                .wait(is_woken)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *is_woken = false;
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        *self.is_woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_one();
    }
}

/// The result of a future. Blocks.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(signal.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        signal.wait();
    }
}
