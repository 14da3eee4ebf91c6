//! Serves HTTP to untrusted clients. Anyone who reaches the port may open connections, so each connection is closed
//! after one request or after some seconds, and their number is limited for each listener: a new connection replaces
//! the oldest.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::metrics::Metrics;
use super::stop::Stop;

/// How long a connection may take to send its request's headers.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(5);
/// How long running requests may take after the program was asked to stop.
const LAST_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of bytes that are read ahead on a connection: the longest headers.
const BUFFER_BYTES: usize = 32 << 10;
/// The wait if the system gives no more connections.
const EXHAUSTED_WAIT: Duration = Duration::from_millis(100);

/// The limits of the clients of a listener.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ClientLimits {
    /// The maximum number of connections at once.
    pub connections: usize,
    /// How long a connection may last: headers, body and answer.
    pub exchange: Duration,
}

impl ClientLimits {
    /// So many connections at once, each for at most `exchange`.
    #[must_use]
    pub const fn new(connections: usize, exchange: Duration) -> Self {
        Self {
            connections,
            exchange,
        }
    }
}

/// Serves until asked to stop; then finishes running requests.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ClientLimits,
    metrics: Arc<Metrics>,
    mut stop: Stop,
) {
    let mut connections = Connections::new(limits.connections);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.tasks.join_next() => continue,
            () = stop.requested() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                if connections.make_room() {
                    metrics.connections_closed.count("crowded");
                }
                connections.add(exchange(
                    stream,
                    router.clone(),
                    limits.exchange,
                    metrics.clone(),
                    stop.clone(),
                ));
            }
            // The client closed the connection before it was accepted.
            Err(error) if is_of_one_connection(error.kind()) => {}
            Err(error) => {
                // Usually too many open files. Closing the oldest connection frees one.
                tracing::warn!("a connection cannot be accepted, the oldest is closed: {error}");
                if connections.close_oldest() {
                    metrics.connections_closed.count("crowded");
                }
                sleep(EXHAUSTED_WAIT).await;
            }
        }
    }
    drop(listener);
    let all = async { while connections.tasks.join_next().await.is_some() {} };
    if timeout(LAST_TIMEOUT, all).await.is_err() {
        tracing::debug!("connections are closed that sent no request in time");
    }
}

/// One connection with its one request.
async fn exchange(
    stream: TcpStream,
    router: Router,
    time: Duration,
    metrics: Arc<Metrics>,
    mut stop: Stop,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        .keep_alive(false)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let served = async {
        tokio::select! {
            served = connection.as_mut() => served,
            () = stop.requested() => {
                // A connection without a request ends at once.
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    match timeout(time, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) if error.is_timeout() => metrics.connections_closed.count("slow"),
        Ok(Err(error)) => tracing::debug!("a connection broke: {error}"),
        Err(_) => metrics.connections_closed.count("slow"),
    }
}

/// The connections of a listener.
struct Connections {
    tasks: JoinSet<()>,
    /// The oldest first. Some may have ended.
    by_age: VecDeque<AbortHandle>,
    most: usize,
}

impl Connections {
    fn new(most: usize) -> Self {
        Self {
            tasks: JoinSet::new(),
            by_age: VecDeque::new(),
            most,
        }
    }

    /// Makes room for one more connection; returns true if one had to be closed for it.
    fn make_room(&mut self) -> bool {
        self.by_age.retain(|connection| !connection.is_finished());
        self.by_age.len() >= self.most && self.close_oldest()
    }

    fn close_oldest(&mut self) -> bool {
        let oldest = self.by_age.pop_front();
        if let Some(connection) = &oldest {
            connection.abort();
        }
        oldest.is_some()
    }

    fn add(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.by_age.push_back(self.tasks.spawn(connection));
    }
}

fn is_of_one_connection(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
    )
}
