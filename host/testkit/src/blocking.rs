//! Waits for a future in a test that is not asynchronous.

/// Runs a future and returns its result. It runs on a thread of its own, so this works everywhere, even inside a
/// runtime.
///
/// # Panics
/// If the future panics, or no runtime can be started.
#[allow(clippy::unwrap_used, reason = "for tests alone")]
pub fn blocking<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        { runtime }.enable_all().build().unwrap().block_on(future)
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}
