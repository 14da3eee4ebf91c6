//! The workspace's memory.

use super::*;
use crate::bindings::types::Scope;
use crate::testing::{DAY, HOUR, TestHost, ts};
use MemoryType::{LongTerm, ShortTerm};

/// Two channels with one new message each.
fn two_channels(mut host: TestHost, legacy: bool) -> TestHost {
    host.settings.legacy_workspace_short_term = legacy;
    host.say("A", -20, "a");
    host.say("B", -10, "b");
    host
}

// 05 WORKSPACE: 長期記憶統合, 01f generate_channel_memories: WS長期記憶更新
#[test]
fn the_workspace_is_merged_once_per_run_from_all_long_term_memories() {
    let host = two_channels(TestHost::new(), false);
    let entries = host.generate(0);
    let expected = [
        ("A", ShortTerm, 1),
        ("A", LongTerm, 1),
        ("B", ShortTerm, 1),
        ("B", LongTerm, 1),
        ("default", LongTerm, 1),
    ];
    assert_eq!(made(&entries), expected);
    assert_eq!(host.storage.long_term("default"), "#A: a\n#B: b");
}

#[test]
fn the_setting_merges_the_workspace_after_every_channel() {
    let mut host = two_channels(TestHost::new(), false);
    host.settings.workspace_merge_per_channel = true;
    let entries = host.generate(0);
    let order: Vec<&str> = entries
        .iter()
        .map(|entry| entry.scope_id.as_str())
        .collect();
    assert_eq!(order, ["A", "default", "B", "default"]);
    let drafts = host.storage.drafts();
    let texts = drafts
        .iter()
        .filter(|draft| draft.scope == Scope::Workspace)
        .map(|draft| &draft.content);
    assert_eq!(texts.collect::<Vec<_>>(), ["#A: a", "#A: a\n#B: b"]);
    assert_eq!(host.llm.calls(), 6);
}

#[test]
fn a_workspace_whose_channels_did_not_change_is_left_alone() {
    let host = two_channels(TestHost::new(), false);
    host.generate(0);
    let calls = host.llm.calls();
    let entry = host.generate_workspace(HOUR);
    assert!(is_skipped(Some(&entry.outcome), SkipReason::Unchanged));
    assert_eq!(host.llm.calls(), calls);
}

// 05 WORKSPACE: チャンネル記憶なし, extra05a WORKSPACE: 空チャンネル記憶
#[test]
fn a_workspace_without_channel_memories_has_nothing_to_summarise() {
    let host = TestHost::new();
    host.storage.add_channel("A", "A");
    host.remember(Scope::Workspace, "default", LongTerm, "existing");
    let entry = host.generate_workspace(0);
    assert!(is_skipped(
        Some(&entry.outcome),
        SkipReason::NothingToSummarize
    ));
    assert_eq!(
        (host.llm.calls(), host.storage.long_term("default").as_str()),
        (0, "existing")
    );
}

#[test]
fn the_existing_memory_goes_into_the_next_merge() {
    let mut host = two_channels(TestHost::with_prompts(), false);
    host.settings.workspace_scope_id = "acme".to_owned();
    host.remember(Scope::Workspace, "acme", LongTerm, "existing memory");
    host.remember(Scope::Channel, "A", LongTerm, "past of A");
    let before = host.storage.memories();
    host.generate_workspace(0);
    let prompt = &host.llm.prompts()[0];
    let target =
        "### 既存のワークスペース長期記憶\nexisting memory\n\n### #A の長期記憶\npast of A\n";
    assert!(prompt.contains(target), "{prompt}");
    let ids: Vec<u64> = before.iter().map(|memory| memory.id).collect();
    let draft = host.storage.drafts().pop().unwrap();
    assert_eq!(draft.source_memories, ids);
    assert_eq!(
        (draft.expected, draft.merged_through),
        (Some(ids[0]), Some(ids[1]))
    );
}

// 01f `_update_workspace_long_term_memory`: the sum of the counts and the newest of the ids.
#[test]
fn the_workspace_memory_counts_the_messages_of_all_channels() {
    let host = TestHost::new();
    host.say("A", -10, "a");
    host.say("B", -20, "b");
    host.say("B", -15, "b");
    host.generate(0);
    let memory = &host.storage.of("default", LongTerm)[0];
    assert_eq!(memory.source_message_count, 3);
    assert_eq!(memory.source_latest_message_ts, Some(ts(-10)));
}

/// Memories under another scope id are somebody else's: they are neither shown nor replaced.
#[test]
fn the_workspace_has_the_scope_id_of_the_settings() {
    let mut host = two_channels(TestHost::new(), false);
    host.remember(Scope::Workspace, "before", LongTerm, "old");
    host.settings.workspace_scope_id = "now".to_owned();
    assert!(is_done(outcome_of(&host.generate(0), "now")));
    assert_eq!(host.storage.long_term("now"), "#A: a\n#B: b");
    assert_eq!(host.storage.long_term("before"), "old");
    assert_eq!(
        host.context("A").workspace_long_term_memory.as_deref(),
        Some("#A: a\n#B: b")
    );
}

// -- the retired short-term memory: documents 05 and extra05a make it, 01 wins unless the setting is on --

#[test]
fn the_workspace_has_no_short_term_memory_by_default() {
    let host = two_channels(TestHost::new(), false);
    host.generate(0);
    assert!(host.storage.versions("default").is_empty());
}

#[test]
fn an_old_workspace_short_term_memory_stays_in_the_store_untouched() {
    let host = two_channels(TestHost::new(), false);
    host.remember(Scope::Workspace, "default", ShortTerm, "old");
    let before = host.storage.of("default", ShortTerm);
    host.generate(0);
    assert_eq!(host.storage.of("default", ShortTerm), before);
}

// 05 WORKSPACE: 短期記憶統合
#[test]
fn the_setting_makes_the_workspace_short_term_memory_from_the_newest_versions() {
    let host = two_channels(TestHost::new(), true);
    host.generate(0);
    host.say("A", HOUR, "a2");
    let entries = host.generate(DAY);
    assert_eq!(
        made(&entries)[2..],
        [("default", LongTerm, 1), ("default", ShortTerm, 1)]
    );
    assert_eq!(host.storage.versions("default"), ["#A: a a2\n#B: b"]);
    assert_eq!(host.generate(DAY), [], "nothing is due");
}

#[test]
fn the_setting_takes_effect_in_the_next_run_although_no_message_is_new() {
    let mut host = two_channels(TestHost::new(), false);
    host.generate(0);
    host.settings.legacy_workspace_short_term = true;
    assert_eq!(made(&host.generate(HOUR)), [("default", ShortTerm, 1)]);
}

#[test]
fn of_the_workspaces_memories_one_is_made_although_the_other_fails() {
    for (part, saved) in [("long_term", ShortTerm), ("short_term", LongTerm)] {
        let mut host = two_channels(TestHost::new(), false);
        host.generate(0);
        host.settings.legacy_workspace_short_term = true;
        host.settings.templates[0].source = "{{ scope }} {{ memory_type }}".to_owned();
        host.say("A", HOUR, "a2");
        host.generate_channel("A", DAY);
        let before = host.llm.calls();
        host.llm.go_down_for_prompts_with(Some(part));
        let entry = host.generate_workspace(DAY);
        assert!(
            matches!(entry.outcome, Outcome::Failed(Error::Llm(_))),
            "{entry:?}"
        );
        assert_eq!(made(&[entry]), [("default", saved, 1)]);
        assert_eq!(host.llm.calls(), before + 2);
        host.llm.go_down_for_prompts_with(None);
        assert!(
            is_done(Some(&host.generate_workspace(DAY).outcome)),
            "the next run makes the other"
        );
    }
}
