//! Versions of a channel's short-term memory, and their way into the long-term memory.

use std::cell::Cell;

use super::*;
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Request};
use crate::bindings::storage::StorageError;
use crate::bindings::types::{Engine, MessageRef, Scope};
use crate::cited_lines::cited_lines;
use crate::generator::Run;
use crate::ports::{Llm, Ports};
use crate::testing::{DAY, HOUR, TestHost, at, completion, ts};
use MemoryType::{LongTerm, ShortTerm};

/// A channel with one version, made at `NOW`.
fn host_with_one_version() -> TestHost {
    let host = TestHost::new();
    host.say("C1", -10, "first");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["first"]);
    host
}

// 01f generate_channel_memories: 更新条件満たさず
#[test]
fn a_conversation_that_goes_on_with_few_messages_adds_no_version() {
    let host = host_with_one_version();
    host.say("C1", 10, "second");
    let entries = host.generate_channel("C1", HOUR);
    assert!(is_skipped(outcome_of(&entries, "C1"), SkipReason::NotDue));
    assert_eq!(host.storage.versions("C1"), ["first"]);
    assert_eq!(host.storage.long_term("C1"), "first");
}

// 01f generate_channel_memories: idle トリガー
#[test]
fn an_idle_conversation_becomes_a_new_version() {
    let host = host_with_one_version();
    host.say("C1", 10, "second");
    let entries = host.generate(10 + 2 * HOUR);
    assert!(is_done(outcome_of(&entries, "C1")));
    assert_eq!(host.storage.versions("C1"), ["first", "first second"]);
}

// 01f generate_channel_memories: メッセージトリガー
#[test]
fn fifty_new_messages_become_a_new_version() {
    let host = host_with_one_version();
    host.say_many("C1", 10, 49);
    host.generate(60);
    assert_eq!(host.storage.versions("C1").len(), 1);
    host.say("C1", 60, "50");
    host.generate(60);
    let version = &host.storage.of("C1", ShortTerm)[1];
    assert_eq!((version.version, version.source_message_count), (2, 51));
}

// 01f generate_channel_memories: 長期記憶統合
#[test]
fn a_new_version_is_merged_into_the_long_term_memory_at_once() {
    let host = host_with_one_version();
    host.say("C1", 10, "second");
    let entries = host.generate(10 + 2 * HOUR);
    let expected = [
        ("C1", ShortTerm, 2),
        ("C1", LongTerm, 1),
        ("default", LongTerm, 1),
    ];
    assert_eq!(made(&entries), expected);
    assert_eq!(host.storage.long_term("C1"), "first + first second");
}

// 01f generate_channel_memories: WS長期記憶更新
#[test]
fn the_workspace_is_merged_after_the_channel_that_changed() {
    let host = host_with_one_version();
    assert_eq!(host.storage.long_term("default"), "#C1: first");
    host.say("C1", 10, "second");
    host.generate(10 + 2 * HOUR);
    assert_eq!(
        host.storage.long_term("default"),
        "#C1: first + first second"
    );
}

// 01f 履歴機能無効時: 上書き保存
#[test]
fn without_versions_version_1_is_overwritten_at_every_run_with_new_messages() {
    let mut host = TestHost::new();
    host.settings.history_enabled = false;
    host.say("C1", -10, "first");
    host.generate(0);
    host.say("C1", 10, "second");
    host.generate(60);
    host.generate(120);
    let versions = host.storage.of("C1", ShortTerm);
    assert_eq!(versions.len(), 1);
    assert_eq!(
        (versions[0].version, versions[0].content.as_str()),
        (1, "first second")
    );
    assert_eq!(
        versions[0].created_at,
        at(0),
        "the version is as old as its first text"
    );
    assert_eq!(host.storage.long_term("C1"), "first + first second");
    assert_eq!(
        host.llm.calls(),
        2 * 3,
        "nothing in the run without new messages"
    );
}

#[test]
fn without_versions_a_version_that_is_not_merged_yet_is_never_overwritten() {
    let mut host = TestHost::new();
    host.settings.history_enabled = false;
    host.settings.generation_message_limit = 2;
    host.say("C1", -10, "first");
    // The merge and its retry are refused: it is deferred.
    for call in [1, 2] {
        let empty = completion("", FinishReason::Stop);
        host.llm.script(call, Ok(empty));
    }
    host.generate(0);
    host.say_many("C1", 10, 3);
    let entries = host.generate(60);
    assert!(
        matches!(outcome_of(&entries, "C1"), Some(Outcome::Deferred(deferral)) if deferral.memory_type == LongTerm),
        "{entries:?}"
    );
    assert_eq!(host.storage.versions("C1"), ["first"]);
    host.generate(HOUR);
    assert_eq!(host.storage.long_term("C1"), "first + 1 2 + 2 3");
    assert_eq!(host.storage.versions("C1"), ["2 3"]);
}

/// The version to merge comes before the one that did not fit beside it.
#[test]
fn without_versions_a_refused_merge_ends_the_step_before_the_next_version() {
    let mut host = TestHost::new();
    host.settings.history_enabled = false;
    host.settings.generation_message_limit = 2;
    host.say_many("C1", -10, 3);
    for call in [1, 2] {
        let empty = completion("", FinishReason::Stop);
        host.llm.script(call, Ok(empty));
    }
    let entries = host.generate(0);
    assert!(matches!(error_of(&entries, "C1"), Error::BadAnswer(_)));
    assert_eq!(host.storage.versions("C1"), ["1 2"]);
    host.generate(HOUR);
    assert_eq!(host.storage.long_term("C1"), "1 2 + 2 3");
}

#[test]
fn versions_that_were_kept_before_give_way_to_one_that_is_overwritten() {
    let mut host = host_with_one_version();
    host.say("C1", 10, "second");
    host.generate(3 * HOUR);
    host.settings.history_enabled = false;
    host.say("C1", 4 * HOUR, "third");
    host.generate(4 * HOUR);
    assert_eq!(host.storage.versions("C1"), ["first second third"]);
    assert_eq!(
        host.storage.long_term("C1"),
        "first + first second + first second third"
    );
}

#[test]
fn a_version_records_what_it_was_made_from() {
    let host = host_with_one_version();
    host.say("C1", 10, "second");
    host.reply("C1", 10, 20, "reply");
    host.generate_channel("C1", 3 * HOUR);
    let drafts = host.storage.drafts();
    let (version, merge) = (&drafts[drafts.len() - 2], &drafts[drafts.len() - 1]);
    assert_eq!(version.source_channel_id, "C1");
    assert_eq!(version.source_messages, [ts(-10), ts(10), ts(20)]);
    assert_eq!(version.source_message_count, 3);
    assert_eq!(version.source_latest_message_ts, Some(ts(20)));
    assert_eq!((version.now, version.engine), (at(3 * HOUR), Engine::Llm));
    let version_id = host.storage.of("C1", ShortTerm)[1].id;
    assert_eq!((merge.scope, merge.memory_type), (Scope::Channel, LongTerm));
    assert_eq!(merge.source_memories, [merge.expected.unwrap(), version_id]);
    assert_eq!(merge.merged_through, Some(version_id));
    assert_eq!(merge.source_message_count, version.source_message_count);
    assert_eq!(
        merge.source_latest_message_ts,
        version.source_latest_message_ts
    );
}

#[test]
fn versions_that_wait_are_merged_each_once_oldest_first_without_a_new_message() {
    let host = TestHost::new();
    host.storage.add_channel("C1", "C1");
    for text in ["one", "two", "three"] {
        host.remember(Scope::Channel, "C1", ShortTerm, text);
    }
    let entries = host.generate(DAY);
    assert!(is_done(outcome_of(&entries, "C1")));
    assert_eq!(made(&entries)[..3], [("C1", LongTerm, 1); 3]);
    assert_eq!(host.storage.long_term("C1"), "one + two + three");
    assert_eq!(host.storage.versions("C1"), ["one", "two", "three"]);
    assert!(made(&host.generate(DAY)).is_empty());
}

#[test]
fn of_versions_that_wait_those_after_a_failed_merge_wait_on() {
    let host = TestHost::new();
    host.storage.add_channel("C1", "C1");
    for text in ["one", "two", "three"] {
        host.remember(Scope::Channel, "C1", ShortTerm, text);
    }
    host.llm.script(1, Err(LlmError::TimedOut));
    let entries = host.generate_channel("C1", DAY);
    assert_eq!(error_of(&entries, "C1"), &Error::Llm(LlmError::TimedOut));
    assert_eq!(host.storage.long_term("C1"), "one");
    host.generate_channel("C1", DAY);
    assert_eq!(host.storage.long_term("C1"), "one + two + three");
}

#[test]
fn what_waits_is_merged_before_a_new_version_is_made_however_old_it_is() {
    let mut host = TestHost::new();
    host.settings.max_history_count = 1;
    host.say("C1", DAY - 10, "new");
    for text in ["one", "two"] {
        host.remember(Scope::Channel, "C1", ShortTerm, text);
    }
    host.generate(2 * DAY);
    assert_eq!(host.storage.long_term("C1"), "one + two + new");
}

/// Only an import can leave a blank version: empty text is never saved, and a model's is stripped. `-` is what is left of
/// a version whose lines were all erased.
#[test]
fn a_version_that_says_nothing_has_nothing_to_merge_and_stops_nothing() {
    for nothing in [" \n", "-"] {
        let host = TestHost::new();
        host.storage.add_channel("C1", "C1");
        host.remember(Scope::Channel, "C1", ShortTerm, nothing);
        let entries = host.generate_channel("C1", DAY);
        assert!(is_skipped(
            outcome_of(&entries, "C1"),
            SkipReason::NoNewMessages
        ));
        assert_eq!(host.llm.calls(), 0);
        host.say("C1", DAY, "new");
        host.generate(2 * DAY);
        assert_eq!(host.storage.long_term("C1"), "new");
    }
}

#[test]
fn an_unknown_channel_fails_and_is_named() {
    let entries = TestHost::new().generate_channel("C404", 0);
    assert_eq!(
        error_of(&entries, "C404"),
        &Error::Storage(StorageError::NotFound("channel C404".to_owned()))
    );
}

/// Runs the same channel on the side while the model thinks.
struct Rival<'a>(&'a TestHost, Cell<bool>);

impl Llm for Rival<'_> {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        if !self.1.replace(true) {
            self.0.generate_channel("C1", 0);
        }
        self.0.llm.complete(request)
    }

    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        self.0.llm.complete_all(requests)
    }

    fn context_window(&self, agent: Agent) -> Option<u32> {
        self.0.llm.context_window(agent)
    }
    fn count_tokens(&self, agent: Agent, texts: &[String]) -> Vec<u32> {
        self.0.llm.count_tokens(agent, texts)
    }
}

#[test]
fn of_two_runs_side_by_side_one_saves_and_the_other_fails_with_a_conflict() {
    let host = TestHost::new();
    host.say("C1", -10, "first");
    let rival = Rival(&host, Cell::new(false));
    let ports = Ports {
        llm: &rival,
        ..host.ports()
    };
    let entries = [Run::new(&ports, at(0)).generate_channel("C1")];
    assert!(matches!(
        error_of(&entries, "C1"),
        Error::Storage(StorageError::Conflict(_))
    ));
    assert_eq!(host.storage.versions("C1"), ["first"]);
    assert_eq!(host.storage.long_term("C1"), "first");
    assert!(
        host.generate_channel("C1", 0)
            .iter()
            .all(|entry| entry.made.is_empty())
    );
}

#[test]
fn a_quote_that_is_merged_again_cites_the_message_that_it_quotes() {
    let mut host = TestHost::with_prompts();
    host.settings.engine = Engine::Extractive;
    let said = [
        "予算は300万円に決定しました",
        "会場は熱海に決定しました",
        "担当は田中さんに決定しました",
    ];
    let mut messages = Vec::new();
    for (at, text) in (-3 * DAY..).zip(said) {
        host.say("C1", at, text);
        messages.push(MessageRef {
            channel_id: "C1".to_owned(),
            ts: ts(at),
        });
    }
    let quote = "- 2024-02-27 alice: 予算は300万円に決定しました";
    host.remember_from((Scope::Channel, "C1", LongTerm), quote, messages.clone());
    host.say("C1", -60, "納期は4月9日に決定しました");
    host.generate(0);
    let memory = &host.storage.of("C1", LongTerm)[0];
    let mut lines = cited_lines(memory);
    let (_, citation) = lines.find(|(line, _)| *line == quote).unwrap();
    assert_eq!(citation.messages, [messages.remove(0)]);
}
