//! The signals that stop or reload a command.

use std::future::Future;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};

/// Turns signals into shutdown and reload requests; what cannot reload stops when the terminal is closed. The second
/// request to stop ends the program at once. Signals are taken from the time of the call on.
pub(super) fn signals(
    stop: watch::Sender<bool>,
    reload: Option<mpsc::Sender<()>>,
) -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {
                    if let Some(reload) = &reload {
                        // If a request already waits, it will reload everything.
                        let _ = reload.try_send(());
                        continue;
                    }
                }
            }
            if stop.send_replace(true) {
                std::process::exit(1);
            }
            tracing::info!("stopping: what is under way ends first; once more stops at once");
        }
    })
}
