//! A proxy before a server, which counts round trips, and cuts a connection when something is committed.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The message of a commit.
const COMMIT: &[u8] = b"COMMIT\0";

/// The beginning of the message by which the server ends each of its answers, `ReadyForQuery`.
const READY: &[u8] = b"Z\0\0\0\x05";

/// What is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The commit itself.
    Commit,
    /// The server's answer to it.
    Answer,
    /// The server's answer to it, and every later connection.
    AndStayAway,
}

/// A running proxy.
pub(crate) struct Proxy {
    port: u16,
    server: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    next: Mutex<Option<Cut>>,
    is_away: AtomicBool,
    answers: AtomicUsize,
}

impl Proxy {
    /// Starts a proxy before a port of this machine. It runs until the process ends.
    pub(crate) fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<State>::default();
        let shared = state.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !shared.is_away.load(Ordering::SeqCst) {
                    shared.pass(client, TcpStream::connect(("127.0.0.1", server)).unwrap());
                }
            }
        });
        Self {
            port,
            server,
            state,
        }
    }

    /// The address of a database of the server, through the proxy.
    pub(crate) fn through(&self, url: &str) -> String {
        url.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    /// How many answers the server has given.
    pub(crate) fn round_trips(&self) -> usize {
        self.state.answers.load(Ordering::SeqCst)
    }

    /// Cuts the next commit.
    pub(crate) fn cut_next(&self, cut: Cut) {
        *self.state.next.lock().unwrap() = Some(cut);
    }
}

impl State {
    /// Passes on what both say.
    fn pass(self: &Arc<Self>, client: TcpStream, server: TcpStream) {
        let (state, is_cut) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let is_cut_there = is_cut.clone();
        thread::spawn(move || {
            copy(from, to, |bytes| {
                if !bytes.windows(COMMIT.len()).any(|part| part == COMMIT) {
                    return true;
                }
                let cut = state.next.lock().unwrap().take();
                state
                    .is_away
                    .store(cut == Some(Cut::AndStayAway), Ordering::SeqCst);
                is_cut_there.store(cut.is_some(), Ordering::SeqCst);
                cut != Some(Cut::Commit)
            });
        });
        let state = self.clone();
        thread::spawn(move || {
            copy(server, client, |bytes| {
                let is_end = |part: &&[u8]| *part == READY;
                let ends = bytes.windows(READY.len()).filter(is_end).count();
                state.answers.fetch_add(ends, Ordering::SeqCst);
                !is_cut.load(Ordering::SeqCst)
            });
        });
    }
}

/// Passes bytes on as long as `goes_on` says so, and then closes both ends.
fn copy(mut from: TcpStream, mut to: TcpStream, mut goes_on: impl FnMut(&[u8]) -> bool) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !goes_on(&bytes[..count]) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
