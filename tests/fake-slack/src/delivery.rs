//! The way of an event to the bot: its socket or request, its attempts, and its acknowledgement.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use crate::events_http::{Job, Target};
use crate::journal::Entry;
use crate::noise::Noise;
use crate::server::FakeSlack;
use crate::socket::ToSocket;
use crate::state::State;
use crate::{APP_ID, BOT_USER, TEAM_ID, shapes};

/// The type of a slash command's envelope.
pub(crate) const COMMAND: &str = "slash_commands";
/// The type of a shortcut's envelope.
pub(crate) const INTERACTIVE: &str = "interactive";

/// How often Slack sends an event again: at once, after a minute, after five minutes.
const RETRIES: u32 = 3;

/// A message to the bot: an event, a slash command or a shortcut.
#[derive(Debug, Clone)]
pub struct Event {
    /// `Ev…`; the same in every delivery. Commands and shortcuts, which have none in Slack, are numbered too.
    pub event_id: String,
    /// `message`, `app_mention` …; `slash_commands` for a command, `interactive` for a shortcut.
    pub event_type: String,
    /// The app's payload: the `event_callback`, or the fields of a command or shortcut.
    pub payload: Value,
    /// How far it is.
    pub state: EventState,
    /// How often it was sent because it had not been acknowledged, the first time included.
    pub attempts: u32,
}

impl Event {
    /// Returns true if Slack does not send it again without an acknowledgement.
    fn is_offered_once(&self) -> bool {
        [COMMAND, INTERACTIVE].contains(&self.event_type.as_str())
    }
}

/// How far an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventState {
    /// It waits: held back, or kept until somebody is connected.
    Waiting,
    /// It was sent.
    Sent,
    /// It was acknowledged.
    Acknowledged,
    /// Nobody was connected, and it was not kept; or it was sent as often as Slack does.
    Lost,
}

/// One sending of an event.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Of which event.
    pub event_id: String,
    /// Names this sending, in Socket Mode.
    pub envelope_id: String,
    /// 0 for the first time.
    pub attempt: u32,
    /// The socket's number; none over HTTP.
    pub connection: Option<u64>,
    /// When it went out.
    pub sent: Option<Instant>,
    /// When it was acknowledged.
    pub acknowledged: Option<Instant>,
    /// Over HTTP, the status that came back; none if no answer came.
    pub status: Option<u16>,
    /// The text of the acknowledgement, for a slash command.
    pub answer: Option<Value>,
    pub(crate) event: usize,
}

/// All events and all their deliveries.
#[derive(Default)]
pub(crate) struct Outbound {
    pub(crate) events: Vec<Event>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) noise: Noise,
    pub(crate) keep_while_away: bool,
    /// True while Slack drops events because there are too many.
    pub(crate) is_rate_limited: bool,
    /// By number.
    pub(crate) sockets: BTreeMap<u64, UnboundedSender<ToSocket>>,
    pub(crate) http: Option<Target>,
    by_envelope: HashMap<String, usize>,
    /// Events that nobody was there to take.
    kept: BTreeSet<usize>,
    /// Events that were sent and not acknowledged, with the socket of the last sending.
    open: BTreeMap<usize, Option<u64>>,
    last_connection: u64,
}

impl State {
    /// Tells the bot of an event.
    pub(crate) fn emit(&mut self, mut event: Value) {
        if self.script.tells_nothing {
            return;
        }
        shapes::hide_metadata(&mut event, &self.metadata_subscriptions);
        let number = self.outbound.events.len();
        let event_id = format!("Ev{number:09}");
        let time = self.clock.last().seconds();
        let event_type = event["type"].as_str().unwrap().to_owned();
        let channel = event["channel"].as_str();
        let channel = channel.and_then(|id| self.world.channels.get(id));
        let is_shared = channel.is_some_and(|channel| channel.is_shared);
        if let Some(author) = event["user"]
            .as_str()
            .and_then(|id| self.world.users.get(id))
            && event_type == "message"
            && !author.is_own()
        {
            let team = author.team.clone();
            for field in ["team", "user_team", "source_team"] {
                event[field] = team.clone().into();
            }
        }
        let payload = json!({
            "token": "verification-token", "team_id": TEAM_ID, "context_team_id": TEAM_ID,
            "context_enterprise_id": null, "api_app_id": APP_ID, "event": event, "type": "event_callback",
            "event_id": event_id, "event_time": time,
            "authorizations": [{
                "enterprise_id": null, "team_id": TEAM_ID, "user_id": BOT_USER, "is_bot": true,
                "is_enterprise_install": false,
            }],
            "is_ext_shared_channel": is_shared, "event_context": format!("4-{event_id}"),
        });
        self.record(event_id, event_type, payload);
        for event in self.outbound.noise.pass(number) {
            self.send(event);
        }
    }

    /// Tells the bot of a slash command or a shortcut. It is offered once and never kept.
    pub(crate) fn offer(&mut self, kind: &str, payload: Value) -> usize {
        let number = self.outbound.events.len();
        self.record(format!("{kind}-{number}"), kind.to_owned(), payload);
        self.send(number);
        number
    }

    fn record(&mut self, event_id: String, event_type: String, payload: Value) {
        self.outbound.events.push(Event {
            event_id,
            event_type,
            payload,
            state: EventState::Waiting,
            attempts: 0,
        });
    }

    /// Sends an event for the first time, or a copy of it.
    pub(crate) fn send(&mut self, event: usize) {
        let outbound = &mut self.outbound;
        if outbound.is_rate_limited {
            outbound.events[event].state = EventState::Lost;
            return;
        }
        let once = outbound.events[event].is_offered_once();
        if let Some(socket) = outbound.next_socket() {
            outbound.deliver(event, Some(socket), 0);
        } else if outbound.http.is_some() {
            outbound.deliver(event, None, 0);
        } else if outbound.keep_while_away && !once {
            outbound.kept.insert(event);
        } else {
            outbound.events[event].state = EventState::Lost;
        }
    }

    /// Sends everything again that is not acknowledged, but for what was sent often enough.
    pub(crate) fn retry(&mut self) {
        let open: Vec<usize> = self.outbound.open.keys().copied().collect();
        for event in open {
            let record = &mut self.outbound.events[event];
            if record.attempts > RETRIES {
                record.state = EventState::Lost;
                self.outbound.open.remove(&event);
            } else {
                self.send_again(event);
            }
        }
    }

    /// Tells the app of the minute from which it gets no events.
    fn tell_rate_limited(&mut self) {
        let now = self.clock.last().seconds();
        let number = self.outbound.events.len();
        let kind = "app_rate_limited";
        let payload = json!({
            "token": "verification-token", "type": kind, "team_id": TEAM_ID, "minute_rate_limited": now - now % 60,
            "api_app_id": APP_ID,
        });
        self.record(format!("{kind}-{number}"), kind.to_owned(), payload);
        self.send(number);
    }

    fn send_again(&mut self, event: usize) {
        let outbound = &mut self.outbound;
        let attempt = outbound.events[event].attempts;
        let socket = outbound.next_socket();
        if socket.is_some() || outbound.http.is_some() {
            outbound.deliver(event, socket, attempt);
        }
    }

    /// A socket is open; gives its number. What was kept, and what was sent over sockets that are gone, follows.
    pub(crate) fn connected(&mut self, socket: UnboundedSender<ToSocket>) -> u64 {
        let outbound = &mut self.outbound;
        outbound.last_connection += 1;
        let connection = outbound.last_connection;
        outbound.sockets.insert(connection, socket);
        self.journal.push(Entry::Connected { connection });
        self.catch_up();
        connection
    }

    /// A socket is gone; what it left open goes to another, if there is one.
    pub(crate) fn disconnected(&mut self, connection: u64) {
        if self.outbound.sockets.remove(&connection).is_some() {
            self.journal.push(Entry::Disconnected { connection });
            self.catch_up();
        }
    }

    /// Sends kept events, and those sent to sockets that are gone.
    pub(crate) fn catch_up(&mut self) {
        let outbound = &mut self.outbound;
        if outbound.sockets.is_empty() && outbound.http.is_none() {
            return;
        }
        let kept = std::mem::take(&mut outbound.kept);
        for event in &kept {
            // Slack offered it while nobody was there.
            outbound.events[*event].attempts = 1;
        }
        let orphaned = |socket: &Option<u64>| {
            socket.is_some_and(|socket| !outbound.sockets.contains_key(&socket))
        };
        let orphans = outbound
            .open
            .iter()
            .filter(|(_, socket)| orphaned(socket))
            .map(|(event, _)| *event);
        let all: BTreeSet<usize> = orphans.chain(kept).collect();
        for event in all {
            self.send_again(event);
        }
    }

    /// A delivery goes out now.
    pub(crate) fn sent(&mut self, delivery: usize) {
        let delivery = &mut self.outbound.deliveries[delivery];
        delivery.sent = Some(Instant::now());
        self.journal.push(Entry::Sent {
            event_id: delivery.event_id.clone(),
            attempt: delivery.attempt,
        });
    }

    /// An envelope was acknowledged.
    pub(crate) fn acknowledged_envelope(&mut self, envelope_id: &str, answer: Option<Value>) {
        if let Some(delivery) = self.outbound.by_envelope.get(envelope_id) {
            self.acknowledged(*delivery, answer);
        }
    }

    /// A delivery was acknowledged.
    pub(crate) fn acknowledged(&mut self, delivery: usize, answer: Option<Value>) {
        let delivery = &mut self.outbound.deliveries[delivery];
        delivery.acknowledged.get_or_insert_with(Instant::now);
        delivery.answer = answer;
        let event = delivery.event;
        self.journal.push(Entry::Acknowledged {
            event_id: delivery.event_id.clone(),
        });
        self.outbound.events[event].state = EventState::Acknowledged;
        self.outbound.open.remove(&event);
    }
}

impl Outbound {
    /// How many events were sent or kept, and not acknowledged.
    pub(crate) fn unsettled(&self) -> usize {
        self.open.len() + self.kept.len()
    }

    /// The sockets take turns.
    fn next_socket(&self) -> Option<u64> {
        let turn = self.deliveries.len().checked_rem(self.sockets.len())?;
        self.sockets.keys().nth(turn).copied()
    }

    fn deliver(&mut self, event: usize, connection: Option<u64>, attempt: u32) {
        let number = self.deliveries.len();
        let envelope_id = format!("e17e109e-0000-4000-8000-{number:012x}");
        let record = &mut self.events[event];
        self.deliveries.push(Delivery {
            event_id: record.event_id.clone(),
            envelope_id: envelope_id.clone(),
            attempt,
            connection,
            sent: None,
            acknowledged: None,
            status: None,
            answer: None,
            event,
        });
        self.by_envelope.insert(envelope_id.clone(), number);
        record.attempts = record.attempts.max(attempt + 1);
        if record.state != EventState::Acknowledged {
            record.state = EventState::Sent;
            if !record.is_offered_once() {
                self.open.insert(event, connection);
            }
        }
        match connection {
            Some(connection) => {
                let text = envelope(record, &envelope_id, attempt).to_string();
                // A socket that has just gone says so itself, and the event is sent again.
                let _ = self.sockets[&connection].send(ToSocket::Envelope {
                    delivery: number,
                    text,
                });
            }
            None => {
                let target = self.http.as_ref().unwrap();
                target.send(Job::new(number, record, attempt));
            }
        }
    }
}

fn envelope(event: &Event, envelope_id: &str, attempt: u32) -> Value {
    if event.is_offered_once() {
        return json!({
            "payload": event.payload, "envelope_id": envelope_id, "type": event.event_type,
            "accepts_response_payload": true,
        });
    }
    json!({
        "payload": event.payload, "envelope_id": envelope_id, "type": "events_api", "accepts_response_payload": false,
        "retry_attempt": attempt, "retry_reason": if attempt == 0 { "" } else { "timeout" },
    })
}

impl FakeSlack {
    /// All events and slash commands so far, in the order in which they came about.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.inner().read(|state| state.outbound.events.clone())
    }

    /// Every sending of an event, in order.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.inner().read(|state| state.outbound.deliveries.clone())
    }

    /// Returns true if nothing waits to be sent again or acknowledged. Events that are held back or lost do not count.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.inner().read(|state| state.outbound.unsettled() == 0)
    }

    /// Sets if events that occur while nobody is connected wait for the next connection, as a retry. By default they are
    /// lost: Slack gives up after some minutes.
    pub fn keep_while_away(&self, keep: bool) {
        self.inner()
            .change(|state| state.outbound.keep_while_away = keep);
    }

    /// Sends every event again that was sent and not acknowledged, as Slack does at once, after a minute and after
    /// five: after the third time it is lost.
    pub fn retry_unacknowledged(&self) {
        self.inner().change(State::retry);
    }

    /// Begins or ends a time in which events are lost because there are too many. The app gets a notice.
    pub fn rate_limit_events(&self, is_limited: bool) {
        self.inner().change(|state| {
            if is_limited {
                state.tell_rate_limited();
            }
            state.outbound.is_rate_limited = is_limited;
        });
    }

    /// How many sockets are open.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.inner().read(|state| state.outbound.sockets.len())
    }
}
