//! The server: where it listens, how it starts and ends, and how a test waits for it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get, post};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::bot::Request;
use crate::line::{Cutter, Lines};
use crate::state::Inner;
use crate::ts::Ts;
use crate::world::World;
use crate::{control, sign_in, socket, web};

/// How long a test waits before it fails, in real time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running Slack. Clones are handles of the same one; it ends with the last of them.
#[derive(Clone)]
pub struct FakeSlack {
    inner: Arc<Inner>,
    running: Arc<Running>,
}

/// The tasks that end with the last handle.
struct Running {
    runtime: Handle,
    server: AbortHandle,
    /// The thread that the server runs on, if it has its own, ends when this is dropped.
    _thread: Option<oneshot::Sender<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl FakeSlack {
    /// Starts on a free port, in the runtime of the caller.
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    /// Starts on this port of the loopback interface, in the runtime of the caller.
    ///
    /// # Panics
    ///
    /// The port is taken.
    pub async fn start_on(port: u16) -> Self {
        Self::serve(port, None).await
    }

    /// Starts on a free port, on a thread of its own: for tests that block, or have no runtime.
    #[must_use]
    pub fn start_on_own_thread() -> Self {
        let (started, slack) = mpsc::channel();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (keep, dropped) = oneshot::channel();
                started.send(Self::serve(0, Some(keep)).await).unwrap();
                let _ = dropped.await;
            });
        });
        slack.recv().unwrap()
    }

    async fn serve(port: u16, thread: Option<oneshot::Sender<()>>) -> Self {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
        let listener = listener.unwrap_or_else(|error| panic!("port {port}: {error}"));
        let inner = Arc::new(Inner::new(listener.local_addr().unwrap()));
        let routes = Router::new()
            .route("/api/{method}", any(web::call))
            .route("/openid/connect/authorize", get(sign_in::authorize))
            .route("/openid/connect/allow", get(sign_in::allow))
            .route("/link/", get(socket::open))
            .route("/commands/{team}/{number}", post(web::respond))
            .route("/control/{action}", any(control::act))
            .with_state(inner.clone());
        let service = routes.into_make_service_with_connect_info::<Cutter>();
        let server = tokio::spawn(async move { axum::serve(Lines(listener), service).await });
        let running = Running {
            runtime: Handle::current(),
            server: server.abort_handle(),
            _thread: thread,
        };
        Self {
            inner,
            running: Arc::new(running),
        }
    }

    /// The beginning of every method's address: `http://127.0.0.1:PORT/api/`.
    #[must_use]
    pub fn api_url(&self) -> String {
        format!("http://{}/api/", self.inner.address)
    }

    /// The present state of the workspace.
    #[must_use]
    pub fn world(&self) -> World {
        self.inner.read(|state| state.world.clone())
    }

    /// Sets the clock: what happens next is later than `ts`.
    ///
    /// # Panics
    ///
    /// `ts` is none.
    pub fn set_clock(&self, ts: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.inner.change(|state| state.clock.set(ts));
    }

    /// From now on messages get the machine's time: for bots that look at their age.
    pub fn follow_system_clock(&self) {
        self.inner.change(|state| state.clock.follow_system());
    }

    /// Waits until `met` holds; it is asked again whenever something has changed.
    ///
    /// # Panics
    ///
    /// It does not hold after a minute of real time; the message names `what`.
    pub async fn wait_until(&self, what: &str, mut met: impl FnMut(&Self) -> bool) {
        let mut changes = self.inner.changes();
        // A thread and not a timer: a paused clock would end the wait at once.
        let (_waiting, done) = mpsc::channel::<()>();
        let (late, mut too_late) = oneshot::channel();
        thread::spawn(move || {
            if done.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = late.send(());
            }
        });
        while !met(self) {
            tokio::select! {
                changed = changes.changed() => changed.unwrap(),
                _ = &mut too_late => panic!("still waiting after {} s: {what}", PATIENCE.as_secs()),
            }
        }
    }

    /// Waits until a socket is open.
    pub async fn wait_connected(&self) {
        self.wait_until("a socket is opened", |slack| slack.connections() > 0)
            .await;
    }

    /// Waits until every event that was sent or kept is acknowledged.
    pub async fn wait_settled(&self) {
        self.wait_until("every event is acknowledged", Self::is_settled)
            .await;
    }

    /// Waits until `count` calls of `method` came in since the beginning.
    pub async fn wait_called(&self, method: &str, count: usize) {
        let what = format!("{count} calls of {method}");
        let of_method = |request: &&Request| request.method == method;
        self.wait_until(&what, |slack| {
            slack
                .inner
                .read(|state| state.bot.requests.iter().filter(of_method).count())
                >= count
        })
        .await;
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// Runs a task in the server's runtime.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.running.runtime.spawn(task);
    }
}
