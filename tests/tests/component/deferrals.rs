//! What the generating exports defer, for how long, and which stand-ins are made meanwhile.

use MemoryType::{LongTerm, ShortTerm};
use Outcome::{Deferred, Done};
use myao_plugin::llm::LlmError;
use myao_plugin::storage::{MemoryDraft, SaveMode};
use myao_plugin::{BuildRequest, Engine, MemoryType, Outcome, Scope};
use myao_testkit::{Asked, ScriptedLlm};
use myao_tests::store::utc;
use myao_tests::telling::telling_llm;

use crate::component::host::{HOUR, Host, NOW, ready_for, step, thread_id, thread_ts};

#[tokio::test]
async fn what_the_model_failed_to_make_is_deferred_and_made_afterwards() {
    for scope in [Scope::Thread, Scope::Channel, Scope::Workspace] {
        let llm = telling_llm().on(Asked::call(0), "").on(Asked::call(1), "");
        let host = ready_for(scope, llm).await;
        assert!(matches!(step(&host, scope, 0).await, Outcome::Failed(_)));
        assert_eq!(host.take_calls().last(), Some(&"storage.defer"));

        let Deferred(deferral) = step(&host, scope, HOUR - 1).await else {
            panic!("{scope:?} is not deferred")
        };
        assert_eq!((deferral.until, deferral.failures), (utc(NOW + HOUR), 1));
        assert!(deferral.reason.contains("empty"), "{}", deferral.reason);
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
async fn a_deferred_merge_defers_the_channel_and_keeps_no_version_from_being_made() {
    let refused = LlmError::Refused("no".to_owned());
    let asked = Asked::about(Scope::Channel, "C1").for_memory(LongTerm);
    let host = ready_for(Scope::Channel, telling_llm().on(asked.nth(0), refused)).await;
    assert!(matches!(
        step(&host, Scope::Channel, 0).await,
        Outcome::Failed(_)
    ));
    host.storage
        .say("C1", NOW + 1, "alice", "The crane is late.");
    let at_once = |settings: &mut myao_plugin::Settings| {
        settings.set("memory.short_term_history.conversation_idle_seconds", 0);
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
async fn a_merge_that_is_refused_keeps_no_version_of_the_same_run_from_being_made() {
    let refused = LlmError::Refused("no".to_owned());
    let merge = Asked::about(Scope::Channel, "C1").for_memory(LongTerm);
    let host = ready_for(Scope::Channel, telling_llm().on(merge, refused))
        .await
        .with(|settings| settings.set("memory.generation_message_limit", 2));
    let outcome = step(&host, Scope::Channel, 0).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    let made: Vec<_> = host
        .storage
        .drafts()
        .iter()
        .map(|draft| (draft.memory_type, draft.source_message_count))
        .collect();
    assert_eq!(made, [(ShortTerm, 2), (ShortTerm, 2)], "of four messages");
}

#[tokio::test]
async fn while_the_model_fails_an_extract_stands_in_and_makes_way() {
    let unavailable = LlmError::Unavailable("connection refused".to_owned());
    for scope in [Scope::Thread, Scope::Channel] {
        let llm = telling_llm().on(Asked::call(0), unavailable.clone());
        let host = ready_for(scope, llm)
            .await
            .with(|settings| settings.set("memory.extractive_stand_in", true));
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
async fn a_rest_is_twice_as_long_after_each_failure_up_to_a_day_and_begins_anew_after_a_success() {
    let refusing = || ScriptedLlm::answering(LlmError::Refused("no".to_owned()));
    for scope in [Scope::Thread, Scope::Channel, Scope::Workspace] {
        let host = ready_for(scope, refusing())
            .await
            .with(|settings| settings.set("memory.short_term_window_hours", 1000));
        let mut at = 0;
        for (failures, hours) in (1..).zip([1, 2, 4, 8, 16, 24, 24]) {
            let outcome = step(&host, scope, at).await;
            assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
            let Deferred(deferral) = step(&host, scope, at).await else {
                panic!("{scope:?} is not deferred after failure {failures}")
            };
            let until = utc(NOW + at + hours * HOUR);
            assert_eq!(
                (deferral.failures, deferral.until),
                (failures, until),
                "{scope:?}, after {failures} failures"
            );
            at += hours * HOUR;
        }
        let host = host.with_llm(telling_llm());
        assert_eq!(step(&host, scope, at).await, Done);
        if scope == Scope::Channel {
            host.storage
                .say("C1", NOW + at, "alice", "The crane is late.");
            let (host, at) = (host.with_llm(refusing()), at + 3 * HOUR);
            step(&host, scope, at).await;
            let outcome = step(&host, scope, at).await;
            assert!(
                matches!(&outcome, Deferred(deferral) if deferral.failures == 1),
                "{outcome:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_stand_in_is_made_again_only_where_there_is_news() {
    for scope in [Scope::Thread, Scope::Channel] {
        let host = ready_for(scope, ScriptedLlm::answering(LlmError::TimedOut))
            .await
            .with(|settings| settings.set("memory.extractive_stand_in", true));
        for seconds in [0, 60] {
            let outcome = step(&host, scope, seconds).await;
            assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
        }
        assert_eq!(host.storage.drafts().len(), 1, "nothing was said between");
        let news = host
            .storage
            .reply("C1", thread_ts(), NOW + 70, "bob", "At ten o'clock.");
        step(&host, scope, 80).await;
        let drafts = host.storage.drafts();
        let modes: Vec<SaveMode> = drafts.iter().map(|draft| draft.mode).collect();
        assert_eq!(modes, [SaveMode::StandIn; 2], "{scope:?}");
        let through = drafts[1].source_latest_message_ts.clone();
        assert_eq!(through, Some(news.to_string()));
    }
}

/// A host with memories where later, in the thread and so in C1, stand-ins were made; all that was made then.
async fn stood_in() -> (Host, Vec<MemoryDraft>) {
    let host = Host::telling().with(|settings| {
        settings.set("memory.extractive_stand_in", true);
        settings.set("memory.legacy_workspace_short_term", true);
    });
    host.generate(NOW).await;
    let made = host.storage.drafts().len();
    host.storage
        .reply("C1", thread_ts(), NOW + 60, "bob", "At ten o'clock.");
    let host = host.with_llm(
        telling_llm()
            .on(Asked::about(Scope::Channel, "C1"), LlmError::TimedOut)
            .on(
                Asked::about(Scope::Thread, &thread_id()),
                LlmError::TimedOut,
            ),
    );
    host.generate(NOW + 3 * HOUR).await;
    let drafts = host.storage.drafts().split_off(made);
    (host, drafts)
}

#[tokio::test]
async fn what_stands_in_is_shown_as_the_newest() {
    let (host, stand_ins) = stood_in().await;
    let request = BuildRequest {
        channel_id: "C1".to_owned(),
        target_thread_ts: None,
        since: None,
        message_limit: None,
    };
    let later = utc(NOW + 3 * HOUR);
    let context = host.plugin().build_context(&request, later).await.unwrap();
    let of_c1 = &context.channel_memories[0].short_term_memory_history;
    assert_eq!(of_c1.len(), 2, "beside the version");
    assert_eq!(
        [&context.thread_memories[0].content, &of_c1[1]],
        [&stand_ins[0].content, &stand_ins[1].content]
    );
}

#[tokio::test]
async fn what_stands_in_is_no_part_of_the_workspaces_memories() {
    let (_, made) = stood_in().await;
    let made: Vec<_> = made.iter().map(|d| (d.scope, d.mode)).collect();
    let stand_in = SaveMode::StandIn;
    assert_eq!(
        made,
        [(Scope::Thread, stand_in), (Scope::Channel, stand_in)],
        "and no memory of the workspace"
    );
}
