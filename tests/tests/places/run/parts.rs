//! What a workspace of a history is made of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use myao_plugin::llm::{LlmError, Request};
use myao_plugin::state::Workspace;
use myao_plugin::storage::effects::Effect;
use myao_plugin::{Engine, Place, Settings, names};
use myao_testkit::{Call, Fault, Reply, ScriptedLlm, Tap};
use myao_tests::default_settings;
use myao_tests::postgres::ServerDatabase;
use myao_tests::store::TestStore;

use crate::places::history::{Model, Setup, Store};
use crate::places::texts;

pub(in crate::places) fn local_time() -> myao_plugin::LocalTime {
    myao::config::Config::default().timezone.into()
}

pub(super) fn settings(setup: Setup, reply_engine: Engine) -> Settings {
    let defaults = default_settings();
    defaults.with(|settings| {
        let engine = match setup.model {
            Model::Extractive => Engine::Extractive,
            Model::Naming | Model::Nameless => Engine::Llm,
        };
        settings.set("engines.memory", names::engine(engine));
        settings.set("engines.response", names::engine(reply_engine));
        settings.set("memory.long_term_summary_max_tokens", 100_000);
        settings.set("memory.short_term_summary_max_tokens", 100_000);
        settings.set("agents.response.params.max_tokens", 100_000);
        settings.set("memory.extractive_stand_in", setup.stand_in);
        let limit = if setup.small { 4 } else { 1000 };
        settings.set("memory.generation_message_limit", limit);
        settings.set("memory.legacy_workspace_short_term", setup.legacy);
        settings.set(
            "memory.workspace_merge_per_channel",
            setup.merge_per_channel,
        );
        settings.set("memory.short_term_history.conversation_idle_seconds", 600);
        settings.set("memory.short_term_history.message_threshold", 3);
    })
}

pub(super) fn model(
    model: Model,
    asked: &Arc<Mutex<Vec<Request>>>,
    fails: &Arc<AtomicBool>,
) -> ScriptedLlm {
    let (asked, fails) = (asked.clone(), fails.clone());
    let numbers: Mutex<HashMap<Place, usize>> = Mutex::default();
    ScriptedLlm::new(move |_, request| {
        let place = Place::of(request.purpose.scope, &request.purpose.scope_id);
        let number = {
            let mut numbers = numbers.lock().unwrap();
            let number = numbers.entry(place).or_default();
            *number += 1;
            *number % 1000
        };
        asked.lock().unwrap().push(request.clone());
        if fails.load(Ordering::Relaxed) {
            return Reply::from(LlmError::Unavailable("the model is down".to_owned()));
        }
        let answer = texts::answer(model, request, number);
        let tokens = |text: &str| u32::try_from(text.len()).unwrap();
        Reply::from(answer.as_str()).with_tokens(tokens(&request.system_prompt), tokens(&answer))
    })
}

/// What goes away with a history.
#[derive(Default)]
pub(super) struct Kept {
    /// The file of the store, if it is in one.
    pub(super) file: Option<TestStore>,
    _server: Option<ServerDatabase>,
}

pub(super) fn open(store: Store) -> (Kept, Arc<dyn Workspace>) {
    static EMPTY: OnceLock<TestStore> = OnceLock::new();
    match store {
        Store::Postgres => {
            let server = ServerDatabase::with_tables();
            let workspace = server.workspace();
            let kept = Kept {
                file: None,
                _server: Some(server),
            };
            return (kept, Arc::new(workspace));
        }
        Store::Sqlite => {}
    }
    let empty = EMPTY.get_or_init(|| {
        let empty = TestStore::empty();
        drop(empty.workspace());
        empty
    });
    let file = TestStore::copy_of(empty);
    let workspace = file.workspace();
    let kept = Kept {
        file: Some(file),
        _server: None,
    };
    (kept, Arc::new(workspace))
}

/// A change that waits for a call of the component.
pub(in crate::places) struct Strike {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) waiting: Mutex<Option<(usize, Vec<Effect>, i64)>>,
}

impl Strike {
    pub(in crate::places) fn is_waiting(&self) -> bool {
        self.waiting.lock().unwrap().is_some()
    }
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
