//! Memories of threads.

use super::*;
use crate::bindings::llm::FinishReason;
use crate::bindings::types::{Message, MessageRef, Scope, Timestamp};
use crate::testing::{DAY, HOUR, TestHost, at, completion, message, ts};
use MemoryType::{LongTerm, ShortTerm};

/// The scope id of the thread that began at so many seconds in C1.
fn scope_id(thread: i64) -> String {
    format!("C1:{}", ts(thread))
}

// 05 THREAD: スレッドメッセージ使用
#[test]
fn a_thread_memory_is_made_from_its_messages_alone() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.say("C1", -40, "b");
    host.reply("C1", -40, -30, "b1");
    let entries = host.generate(0);
    assert_eq!(host.storage.versions(&scope_id(-60)), ["(a a1)"]);
    assert_eq!(host.storage.versions(&scope_id(-40)), ["(b b1)"]);
    let order: Vec<Scope> = entries.iter().map(|entry| entry.scope).collect();
    assert_eq!(
        order,
        [
            Scope::Thread,
            Scope::Thread,
            Scope::Channel,
            Scope::Workspace
        ]
    );
    assert!(host.storage.of(&scope_id(-60), LongTerm).is_empty());
}

#[test]
fn a_thread_memory_is_overwritten_at_version_1() {
    let host = TestHost::new();
    host.reply("C1", -60, -50, "a1");
    host.say("C1", -60, "a");
    host.generate(0);
    host.reply("C1", -60, 10, "a2");
    host.generate(HOUR);
    let memories = host.storage.of(&scope_id(-60), ShortTerm);
    assert_eq!(memories.len(), 1);
    let memory = &memories[0];
    assert_eq!((memory.version, memory.content.as_str()), (1, "(a a1 a2)"));
    assert_eq!((memory.created_at, memory.updated_at), (at(0), at(HOUR)));
    assert_eq!(memory.source_message_count, 3);
    assert_eq!(memory.source_latest_message_ts, Some(ts(10)));
    assert_eq!(
        host.storage.drafts().last().unwrap().source_messages,
        [ts(-60), ts(-50), ts(10)]
    );
}

#[test]
fn a_thread_without_a_new_message_is_left_alone() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.generate(0);
    let calls = host.llm.calls();
    host.say("C1", 10, "elsewhere");
    assert_eq!(outcome_of(&host.generate(HOUR), &scope_id(-60)), None);
    let entry = host.generate_thread("C1", -60, HOUR);
    assert!(is_skipped(Some(&entry.outcome), SkipReason::NoNewMessages));
    assert_eq!(host.llm.calls(), calls);
}

#[test]
fn a_thread_waits_for_no_silence_and_no_threshold() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.generate(0);
    host.reply("C1", -60, 10, "a2");
    let entries = host.generate(11);
    assert_eq!(made(&entries), [(scope_id(-60).as_str(), ShortTerm, 1)]);
}

#[test]
fn a_thread_that_was_never_summarised_and_ended_before_the_window_is_history() {
    let host = TestHost::new();
    host.say("C1", -3 * DAY, "a");
    host.reply("C1", -3 * DAY, -2 * DAY, "a1");
    assert_eq!(host.generate(0), []);
    let entry = host.generate_thread("C1", -3 * DAY, 0);
    assert!(is_skipped(Some(&entry.outcome), SkipReason::OutsideWindow));
}

#[test]
fn a_thread_is_read_whole_outside_window_and_limit() {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 3;
    host.say("C1", -3 * DAY, "a");
    for day in [3, 2, 1] {
        host.reply("C1", -3 * DAY, -day * DAY + 5, &format!("{day} days ago"));
    }
    host.say_many("C1", -60, 3);
    host.generate(0);
    assert_eq!(
        host.storage.versions(&scope_id(-3 * DAY)),
        ["(a 3 days ago 2 days ago 1 days ago)"]
    );
}

#[test]
fn a_message_nobody_replied_to_is_no_thread() {
    let host = TestHost::new();
    host.storage.add_message(
        "C1",
        Message {
            thread_ts: Some(ts(-60)),
            ..message(-60, "alone")
        },
    );
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["alone"]);
    assert!(
        host.storage
            .memories()
            .iter()
            .all(|memory| memory.scope != Scope::Thread)
    );
}

#[test]
fn a_thread_whose_first_message_is_deleted_is_still_one() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.storage.delete_message("C1", &ts(-60));
    host.generate(0);
    assert_eq!(host.storage.versions(&scope_id(-60)), ["(a1)"]);
}

#[test]
fn an_unknown_thread_has_no_new_messages() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    let entry = host.generate_thread("C1", -99, 0);
    assert!(is_skipped(Some(&entry.outcome), SkipReason::NoNewMessages));
    assert_eq!(
        (entry.scope_id, entry.channel_name),
        (scope_id(-99), "C1".to_owned())
    );
}

// 05 THREAD: 補助情報, extra05a THREAD: 周辺情報の包含
#[test]
fn a_threads_prompt_holds_all_channels_memories_and_the_rest_of_the_conversation() {
    let host = TestHost::with_prompts();
    host.remember(Scope::Workspace, "default", LongTerm, "whole workspace");
    host.storage.add_channel("C2", "other");
    for (channel_id, text) in [("C1", "here"), ("C2", "there")] {
        host.remember(
            Scope::Channel,
            channel_id,
            LongTerm,
            &format!("past {text}"),
        );
        host.remember(
            Scope::Channel,
            channel_id,
            ShortTerm,
            &format!("recent {text}"),
        );
    }
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.say("C1", -40, "top level");
    host.say("C1", -30, "b");
    host.reply("C1", -30, -20, "b1");
    host.generate_thread("C1", -60, 0);
    let prompt = &host.llm.prompts()[0];
    for part in [
        "whole workspace",
        "past here",
        "recent here",
        "past there",
        "recent there",
        "top level",
        "b1",
    ] {
        assert!(prompt.contains(part), "{part} is missing in {prompt}");
    }
}

// 05 THREAD: 既存記憶更新, as extra05a changed it: the whole thread is read again instead.
#[test]
fn a_threads_prompt_has_the_whole_thread_and_not_its_existing_memory() {
    let host = TestHost::with_prompts();
    host.remember(Scope::Thread, &scope_id(-60), ShortTerm, "existing memory");
    host.say("C1", -60, "a");
    host.reply("C1", -60, 10, "a1");
    host.generate_thread("C1", -60, 20);
    let prompt = &host.llm.prompts()[0];
    assert!(!prompt.contains("existing memory") && prompt.contains("alice:\na\n"));
}

#[test]
fn threads_come_before_channels_whose_new_versions_they_do_not_see() {
    let host = TestHost::with_prompts();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.generate(0);
    let prompts = host.llm.prompts();
    assert!(prompts[0].contains("## 要約対象スレッド"), "{}", prompts[0]);
    assert!(
        prompts[1].contains("## 要約対象: チャンネル会話履歴"),
        "{}",
        prompts[1]
    );
    assert!(!prompts[0].contains("#### 最近の出来事"));
}

#[test]
fn times_in_prompts_are_the_messages_own() {
    let host = TestHost::with_prompts();
    let timestamp = Timestamp {
        utc_offset_seconds: -18_000,
        ..at(-60)
    };
    host.storage.add_message(
        "C1",
        Message {
            timestamp,
            ..message(-60, "a")
        },
    );
    host.reply("C1", -60, -30, "a1");
    host.generate(0);
    let prompt = &host.llm.prompts()[0];
    assert!(
        prompt.contains("**2024-03-01 04:59:00** alice:\na\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains("**2024-03-01 18:59:30** alice:\na1\n"),
        "{prompt}"
    );
}

/// The prompt of a thread about a crane, in a workspace with much to remember.
fn prompt_within(max_tokens: u32) -> String {
    let mut host = TestHost::with_prompts();
    host.settings.surroundings_max_tokens = max_tokens;
    for number in 0..30 {
        let id = format!("X{number}");
        host.storage.add_channel(&id, &format!("other-{number}"));
        let about = if number == 29 { "the crane" } else { "lunch" };
        host.remember(
            Scope::Channel,
            &id,
            LongTerm,
            &format!("- {about} of channel {number}"),
        );
    }
    host.remember(Scope::Channel, "C1", LongTerm, "- own history");
    host.say("C1", 10, "The weather is fine");
    host.say("C1", 60, "When does the crane come?");
    host.reply("C1", 60, 70, "On Monday");
    host.generate_thread("C1", 60, HOUR);
    host.llm.prompts().pop().unwrap()
}

#[test]
fn around_a_thread_what_does_not_bear_on_it_is_left_out_first() {
    let prompt = prompt_within(200);
    for shown in [
        "own history",
        "the crane of channel 29",
        "#other-29",
        "On Monday",
    ] {
        assert!(prompt.contains(shown), "{shown}: {prompt}");
    }
    let shown = prompt.matches("lunch of channel").count();
    assert!(shown < 10, "{prompt}");
    assert_eq!(prompt.matches("\n- #other-").count(), shown + 1);
}

#[test]
fn around_a_thread_everything_is_shown_that_fits() {
    let prompt = prompt_within(100_000);
    assert_eq!(prompt.matches("of channel").count(), 30);
    assert!(prompt.contains("The weather is fine"));
    assert!(!prompt_within(0).contains("own history"));
}

#[test]
fn a_thread_memory_cites_no_memory_that_its_prompt_did_not_show() {
    for (max_tokens, is_cited) in [(4000, true), (0, false)] {
        let mut host = TestHost::with_prompts();
        host.settings.surroundings_max_tokens = max_tokens;
        host.storage.add_channel("X", "harbour");
        let line = "- The crane arrives at pier seven on Monday";
        let source = MessageRef {
            channel_id: "X".to_owned(),
            ts: ts(0),
        };
        let of_channel = (Scope::Channel, "X", LongTerm);
        host.remember_from(of_channel, line, vec![source.clone()]);
        host.say("C1", 60, "Where does the crane arrive?");
        host.reply("C1", 60, 70, "Let me look");
        let answer = "- On Monday the crane arrives, at pier seven";
        host.llm
            .script(0, Ok(completion(answer, FinishReason::Stop)));
        host.generate_thread("C1", 60, HOUR);
        let draft = host.storage.drafts().pop().unwrap();
        let mut cited = draft.citations.iter().flat_map(|line| &line.messages);
        assert_eq!(cited.any(|at| *at == source), is_cited, "{draft:?}");
    }
}
