//! A channel that becomes private, or gets readers from outside, in the middle of a run, of a call or of a reply: from then
//! on nothing that was made from it is saved, shown or posted elsewhere, and what is set aside is made anew.

use std::sync::{Arc, Mutex};

use myao_plugin::llm::{Agent, Request};
use myao_plugin::state::Workspace as _;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::state::view::{MemoryFilter, StoredMemory};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{ChannelFilter, MemoryQuery, StorageError};
use myao_plugin::{
    Error, MemoryPlugin, MemoryType, Outcome, Place, Places as _, Report, Scope, Settings, run,
};
use myao_sql::SqlWorkspace;
use myao_testkit::{Call, Calls, Faults, Imports, Recorder, ScriptedLlm, Strike};
use myao_tests::backfills::telling_settings;
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, import, utc};
use myao_tests::{plugin_over, telling};

const HOUR: i64 = 3600;
/// When the first memories are made.
const BEFORE: i64 = START + 6 * HOUR;
/// When the channel changes.
pub(crate) const NOW: i64 = START + 12 * HOUR;
const LATER: i64 = NOW + HOUR;
/// What only the channel that changes says.
pub(crate) const SECRET: &str = "ZEBRA";
const ZOO: &str = "the zoo of ZEBRA";
/// There are channels before and after it.
const CHANGED: u64 = 1;
const OTHERS: [u64; 2] = [0, 2];
const GUEST: &str = "U-guest";

/// A model that copies the secret wherever it sees it.
fn copying_llm() -> ScriptedLlm {
    ScriptedLlm::new(|_, request| answer(request))
}

fn answer(request: &Request) -> String {
    let prompt = &request.system_prompt;
    let seen = if prompt.contains(SECRET) {
        SECRET
    } else {
        "nothing"
    };
    match request.purpose.agent {
        Agent::Memory => format!("{}\n- The word is {seen}.", telling::answer(prompt)),
        Agent::Response | Agent::Judgment => format!("All that I know about it is {seen}."),
    }
}

/// What is said in each channel from a time on: a remark, and a thread.
fn said(from: i64) -> Vec<MessageRecord> {
    let mut messages = Vec::new();
    for n in [0, 1, 2] {
        let what = if n == CHANGED { ZOO } else { "the harbour" };
        let say = |seconds, text: String| message(&channel_id(n), ts(from + seconds, 1), text);
        let first = say(
            60,
            format!("The budget of {what} is {} euros.", from % 9000 + 1000),
        );
        let question = MessageRecord {
            thread_ts: Some(ts(from + 120, 1)),
            ..say(120, format!("Who pays for {what}, and when?"))
        };
        let reply = MessageRecord {
            ts: ts(from + 180, 1),
            text: format!("Bob pays for {what} on March 9."),
            ..question.clone()
        };
        messages.extend([first, question, reply]);
    }
    messages
}

pub(crate) fn history(messages: Vec<MessageRecord>) -> History {
    History {
        users: vec![user("alice")],
        channels: [0, 1, 2].map(channel).to_vec(),
        messages,
        ..History::default()
    }
}

pub(crate) fn copying(settings: &mut Settings) {
    settings.set("engines.response", "llm");
}

pub(crate) fn extracting(settings: &mut Settings) {
    settings.set("engines.memory", "extractive");
    settings.set("engines.response", "extractive");
}

fn copying_everywhere(settings: &mut Settings) {
    copying(settings);
    settings.set("memory.legacy_workspace_short_term", true);
    settings.set("memory.workspace_merge_per_channel", true);
}

fn changed(change: fn(&mut Settings)) -> Settings {
    let mut settings = telling_settings();
    change(&mut settings);
    settings
}

pub(crate) fn plugin_on(imports: Imports, change: fn(&mut Settings)) -> MemoryPlugin {
    plugin_over(imports, changed(change))
}

pub(crate) fn imports(workspace: &SqlWorkspace) -> Imports {
    Imports::new(Arc::new(workspace.clone()), Arc::new(copying_llm()))
}

/// A database with memories of the public channels, and new messages in all of them.
pub(crate) async fn remembering(change: fn(&mut Settings)) -> TestStore {
    let store = TestStore::of(&history(said(START)));
    {
        let workspace = store.workspace();
        let plugin = plugin_on(imports(&workspace), change);
        assert_all_done(&plugin.generate(utc(BEFORE)).await.unwrap(), "before");
        let shown = shown_at(&workspace, &Place::Workspace).await;
        assert!(shown.contains(SECRET), "it is public still: {shown}");
        import(&store.open(), &history(said(BEFORE)));
    }
    store
}

/// The ways in which what is said in a channel stops being for everybody, as events tell them.
pub(crate) fn ways() -> [(&'static str, Vec<Effect>); 3] {
    let at = ts(NOW, 1);
    let id = channel_id(CHANGED);
    let private = Effect::ChannelName {
        id: id.clone(),
        name: String::new(),
        is_private: Some(true),
        at,
    };
    let guest = Effect::Guest {
        user_id: GUEST.to_owned(),
        is_guest: true,
        at,
    };
    let joined = Effect::Membership {
        channel_id: id.clone(),
        user_id: GUEST.to_owned(),
        is_member: true,
        at,
    };
    let shared = Effect::ChannelShared {
        id,
        is_shared: Some(true),
        at,
    };
    [
        ("private", vec![private]),
        ("a guest", vec![guest, joined]),
        ("shared", vec![shared]),
    ]
}

/// The newest memory when the channel changed.
pub(crate) type NewestThen = Arc<Mutex<Option<u64>>>;

/// Changes the channel in the midst of a call.
pub(crate) fn strike(workspace: &SqlWorkspace, effects: &[Effect], newest: &NewestThen) -> Strike {
    let (workspace, effects, newest) = (workspace.clone(), effects.to_vec(), newest.clone());
    Strike::letting(move || {
        let (workspace, effects, newest) = (workspace.clone(), effects.clone(), newest.clone());
        async move {
            workspace.apply_effects(effects, NOW).await.unwrap();
            let ids = all_memories(&workspace, &Place::Operator).await;
            let ids = ids.iter().map(|stored| stored.memory.id);
            *newest.lock().unwrap() = Some(ids.max().unwrap_or(0));
        }
    })
}

pub(crate) type Moment = fn(&Faults, Calls, Strike);

/// After a call is before the next one, but after the last: it is tried with one of the ways.
pub(crate) fn moments(way: &str) -> &'static [(&'static str, Moment)] {
    const MOMENTS: [(&str, Moment); 2] = [
        ("before", Faults::before::<Strike>),
        ("after", Faults::after::<Strike>),
    ];
    match way {
        "private" => &MOMENTS,
        _ => MOMENTS.split_at(1).0,
    }
}

/// All texts that a place shows to people, the older ones too.
async fn all_memories(workspace: &SqlWorkspace, place: &Place) -> Vec<StoredMemory> {
    let view = workspace.view(place.clone());
    let mut memories = Vec::new();
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        memories.extend(view.memories(filter).await.unwrap());
    }
    memories
}

/// All that a place shows, to people and to the component.
async fn shown_at(workspace: &SqlWorkspace, place: &Place) -> String {
    let query = MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: 100,
        unmerged: true,
        threads: match place {
            Place::Channel(id) => vec![format!("{id}:{}", ts(START + 120, 1))],
            _ => Vec::new(),
        },
        citations: false,
    };
    let listed = workspace.at(place.clone()).list_memories(query).await;
    let listed = listed.unwrap().into_iter();
    let viewed = all_memories(workspace, place).await.into_iter();
    let texts = viewed.map(|stored| stored.memory).chain(listed);
    let texts = texts.map(|memory| format!("{}: {}", memory.scope_id, memory.content));
    texts.collect::<Vec<_>>().join("\n")
}

fn elsewhere() -> Vec<Place> {
    let channels = OTHERS.map(|n| Place::Channel(channel_id(n)));
    channels.into_iter().chain([Place::Workspace]).collect()
}

/// Nothing of the channel is shown elsewhere, and nothing with its secret was saved there since it changed.
async fn assert_kept_apart(workspace: &SqlWorkspace, newest_then: u64, what: &str) {
    for place in elsewhere() {
        let shown = shown_at(workspace, &place).await;
        assert!(!shown.contains(SECRET), "{what}, {place}: {shown}");
    }
    let own = Place::Channel(channel_id(CHANGED));
    assert!(shown_at(workspace, &own).await.contains(SECRET), "{what}");
    let everything = all_memories(workspace, &Place::Operator).await;
    let saved_since = everything.iter().map(|stored| &stored.memory);
    for memory in saved_since.filter(|memory| memory.id > newest_then) {
        let is_own = own.owns(memory.scope, &memory.scope_id);
        assert!(
            is_own || !memory.content.contains(SECRET),
            "{what}: {memory:?}"
        );
    }
}

/// The next run makes anew what was set aside, without the secret.
async fn assert_made_anew(
    workspace: &SqlWorkspace,
    change: fn(&mut Settings),
    newest_then: u64,
    what: &str,
) {
    let llm = Arc::new(copying_llm());
    let imports = Imports::new(Arc::new(workspace.clone()), llm.clone());
    let plugin = plugin_on(imports, change);
    assert_all_done(&plugin.generate(utc(LATER)).await.unwrap(), what);
    let own = Place::Channel(channel_id(CHANGED));
    for request in llm.requests() {
        let purpose = &request.purpose;
        let is_own = own.owns(purpose.scope, &purpose.scope_id);
        assert!(
            is_own || !request.system_prompt.contains(SECRET),
            "{what}: {purpose:?}"
        );
    }
    assert_kept_apart(workspace, newest_then, what).await;
    for place in elsewhere() {
        let view = workspace.view(place.clone());
        let current = view.memories(MemoryFilter::default()).await.unwrap();
        let has = |scope, memory_type| {
            current.iter().any(|stored| {
                let memory = &stored.memory;
                place.owns(memory.scope, &memory.scope_id)
                    && (memory.scope, memory.memory_type) == (scope, memory_type)
            })
        };
        let kinds: &[(Scope, MemoryType)] = match place {
            Place::Workspace => &[(Scope::Workspace, MemoryType::LongTerm)],
            _ => &[
                (Scope::Channel, MemoryType::LongTerm),
                (Scope::Channel, MemoryType::ShortTerm),
                (Scope::Thread, MemoryType::ShortTerm),
            ],
        };
        for (scope, memory_type) in kinds {
            assert!(
                has(*scope, *memory_type),
                "{what}, {place}: {scope:?} {memory_type:?}"
            );
        }
    }
}

fn assert_all_done(report: &Report, what: &str) {
    let failed = report
        .entries
        .iter()
        .find(|entry| matches!(entry.outcome, Outcome::Failed(_) | Outcome::Deferred(_)));
    assert_eq!(failed, None, "{what}");
}

/// Only conflicts; returns how many.
fn conflicts<'o>(outcomes: impl Iterator<Item = &'o Outcome>, what: &str) -> usize {
    let failed = outcomes.filter(|outcome| matches!(outcome, Outcome::Failed(_)));
    let conflicts = failed.inspect(|outcome| {
        let is_conflict = matches!(
            outcome,
            Outcome::Failed(Error::Storage(StorageError::Conflict(_)))
        );
        assert!(is_conflict, "{what}: {outcome:?}");
    });
    conflicts.count()
}

/// How many calls that can fail some work takes.
pub(crate) fn calls(recorder: &Recorder) -> Vec<&'static str> {
    let calls = recorder.take().into_iter().map(|made| made.call);
    calls
        .filter(Call::can_fail)
        .map(|call| call.import)
        .collect()
}

/// Some work of a plugin, and how it ended.
type Work = fn(MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>>;

fn outcomes(report: Report) -> Vec<Outcome> {
    report
        .entries
        .into_iter()
        .map(|entry| entry.outcome)
        .collect()
}

fn a_run(plugin: MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>> {
    Box::pin(async move { outcomes(plugin.generate(utc(NOW)).await.unwrap()) })
}

fn a_run_side_by_side(plugin: MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>> {
    Box::pin(async move { outcomes(run::generate(&plugin, utc(NOW), 3, &|_| {}).await.unwrap()) })
}

fn one_channel(plugin: MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>> {
    Box::pin(async move {
        let entry = plugin.generate_channel(&channel_id(0), utc(NOW)).await;
        vec![entry.unwrap().outcome]
    })
}

fn one_thread(plugin: MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>> {
    Box::pin(async move {
        let thread = ts(BEFORE + 120, 1).to_string();
        let entry = plugin
            .generate_thread(&channel_id(0), &thread, utc(NOW))
            .await;
        vec![entry.unwrap().outcome]
    })
}

fn the_workspace(plugin: MemoryPlugin) -> futures::future::BoxFuture<'static, Vec<Outcome>> {
    Box::pin(async move { vec![plugin.generate_workspace(utc(NOW)).await.unwrap().outcome] })
}

/// Changes the channel at every call of some work, and looks at what is shown then and after the next run. Returns how
/// often the work ended with a conflict.
async fn at_every_call(base: &TestStore, change: fn(&mut Settings), work: Work) -> usize {
    let (_file, workspace) = TestStore::copy_of(base).into_workspace();
    let recorder = Arc::new(Recorder::default());
    let undisturbed = plugin_on(imports(&workspace).tapped(recorder.clone()), change);
    work(undisturbed).await;
    let calls = calls(&recorder).len();
    assert!(calls > 3, "{calls}");
    let mut found = 0;
    for (way, effects) in ways() {
        for (when, moment) in moments(way) {
            for at in 0..calls {
                let what = format!("{way} {when} call {at} of {calls}");
                let (_file, workspace) = TestStore::copy_of(base).into_workspace();
                let (faults, newest) = (Arc::new(Faults::default()), NewestThen::default());
                let strike = strike(&workspace, &effects, &newest);
                moment(&faults, Calls::all().nth(at), strike);
                let plugin = plugin_on(imports(&workspace).tapped(faults), change);
                found += conflicts(work(plugin).await.iter(), &what);
                let newest_then = newest.lock().unwrap().take();
                // Side by side there may be fewer calls.
                let Some(newest_then) = newest_then else {
                    continue;
                };
                assert_kept_apart(&workspace, newest_then, &what).await;
                assert_made_anew(&workspace, change, newest_then, &what).await;
            }
        }
    }
    found
}

#[tokio::test]
async fn a_channel_that_changes_in_the_middle_of_a_run_is_kept_apart_from_then_on() {
    for change in [copying, extracting, copying_everywhere] {
        let base = remembering(change).await;
        let conflicts = at_every_call(&base, change, a_run).await;
        assert!(conflicts > 20, "{conflicts}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_it_is_where_channels_are_made_side_by_side() {
    let base = remembering(copying).await;
    let conflicts = at_every_call(&base, copying, a_run_side_by_side).await;
    assert!(conflicts > 20, "{conflicts}");
}

#[tokio::test]
async fn a_channel_that_changes_in_the_middle_of_a_call_is_kept_apart_from_then_on() {
    for change in [copying, extracting] {
        let base = remembering(change).await;
        for work in [one_channel, one_thread] {
            let conflicts = at_every_call(&base, change, work).await;
            assert!(conflicts > 3, "{conflicts}");
        }
        {
            // So that there is something to merge.
            let workspace = base.workspace();
            let plugin = plugin_on(imports(&workspace), change);
            for n in [0, 1, 2] {
                plugin
                    .generate_channel(&channel_id(n), utc(NOW))
                    .await
                    .unwrap();
            }
        }
        let conflicts = at_every_call(&base, change, the_workspace).await;
        assert!(conflicts > 3, "{conflicts}");
    }
}
