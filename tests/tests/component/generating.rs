//! The exports `generate`, `generate-channel`, `generate-thread` and `generate-workspace`: what they make, and what they
//! leave alone and why.

use MemoryType::{LongTerm, ShortTerm};
use Outcome::{Done, Skipped};
use myao_plugin::llm::Agent;
use myao_plugin::storage::SaveMode;
use myao_plugin::{Engine, Entry, MemoryType, Outcome, Report, Scope, SkipReason};
use myao_testkit::{Calls, Strike};

use crate::component::host::{HOUR, Host, NOW, START, now, thread_id, thread_ts, without_versions};

/// What an entry is about, and what was made of it.
pub(crate) type Line = (Scope, String, Vec<(MemoryType, u32)>);

/// Every entry of a report, in order.
pub(crate) fn lines(report: &Report) -> Vec<Line> {
    let entries = report.entries.iter();
    entries
        .map(|entry| {
            let made = entry.made.iter();
            let made = made.map(|made| (made.memory_type, made.version)).collect();
            (entry.scope, entry.scope_id.clone(), made)
        })
        .collect()
}

/// Storage and model of the step of a channel with a thread.
const CHANNEL_WITH_THREAD: [&str; 12] = [
    "storage.list-memories",
    "storage.list-memories",
    "storage.list-deferrals",
    "storage.list-marked",
    "storage.list-messages",
    "storage.list-memories",
    "storage.list-items",
    "llm.complete",
    "storage.save-memory",
    "llm.complete",
    "storage.read-spans",
    "storage.save-memory",
];
/// The same of a channel without one, and of a thread.
const CHANNEL: [&str; 10] = [
    "storage.list-memories",
    "storage.list-memories",
    "storage.list-deferrals",
    "storage.list-marked",
    "storage.list-messages",
    "storage.list-items",
    "llm.complete",
    "storage.save-memory",
    "llm.complete",
    "storage.save-memory",
];
const THREAD: [&str; 9] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-messages",
    "storage.list-memories",
    "storage.list-marked",
    "storage.list-memories",
    "storage.list-deferrals",
    "llm.complete",
    "storage.save-memory",
];
/// Storage and model of the workspace's step.
pub(crate) const WORKSPACE: [&str; 7] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-memories",
    "storage.list-deferrals",
    "llm.complete",
    "storage.read-spans",
    "storage.save-memory",
];

#[tokio::test]
async fn a_run_makes_the_threads_the_channels_and_the_workspaces_memories_in_that_order() {
    let host = Host::telling();
    let report = host.generate(NOW).await;
    let both = vec![(ShortTerm, 1), (LongTerm, 1)];
    assert_eq!(
        lines(&report),
        [
            (Scope::Thread, thread_id(), vec![(ShortTerm, 1)]),
            (Scope::Channel, "C1".to_owned(), both.clone()),
            (Scope::Channel, "C2".to_owned(), both),
            (Scope::Workspace, "default".to_owned(), vec![(LongTerm, 1)]),
        ]
    );
    assert!(report.entries.iter().all(|entry| entry.outcome == Done));
    let names: Vec<&str> = report
        .entries
        .iter()
        .map(|e| e.channel_name.as_str())
        .collect();
    assert_eq!(names, ["harbour", "harbour", "servers", ""]);
    assert_eq!(report.now, now());

    let channel = |calls: &[&'static str]| [&["storage.get-backlog"], calls].concat();
    let calls = [
        &["storage.list-due", "storage.get-backlog"],
        &THREAD[..],
        &["storage.list-due"],
        &channel(&CHANNEL_WITH_THREAD),
        &channel(&CHANNEL),
        &["storage.list-due"],
        &WORKSPACE[..],
        &["storage.list-due"],
    ];
    let calls = calls.concat();
    assert_eq!(host.take_calls(), calls, "and nothing that is not needed");
    assert!(
        host.llm
            .requests()
            .iter()
            .all(|request| request.purpose.agent == Agent::Memory)
    );
}

#[tokio::test]
async fn a_run_after_which_nothing_changed_costs_one_call_and_makes_nothing() {
    let host = Host::telling();
    host.generate(NOW).await;
    let before = host.remembered();
    host.take_calls();
    let report = host.generate(NOW + 24 * HOUR).await;
    let [
        Entry {
            scope: Scope::Workspace,
            outcome: Skipped(SkipReason::Unchanged),
            ..
        },
    ] = report.entries.as_slice()
    else {
        panic!("{report:?}")
    };
    assert_eq!(host.take_calls(), ["storage.list-due"]);
    assert_eq!(host.remembered(), before);
}

#[tokio::test]
async fn steps_make_the_memories_of_a_run_with_one_more_call_each() {
    let run = Host::telling();
    run.generate(NOW).await;
    let steps = Host::telling();
    let plugin = steps.plugin();
    let thread = thread_ts().to_string();
    let entry = plugin.generate_thread("C1", &thread, now()).await.unwrap();
    assert_eq!(entry.outcome, Done);
    assert_eq!(
        steps.take_calls(),
        [&["storage.get-backlog"], &THREAD[..]].concat()
    );
    for (channel, calls) in [("C1", &CHANNEL_WITH_THREAD[..]), ("C2", &CHANNEL)] {
        let entry = plugin.generate_channel(channel, now()).await.unwrap();
        assert_eq!(entry.outcome, Done);
        assert_eq!(
            steps.take_calls(),
            [&["storage.get-backlog"], calls].concat()
        );
    }
    let entry = plugin.generate_workspace(now()).await.unwrap();
    assert_eq!(entry.outcome, Done);
    assert_eq!(steps.take_calls(), WORKSPACE);
    assert_eq!(steps.remembered(), run.remembered());
}

#[tokio::test]
async fn a_save_tells_what_it_was_made_from() {
    let host = Host::telling();
    host.generate(NOW).await;
    let drafts = host.storage.drafts();
    let [thread, short, long, ..] = drafts.as_slice() else {
        panic!("{drafts:?}")
    };
    assert_eq!(
        (thread.mode, short.mode, long.mode),
        (
            SaveMode::Overwrite,
            SaveMode::NewVersion,
            SaveMode::Overwrite,
        )
    );
    let newest = format!("{}.000000", START + 180);
    assert_eq!(
        (thread.source_messages.len(), short.source_messages.len()),
        (2, 4),
        "the thread's two messages, its first among them, and the channel's four"
    );
    assert_eq!(thread.source_latest_message_ts.as_ref(), Some(&newest));
    assert_eq!(short.source_latest_message_ts.as_ref(), Some(&newest));
    assert_eq!(
        (short.source_channel_id.as_str(), short.expected),
        ("C1", None)
    );
    assert_eq!(
        (long.source_messages.len(), long.source_memories.as_slice()),
        (0, &[2][..])
    );
    assert_eq!(long.merged_through, Some(2));
    let workspace = drafts.last().unwrap();
    assert_eq!(workspace.scope, Scope::Workspace);
    assert_eq!(workspace.source_memories, [3, 5]);
    assert_eq!(
        (workspace.merged_through, workspace.source_message_count),
        (Some(5), 5)
    );
    assert!(
        drafts
            .iter()
            .all(|draft| draft.now == now() && draft.engine == Engine::Llm)
    );
}

#[tokio::test]
async fn the_next_version_expects_and_shows_what_is_there() {
    let host = Host::telling();
    host.generate(NOW).await;
    host.storage
        .say("C1", NOW + 60, "alice", "The crane is late.");
    host.generate(NOW + 3 * HOUR).await;
    let drafts = host.storage.drafts();
    let [.., short, long, workspace] = drafts.as_slice() else {
        panic!("{drafts:?}")
    };
    assert_eq!(
        (short.expected, long.expected, workspace.expected),
        (Some(2), Some(3), Some(6)),
        "one version, merged once"
    );
    let versions: Vec<_> = host.remembered();
    assert!(
        versions
            .iter()
            .any(|(id, version, _)| (id.as_str(), *version) == ("C1", 2))
    );
    let prompts = host.llm.prompts();
    let merge = prompts
        .iter()
        .rfind(|prompt| prompt.contains("既存のチャンネル長期記憶"));
    assert!(
        merge.unwrap().contains(&drafts[2].content),
        "merged into what was there"
    );
    let of_workspace = drafts.iter().find(|d| d.scope == Scope::Workspace);
    let there = &of_workspace.unwrap().content;
    assert!(
        prompts.last().unwrap().contains(there),
        "the workspace's memory grows"
    );
}

#[tokio::test]
async fn without_versions_the_one_is_overwritten_at_every_run() {
    let host = Host::telling().with(without_versions);
    host.generate(NOW).await;
    host.storage
        .say("C1", NOW + 60, "alice", "The crane is late.");
    host.generate(NOW + 120).await;
    let drafts = host.storage.drafts();
    let of_c1 = drafts
        .iter()
        .filter(|d| (d.scope_id.as_str(), d.memory_type) == ("C1", ShortTerm));
    let modes: Vec<SaveMode> = of_c1.map(|draft| draft.mode).collect();
    assert_eq!(modes, [SaveMode::Overwrite; 2]);
    assert!(
        host.remembered()
            .iter()
            .all(|(_, version, _)| *version == 1)
    );
}

#[tokio::test]
async fn a_channel_is_skipped_with_its_reason() {
    let host = Host::telling();
    host.storage.add_channel("C3", "empty");
    host.storage
        .say("C4", START - 48 * HOUR, "alice", "Long ago.");
    host.generate(NOW).await;
    host.storage.say("C2", NOW, "carol", "It runs.");
    host.take_calls();
    for (channel, reason) in [
        ("C1", SkipReason::NoNewMessages),
        ("C2", SkipReason::NotDue),
        ("C3", SkipReason::NoNewMessages),
        ("C4", SkipReason::OutsideWindow),
    ] {
        let plugin = host.plugin();
        let entry = plugin.generate_channel(channel, now()).await.unwrap();
        assert_eq!(entry.outcome, Skipped(reason));
        assert_eq!(host.take_calls(), ["storage.get-backlog"], "{channel}");
    }
}

#[tokio::test]
async fn a_channel_whose_new_messages_went_has_nothing_to_summarise() {
    let host = Host::telling();
    let storage = host.storage.clone();
    let delete = Strike::letting(move || {
        let storage = storage.clone();
        async move { storage.delete("C2", myao_plugin::ts::TsKey::first_of(START + 240)) }
    });
    host.faults
        .before(Calls::of("storage.list-messages"), delete);
    let entry = host.plugin().generate_channel("C2", now()).await.unwrap();
    let nothing = Skipped(SkipReason::NothingToSummarize);
    assert_eq!(entry.outcome, nothing);
    assert_eq!(
        host.take_calls(),
        [&["storage.get-backlog"], &CHANNEL[..6]].concat()
    );
    assert!(host.storage.drafts().is_empty());
}

#[tokio::test]
async fn a_thread_is_skipped_with_its_reason() {
    let host = Host::telling();
    let old = host
        .storage
        .say("C1", START - 48 * HOUR, "alice", "Long ago?");
    host.storage
        .reply("C1", old, START - 47 * HOUR, "bob", "Very long.");
    host.generate(NOW).await;
    host.take_calls();
    for (thread, reason) in [
        (thread_ts(), SkipReason::NoNewMessages),
        (old, SkipReason::OutsideWindow),
        (
            myao_plugin::ts::TsKey::first_of(7),
            SkipReason::NoNewMessages,
        ),
    ] {
        let thread = thread.to_string();
        let entry = host.plugin().generate_thread("C1", &thread, now()).await;
        assert_eq!(entry.unwrap().outcome, Skipped(reason), "{thread}");
        assert_eq!(host.take_calls(), ["storage.get-backlog"]);
    }
}

#[tokio::test]
async fn a_thread_that_went_has_nothing_to_summarise() {
    let host = Host::telling();
    let storage = host.storage.clone();
    let delete = Strike::letting(move || {
        let storage = storage.clone();
        async move {
            storage.delete("C1", thread_ts());
            storage.delete("C1", myao_plugin::ts::TsKey::first_of(START + 180));
        }
    });
    host.faults
        .before(Calls::of("storage.list-messages"), delete);
    let thread = thread_ts().to_string();
    let entry = host
        .plugin()
        .generate_thread("C1", &thread, now())
        .await
        .unwrap();
    assert_eq!(entry.outcome, Skipped(SkipReason::NothingToSummarize));
    assert!(host.storage.drafts().is_empty());
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn the_engine_without_a_model_makes_every_memory_and_asks_none() {
    let host = Host::telling().with(|settings| settings.set("engines.memory", "extractive"));
    let report = host.generate(NOW).await;
    let made: Vec<_> = report
        .entries
        .iter()
        .flat_map(|entry| &entry.made)
        .collect();
    assert_eq!(made.len(), 6);
    assert!(made.iter().all(|made| made.engine == Engine::Extractive));
    assert!(host.llm.requests().is_empty());
}
