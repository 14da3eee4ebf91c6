//! A bot around a store, without Slack's network: it hears, makes memories and answers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use myao_plugin::llm::Request;
use myao_plugin::recording::Recordings;
use myao_plugin::state::Workspace;
use myao_plugin::state::inbox::IncomingEvent;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::{Engine, MemoryPlugin, Place, Places, Settings, Target, names, run};
use myao_testkit::{Call, Fault, Imports, Reply, ScriptedLlm, Tap};
use myao_tests::postgres::ServerDatabase;
use myao_tests::store::{utc, workspace};
use myao_tests::{builder, default_settings};
use rusqlite::Connection;

use crate::places::slack::Posting;

/// Where everything is stored.
#[derive(Clone)]
pub(crate) enum Store {
    File(PathBuf),
    Server(Arc<ServerDatabase>),
}

/// How a bot works.
pub(crate) struct Work {
    /// What makes memories and answers.
    pub(crate) engine: Engine,
    /// Calls that make memories are recorded.
    pub(crate) records: bool,
    /// The maximum number of messages of a memory.
    pub(crate) message_limit: u32,
}

pub(crate) struct Bot {
    pub(crate) workspace: Arc<dyn Workspace>,
    plugin: MemoryPlugin,
    posting: Arc<Posting>,
    asked: Arc<Mutex<Vec<Request>>>,
    strike: Arc<Strike>,
}

impl Bot {
    pub(crate) async fn new(
        store: &Store,
        work: Work,
        model: impl Fn(&Request) -> String + Send + Sync + 'static,
    ) -> Self {
        let workspace: Arc<dyn Workspace> = match store {
            Store::File(path) => Arc::new(workspace(path)),
            Store::Server(database) => Arc::new(database.workspace()),
        };
        let posting = Arc::new(Posting {
            workspace: workspace.clone(),
            now: Arc::new(AtomicI64::new(0)),
            fails: AtomicBool::new(false),
            posts: Mutex::default(),
        });
        let asked: Arc<Mutex<Vec<Request>>> = Arc::default();
        let strike = Arc::new(Strike {
            workspace: workspace.clone(),
            waiting: Mutex::default(),
        });
        let heard = asked.clone();
        let llm = ScriptedLlm::new(move |_, request| {
            heard.lock().unwrap().push(request.clone());
            let answer = model(request);
            let tokens = |text: &str| u32::try_from(text.len()).unwrap();
            let prompt = tokens(&request.system_prompt);
            Reply::from(answer.as_str()).with_tokens(prompt, tokens(&answer))
        });
        let places: Arc<dyn Places> = Arc::new(workspace.clone());
        let imports = Imports::new(places, Arc::new(llm)).tapped(strike.clone());
        let mut plugin =
            builder(imports.storage, imports.llm, settings(&work)).chat(posting.clone());
        if work.records {
            let recordings: Arc<dyn Recordings> = workspace.clone();
            plugin = plugin.recordings(recordings);
        }
        let plugin = plugin.build().unwrap();
        Self {
            plugin: plugin.with_journal(workspace.clone()),
            workspace,
            posting,
            asked,
            strike,
        }
    }

    pub(crate) async fn tell(&self, effects: Vec<Effect>, now: i64) {
        self.workspace.apply_effects(effects, now).await.unwrap();
    }

    /// The event of a message cannot be applied. A process that was killed meanwhile goes on with it.
    pub(crate) async fn set_aside(&self, record: &MessageRecord, now: i64) {
        let event_id = format!("E{}", record.ts);
        let event = IncomingEvent {
            event_id: event_id.clone(),
            received_at_ms: now * 1000,
            payload: format!("{} {}", record.ts, record.text),
        };
        self.workspace.keep_events(vec![event]).await.unwrap();
        loop {
            let waiting = self.workspace.waiting_events(i64::MAX, 9).await.unwrap();
            let Some(event) = waiting.iter().find(|event| event.event_id == event_id) else {
                return;
            };
            let failed = self.workspace.fail_event(event.id, "no".into(), now).await;
            failed.unwrap();
        }
    }

    /// What the events say that were set aside.
    pub(crate) async fn texts_set_aside(&self) -> Vec<String> {
        let events = self.workspace.set_aside_events(u32::MAX).await.unwrap();
        events.into_iter().map(|event| event.payload).collect()
    }

    /// Makes memories. Before one of the calls something happens; returns whether the run was not over by then.
    pub(crate) async fn generate(&self, now: i64, midway: Option<(usize, Vec<Effect>)>) -> bool {
        let planned = midway.map(|(call, effects)| (call, effects, now));
        let is_planned = planned.is_some();
        *self.strike.waiting.lock().unwrap() = planned;
        let report = run::generate(&self.plugin, utc(now), 1, &|_| ()).await;
        report.unwrap();
        let late = self.strike.waiting.lock().unwrap().take();
        let is_midway = is_planned && late.is_none();
        if let Some((_, effects, _)) = late {
            self.tell(effects, now).await;
        }
        is_midway
    }

    /// Answers every mention that waits.
    pub(crate) async fn answer(&self, now: i64) {
        self.posting.now.store(now, Ordering::Relaxed);
        let waiting = self.workspace.waiting_replies(now, 8).await.unwrap();
        for reply in waiting {
            let channel_id = &reply.channel_id;
            if reply.is_begun {
                let resumed = self
                    .posting
                    .resume(channel_id, reply.thread_ts, reply.ts)
                    .await;
                resumed.unwrap();
                continue;
            }
            let target = Target {
                channel_id: channel_id.clone(),
                thread_ts: reply.thread_ts.map(|ts| ts.to_string()),
                message_ts: reply.ts.to_string(),
            };
            let answer = self.plugin.reply_to_mention(&target, utc(now)).await;
            answer.unwrap();
        }
    }

    /// The prompts since the last call.
    pub(crate) fn prompts(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let prompts = asked.into_iter().map(|request| request.system_prompt);
        prompts.collect()
    }

    /// The posts since the last call.
    pub(crate) fn posts(&self) -> Vec<String> {
        let posts = std::mem::take(&mut *self.posting.posts.lock().unwrap());
        posts.into_iter().map(|(_, text)| text).collect()
    }

    /// The texts of all memories, older ones included.
    pub(crate) async fn memories(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for superseded in [false, true] {
            let filter = MemoryFilter {
                superseded,
                with_text: true,
                ..MemoryFilter::default()
            };
            let view = self.workspace.view(Place::Operator);
            let found = view.memories(filter).await.unwrap();
            texts.extend(found.into_iter().map(|stored| stored.memory.content));
        }
        texts
    }
}

fn settings(work: &Work) -> Settings {
    let defaults = default_settings();
    defaults.with(|settings| {
        settings.set("engines.memory", names::engine(work.engine));
        settings.set("engines.response", names::engine(work.engine));
        settings.set("memory.long_term_summary_max_tokens", 100_000);
        settings.set("memory.short_term_summary_max_tokens", 100_000);
        settings.set("agents.response.params.max_tokens", 100_000);
        settings.set("memory.generation_message_limit", work.message_limit);
        settings.set("memory.short_term_history.conversation_idle_seconds", 600);
        settings.set("memory.short_term_history.message_threshold", 3);
    })
}

/// All texts of a database, each with its table and column.
pub(crate) fn columns(path: &Path) -> Vec<(String, String)> {
    let database = Connection::open(path).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let mut tables = database.prepare(tables).unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut texts = Vec::new();
    for table in tables.map(Result::unwrap) {
        let mut statement = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for (number, name) in names.iter().enumerate() {
                if let Ok(bytes) = row.get_ref(number).unwrap().as_bytes() {
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    texts.push((format!("{table}.{name}"), text));
                }
            }
        }
    }
    texts
}

/// A change that waits for a call of the component.
struct Strike {
    workspace: Arc<dyn Workspace>,
    waiting: Mutex<Option<(usize, Vec<Effect>, i64)>>,
}

#[async_trait::async_trait]
impl Tap for Strike {
    async fn before(&self, _: &Call) -> Result<(), Fault> {
        let due = {
            let mut waiting = self.waiting.lock().unwrap();
            match &mut *waiting {
                Some((0, ..)) => waiting.take(),
                Some((left, ..)) => {
                    *left -= 1;
                    None
                }
                None => None,
            }
        };
        if let Some((_, effects, now)) = due {
            self.workspace.apply_effects(effects, now).await.unwrap();
        }
        Ok(())
    }
}
