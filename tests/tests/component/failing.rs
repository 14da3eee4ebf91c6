//! The generating exports where an import fails: which error is reported, what is saved all the same, what is deferred, and that
//! nothing else is asked.

use MemoryType::{LongTerm, ShortTerm};
use Outcome::{Done, Failed};
use myao_plugin::llm::LlmError;
use myao_plugin::storage::{Backlog, StorageError};
use myao_plugin::{BadAnswer, Error, MemoryType, Message, Outcome, Scope};
use myao_testkit::{Asked, Calls, Reply, ScriptedLlm, Strike};
use myao_tests::telling::telling_llm;

use crate::component::host::{
    Host, NOW, llm_errors, now, outcome_of, ready_for, step, storage_errors, thread_id,
};

const SCOPES: [Scope; 3] = [Scope::Thread, Scope::Channel, Scope::Workspace];

#[tokio::test]
async fn each_error_of_the_store_at_each_call_of_a_step_is_its_outcome_and_ends_it() {
    for scope in SCOPES {
        let host = ready_for(scope, telling_llm()).await;
        assert_eq!(step(&host, scope, 0).await, Done);
        let calls = host.take_calls();
        let of_storage = calls.iter().filter(|import| import.starts_with("storage"));
        for at in 0..of_storage.count() {
            for error in storage_errors() {
                let host = ready_for(scope, telling_llm()).await;
                host.faults
                    .before(Calls::of("storage").nth(at), error.clone());
                let outcome = step(&host, scope, 0).await;
                assert_eq!(
                    outcome,
                    Failed(Error::Storage(error)),
                    "{scope:?}, call {at}"
                );
                let made = host.take_calls();
                let storage = made.iter().filter(|import| import.starts_with("storage"));
                assert_eq!(storage.count(), at + 1, "{made:?}");
                assert_eq!(made, calls[..made.len()]);
            }
        }
    }
}

#[tokio::test]
async fn each_error_of_the_model_is_the_outcome_of_the_step_and_only_a_refusal_is_deferred() {
    for scope in SCOPES {
        for error in llm_errors() {
            let host = ready_for(scope, ScriptedLlm::answering(error.clone())).await;
            let before = host.remembered();
            assert_eq!(
                step(&host, scope, 0).await,
                Failed(Error::Llm(error.clone()))
            );
            assert_eq!(host.remembered(), before);
            let calls = host.take_calls();
            let deferred = calls.contains(&"storage.defer");
            assert_eq!(deferred, matches!(error, LlmError::Refused(_)), "{error:?}");
            let asked = calls.iter().filter(|import| **import == "llm.complete");
            // What it refuses is looked for, in few calls.
            let most = if deferred { 13 } else { 1 };
            assert!((1..=most).contains(&asked.count()), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_prompt_that_no_model_takes_is_deferred() {
    let model = || ScriptedLlm::answering(LlmError::ContextTooLong(None));
    for scope in SCOPES {
        let host = ready_for(scope, model()).await;
        let outcome = step(&host, scope, 0).await;
        assert!(
            matches!(outcome, Failed(Error::PromptTooLong(_))),
            "{outcome:?}"
        );
        assert_eq!(host.take_calls().last(), Some(&"storage.defer"));
    }
}

#[tokio::test]
async fn a_bad_answer_is_asked_for_once_more_and_then_deferred() {
    for scope in SCOPES {
        let host = ready_for(scope, telling_llm().on(Asked::call(0), "")).await;
        assert_eq!(step(&host, scope, 0).await, Done, "the second was good");
        let made = host.storage.drafts();
        assert!(made.last().unwrap().coverage.calls <= 2);

        let host = ready_for(scope, ScriptedLlm::answering("")).await;
        let before = host.remembered();
        let outcome = step(&host, scope, 0).await;
        assert_eq!(outcome, Failed(Error::BadAnswer(BadAnswer::Empty)));
        assert_eq!(host.remembered(), before);
        let calls = host.take_calls();
        let end = ["llm.complete", "llm.complete", "storage.defer"];
        assert_eq!(calls[calls.len() - 3..], end);
    }
}

#[tokio::test]
async fn where_even_the_rest_cannot_be_saved_the_models_error_is_reported() {
    for scope in SCOPES {
        let refused = LlmError::Refused("no".to_owned());
        let host = ready_for(scope, ScriptedLlm::answering(refused.clone())).await;
        host.faults
            .before(Calls::of("storage.defer"), Strike::unavailable("full"));
        assert_eq!(step(&host, scope, 0).await, Failed(Error::Llm(refused)));
    }
}

#[tokio::test]
async fn a_failed_merge_keeps_the_version_that_was_made_and_is_made_up_for() {
    let long_term = Asked::about(Scope::Channel, "C1").for_memory(LongTerm);
    for error in llm_errors() {
        let host = ready_for(
            Scope::Channel,
            telling_llm().on(long_term.clone(), error.clone()),
        )
        .await;
        assert_eq!(
            step(&host, Scope::Channel, 0).await,
            Failed(Error::Llm(error))
        );
        let drafts = host.storage.drafts();
        assert_eq!((drafts.len(), drafts[0].memory_type), (1, ShortTerm));
        // At the next run, without a new message; if it is deferred, after that.
        let host = host.with_llm(telling_llm());
        let later = myao_tests::store::utc(NOW + 3600);
        let entry = host.plugin().generate_channel("C1", later).await.unwrap();
        assert_eq!(entry.outcome, Done);
        let made: Vec<MemoryType> = entry.made.iter().map(|made| made.memory_type).collect();
        assert_eq!(made, [LongTerm]);
    }
}

#[tokio::test]
async fn what_fails_in_one_place_stops_nothing_else_of_a_run() {
    let c1 = Asked::about(Scope::Channel, "C1");
    let host = Host::with_conversation(telling_llm().on(c1, LlmError::TimedOut));
    let report = host.generate(NOW).await;
    let of = |scope, id: &str| outcome_of(&report.entries, scope, id).clone();
    assert_eq!(
        of(Scope::Channel, "C1"),
        Failed(Error::Llm(LlmError::TimedOut))
    );
    assert_eq!(of(Scope::Thread, &thread_id()), Done);
    assert_eq!(of(Scope::Channel, "C2"), Done);
    assert_eq!(of(Scope::Workspace, "default"), Done);

    let host = Host::telling();
    let full = StorageError::Unavailable("the disk is full".to_owned());
    let of_c2 = Calls::of("storage.list-memories").mentioning("C2");
    host.faults.before(of_c2, full.clone());
    let report = host.generate(NOW).await;
    let of = |scope, id: &str| outcome_of(&report.entries, scope, id).clone();
    assert_eq!(of(Scope::Channel, "C2"), Failed(Error::Storage(full)));
    assert_eq!(of(Scope::Channel, "C1"), Done);
    assert_eq!(of(Scope::Workspace, "default"), Done);
}

#[tokio::test]
async fn of_the_workspaces_two_memories_one_is_made_though_the_other_fails() {
    for (fails, made) in [(LongTerm, ShortTerm), (ShortTerm, LongTerm)] {
        let asked = Asked::about(Scope::Workspace, "default").for_memory(fails);
        let host = Host::with_conversation(telling_llm().on(asked, LlmError::TimedOut))
            .with(|settings| settings.set("memory.legacy_workspace_short_term", true));
        let report = host.generate(NOW).await;
        let entry = report.entries.last().unwrap();
        assert_eq!(entry.outcome, Failed(Error::Llm(LlmError::TimedOut)));
        assert_eq!(entry.made.len(), 1);
        assert_eq!(entry.made[0].memory_type, made);
    }
}

#[tokio::test]
async fn an_id_of_the_store_that_is_none_is_named_and_nothing_is_saved() {
    let noon = Failed(Error::InvalidTs("noon".to_owned()));
    for scope in [Scope::Thread, Scope::Channel] {
        let host = ready_for(scope, telling_llm()).await;
        let spoil =
            Strike::altering(|messages: &mut Vec<Message>| messages[0].ts = "noon".to_owned());
        host.faults.after(Calls::of("storage.list-messages"), spoil);
        assert_eq!(step(&host, scope, 0).await, noon);

        let host = ready_for(scope, telling_llm()).await;
        let spoil = Strike::altering(|backlog: &mut Backlog| {
            backlog.latest_message_ts = Some("noon".to_owned());
        });
        host.faults.after(Calls::of("storage.get-backlog"), spoil);
        assert_eq!(step(&host, scope, 0).await, noon);
        assert!(host.storage.drafts().is_empty());
        assert!(host.llm.requests().is_empty());
    }
}

#[tokio::test]
async fn unknown_channels_fail_and_are_named() {
    let host = Host::telling();
    let channel = host.plugin().generate_channel("C9", now()).await.unwrap();
    let thread = host
        .plugin()
        .generate_thread("C9", "1.0", now())
        .await
        .unwrap();
    for entry in [&channel, &thread] {
        let Failed(Error::Storage(StorageError::NotFound(what))) = &entry.outcome else {
            panic!("{entry:?}")
        };
        assert!(what.contains("C9"), "{what}");
    }
    assert_eq!(host.take_calls(), ["storage.get-backlog"; 2]);
}

#[tokio::test]
async fn a_template_that_is_wrong_fails_every_memory_and_asks_no_model() {
    let host = Host::telling().with(|settings| {
        settings.set("templates.memory_prompt.j2", "{% if %}");
    });
    let report = host.generate(NOW).await;
    let failed = report.entries.iter().filter(|entry| {
        matches!(&entry.outcome, Failed(Error::Template(fault)) if fault.name == "memory_prompt.j2")
    });
    assert_eq!(failed.count(), 3, "{report:?}");
    assert!(host.llm.requests().is_empty() && host.storage.drafts().is_empty());
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_saved_and_says_so() {
    let cut = Reply::cut_off(
        "- a machine arrives early in spring\n- it is rented by the week\n- somebody",
    );
    let host = Host::answering(cut);
    let report = host.generate(NOW).await;
    assert!(
        report.entries.iter().all(|entry| entry.outcome == Done),
        "{report:?}"
    );
    for made in report.entries.iter().flat_map(|entry| &entry.made) {
        assert!(made.truncated, "{made:?}");
    }
    let drafts = host.storage.drafts();
    assert_eq!(drafts.len(), 6);
    assert!(
        drafts
            .iter()
            .all(|draft| draft.truncated && draft.content.ends_with("week"))
    );
}
