//! Everything the server knows, behind one lock; and the bell that rings whenever it has changed.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::bot::Bot;
use crate::delivery::Outbound;
use crate::faults::Script;
use crate::journal::Entry;
use crate::sign_in::SignIns;
use crate::ts::Clock;
use crate::world::World;

/// The scopes that the bot's token begins with.
const SCOPES: [&str; 17] = [
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "pins:read",
    "reactions:read",
    "reactions:write",
    "team:read",
    "users:read",
];

/// State that the handlers of requests share with the test.
pub(crate) struct Inner {
    /// Where the server listens.
    pub(crate) address: SocketAddr,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

/// The state behind the lock.
pub(crate) struct State {
    pub(crate) world: World,
    pub(crate) clock: Clock,
    /// The bot's requests and their results.
    pub(crate) bot: Bot,
    /// Events on their way to the bot.
    pub(crate) outbound: Outbound,
    /// The faults to come.
    pub(crate) script: Script,
    pub(crate) scopes: BTreeSet<String>,
    /// The `event_type`s whose payload the app subscribes to in its manifest.
    pub(crate) metadata_subscriptions: BTreeSet<String>,
    pub(crate) journal: Vec<Entry>,
    pub(crate) sign_ins: SignIns,
}

impl Inner {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let clock = Clock::default();
        let state = State {
            world: World::new(clock.last()),
            clock,
            bot: Bot::default(),
            outbound: Outbound::default(),
            script: Script::default(),
            scopes: SCOPES.into_iter().map(str::to_owned).collect(),
            metadata_subscriptions: BTreeSet::new(),
            journal: Vec::new(),
            sign_ins: SignIns::default(),
        };
        Self {
            address,
            state: Mutex::new(state),
            changed: watch::channel(()).0,
        }
    }

    /// Looks at the state.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state, and wakes whoever waits for a change.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.send_replace(());
        result
    }

    /// A receiver that hears of every change from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
