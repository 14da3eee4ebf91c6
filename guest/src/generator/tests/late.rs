//! Messages that are stored after newer ones were summarised.

use std::collections::BTreeMap;

use super::*;
use crate::bindings::llm::{FinishReason, Request};
use crate::bindings::types::Scope;
use crate::testing::{DAY, HOUR, TestHost, completion, ts};
use MemoryType::ShortTerm;

/// The messages of each short-term version of C1 that were in no version before.
fn news(host: &TestHost) -> Vec<Vec<String>> {
    let mut seen = std::collections::BTreeSet::new();
    let drafts = host.storage.drafts();
    let versions = drafts.iter().filter(|draft| {
        draft.scope == Scope::Channel && draft.memory_type == ShortTerm && draft.scope_id == "C1"
    });
    versions
        .map(|draft| {
            let mut sources = draft.source_messages.clone();
            sources.retain(|ts| seen.insert(ts.clone()));
            sources
        })
        .collect()
}

/// The newest prompt that holds this.
fn last_prompt(host: &TestHost, what: &str) -> String {
    let mut prompts = host.llm.prompts().into_iter();
    prompts.rfind(|prompt| prompt.contains(what)).unwrap()
}

#[test]
fn a_late_message_is_news_of_the_next_version_however_old_it_is() {
    let host = TestHost::new();
    host.say("C1", -HOUR, "on time");
    host.generate(0);
    host.say("C1", -9 * DAY, "late");
    host.generate(2 * HOUR);
    assert_eq!(host.storage.versions("C1"), ["on time", "late on time"]);
    assert_eq!(news(&host)[1], [ts(-9 * DAY)]);
    assert_eq!(
        host.storage
            .drafts()
            .last()
            .map(|draft| draft.coverage.late),
        Some(0)
    );
    let entries = host.generate_channel("C1", 4 * HOUR);
    assert!(is_skipped(
        outcome_of(&entries, "C1"),
        SkipReason::NoNewMessages
    ));
}

#[test]
fn the_prompt_names_late_messages_and_coverage_counts_them() {
    let host = TestHost::with_prompts();
    host.say("C1", -HOUR, "on time");
    host.generate(0);
    assert!(!last_prompt(&host, "on time").contains("あとから届いた発言"));
    host.say("C1", -2 * HOUR, "late");
    host.generate(2 * HOUR);
    let prompt = last_prompt(&host, "late");
    let (_, named) = prompt.split_once("### あとから届いた発言").unwrap();
    assert_eq!(named.matches("\n- ").count(), 1, "{named}");
    let drafts = host.storage.drafts();
    let version = drafts
        .iter()
        .rfind(|draft| draft.memory_type == ShortTerm && draft.scope == Scope::Channel);
    assert_eq!(version.unwrap().coverage.late, 1);
}

#[test]
fn the_prompt_of_a_merge_says_that_messages_are_late() {
    const NOTE: &str = "あとから届いた発言があります";
    let host = TestHost::with_prompts();
    let repeated = |_, request: &Request| {
        let is_late = request.system_prompt.contains("Atami");
        let text = if is_late {
            "- the venue is Atami"
        } else {
            "- the bus leaves at nine"
        };
        Ok(completion(text, FinishReason::Stop))
    };
    host.llm.answer_by(repeated);
    host.say("C1", -HOUR, "the venue is Hakone");
    host.generate(0);
    host.say("C1", HOUR, "the bus leaves at nine");
    host.generate(2 * HOUR);
    let said = |what: &str| {
        host.llm
            .prompts()
            .iter()
            .any(|prompt| prompt.contains(what))
    };
    assert!(said("既存の長期記憶") && !said(NOTE));
    host.say("C1", -2 * HOUR, "the venue is Atami");
    host.generate(4 * HOUR);
    assert!(said(NOTE));
}

#[test]
fn a_late_reply_comes_with_the_beginning_of_its_thread() {
    let host = TestHost::new();
    host.say("C1", -3 * DAY, "beginning");
    host.say("C1", -HOUR, "on time");
    host.generate(0);
    assert_eq!(host.storage.versions("C1"), ["on time"], "history");
    host.reply("C1", -3 * DAY, -2 * DAY, "late reply");
    host.generate(2 * HOUR);
    let versions = host.storage.versions("C1");
    assert_eq!(versions[1], "on time (beginning late reply)");
}

#[test]
fn many_late_messages_go_into_several_versions_the_oldest_first() {
    let mut host = TestHost::new();
    host.settings.generation_message_limit = 3;
    host.say("C1", -HOUR, "on time");
    host.generate(0);
    for day in 2..9 {
        host.say("C1", -day * DAY, &format!("d{day}"));
    }
    host.generate(2 * HOUR);
    let versions = host.storage.versions("C1");
    assert_eq!(versions, ["on time", "d8 d7 d6", "d5 d4 d3", "d2 on time"]);
    let through = host.storage.of("C1", ShortTerm);
    let through = through.last().unwrap().source_latest_message_ts.clone();
    assert_eq!(through, Some(ts(-HOUR)), "the watermark never goes back");
}

/// In any order of messages and runs.
#[test]
fn every_message_is_news_of_exactly_one_version() {
    for seed in 0..200_u64 {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = |n: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % n
        };
        let mut host = TestHost::new();
        host.settings.generation_message_limit = 2 + u32::try_from(next(6)).unwrap();
        host.say("C1", -HOUR, "first");
        host.generate(0);
        let mut said: BTreeMap<i64, ()> = [(-HOUR, ())].into();
        let mut now = 0;
        for _ in 0..30 {
            now += i64::try_from(next(6)).unwrap() * HOUR;
            if next(4) == 0 {
                host.generate(now);
                continue;
            }
            let at = now - i64::try_from(next(20 * 24)).unwrap() * HOUR
                + i64::try_from(next(3000)).unwrap();
            let at = at.min(now);
            if said.insert(at, ()).is_none() {
                host.say("C1", at, &format!("m{at}"));
            }
        }
        host.generate(now + 3 * HOUR);
        let mut all: Vec<String> = news(&host).into_iter().flatten().collect();
        all.sort();
        let mut expected: Vec<String> = said.keys().map(|at| ts(*at)).collect();
        expected.sort();
        assert_eq!(all, expected, "seed {seed}");
        let entries = host.generate_channel("C1", now + 6 * HOUR);
        assert!(
            is_skipped(outcome_of(&entries, "C1"), SkipReason::NoNewMessages),
            "seed {seed}"
        );
    }
}

/// An opener never stands without what was said about it since.
#[test]
fn the_memory_of_a_thread_stands_for_the_replies_that_are_left_out() {
    let host = TestHost::with_prompts();
    host.say("C1", -3 * DAY, "we meet on Monday");
    host.reply("C1", -3 * DAY, -3 * DAY + 1, "correction: on Tuesday");
    host.llm.answer_by(|_, request| {
        let is_of_thread = request.purpose.scope == Scope::Thread;
        let text = if is_of_thread {
            "- The meeting is on Tuesday"
        } else {
            "- talk"
        };
        Ok(completion(text, FinishReason::Stop))
    });
    host.generate(-2 * DAY);
    assert!(!last_prompt(&host, "Monday").contains("スレッドのこれまで"));
    host.say("C1", -30 * HOUR, "something else");
    host.generate(-27 * HOUR);
    host.reply("C1", -3 * DAY, -HOUR, "who brings coffee?");
    host.generate(2 * HOUR);
    let prompt = last_prompt(&host, "#C1 チャンネルの直近の会話");
    assert!(prompt.contains("who brings coffee?"), "{prompt}");
    assert!(!prompt.contains("correction"), "{prompt}");
    let (_, so_far) = prompt.split_once("### スレッドのこれまで").unwrap();
    assert!(so_far.contains("- The meeting is on Tuesday"), "{so_far}");
}

#[test]
fn a_thread_memory_that_is_behind_is_shown_however_many_new_replies_there_are() {
    let host = TestHost::with_prompts();
    host.say("C1", -3 * DAY, "we meet on Monday");
    host.reply("C1", -3 * DAY, -3 * DAY + 1, "correction: on Tuesday");
    host.llm.answer_by(|_, request| {
        let is_of_thread = request.purpose.scope == Scope::Thread;
        let text = if is_of_thread {
            "- The meeting is on Tuesday"
        } else {
            "- talk"
        };
        Ok(completion(text, FinishReason::Stop))
    });
    host.generate(-2 * DAY);
    host.say("C1", -30 * HOUR, "something else");
    host.generate(-27 * HOUR);
    for reply in 0..5 {
        host.reply("C1", -3 * DAY, -HOUR + reply, "who brings coffee?");
    }
    // The thread's own step is not taken.
    host.generate_channel("C1", 2 * HOUR);
    let prompt = last_prompt(&host, "#C1 チャンネルの直近の会話");
    assert!(!prompt.contains("correction"), "{prompt}");
    assert!(prompt.contains("### スレッドのこれまで"), "{prompt}");
}
