//! The exports `generate`, `generate-channel`, `generate-thread` and `generate-workspace`: what they make, and what they
//! leave alone and why.

use myao::bindings::exports::myao::memory::memory_generator::{Entry, Outcome, Report, SkipReason};
use myao::bindings::types::{Engine, MemoryType, Scope};
use myao::llm::{Agent, LlmError};
use myao::storage::SaveMode;
use myao_testkit::{Asked, Calls, ScriptedLlm, Strike};
use myao_tests::store::utc;
use myao_tests::telling::telling_llm;

use crate::host::{
    HOUR, Host, NOW, START, now, outcome_of, thread_id, thread_ts, with_every_workspace_memory,
    without_versions,
};
use MemoryType::{LongTerm, ShortTerm};
use Outcome::{Deferred, Done, Skipped};

/// What an entry is about, and what was made of it.
type Line = (Scope, String, Vec<(MemoryType, u32)>);

fn lines(report: &Report) -> Vec<Line> {
    let entries = report.entries.iter();
    entries
        .map(|entry| {
            let made = entry.made.iter();
            let made = made.map(|made| (made.memory_type, made.version)).collect();
            (entry.scope, entry.scope_id.clone(), made)
        })
        .collect()
}

/// Storage and model of one channel's step, one thread's, and the workspace's, where each makes its memory.
const CHANNEL: [&str; 7] = [
    "storage.list-memories",
    "storage.list-deferrals",
    "storage.list-messages",
    "llm.complete",
    "storage.save-memory",
    "llm.complete",
    "storage.save-memory",
];
const THREAD: [&str; 7] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-messages",
    "storage.list-memories",
    "storage.list-deferrals",
    "llm.complete",
    "storage.save-memory",
];
const WORKSPACE: [&str; 5] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-deferrals",
    "llm.complete",
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

    let mut calls = vec!["storage.list-due"];
    calls.extend(THREAD);
    calls.extend(CHANNEL);
    calls.extend(CHANNEL);
    calls.extend(WORKSPACE);
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
    for channel in ["C1", "C2"] {
        let entries = plugin.generate_channel(channel, now()).await.unwrap();
        assert_eq!(outcome_of(&entries, Scope::Channel, channel), &Done);
        assert_eq!(
            steps.take_calls(),
            [&["storage.get-backlog"], &CHANNEL[..]].concat()
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
        (2, 4)
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
        (Some(2), Some(3), Some(6))
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
async fn the_settings_bring_the_retired_memory_and_a_merge_after_each_channel() {
    let host = Host::telling().with(with_every_workspace_memory);
    let report = host.generate(NOW).await;
    let both = vec![(LongTerm, 1), (ShortTerm, 1)];
    let workspace: Vec<_> = lines(&report)
        .into_iter()
        .filter(|l| l.0 == Scope::Workspace)
        .collect();
    let of_workspace = |made| (Scope::Workspace, "default".to_owned(), made);
    // The last one finds nothing new.
    assert_eq!(
        workspace,
        [
            of_workspace(both.clone()),
            of_workspace(both),
            of_workspace(vec![])
        ]
    );
    host.storage.say("C2", NOW + 60, "carol", "It runs.");
    let entries = host
        .plugin()
        .generate_channel("C2", utc(NOW + 3 * HOUR))
        .await
        .unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(outcome_of(&entries, Scope::Workspace, "default"), &Done);
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
        let entries = host
            .plugin()
            .generate_channel(channel, now())
            .await
            .unwrap();
        assert_eq!(
            outcome_of(&entries, Scope::Channel, channel),
            &Skipped(reason)
        );
        assert_eq!(entries.len(), 1);
        assert_eq!(host.take_calls(), ["storage.get-backlog"], "{channel}");
    }
}

#[tokio::test]
async fn a_channel_whose_new_messages_went_has_nothing_to_summarise() {
    let host = Host::telling();
    let storage = host.storage.clone();
    let delete = Strike::letting(move || {
        let storage = storage.clone();
        async move { storage.delete("C2", myao::ts::TsKey::first_of(START + 240), NOW) }
    });
    host.faults
        .before(Calls::of("storage.list-messages"), delete);
    let entries = host.plugin().generate_channel("C2", now()).await.unwrap();
    let nothing = Skipped(SkipReason::NothingToSummarize);
    assert_eq!(outcome_of(&entries, Scope::Channel, "C2"), &nothing);
    assert_eq!(
        host.take_calls(),
        [&["storage.get-backlog"], &CHANNEL[..3]].concat()
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
        (myao::ts::TsKey::first_of(7), SkipReason::NoNewMessages),
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
            storage.delete("C1", thread_ts(), NOW);
            storage.delete("C1", myao::ts::TsKey::first_of(START + 180), NOW);
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
async fn the_workspace_is_skipped_with_its_reason() {
    let host = Host::telling();
    let entry = host.plugin().generate_workspace(now()).await.unwrap();
    assert_eq!(entry.outcome, Skipped(SkipReason::NothingToSummarize));
    assert_eq!(host.take_calls(), WORKSPACE[..2]);
    host.generate(NOW).await;
    host.take_calls();
    let entry = host.plugin().generate_workspace(now()).await.unwrap();
    assert_eq!(entry.outcome, Skipped(SkipReason::Unchanged));
    assert_eq!(host.take_calls(), WORKSPACE[..2]);
}

/// Runs one step of each kind at a time, and tells how it ended.
async fn step(host: &Host, scope: Scope, seconds: i64) -> Outcome {
    let now = utc(NOW + seconds);
    let plugin = host.plugin();
    match scope {
        Scope::Workspace => plugin.generate_workspace(now).await.unwrap().outcome,
        Scope::Channel => {
            let entries = plugin.generate_channel("C1", now).await.unwrap();
            entries.into_iter().next().unwrap().outcome
        }
        Scope::Thread => {
            let thread = thread_ts().to_string();
            let entry = plugin.generate_thread("C1", &thread, now).await.unwrap();
            entry.outcome
        }
    }
}

/// Everything before the step of a scope is made.
async fn ready_for(scope: Scope, llm: ScriptedLlm) -> Host {
    let host = Host::telling();
    if scope == Scope::Workspace {
        host.plugin().generate_channel("C1", now()).await.unwrap();
        host.take_calls();
    }
    host.with_llm(llm)
}

#[tokio::test]
async fn what_the_model_refused_rests_and_is_made_when_the_rest_is_over() {
    for scope in [Scope::Thread, Scope::Channel, Scope::Workspace] {
        let refused = LlmError::Refused("no".to_owned());
        let host = ready_for(scope, telling_llm().on(Asked::call(0), refused)).await;
        assert!(matches!(step(&host, scope, 0).await, Outcome::Failed(_)));
        assert_eq!(host.take_calls().last(), Some(&"storage.defer"));

        let Deferred(deferral) = step(&host, scope, HOUR - 1).await else {
            panic!("{scope:?} does not rest")
        };
        assert_eq!((deferral.until, deferral.failures), (utc(NOW + HOUR), 1));
        assert!(deferral.reason.contains("refused"), "{}", deferral.reason);
        let calls = host.take_calls();
        assert!(!calls.contains(&"llm.complete") && !calls.contains(&"storage.save-memory"));

        assert_eq!(step(&host, scope, HOUR).await, Done);
        host.take_calls();
        assert!(
            !matches!(step(&host, scope, HOUR).await, Deferred(_)),
            "it ended"
        );
    }
}

#[tokio::test]
async fn a_merge_that_rests_defers_the_channel_and_keeps_no_version_from_being_made() {
    let refused = LlmError::Refused("no".to_owned());
    let asked = Asked::about(Scope::Channel, "C1").for_memory(LongTerm);
    let host = ready_for(Scope::Channel, telling_llm().on(asked.nth(0), refused)).await;
    assert!(matches!(
        step(&host, Scope::Channel, 0).await,
        Outcome::Failed(_)
    ));
    host.storage
        .say("C1", NOW + 1, "alice", "The crane is late.");
    let at_once = |settings: &mut myao::bindings::settings::Values| {
        settings.short_term_history.conversation_idle_seconds = 0;
    };
    let host = host.with(at_once);
    assert!(matches!(step(&host, Scope::Channel, 60).await, Deferred(_)));
    let versions = host
        .storage
        .drafts()
        .iter()
        .map(|draft| draft.memory_type)
        .collect::<Vec<_>>();
    assert_eq!(versions, [ShortTerm, ShortTerm]);
    assert_eq!(step(&host, Scope::Channel, HOUR).await, Done);
    let merged: Vec<_> = host.storage.drafts()[2..]
        .iter()
        .map(|d| d.merged_through)
        .collect();
    assert_eq!(merged, [Some(1), Some(2)], "each once, in order");
}

#[tokio::test]
async fn while_the_model_fails_an_extract_stands_in_and_makes_way() {
    let unavailable = LlmError::Unavailable("connection refused".to_owned());
    for scope in [Scope::Thread, Scope::Channel] {
        let llm = telling_llm().on(Asked::call(0), unavailable.clone());
        let host = ready_for(scope, llm)
            .await
            .with(|settings| settings.extractive_stand_in = true);
        assert!(matches!(step(&host, scope, 0).await, Outcome::Failed(_)));
        let drafts = host.storage.drafts();
        assert_eq!((drafts.len(), drafts[0].mode), (1, SaveMode::StandIn));
        assert_eq!(drafts[0].engine, Engine::Extractive);
        assert_eq!(host.remembered()[0].1, 0);
        assert_eq!(step(&host, scope, 60).await, Done);
        assert!(host.remembered().iter().all(|(_, version, _)| *version > 0));
    }
}

#[tokio::test]
async fn the_engine_without_a_model_makes_every_memory_and_asks_none() {
    let host = Host::telling().with(|settings| settings.engine = Engine::Extractive);
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
