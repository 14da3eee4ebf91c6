//! Which messages a memory is made from: every new one, none of them later than the run.

use myao_plugin::llm::LlmError;
use myao_plugin::storage::MemoryDraft;
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Outcome, Report, Scope};
use myao_testkit::ScriptedLlm;
use myao_tests::store::utc;
use myao_tests::telling::telling_llm;

use crate::component::host::{HOUR, Host, NOW, START, outcome_of, thread_id, thread_ts};

/// What was saved of C1's short-term memories.
fn versions_of_c1(host: &Host) -> Vec<MemoryDraft> {
    let drafts = host.storage.drafts().into_iter();
    drafts
        .filter(|d| (d.scope_id.as_str(), d.memory_type) == ("C1", MemoryType::ShortTerm))
        .collect()
}

#[tokio::test]
async fn what_is_said_after_the_time_of_a_run_is_left_to_the_next() {
    let host = Host::telling();
    let later = [
        host.storage.say("C1", NOW + 60, "bob", "The crane broke."),
        host.storage
            .reply("C1", thread_ts(), NOW + 60, "alice", "I lost the keys."),
    ];
    let later = later.map(|ts| ts.to_string());
    host.generate(NOW).await;
    for draft in host.storage.drafts() {
        let messages = &draft.source_messages;
        let early = messages.iter().all(|message| !later.contains(message));
        assert!(early, "{} was made from {messages:?}", draft.scope_id);
    }
    for prompt in host.llm.prompts() {
        let shown = prompt.contains("broke") || prompt.contains("lost");
        assert!(!shown, "shows what was said later: {prompt}");
    }
    let before = host.storage.drafts().len();
    host.generate(NOW + 4 * HOUR).await;
    let drafts = &host.storage.drafts()[before..];
    for (scope, ids) in [(Scope::Thread, &later[1..]), (Scope::Channel, &later[..])] {
        let draft = drafts.iter().find(|draft| draft.scope == scope).unwrap();
        assert!(ids.iter().all(|id| draft.source_messages.contains(id)));
    }
}

#[tokio::test]
async fn what_was_said_while_nobody_ran_is_summarised_however_long_ago_it_was() {
    let host = Host::telling();
    host.generate(NOW).await;
    let said = host
        .storage
        .say("C1", NOW + 60, "alice", "The crane is late.");
    let window = host.plugin().settings().window_seconds();
    host.generate(NOW + 3 * window).await;
    let versions = versions_of_c1(&host);
    assert_eq!(versions.len(), 2, "a version of what waited");
    let said = said.to_string();
    assert!(versions[1].source_messages.contains(&said));
    assert_eq!(versions[1].source_latest_message_ts, Some(said));
}

#[tokio::test]
async fn more_messages_than_go_into_one_version_are_summarised_oldest_first_and_all_of_them() {
    let host = Host::telling().with(|settings| settings.set("memory.generation_message_limit", 4));
    host.generate(NOW).await;
    let said: Vec<TsKey> = (0..11)
        .map(|n| {
            let text = format!("Crate {n} is on board.");
            host.storage.say("C1", NOW + 60 + n, "bob", &text)
        })
        .collect();
    host.generate(NOW + 3 * HOUR).await;
    let said: Vec<String> = said.iter().map(TsKey::to_string).collect();
    let watermarks: Vec<String> = versions_of_c1(&host)
        .into_iter()
        .filter_map(|draft| draft.source_latest_message_ts)
        .collect();
    let start = TsKey::first_of(START + 180).to_string();
    assert_eq!(
        watermarks,
        [&start, &said[3], &said[7], &said[10]].map(String::clone),
        "the newest message of each version"
    );
    let drafts = versions_of_c1(&host);
    for ts in &said {
        let taken = drafts
            .iter()
            .any(|draft| draft.source_messages.contains(ts));
        assert!(taken, "{ts} is in no version");
    }
}

/// A host whose first run finds everything due, and no model.
async fn first_run_failed(is_backfill: bool) -> Host {
    let away = LlmError::Unavailable("down".to_owned());
    let host = Host::with_conversation(ScriptedLlm::answering(away));
    let plugin = if is_backfill {
        host.plugin().for_backfill()
    } else {
        host.plugin()
    };
    plugin.generate(utc(NOW)).await.unwrap();
    assert!(host.storage.drafts().is_empty());
    host.with_llm(telling_llm())
}

#[tokio::test]
async fn the_first_version_takes_in_the_day_on_which_the_model_was_away() {
    for says_more in [false, true] {
        let host = first_run_failed(false).await;
        let window = host.plugin().settings().window_seconds();
        if says_more {
            let later = NOW + 3 * window - HOUR;
            host.storage.say("C1", later, "bob", "The crane left.");
        }
        host.generate(NOW + 3 * window).await;
        let versions = versions_of_c1(&host);
        assert_eq!(versions.len(), 1);
        let expected = if says_more { 5 } else { 4 };
        assert_eq!(versions[0].source_messages.len(), expected);
        // From here on the watermark says what is new.
        host.generate(NOW + 6 * window).await;
        assert_eq!(versions_of_c1(&host).len(), 1);
    }
}

/// The backfill comes back to the time at which something failed; a run of today leaves the past to it.
#[tokio::test]
async fn what_failed_in_a_backfill_is_left_to_the_backfill() {
    let host = first_run_failed(true).await;
    let window = host.plugin().settings().window_seconds();
    host.generate(NOW + 3 * window).await;
    assert!(versions_of_c1(&host).is_empty());
}

#[tokio::test]
async fn on_demand_a_thread_is_remembered_when_its_channels_version_leaves_out_replies() {
    let host = Host::telling().with(|settings| settings.set("memory.thread_memories", "on_demand"));
    let is_of_thread = |report: &Report| {
        report
            .entries
            .iter()
            .any(|entry| entry.scope == Scope::Thread)
    };
    assert!(!is_of_thread(&host.generate(NOW).await));
    // What the thread said before is outside the window now.
    let later = NOW + 48 * HOUR;
    host.storage
        .reply("C1", thread_ts(), later, "alice", "I lost the keys.");
    assert!(!is_of_thread(&host.generate(later + 60).await));
    let report = host.generate(later + 3 * HOUR).await;
    let outcome = outcome_of(&report.entries, Scope::Thread, &thread_id());
    assert_eq!(outcome, &Outcome::Done);
}
