//! Faults that a test sets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use tokio::time::Instant;

use crate::random::Random;
use crate::server::FakeSlack;
use crate::socket::ToSocket;
use crate::state::State;
use crate::ts::Ts;

/// A fault of one call of the Web API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// 429, with a `Retry-After` of so many seconds. Nothing is done.
    RateLimited(u32),
    /// This HTTP status, with a body that is no JSON. Nothing is done.
    Status(u16),
    /// `ok: false` with this error. Nothing is done.
    Error(&'static str),
    /// The connection is closed without an answer. Nothing is done.
    HangUp,
    /// The call is carried out, and the connection is closed without an answer.
    LoseAnswer,
    /// The call waits for [`Faults::release`], and then goes on.
    HoldCall,
    /// The call is carried out, and the answer waits for [`Faults::release`].
    HoldAnswer,
}

/// In which order events go on that were held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As they came about.
    Kept,
    /// The newest first.
    Reversed,
    /// Any, decided by a seed.
    Shuffled(u64),
}

/// Why Slack says that a socket will not last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disconnect {
    /// It will be closed soon. The fake leaves it open: see [`Faults::drop_sockets`].
    Warning,
    /// It is closed now, and a new one is welcome.
    RefreshRequested,
    /// It is closed now: Socket Mode was turned off.
    LinkDisabled,
}

impl Disconnect {
    /// As the `disconnect` message says it.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::RefreshRequested => "refresh_requested",
            Self::LinkDisabled => "link_disabled",
        }
    }
}

/// The faults to come.
#[derive(Debug)]
pub(crate) struct Script {
    /// By method.
    calls: BTreeMap<String, VecDeque<Fault>>,
    /// By method.
    limits: BTreeMap<String, Limit>,
    /// At most so many items on a page, whatever was asked for.
    pub(crate) page: Option<usize>,
    /// Counts the releases: a call that began to wait before one is free.
    pub(crate) releases: u64,
    /// How many calls wait.
    pub(crate) held: usize,
    /// How often sockets send a ping.
    pub(crate) ping_every: Duration,
    /// True if no event tells of what happens.
    pub(crate) tells_nothing: bool,
    /// True if sockets send no pings.
    pub(crate) silent: bool,
    /// Texts that are replaced in all that is sent, with their replacements.
    rewrites: Vec<(String, String)>,
    /// The `Date` of answers, if it is not the machine's.
    pub(crate) date: Option<Date>,
    /// Messages that no page up to now holds.
    pub(crate) lacking: BTreeSet<Ts>,
    /// The beginning of histories, and true if they note that there was more.
    pub(crate) kept_since: Option<(Ts, bool)>,
    /// Channels whose histories are refused, with the error.
    pub(crate) refused: BTreeMap<String, &'static str>,
}

/// Makes the `Date` of each answer.
#[derive(Clone)]
pub(crate) struct Date(Arc<dyn Fn() -> String + Send + Sync>);

impl fmt::Debug for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0().fmt(out)
    }
}

impl Date {
    pub(crate) fn header(&self) -> HeaderValue {
        let date = self.0();
        HeaderValue::try_from(date).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// How many calls are taken in a time.
#[derive(Debug)]
struct Limit {
    calls: u32,
    time: Duration,
    began: Instant,
    used: u32,
}

impl Limit {
    /// Counts a call. Returns the seconds until the next is taken if there were too many.
    fn exceeded(&mut self) -> Option<u32> {
        if self.began.elapsed() >= self.time {
            self.began = Instant::now();
            self.used = 0;
        }
        self.used += 1;
        let left = self.time.saturating_sub(self.began.elapsed());
        (self.used > self.calls).then(|| left.as_secs_f64().ceil() as u32)
    }
}

impl Default for Script {
    fn default() -> Self {
        Self {
            calls: BTreeMap::new(),
            limits: BTreeMap::new(),
            page: None,
            releases: 0,
            held: 0,
            // About as often as Slack.
            ping_every: Duration::from_secs(10),
            tells_nothing: false,
            silent: false,
            rewrites: Vec::new(),
            date: None,
            lacking: BTreeSet::new(),
            kept_since: None,
            refused: BTreeMap::new(),
        }
    }
}

impl Script {
    /// The fault of this call.
    pub(crate) fn take(&mut self, method: &str) -> Option<Fault> {
        let limited = self.limits.get_mut(method).and_then(Limit::exceeded);
        limited
            .map(Fault::RateLimited)
            .or_else(|| self.calls.get_mut(method)?.pop_front())
    }

    /// A text as it is sent.
    pub(crate) fn rewritten(&self, text: String) -> String {
        let rewrite = |text: String, (from, to): &(String, String)| text.replace(from, to);
        self.rewrites.iter().fold(text, rewrite)
    }
}

impl FakeSlack {
    /// Lets things go wrong.
    #[must_use]
    pub fn faults(&self) -> Faults<'_> {
        Faults { slack: self }
    }
}

/// Lets things go wrong. Faults of calls stand in a queue for each method: the next call takes the first.
#[derive(Clone, Copy)]
pub struct Faults<'slack> {
    slack: &'slack FakeSlack,
}

impl Faults<'_> {
    /// One more call of `method` (`chat.postMessage` …) goes wrong.
    pub fn next(&self, method: &str, fault: Fault) {
        self.times(1, method, &fault);
    }

    /// `count` more calls of `method` go wrong.
    pub fn times(&self, count: usize, method: &str, fault: &Fault) {
        let faults = std::iter::repeat_n(fault.clone(), count);
        self.change(|state| {
            state
                .script
                .calls
                .entry(method.to_owned())
                .or_default()
                .extend(faults)
        });
    }

    /// From now on `method` takes so many calls in each `time`, and answers the others as Slack does with too many. A `time` of a second
    /// for Slack's minute lets a test see an hour in a minute.
    pub fn limit(&self, method: &str, calls: u32, time: Duration) {
        let (began, used) = (Instant::now(), 0);
        let limit = Limit {
            calls,
            time,
            began,
            used,
        };
        self.change(|state| state.script.limits.insert(method.to_owned(), limit));
    }

    /// Forgets the faults of calls that did not happen yet.
    pub fn clear(&self) {
        self.change(|state| state.script.calls.clear());
    }

    /// Lets all calls go on that wait.
    pub fn release(&self) {
        self.change(|state| state.script.releases += 1);
    }

    /// How many calls wait.
    #[must_use]
    pub fn held(&self) -> usize {
        self.slack.inner().read(|state| state.script.held)
    }

    /// From now on pages hold at most `items`, whatever `limit` asks for, as Slack does with apps outside its market.
    pub fn cap_pages(&self, items: usize) {
        self.change(|state| state.script.page = Some(items));
    }

    /// From now on `to` replaces `from` in all that is sent, events and answers, also where that is no
    /// longer JSON.
    pub fn rewrite(&self, from: &str, to: &str) {
        self.change(|state| state.script.rewrites.push((from.to_owned(), to.to_owned())));
    }

    /// From now on answers have the `Date` that this returns, and not the machine's time. Nobody is answered if it is no
    /// value of a header.
    pub fn date(&self, date: impl Fn() -> String + Send + Sync + 'static) {
        self.change(|state| state.script.date = Some(Date(Arc::new(date))));
    }

    /// From now on histories and threads lack this message, unless `latest` asks for its time.
    ///
    /// # Panics
    ///
    /// `ts` is none.
    pub fn lack(&self, ts: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.change(|state| state.script.lacking.insert(ts));
    }

    /// From now on no message is there that is older than `ts`, as after the time that a plan keeps them. `is_told`:
    /// histories say so (`is_limited`).
    ///
    /// # Panics
    ///
    /// `ts` is none.
    pub fn keep_since(&self, ts: &str, is_told: bool) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.change(|state| state.script.kept_since = Some((ts, is_told)));
    }

    /// From now on no event tells of what happens, as of what an admin's tools do; `false` ends that.
    pub fn tell_nothing(&self, tells_nothing: bool) {
        self.change(|state| state.script.tells_nothing = tells_nothing);
    }

    /// From now on the history and threads of a channel are refused with this error; none ends it.
    pub fn refuse_history(&self, channel: &str, error: Option<&'static str>) {
        self.change(|state| match error {
            Some(error) => state.script.refused.insert(channel.to_owned(), error),
            None => state.script.refused.remove(channel),
        });
    }

    /// Closes every socket's connection at once, without a word.
    pub fn drop_sockets(&self) {
        self.change(State::drop_sockets);
    }

    /// Says to every socket that it will not last.
    pub fn disconnect(&self, reason: Disconnect) {
        self.change(|state| state.to_sockets(|| ToSocket::Disconnect(reason)));
    }

    /// Every open socket goes dead: it stays open, and nothing is sent, read or answered any more.
    pub fn freeze_sockets(&self) {
        self.change(|state| state.to_sockets(|| ToSocket::Freeze));
    }

    /// Sockets that are opened from now on send a ping this often, and not every ten seconds.
    pub fn ping_every(&self, period: Duration) {
        self.change(|state| state.script.ping_every = period);
    }

    /// No pings from now on.
    pub fn stop_pings(&self) {
        self.change(|state| state.script.silent = true);
    }

    /// Every `nth` event from now on comes twice; 0 ends it.
    pub fn duplicate_every(&self, nth: u64) {
        self.change(|state| state.outbound.noise.duplicate_every = nth);
    }

    /// From now on up to `window` events are under way at once, and which of them goes on is decided by `seed`.
    /// The remaining ones go on with [`Faults::release_events`].
    pub fn reorder(&self, window: usize, seed: u64) {
        self.change(|state| {
            state.outbound.noise.window = window;
            state.outbound.noise.random = Random::new(seed);
        });
    }

    /// All events from now on are held back.
    pub fn hold_events(&self) {
        self.change(|state| state.outbound.noise.holding = true);
    }

    /// Lets the events go on that are held back or under way.
    pub fn release_events(&self, order: Order) {
        self.change(|state| state.release_events(order));
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) {
        self.slack.inner().change(change);
    }
}

impl State {
    /// Closes all sockets.
    pub(crate) fn drop_sockets(&mut self) {
        self.to_sockets(|| ToSocket::Drop);
        let connections: Vec<u64> = self.outbound.sockets.keys().copied().collect();
        for connection in connections {
            self.disconnected(connection);
        }
    }

    /// Lets the events go on that were held back.
    pub(crate) fn release_events(&mut self, order: Order) {
        for event in self.outbound.noise.release(order) {
            self.send(event);
        }
    }

    fn to_sockets(&self, message: impl Fn() -> ToSocket) {
        for socket in self.outbound.sockets.values() {
            // A socket that has just gone needs no telling.
            let _ = socket.send(message());
        }
    }
}
