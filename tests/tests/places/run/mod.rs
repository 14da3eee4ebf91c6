//! One of the two workspaces: a history as it happens there.

mod parts;
mod see;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use myao_bot::clock::Clock;
use myao_bot::current::Current;
use myao_bot::metrics::Metrics;
use myao_bot::settings::BotSettings;
use myao_bot::views::Views;
use myao_page::Site;
use myao_plugin::llm::Request;
use myao_plugin::recording::Recordings;
use myao_plugin::state::Workspace;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::Directory;
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryPlugin, Place, Places, run};
use myao_testkit::Imports;
use myao_tests::builder;
use myao_tests::store::utc;
use parts::{Kept, Strike, model, open, settings};
use serde_json::{Value, json};

use super::history::{Change, History, Midway, Said, Step};
use super::log::Log;
use super::slack::{Posting, effects};
use super::texts::{self, Side};
use super::world::{World, channel_id, people, user_id};

pub(super) use parts::local_time;
pub(crate) use see::{Counts, Seen};

/// When a history begins: 2024-03-01 10:00:00 UTC.
const START: i64 = 1_709_287_200;

/// A message, as Slack has it.
struct Sent {
    said: Said,
    ts: String,
    edits: u32,
    is_question: bool,
}

/// A workspace in which a history happens.
pub(crate) struct Run {
    side: Side,
    pub(super) workspace: Arc<dyn Workspace>,
    kept: Kept,
    /// With answers of a model, and without.
    pub(super) plugins: [MemoryPlugin; 2],
    pub(super) posting: Arc<Posting>,
    views: Views,
    site: Arc<Site>,
    metrics: Arc<Metrics>,
    log: Log,
    asked: Arc<Mutex<Vec<Request>>>,
    model_fails: Arc<AtomicBool>,
    pub(super) strike: Arc<Strike>,
    people: Directory,
    pub(super) world: World,
    sent: BTreeMap<u32, Sent>,
    now: Arc<AtomicI64>,
    step: usize,
    /// A secret may have been posted elsewhere while it was none: nothing is compared from then on.
    pub(super) is_tainted: bool,
    records: bool,
    pub(super) seen: Vec<Seen>,
    pub(super) counts: Counts,
}

impl Run {
    /// Everything that is seen while the history happens.
    pub(crate) async fn of(history: &History, side: Side) -> (Vec<Seen>, Counts) {
        let mut run = Self::begin(history, side).await;
        for (number, (wait, step)) in history.steps.iter().enumerate() {
            run.step = number;
            run.now.fetch_add(*wait, Ordering::Relaxed);
            run.apply(step).await;
        }
        run.observe().await;
        if history.setup.prints {
            run.read_print().await;
        }
        let log = run.log.lines().join("\n");
        run.see("everywhere", "log", log);
        let metrics = run.metrics.text();
        // Those of one name are in any order.
        let metrics: BTreeSet<&str> = metrics.lines().collect();
        run.see("everywhere", "metrics", format!("{metrics:#?}"));
        (run.seen, run.counts)
    }

    async fn begin(history: &History, side: Side) -> Self {
        let setup = history.setup;
        let (kept, workspace) = open(setup.store);
        let now = Arc::new(AtomicI64::new(START + 10));
        let posting = Arc::new(Posting {
            workspace: workspace.clone(),
            now: now.clone(),
            fails: AtomicBool::new(false),
            posts: Mutex::default(),
        });
        let metrics = Arc::new(Metrics::default());
        let (asked, model_fails) = (Arc::default(), Arc::default());
        let strike = Arc::new(Strike {
            workspace: workspace.clone(),
            waiting: Mutex::default(),
        });
        let llm = model(setup.model, &asked, &model_fails);
        let storage: Arc<dyn Places> = Arc::new(workspace.clone());
        let imports = Imports::new(storage, Arc::new(llm)).tapped(strike.clone());
        let mut plugins = Vec::new();
        for reply_engine in [Engine::Llm, Engine::Extractive] {
            let settings = settings(setup, reply_engine);
            let mut plugin = builder(imports.storage.clone(), imports.llm.clone(), settings)
                .chat(posting.clone())
                .call_observer(metrics.clone());
            if setup.records {
                let recordings: Arc<dyn Recordings> = workspace.clone();
                plugin = plugin.recordings(recordings);
            }
            let plugin = plugin.build().unwrap();
            plugins.push(plugin.with_journal(workspace.clone()));
        }
        // Views look at what is stored: nothing happens in between.
        let looking = builder(
            workspace.clone(),
            imports.llm.clone(),
            settings(setup, Engine::Llm),
        );
        let looking = Current::fixed(BotSettings::default(), looking.build().unwrap());
        let clock = {
            let now = now.clone();
            let seconds = move || now.load(Ordering::Relaxed).unsigned_abs();
            Clock::new(local_time(), move || Duration::from_secs(seconds()))
        };
        let log = Log::capture();
        let (world, told) = World::new(&history.channels, side, START);
        workspace.apply_effects(told, START + 1).await.unwrap();
        Self {
            side,
            site: Arc::new(Site {
                workspace: workspace.clone(),
                current: looking.clone(),
                clock: clock.clone(),
                address: None,
                next: String::new(),
                agents: None,
                taken: Arc::new(|_| None),
            }),
            views: Views::new(workspace.clone(), posting.clone(), looking, clock),
            workspace,
            kept,
            plugins: plugins.try_into().ok().unwrap(),
            posting,
            metrics,
            log,
            asked,
            model_fails,
            strike,
            people: people(),
            world,
            sent: BTreeMap::new(),
            now,
            step: 0,
            is_tainted: false,
            records: setup.records,
            seen: Vec::new(),
            counts: Counts::default(),
        }
    }

    pub(super) fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    async fn apply(&mut self, step: &Step) {
        let was_calm = self.world.is_calm();
        let mut is_whole = true;
        match step {
            Step::Say(said) => self.say(*said, false).await,
            Step::Edit(number) => self.edit(*number).await,
            Step::Delete(number) => self.delete(*number).await,
            Step::Rename(channel) => self.rename(*channel).await,
            Step::Change(channel, change) => {
                let now = self.now();
                let told = self.world.change(*channel, *change, now);
                self.tell(told).await;
                if *change == Change::CatchUp {
                    let id = channel_id(*channel);
                    self.workspace.end_unread(&id).await.unwrap();
                    self.world.note_read(*channel);
                }
            }
            Step::Generate {
                model_fails,
                midway,
            } => {
                is_whole = midway.is_none();
                self.aim(*midway);
                self.model_fails.store(*model_fails, Ordering::Relaxed);
                self.generate().await;
                self.model_fails.store(false, Ordering::Relaxed);
                let is_late = self.land().await;
                self.counts.midway += usize::from(midway.is_some() && !is_late);
            }
            Step::Ask {
                said,
                without_model,
                midway,
            } => {
                self.say(*said, true).await;
                is_whole = midway.is_none();
                self.aim(midway.map(|midway| Midway {
                    call: midway.call % 3,
                    ..midway
                }));
                let answered = self.answer(usize::from(*without_model)).await;
                let is_late = self.land().await;
                self.counts.midway += usize::from(midway.is_some() && !is_late);
                // Somebody was answered before the change.
                self.is_tainted |= is_late && answered && !was_calm;
            }
            Step::LookAround => self.look_around().await,
            Step::SlackFails(fails) => self.posting.fails.store(*fails, Ordering::Relaxed),
            Step::Observe => self.observe().await,
        }
        let is_calm = self.world.is_calm();
        if was_calm != is_calm {
            self.count_withdrawn(is_calm).await;
        }
        self.see_prompts(is_whole && was_calm && is_calm);
        self.see_posts(is_calm);
    }

    pub(super) async fn tell(&self, effects: Vec<Effect>) {
        self.workspace
            .apply_effects(effects, self.now())
            .await
            .unwrap();
    }

    /// An event of Slack.
    async fn event(&self, event: &Value) {
        self.tell(effects(event, &self.people)).await;
    }

    fn ts(&self) -> String {
        TsKey::first_of(self.now()).to_string()
    }

    fn text(&self, sent: &Sent) -> String {
        let side = self.world.is_secret(sent.said.channel).then_some(self.side);
        texts::text(side, sent.said.number, sent.edits, sent.is_question)
    }

    async fn say(&mut self, said: Said, is_question: bool) {
        let ts = self.ts();
        let sent = Sent {
            said,
            ts: ts.clone(),
            edits: 0,
            is_question,
        };
        let mut event = self.message(&sent, is_question);
        if let Some(shared) = said.shares.and_then(|number| self.sent.get(&number)) {
            let attachment = json!({
                "is_share": true,
                "from_url": format!("https://slack.example/{}", shared.ts),
                "channel_id": channel_id(shared.said.channel),
                "text": self.text(shared),
            });
            event["attachments"] = json!([attachment]);
            if !is_question && said.number.is_multiple_of(2) {
                event["text"] = json!("");
            }
        }
        // The bot is told of nothing in a channel that it is not in.
        if self.world.is_present(said.channel) {
            self.event(&event).await;
            self.sent.insert(said.number, sent);
        }
    }

    /// A message of Slack, as its event has it.
    fn message(&self, sent: &Sent, is_mention: bool) -> Value {
        let said = sent.said;
        let root = said.thread.and_then(|number| self.sent.get(&number));
        let thread = root.filter(|root| root.said.channel == said.channel);
        let mention = if is_mention { "<@UBOT> " } else { "" };
        let mut event = json!({
            "type": if is_mention { "app_mention" } else { "message" },
            "channel": channel_id(said.channel),
            "user": user_id(said.person),
            "text": format!("{mention}{}", self.text(sent)),
            "ts": sent.ts,
        });
        if let Some(thread) = thread {
            event["thread_ts"] = json!(thread.ts);
        }
        event
    }

    async fn edit(&mut self, number: u32) {
        let ts = self.ts();
        let Some(sent) = self.sent.get_mut(&number) else {
            return;
        };
        sent.edits += 1;
        let sent = &self.sent[&number];
        if !self.world.is_present(sent.said.channel) {
            return;
        }
        let mut message = self.message(sent, false);
        message["edited"] = json!({ "user": user_id(sent.said.person), "ts": ts });
        let event = json!({
            "type": "message", "subtype": "message_changed", "message": message,
            "channel": channel_id(sent.said.channel), "ts": ts, "event_ts": ts,
        });
        self.event(&event).await;
    }

    async fn delete(&mut self, number: u32) {
        let Some(sent) = self.sent.get(&number) else {
            return;
        };
        if self.world.is_present(sent.said.channel) {
            let event = json!({
                "type": "message", "subtype": "message_deleted", "deleted_ts": sent.ts,
                "channel": channel_id(sent.said.channel), "ts": self.ts(), "event_ts": self.ts(),
            });
            self.event(&event).await;
        }
    }

    async fn rename(&mut self, channel: usize) {
        let name = self.world.name(channel, self.step);
        let channel = json!({ "id": channel_id(channel), "name": name });
        let event = json!({ "type": "channel_rename", "channel": channel, "event_ts": self.ts() });
        self.event(&event).await;
    }

    async fn generate(&mut self) {
        let now = utc(self.now());
        let report = run::generate(&self.plugins[0], now, 1, &|_| ()).await;
        let is_calm = self.world.is_calm();
        for entry in report.unwrap().entries {
            let place = Place::of(entry.scope, &entry.scope_id);
            if is_calm && !self.world.holds_secrets(&place) {
                self.see(&place.to_string(), "report", format!("{entry:?}"));
            }
        }
    }

    /// Plans a change for one of the next calls.
    fn aim(&mut self, midway: Option<Midway>) {
        if let Some(Midway {
            call,
            channel,
            change,
        }) = midway
        {
            let now = self.now();
            let effects = self.world.change(channel, change, now);
            *self.strike.waiting.lock().unwrap() = Some((call, effects, now));
        }
    }

    /// The planned change takes place now, unless it did. Returns whether it did not.
    async fn land(&mut self) -> bool {
        let waiting = self.strike.waiting.lock().unwrap().take();
        let Some((_, effects, _)) = waiting else {
            return false;
        };
        self.tell(effects).await;
        true
    }

    /// Answers that wait, and whether they may be given now: `true` if no secret can be posted elsewhere.
    pub(super) fn may_answer(&self, channel_id: &str) -> bool {
        let here = Place::Channel(channel_id.to_owned());
        self.world.is_calm()
            || self.world.holds_secrets(&here)
            || self.posting.fails.load(Ordering::Relaxed)
    }
}
