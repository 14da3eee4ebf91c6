//! Plays a history, and looks after each step.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::DateTime;
use myao_fake_slack::{BOT_USER, Event, FakeSlack, Fault};
use myao_plugin::state::catch_up::CatchUpState as _;
use tokio::time::{Instant, sleep};

use super::bot::{Bot, Ears};
use super::history::{CHANNELS, Fate, History, Step, THE_BOT};
use super::known::{Fact, Known, is_visible};
use super::people::{People, channel};
use super::store::Store;
use crate::clock::Clock;

/// Where the clock of the fake Slack begins.
const BEGIN: u64 = 1_767_225_600;
/// How long Slack leaves out events after it said so.
const LEFT_OUT: u64 = 55;
const DAY: u64 = 24 * 3600;

/// How much of what was meant to happen did.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    /// Events that nobody took.
    pub(super) away: usize,
    /// Events that the database did not take.
    pub(super) not_kept: usize,
    /// Events that Slack left out.
    pub(super) left_out: usize,
    /// Events that never came although the bot was connected.
    pub(super) silent: usize,
    /// Deletions among them.
    pub(super) silent_deletions: usize,
    /// Events that came while an answer was under way.
    pub(super) during: usize,
    /// Calls of the bot that were to go wrong.
    pub(super) refused: usize,
    /// Messages in the end.
    pub(super) messages: usize,
}

struct Scene<'s> {
    slack: FakeSlack,
    store: &'s Store,
    /// The time at Slack.
    clock: Clock,
    /// By how many seconds this machine's clock is ahead of Slack's.
    ahead: Arc<AtomicI64>,
    people: People,
    /// Events that Slack sends again.
    again: Vec<Event>,
    events: usize,
    is_connected: bool,
    left_out_until: u64,
    counts: Counts,
}

/// Plays a history. It panics with the first thing that is wrong.
pub(super) async fn play(history: &History, store: &Store) -> Counts {
    let slack = FakeSlack::start().await;
    let people = People::of(&slack);
    let begun = Instant::now();
    let since_1970 = move || Duration::from_secs(BEGIN) + begun.elapsed();
    slack.faults().date(move || {
        let date = DateTime::from_timestamp(since_1970().as_secs().cast_signed(), 0);
        date.unwrap().to_rfc2822()
    });
    let mut scene = Scene {
        slack,
        store,
        clock: Clock::new(chrono_tz::UTC, since_1970),
        ahead: Arc::default(),
        people,
        again: Vec::new(),
        events: 0,
        is_connected: true,
        left_out_until: 0,
        counts: Counts::default(),
    };
    sleep(Duration::from_secs(100)).await;
    let _ = scene.new_events();
    let mut bot = scene.bot().await;
    bot.connected().await;
    bot.reads().await;
    for (number, (wait, step, fate)) in history.steps.iter().enumerate() {
        sleep(Duration::from_secs(*wait)).await;
        let during = format!("step {number}");
        scene.step(&mut bot, *step, *fate, &during).await;
    }
    scene.ends(bot).await;
    scene.counts
}

impl Scene<'_> {
    async fn bot(&self) -> Bot {
        let workspace = Arc::new(self.store.workspace.clone());
        let (clock, ahead) = (self.clock.clone(), self.ahead.clone());
        let machine = move || {
            let at_slack = Duration::from_micros(clock.microseconds().unsigned_abs());
            let ahead = ahead.load(Ordering::Relaxed);
            let by = Duration::from_secs(ahead.unsigned_abs());
            if ahead < 0 {
                at_slack - by
            } else {
                at_slack + by
            }
        };
        Bot::start(&self.slack, workspace, machine).await
    }

    fn now(&self) -> u64 {
        self.clock.unsigned_seconds()
    }

    async fn known(&self) -> Known {
        let ids: Vec<String> = (0..CHANNELS).map(channel).collect();
        Known::of_store(&self.store.seen, &ids).await
    }

    fn new_events(&mut self) -> Vec<Event> {
        let mut events = self.slack.events();
        let new = events.split_off(self.events);
        self.events += new.len();
        new
    }

    async fn step(&mut self, bot: &mut Bot, step: Step, fate: Fate, when: &str) {
        if matches!(step, Step::Look) {
            bot.ears.applies().await;
        }
        let before = self.known().await;
        let slack = self.slack.clone();
        let faults = slack.faults();
        match step {
            Step::SendAgain => {
                let again = std::mem::take(&mut self.again);
                if self.is_connected {
                    for event in &again {
                        let _ = bot.ears.takes(event).await;
                    }
                    bot.ears.applies().await;
                }
            }
            Step::LeaveOut if self.is_connected => {
                self.left_out_until = self.now() + LEFT_OUT;
                self.slack.rate_limit_events(true);
                self.slack.rate_limit_events(false);
                for event in self.new_events() {
                    if !bot.ears.takes(&event).await {
                        // Slack tells it again a minute later.
                        self.left_out_until = 0;
                    }
                }
            }
            Step::Disconnect => self.is_connected = false,
            Step::Connect if !self.is_connected => {
                self.is_connected = true;
                bot.connected().await;
                bot.reads().await;
            }
            Step::Restart => {
                *bot = self.bot().await;
                if self.is_connected {
                    bot.connected().await;
                    bot.reads().await;
                }
            }
            Step::Look if self.is_connected => bot.reads().await,
            Step::Sweep { pages } if self.is_connected => {
                bot.sweeps(pages).await;
            }
            Step::Refuse {
                method,
                fault,
                times,
            } => {
                self.counts.refused += times;
                faults.times(times, method, fault);
            }
            Step::RefuseChannel { channel: id, why } => {
                faults.refuse_history(&channel(id), Some(why));
            }
            Step::SetClock { ahead } => self.ahead.store(ahead, Ordering::Relaxed),
            Step::StoreFails { after } => self.store.left.store(after, Ordering::Relaxed),
            Step::Heal => self.heal(),
            Step::Agree => self.agrees(when).await,
            _ => {
                let slack_before = Known::of_slack(&self.slack.world());
                let told = self.happens(bot, step, fate).await;
                let slack = Known::of_slack(&self.slack.world());
                let after = self.known().await;
                // The bot asks Slack about a channel that comes out of the archive. Other events tell where guests are.
                let is_half = matches!(step, Step::Archive { .. } | Step::Guest { .. });
                let told = told.filter(|_| !is_half);
                if let Some(fact) = told {
                    let (expected, found) = (slack.value(&fact), after.value(&fact));
                    // The bot asks for facts that it has no more.
                    let is_narrow = matches!(fact, Fact::Open(_)) && found == "false";
                    assert!(
                        is_narrow || found == expected,
                        "{when}: {fact:?} was told, is {found}"
                    );
                }
                if matches!(fate, Fate::During(_)) {
                    self.compare(
                        (&before, &after),
                        &[&slack_before, &slack],
                        Some(step),
                        when,
                    );
                }
                self.nothing_is_invented(&after, when);
                return;
            }
        }
        let after = self.known().await;
        if !matches!(step, Step::SendAgain) {
            let slack = Known::of_slack(&self.slack.world());
            self.compare((&before, &after), &[&slack], None, when);
        }
        self.nothing_is_invented(&after, when);
    }

    /// People do something. Returns what the bot was told of and has kept.
    async fn happens(&mut self, bot: &mut Bot, step: Step, fate: Fate) -> Option<Fact> {
        self.slack.set_clock(&format!("{}.0", self.now() - 3));
        match fate {
            Fate::During(method) if self.is_connected => {
                return self.happens_during(bot, step, method).await;
            }
            _ => {}
        }
        let _ = self.new_events();
        let fact = self.people.act(step)?;
        let events = self.new_events();
        let is_left_out = self.now() < self.left_out_until;
        if !self.is_connected || is_left_out || fate == Fate::Silent {
            let is_silent = self.is_connected && !is_left_out;
            let count = match (self.is_connected, is_left_out) {
                (false, _) => &mut self.counts.away,
                (true, true) => &mut self.counts.left_out,
                _ => &mut self.counts.silent,
            };
            *count += events.len();
            if is_silent && matches!(step, Step::Delete { .. }) {
                self.counts.silent_deletions += 1;
            }
            return None;
        }
        if fate == Fate::Late {
            self.again.extend(events);
            return None;
        }
        self.tells(bot.ears.clone(), fact, events, fate).await
    }

    async fn tells(
        &mut self,
        ears: Arc<Ears>,
        fact: Fact,
        events: Vec<Event>,
        fate: Fate,
    ) -> Option<Fact> {
        let mut is_told = !events.is_empty();
        for event in events {
            let is_kept = ears.takes(&event).await;
            if !is_kept {
                is_told = false;
                self.counts.not_kept += 1;
            }
            if fate == Fate::Twice {
                self.again.push(event);
            }
        }
        let is_applied = ears.applies().await;
        Some(fact).filter(|_| is_told && is_applied)
    }

    async fn happens_during(&mut self, bot: &mut Bot, step: Step, method: &str) -> Option<Fact> {
        let slack = self.slack.clone();
        slack.faults().clear();
        slack.faults().next(method, Fault::HoldAnswer);
        let ears = bot.ears.clone();
        // A connection is made anew: then all is read.
        bot.connected().await;
        let mut reads = Box::pin(bot.reads());
        let held = async {
            while slack.faults().held() == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let is_over = tokio::select! {
            biased;
            () = &mut reads => true,
            () = held => false,
        };
        slack.set_clock(&format!("{}.0", self.now()));
        // Greetings are posted later than the event that they follow, and tell nothing.
        let _ = self.new_events();
        let told = match self.people.act(step) {
            Some(fact) => {
                let events = self.new_events();
                self.counts.during += events.len();
                self.tells(ears, fact, events, Fate::Told).await
            }
            None => None,
        };
        slack.faults().clear();
        if !is_over {
            slack.faults().release();
            reads.await;
        }
        told
    }

    fn heal(&self) {
        self.slack.faults().clear();
        for number in 0..CHANNELS {
            self.slack.faults().refuse_history(&channel(number), None);
        }
        self.store.left.store(i64::MAX, Ordering::Relaxed);
    }

    /// Facts that were read are Slack's, now or at the time; the others are as they were.
    /// Of the members that came and went while the bot was not in a channel that it comes into, nothing is known. Of one that comes
    /// out of the archive it asks soon whether it is in it.
    fn compare(
        &self,
        (before, after): (&Known, &Known),
        slack: &[&Known],
        during: Option<Step>,
        when: &str,
    ) {
        let is_archive = matches!(during, Some(Step::Archive { .. }));
        let is_renewed = is_archive || matches!(during, Some(Step::Move { who: THE_BOT, .. }));
        let renewed = during
            .filter(|_| is_renewed)
            .and_then(Step::channel)
            .map(channel);
        let world = self.slack.world();
        for fact in after.facts(before) {
            let (was, is) = (before.value(&fact), after.value(&fact));
            let says: Vec<String> = slack.iter().map(|slack| slack.value(&fact)).collect();
            let is_hidden = match &fact {
                Fact::Member(id, user) if user != BOT_USER => {
                    renewed.as_ref() == Some(id) || !is_visible(&world.channels[id])
                }
                // A guest who has gone counts until the members are read.
                Fact::Open(id) => {
                    let mut members = after.channels[id].members.iter();
                    renewed.as_ref() == Some(id) || members.any(|user| world.users[user].is_guest)
                }
                _ => false,
            };
            let is_half = match &fact {
                Fact::Member(id, user) if user == BOT_USER => {
                    is_archive && renewed.as_ref() == Some(id)
                }
                // That a channel became public may be read when it cannot be read who became a guest.
                Fact::Open(id) => {
                    let privacy = Fact::Privacy(id.clone());
                    before.value(&privacy) != after.value(&privacy) && !world.channels[id].is_shared
                }
                _ => false,
            };
            let is_right =
                is == was || says.contains(&is) || is_half || (is_hidden && is == "false");
            assert!(
                is_right,
                "{when}: {fact:?} was {was}, is {is}; Slack: {says:?}"
            );
        }
    }

    fn nothing_is_invented(&self, known: &Known, when: &str) {
        for (id, (text, ..)) in &known.messages {
            let said = self
                .people
                .said
                .get(id)
                .is_some_and(|said| said.contains(text));
            assert!(said, "{when}: nobody said `{text}` in {id:?}");
        }
    }

    /// All is well again, and stays so for a day.
    async fn ends(&mut self, mut bot: Bot) {
        self.heal();
        bot.connected().await;
        let seen = &self.store.seen;
        for _ in 0..5 {
            bot.ears.applies().await;
            bot.reads().await;
            bot.sweeps(usize::MAX).await;
            sleep(Duration::from_secs(4000)).await;
        }
        assert_eq!(seen.unread_channels(i64::MAX).await.unwrap(), []);
        assert_eq!(seen.gap().await.unwrap(), None);
        sleep(Duration::from_secs(DAY)).await;
        bot.reads().await;
        assert!(bot.sweeps(usize::MAX).await);
        for _ in 0..20 {
            bot.reads().await;
            sleep(Duration::from_secs(700)).await;
        }
        let missing = seen.missing_messages(i64::MAX, 100).await.unwrap();
        assert_eq!(missing, [], "asked for");
        self.agrees("the end").await;
    }

    /// The store holds what Slack shows.
    async fn agrees(&mut self, when: &str) {
        let (known, world) = (self.known().await, self.slack.world());
        let slack = Known::of_slack(&world);
        self.counts.messages = known.messages.len();
        for fact in slack.facts(&known) {
            let of = match &fact {
                Fact::Message((id, _))
                | Fact::Privacy(id)
                | Fact::Open(id)
                | Fact::Member(id, _) => id,
            };
            let channel = &world.channels[of];
            let is_meant = match &fact {
                Fact::Message(_) | Fact::Open(_) => channel.has_bot() && !channel.archived,
                Fact::Member(_, user) => {
                    user == BOT_USER || (channel.has_bot() && !channel.archived)
                }
                Fact::Privacy(_) => true,
            };
            let (expected, found) = (slack.value(&fact), known.value(&fact));
            assert!(
                !is_meant || found == expected,
                "{when}: {fact:?} is {found}, in Slack {expected}"
            );
        }
    }
}
