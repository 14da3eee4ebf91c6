//! The store in memory beside SQLite: the component and the bot get the same answers from both, and make the same of them.

use myao_plugin::Place;
use myao_plugin::Places;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use myao_bot::backfill::{self, Options};
use myao_bot::chat::{Chat, Setting, own_channel};
use myao_bot::clock::Clock;
use myao_plugin::Settings;
use myao_plugin::state::Workspace;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::{Keep, MessageQuery, Storage};
use myao_testkit::conformance::Records;
use myao_testkit::{Imports, MemoryStorage, Recorder, ScriptedLlm};
use myao_tests::backfills::{llm_settings, small_steps};
use myao_tests::conversation::{History, START, Shape, history};
use myao_tests::store::{TestStore, utc};
use myao_tests::telling::telling_llm;
use myao_tests::{plugin, plugin_over};

use crate::component::host::{HOUR, with_every_workspace_memory, without_versions};

const SHAPE: Shape = Shape {
    channels: 4,
    days: 2,
    burst: 40,
};

fn in_memory(history: &History) -> MemoryStorage {
    let storage = MemoryStorage::new();
    let records = Records {
        users: history.users.clone(),
        channels: history.channels.clone(),
        messages: history.messages.clone(),
        memories: history.memories.clone(),
    };
    storage.import(records).unwrap();
    storage
}

/// Everything that runs over three days ask of a store, and what they get, one line for each call.
async fn asked_and_got(storage: Arc<dyn Places>, settings: Settings) -> String {
    let recorder = Arc::new(Recorder::default());
    let imports = Imports::new(storage, Arc::new(telling_llm())).tapped(recorder.clone());
    let plugin = plugin_over(imports, settings);
    for tick in 0..12 {
        let now = utc(START + tick * 6 * HOUR);
        plugin.generate(now).await.unwrap();
        // Nothing is due any more, and the store says so.
        plugin.next_steps(&[], now).await.unwrap();
    }
    recorder.to_string()
}

#[tokio::test]
async fn the_component_asks_both_stores_the_same_and_gets_the_same() {
    let settings: [fn(&mut Settings); 4] = [
        |_| {},
        without_versions,
        with_every_workspace_memory,
        |settings| settings.set("engines.memory", "extractive"),
    ];
    for (seed, change) in (31..).zip(settings) {
        let mut values = small_steps();
        change(&mut values);
        let history = history(seed, SHAPE);
        let (_file, sqlite) = TestStore::of(&history).into_workspace();
        let sqlite = asked_and_got(Arc::new(sqlite), values.clone()).await;
        let memory = asked_and_got(Arc::new(in_memory(&history)), values).await;
        assert!(sqlite.lines().count() > 200, "{}", sqlite.lines().count());
        let mut lines = memory.lines().zip(sqlite.lines());
        let differing = lines.find(|(memory, sqlite)| memory != sqlite);
        assert_eq!(differing, None, "seed {seed}");
        assert_eq!(memory.lines().count(), sqlite.lines().count());
    }
}

/// Everything that a backfill makes, and what it pays for that: all texts with their sources, and the calls.
async fn backfilled<W: Workspace + Clone + 'static>(workspace: W) -> String {
    let settings = small_steps();
    let storage = Arc::new(workspace.clone());
    let plugin = plugin(storage, Arc::new(telling_llm()), settings);
    let plugin = plugin.with_journal(Arc::new(workspace.clone()));
    let options = Options::until(utc(START + 3 * 24 * HOUR));
    let made = backfill::backfill(&plugin, &workspace, options, &utc, &|_| {});
    assert_eq!(made.await.unwrap().failed, []);
    let mut out = String::new();
    let view = workspace.view(Place::Operator);
    for superseded in [true, false] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        for stored in view.memories(filter).await.unwrap() {
            let id = stored.memory.id;
            writeln!(out, "{stored:?} {:?}", view.sources(id).await.unwrap()).unwrap();
            for call in workspace.calls_of_memory(id).await.unwrap().calls {
                let of = (&call.scope_id, call.memory_type, &call.digest);
                writeln!(out, "{of:?} {} {:?}", call.model, call.finish_reason).unwrap();
            }
        }
    }
    let tick = workspace.backfill_tick().await;
    let history = workspace.oldest_history_message().await;
    writeln!(out, "{tick:?} {history:?}").unwrap();
    out
}

#[tokio::test]
async fn a_backfill_makes_the_same_in_both_stores() {
    let history = history(35, SHAPE);
    let (_file, sqlite) = TestStore::of(&history).into_workspace();
    let sqlite = backfilled(sqlite).await;
    let memory = backfilled(in_memory(&history)).await;
    assert!(sqlite.lines().count() > 50, "{}", sqlite.lines().count());
    let mut lines = memory.lines().zip(sqlite.lines());
    assert_eq!(lines.find(|(memory, sqlite)| memory != sqlite), None);
    assert_eq!(memory.lines().count(), sqlite.lines().count());
}

/// What is said and stored in a conversation, and what a backfill makes of it.
async fn conversed<W: Workspace + Clone + 'static>(workspace: W) -> String {
    let llm = Arc::new(ScriptedLlm::answering("On March 3."));
    let settings = llm_settings().with(|settings| settings.set("engines.response", "llm"));
    let plugin = plugin(Arc::new(workspace.clone()), llm.clone(), settings);
    let now = Duration::from_secs(START.unsigned_abs());
    let setting = Setting {
        channel: own_channel(),
        name: "alice".to_owned(),
        bot_name: "myao".to_owned(),
    };
    let clock = Clock::new(chrono::Utc, move || now);
    let chat = Chat::open(Arc::new(workspace.clone()), plugin, clock, setting);
    let chat = chat.await.unwrap();
    for question in ["When does the crane come?", "And the truck?"] {
        let reply = chat.say(question).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.posted.len()),
            ("On March 3.", 1)
        );
    }
    assert_eq!(llm.requests().len(), 2);
    let query = MessageQuery {
        channel_id: chat.channel().id.clone(),
        since: None,
        until: format!("{}.999999", START + HOUR),
        limit: 9,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    };
    let here = workspace.at(Place::Operator);
    let said = here.list_messages(query).await.unwrap();
    let mut out = String::new();
    for said in said {
        writeln!(out, "{said:?}").unwrap();
    }
    out + &backfilled(workspace).await
}

#[tokio::test]
async fn a_conversation_is_the_same_in_both_stores() {
    let (_file, sqlite) = TestStore::empty().into_workspace();
    let sqlite = conversed(sqlite).await;
    let memory = conversed(MemoryStorage::new()).await;
    assert_eq!(memory, sqlite);
    for text in ["When does the crane come?", "On March 3.", "And the truck?"] {
        assert!(memory.contains(text), "{memory}");
    }
}
