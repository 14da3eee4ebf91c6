//! A component that reads, saves, defers, posts or asks for another place than the one that it was called for. Each way is
//! refused and reported, and nothing is written. `tests/trespassing-component` does what it is told.

use std::sync::Arc;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::explain::explain;
use myao_plugin::llm::NoLlm;
use myao_plugin::state::Workspace as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::records::{ChannelRecord, MessageRecord};
use myao_plugin::{
    BuildRequest, CallError, Error, Limits, MemoryPlugin, Outcome, Place, Scope, Target,
    UpdateState,
};
use myao_sql::SqlWorkspace;
use myao_testkit::{MemoryChat, ScriptedLlm};
use myao_tests::conversation::{History, START, message, ts, user};
use myao_tests::store::{TestStore, utc};
use myao_tests::{component_of, default_settings, plugin};
use rusqlite::Connection;

use crate::runs::trespasses::{Call, Expected, GUEST, HR, Known, OPEN, OWN, Row, rows};

/// What is only said in `#hr-private`, and its name.
const SECRETS: [&str; 3] = ["9000 euros", "resigns", "hr-private"];

fn said(channel_id: &str, sequence: i64, text: &str) -> [MessageRecord; 2] {
    let first = MessageRecord {
        thread_ts: Some(ts(START, sequence)),
        ..message(channel_id, ts(START, sequence), text)
    };
    let reply = MessageRecord {
        ts: ts(START + 60, sequence),
        text: format!("{text} That is certain."),
        ..first.clone()
    };
    [first, reply]
}

/// Two public channels, a private one and one with guests, each with a thread.
fn history() -> History {
    let channel = |id: &str, name: &str, facts| ChannelRecord {
        id: id.to_owned(),
        name: name.to_owned(),
        facts,
    };
    let with_guests = ChannelFacts {
        has_guests: Some(true),
        ..ChannelFacts::PUBLIC
    };
    let messages = [
        said(OWN, 1, "The crane comes on March 3."),
        said(OPEN, 2, "The backup server was replaced."),
        said(HR, 3, "Dave gets 9000 euros and resigns in May."),
        said(GUEST, 4, "The fair begins on April 7."),
    ];
    History {
        users: vec![user("alice")],
        channels: vec![
            channel(OWN, "harbour", ChannelFacts::PUBLIC),
            channel(OPEN, "servers", ChannelFacts::PUBLIC),
            channel(HR, "hr-private", ChannelFacts::PRIVATE),
            channel(GUEST, "fair", with_guests),
        ],
        messages: messages.into_iter().flatten().collect(),
        ..History::default()
    }
}

/// A workspace with memories of all its channels, and a component that trespasses in it.
struct Scene {
    file: TestStore,
    workspace: SqlWorkspace,
    llm: Arc<ScriptedLlm>,
    chat: Arc<MemoryChat>,
}

impl Scene {
    async fn new() -> Self {
        let (file, workspace) = TestStore::of(&history()).into_workspace();
        let honest = plugin(
            Arc::new(workspace.clone()),
            Arc::new(NoLlm),
            default_settings(),
        );
        let report = honest.generate(utc(START + 12 * 3600)).await.unwrap();
        assert!(report.entries.len() > 8, "{report:?}");
        Self {
            file,
            workspace,
            llm: Arc::new(ScriptedLlm::answering("an answer")),
            chat: Arc::default(),
        }
    }

    async fn known(&self) -> Known {
        let everything = self.workspace.view(Place::Operator);
        let memories = everything.memories(MemoryFilter::default()).await.unwrap();
        let of = |scope: Scope, scope_id: &str| {
            let mut found = memories
                .iter()
                .map(|stored| &stored.memory)
                .filter(|memory| (memory.scope, memory.scope_id.as_str()) == (scope, scope_id));
            // The long-term one, if there are two.
            found.next().unwrap_or_else(|| panic!("{scope_id}")).id
        };
        Known {
            own: of(Scope::Channel, OWN),
            hr: of(Scope::Channel, HR),
            workspace: of(Scope::Workspace, "default"),
        }
    }

    async fn plugin(&self, commands: &str) -> MemoryPlugin {
        self.plugin_within(commands, Limits::default()).await
    }

    async fn plugin_within(&self, commands: &str, limits: Limits) -> MemoryPlugin {
        let settings = default_settings().with(|settings| {
            settings.set("persona.system_prompt", commands);
        });
        let plugin = MemoryPlugin::builder()
            .component(component_of("trespassing"))
            .storage(Arc::new(self.workspace.clone()))
            .llm(self.llm.clone())
            .chat(self.chat.clone())
            .settings(settings)
            .limits(limits)
            .build()
            .unwrap();
        plugin.with_journal(Arc::new(self.workspace.clone()))
    }

    /// What the component got, or how its call ended.
    async fn told_to(&self, call: Call, commands: &str) -> Result<String, CallError> {
        result_of(&self.plugin(commands).await, call).await
    }
}

/// The text that the component returns.
async fn result_of(plugin: &MemoryPlugin, call: Call) -> Result<String, CallError> {
    let now = utc(START + 13 * 3600);
    let thread = ts(START, 1).to_string();
    let target = Target {
        channel_id: OWN.to_owned(),
        thread_ts: Some(thread.clone()),
        message_ts: ts(START + 60, 1).to_string(),
    };
    let outcome = match call {
        Call::Channel => plugin.generate_channel(OWN, now).await?.outcome,
        Call::Guest => plugin.generate_channel(GUEST, now).await?.outcome,
        Call::Thread => plugin.generate_thread(OWN, &thread, now).await?.outcome,
        Call::Workspace => plugin.generate_workspace(now).await?.outcome,
        Call::Schedule => {
            let state = UpdateState {
                latest_message_ts: None,
                has_memory: false,
                new_message_count: 0,
            };
            returned(plugin.should_update(&state, now).await)?
        }
        Call::Reply => returned(plugin.reply_to_mention(&target, now).await)?,
        Call::Unasked => returned(plugin.reply_unasked(&target, now).await)?,
        Call::Judge => returned(plugin.judge(&target, now).await)?,
        Call::Look => {
            let request = BuildRequest {
                channel_id: OWN.to_owned(),
                target_thread_ts: None,
                since: None,
                message_limit: None,
            };
            returned(plugin.build_context(&request, now).await)?
        }
        Call::Asked => {
            let place = Place::Channel(OWN.to_owned());
            returned(plugin.ask(place, "When?", now).await)?
        }
        Call::Operator => returned(plugin.ask(Place::Operator, "When?", now).await)?,
    };
    match outcome {
        Outcome::Failed(Error::Other(reason)) => Ok(reason.text),
        other => panic!("{other:?}"),
    }
}

fn returned<T: std::fmt::Debug>(result: Result<T, CallError>) -> Result<Outcome, CallError> {
    match result {
        Err(CallError::Refused(error)) => Ok(Outcome::Failed(error)),
        Err(error) => Err(error),
        Ok(other) => panic!("{other:?}"),
    }
}

/// Changes whenever another connection writes to the file.
fn version(connection: &Connection) -> i64 {
    connection
        .query_row("PRAGMA data_version", [], |row| row.get(0))
        .unwrap()
}

#[tokio::test]
async fn every_way_out_of_its_place_is_refused_and_reported_and_nothing_is_written() {
    let scene = Scene::new().await;
    let database = Connection::open(scene.file.path()).unwrap();
    let rows = rows(&scene.known().await);
    let is_refusal = |row: &&Row| matches!(row.expected, Expected::Refused(_));
    assert!(rows.iter().filter(is_refusal).count() > 150);
    for Row {
        call,
        commands,
        expected,
    } in rows
    {
        let what = format!("{call:?}: {commands}");
        let before = version(&database);
        let result = scene.told_to(call, &commands).await;
        match expected {
            Expected::Refused(action) => {
                let error = result.expect_err(&what);
                let is_named = matches!(error, CallError::OutOfPlace { .. });
                assert!(is_named, "{what}: {error:?}");
                let said = error.to_string();
                let wanted = format!("was called for {}, and wanted to {action}", call.place());
                assert!(said.contains(&wanted), "{what}: {said}");
                assert_eq!(version(&database), before, "{what}: written");
            }
            Expected::Without(words) => {
                let got = result.unwrap_or_else(|error| panic!("{what}: {error}"));
                let mut hidden = words.iter().map(String::as_str).chain(SECRETS);
                assert_eq!(
                    hidden.find(|word| got.contains(word)),
                    None,
                    "{what}: {got}"
                );
            }
        }
        assert!(scene.llm.requests().is_empty(), "{what}: asked");
        assert!(scene.chat.posts().is_empty(), "{what}: posted");
    }
}

/// So that what is refused elsewhere is not refused for another reason.
#[tokio::test]
async fn the_same_in_its_own_place_is_done() {
    let scene = Scene::new().await;
    let Known { own, workspace, .. } = scene.known().await;
    let (first, reply) = (ts(START, 1), ts(START + 60, 1));
    let save = format!(
        "messages {OWN} {first}\nmemories all {OWN}:{first}\nsave channel {OWN} from={OWN} message={first} memory={own} merged={own} expected={own}"
    );
    let merge = format!(
        "memories all\nmemories workspace\nsave workspace default memory={own} expected={workspace}"
    );
    for (call, commands) in [
        (
            Call::Channel,
            format!("channels\nbacklog {OWN} -\nbacklog {OWN} {first}"),
        ),
        (
            Call::Channel,
            format!("deferrals channel {OWN}\ndeferrals thread {OWN}:{first}"),
        ),
        (
            Call::Channel,
            format!("defer channel {OWN}\ndefer thread {OWN}:{first}"),
        ),
        (
            Call::Channel,
            format!("ask channel {OWN}\nask-both thread {OWN}:{first} channel {OWN}"),
        ),
        (
            Call::Workspace,
            "channels\ndefer workspace default\nask workspace default".to_owned(),
        ),
        (Call::Workspace, merge),
        // The last, as it replaces a memory that the others cite.
        (Call::Channel, save),
        (Call::Schedule, "due".to_owned()),
        (Call::Look, format!("messages {OWN} -\nask channel {OWN}")),
        (Call::Judge, format!("messages {OWN} -\nask channel {OWN}")),
        (
            Call::Asked,
            format!("messages {OWN} -\nfind crane\nask channel {OWN}"),
        ),
        (
            Call::Operator,
            format!("messages {HR} -\nfind euros\nask workspace default"),
        ),
        (
            Call::Reply,
            format!("history {OWN}\npermalink {OWN} {first}\npost {OWN} {first} {reply}"),
        ),
    ] {
        let got = scene.told_to(call, &commands).await;
        let got = got.unwrap_or_else(|error| panic!("{call:?} {commands}: {error}"));
        assert!(!got.contains("Err("), "{call:?} {commands}: {got}");
    }
    assert_eq!(scene.chat.posts().len(), 1);
    // One of the eight was there already.
    assert_eq!(scene.llm.requests().len(), 7);
}

#[tokio::test]
async fn what_a_memory_may_cite_was_given_to_the_same_call() {
    let scene = Scene::new().await;
    let own = scene.known().await.own;
    scene
        .told_to(Call::Channel, &format!("memories {OWN}"))
        .await
        .unwrap();
    let cite = format!("save channel {OWN} memory={own}");
    let error = scene.told_to(Call::Channel, &cite).await.unwrap_err();
    assert!(matches!(error, CallError::OutOfPlace { .. }), "{error:?}");
}

#[tokio::test]
async fn a_run_ends_although_the_component_never_stops_asking_for_the_same_step() {
    let scene = Scene::new().await;
    let plugin = scene.plugin(&format!("take {OWN}")).await;
    let report = plugin.generate(utc(START + 13 * 3600)).await.unwrap();
    let failures = report.entries.iter().map(|entry| match &entry.outcome {
        Outcome::Failed(error) => format!("{} {}", entry.scope_id, explain(error)),
        other => panic!("{other:?}"),
    });
    let failures: Vec<String> = failures.collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].starts_with(OWN), "{failures:?}");
    assert!(failures[1].contains("step again"), "{failures:?}");
}

#[tokio::test]
async fn the_report_of_a_trespass_is_short_and_one_line_whatever_the_component_chose() {
    let scene = Scene::new().await;
    let forged = format!(
        "save channel {HR}\u{1b}[2K\u{2028}INFO:{}",
        "x".repeat(100_000)
    );
    let error = scene.told_to(Call::Channel, &forged).await.unwrap_err();
    let said = error.to_string();
    assert!(said.contains(HR) && said.len() < 600, "{}", said.len());
    assert!(
        !said.contains(|c: char| c.is_control() || c == '\u{2028}'),
        "{said:?}"
    );
}

/// Limits of what a call writes; it writes for its own place.
pub(crate) async fn ending(commands: &str, limits: Limits) -> CallError {
    let scene = Scene::new().await;
    let plugin = scene.plugin_within(commands, limits).await;
    let error = result_of(&plugin, Call::Workspace).await.unwrap_err();
    assert!(error.to_string().contains("trespassing.wasm"), "{error}");
    assert!(
        error.to_string().contains("`generate_workspace`"),
        "{error}"
    );
    error
}
