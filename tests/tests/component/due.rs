//! The exports `should-update` and `next-steps` of `memory-generator`.

use myao_plugin::llm::LlmError;
use myao_plugin::storage::{Backlog, Due, DueQuery};
use myao_plugin::{DoneStep, Error, MemoryType, Scope, Step, ThreadRef, Timestamp, UpdateState};
use myao_plugin::{Place, Places as _};
use myao_testkit::{Asked, Calls, Strike};
use myao_tests::store::utc;
use myao_tests::telling::telling_llm;

use crate::component::host::{
    HOUR, Host, NOW, START, now, refused, storage_errors, thread_ts, without_versions,
};

fn state(latest: Option<i64>, has_memory: bool, new_message_count: u32) -> UpdateState {
    UpdateState {
        latest_message_ts: latest.map(|second| format!("{second}.000000")),
        has_memory,
        new_message_count,
    }
}

#[tokio::test]
async fn a_version_is_due_without_one_after_silence_or_with_many_messages() {
    let host = Host::telling();
    let silent = Some(NOW - 2 * HOUR);
    let busy = Some(NOW - 2 * HOUR + 1);
    for (asked, expected) in [
        (state(busy, false, 1), true),
        (state(silent, true, 1), true),
        (state(busy, true, 49), false),
        (state(busy, true, 50), true),
        (state(None, true, 0), false),
    ] {
        let due = host.plugin().should_update(&asked, now()).await.unwrap();
        assert_eq!(due, expected, "{asked:?}");
    }
    let host = host.with(without_versions);
    let asked = state(busy, true, 1);
    let due = host.plugin().should_update(&asked, now()).await;
    assert!(due.unwrap(), "without versions");
    assert_eq!(host.recorder.imports(), [""; 0]);
}

#[tokio::test]
async fn an_id_that_is_none_is_named() {
    let host = Host::telling();
    let asked = UpdateState {
        latest_message_ts: Some("noon".to_owned()),
        ..state(None, true, 1)
    };
    let failed = host.plugin().should_update(&asked, now()).await;
    assert_eq!(refused(failed), Error::InvalidTs("noon".to_owned()));
}

/// The first steps of a run.
async fn first(host: &Host) -> Vec<Step> {
    host.plugin().next_steps(&[], now()).await.unwrap().steps
}

/// All steps of a run in which no step makes anything.
async fn all(host: &Host, now: Timestamp) -> Vec<Step> {
    let mut done: Vec<DoneStep> = Vec::new();
    loop {
        let batch = host.plugin().next_steps(&done, now).await.unwrap();
        if batch.steps.is_empty() {
            return done.into_iter().map(|done| done.step).collect();
        }
        let steps = batch.steps.into_iter();
        done.extend(steps.map(|step| DoneStep { step, made: false }));
    }
}

fn channel(id: &str) -> Step {
    Step::Channel(id.to_owned())
}

#[tokio::test]
async fn what_is_due_is_listed_with_one_call_before_and_after_a_run() {
    let host = Host::telling();
    let batch = host.plugin().next_steps(&[], now()).await.unwrap();
    let thread = Step::Thread(ThreadRef {
        channel_id: "C1".to_owned(),
        thread_ts: thread_ts().to_string(),
    });
    assert_eq!((batch.steps, batch.later), (vec![thread.clone()], 2));
    assert_eq!(host.take_calls(), ["storage.list-due"]);
    let steps = [thread, channel("C1"), channel("C2")];
    assert_eq!(all(&host, now()).await, steps);
    host.generate(NOW).await;
    host.take_calls();
    assert_eq!(first(&host).await, []);
    assert_eq!(host.take_calls(), ["storage.list-due"]);
}

#[tokio::test]
async fn the_store_is_asked_with_the_settings_times_and_threshold() {
    let host = Host::telling().with(|settings| {
        settings.set("memory.short_term_window_hours", 5);
        settings.set("memory.short_term_history.conversation_idle_seconds", 60);
        settings.set("memory.short_term_history.message_threshold", 7);
    });
    first(&host).await;
    let asked: DueQuery = host.recorder.take()[0].call.arguments().unwrap();
    assert_eq!(
        asked,
        DueQuery {
            until: format!("{NOW}.999999"),
            window_start: format!("{}.000000", NOW - 5 * HOUR),
            idle_since: format!("{}.999999", NOW - 60),
            message_threshold: 7,
            always: false,
        }
    );
    let host = host.with(without_versions);
    first(&host).await;
    let asked: DueQuery = host.recorder.take()[0].call.arguments().unwrap();
    assert!(asked.always);
}

#[tokio::test]
async fn what_the_store_names_too_many_of_is_left_out() {
    let host = Host::telling();
    host.generate(NOW).await;
    host.storage.say("C1", NOW, "alice", "Hello.");
    let backlog = |channel: &str| {
        let storage = host.storage.clone();
        let channel = channel.to_owned();
        async move {
            use myao_plugin::storage::Storage as _;
            let until = format!("{NOW}.999999");
            storage
                .at(Place::Operator)
                .get_backlog(channel, None, until)
                .await
                .unwrap()
        }
    };
    // Neither is due: one has a single new message, and is not silent; the other has none.
    let named = [backlog("C1").await, backlog("C2").await];
    let name = Strike::altering(move |due: &mut Due| due.channels = named.to_vec());
    host.faults.after(Calls::of("storage.list-due"), name);
    assert_eq!(first(&host).await, []);
}

#[tokio::test]
async fn the_workspace_is_due_where_a_channels_memory_is_newer() {
    let host = Host::telling();
    host.plugin().generate_channel("C1", now()).await.unwrap();
    let steps = all(&host, utc(START + HOUR)).await;
    assert_eq!(steps.last(), Some(&Step::Workspace));
}

#[tokio::test]
async fn a_channel_whose_merge_failed_is_due_without_a_new_message() {
    let merge = Asked::about(Scope::Channel, "C1").for_memory(MemoryType::LongTerm);
    let host = Host::with_conversation(telling_llm().on(merge, LlmError::TimedOut));
    host.generate(NOW).await;
    let steps = all(&host, now()).await;
    assert!(steps.contains(&channel("C1")), "{steps:?}");
}

#[tokio::test]
async fn the_retired_memory_is_due_only_with_the_setting() {
    // The long-term memories are merged, the short-term ones never were.
    let host = Host::telling();
    host.generate(NOW).await;
    assert_eq!(first(&host).await, []);
    let host = host.with(|settings| settings.set("memory.legacy_workspace_short_term", true));
    assert_eq!(first(&host).await, [Step::Workspace]);
}

#[tokio::test]
async fn each_error_of_the_store_is_handed_on() {
    for error in storage_errors() {
        let host = Host::telling();
        host.faults
            .before(Calls::of("storage.list-due"), error.clone());
        let failed = host.plugin().next_steps(&[], now()).await;
        assert_eq!(refused(failed), Error::Storage(error.clone()));
        let failed = host.plugin().generate(now()).await;
        assert_eq!(
            refused(failed),
            Error::Storage(error),
            "a run that cannot look"
        );
        assert_eq!(host.take_calls(), ["storage.list-due"; 2]);
    }
}

#[tokio::test]
async fn a_channel_whose_ids_cannot_be_read_is_listed_so_that_its_step_says_so() {
    let host = Host::telling();
    let spoil = || {
        Strike::altering(|due: &mut Due| {
            for backlog in &mut due.channels {
                backlog.latest_message_ts = Some("noon".to_owned());
            }
        })
    };
    host.faults.after(Calls::of("storage.list-due"), spoil());
    let spoil_one = Strike::altering(|backlog: &mut Backlog| {
        if backlog.thread_ts.is_none() {
            backlog.latest_message_ts = Some("noon".to_owned());
        }
    });
    host.faults
        .after(Calls::of("storage.get-backlog"), spoil_one);
    let steps = all(&host, now()).await;
    assert!(
        steps.ends_with(&[channel("C1"), channel("C2")]),
        "{steps:?}"
    );
    let report = host.generate(NOW).await;
    let failed = report.entries.iter().filter(|entry| {
        use myao_plugin::Outcome;
        entry.outcome == Outcome::Failed(Error::InvalidTs("noon".to_owned()))
    });
    assert_eq!(failed.count(), 2);
}
