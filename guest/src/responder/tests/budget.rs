//! Every prompt fits, and the target stays.

use super::*;
use crate::bindings::errors::TokenExcess;
use crate::bindings::types::{ChannelMemory, LeftOut};
use crate::fit::NOTHING;
use crate::prompt::persona_for;

/// What a reply's prompt shows besides the first, the answered and the newest message of its thread, in the order in
/// which it is left out.
const BY_IMPORTANCE: [&str; 10] = [
    "workspace-long",
    "talk-1",
    "side-thread",
    "talk-2",
    "own-short-1",
    "own-short-2",
    "own-long",
    "thread-2",
    "thread-3",
    "thread-5",
];

/// A thread whose fourth message is answered, with memories and conversations around it. The window is the longest
/// prompt.
fn busy_host() -> TestHost {
    let mut host = host();
    host.settings.reply_max_tokens = 0;
    host.settings.judgment_max_tokens = 0;
    host.settings.context_margin_tokens = 0;
    // What is found stands in a list of its own.
    host.storage.cannot_search.set(true);
    host.storage.add_channel("C0", "other");
    host.storage.add_channel("C1", "own");
    for (channel, name) in [("C0", "other"), ("C1", "own")] {
        let part = |part: &str| format!("- {name}-{part} {}", "x".repeat(40));
        host.remember(Scope::Channel, channel, LongTerm, &part("long"));
        host.remember(Scope::Channel, channel, ShortTerm, &part("short-1"));
        host.remember(Scope::Channel, channel, ShortTerm, &part("short-2"));
    }
    host.remember(Scope::Workspace, "default", LongTerm, "- workspace-long");
    host.say("C1", -300, "talk-1 hello");
    host.say("C1", -290, "side-thread a");
    host.reply("C1", -290, -280, "side-thread b");
    host.say("C1", -270, "talk-2 hello");
    host.say("C1", -100, "thread-1 first");
    for number in 2..=6 {
        let text = format!("thread-{number} {}", "y".repeat(30));
        host.reply("C1", -100, -100 + number, &text);
    }
    host
}

fn answered() -> Target {
    target(Some(-100), -96)
}

fn reply_within(window: u32) -> (Result<Reply, Error>, Vec<String>) {
    let host = busy_host();
    host.llm.window.set(Some(window));
    (mention(&host, &answered()), host.llm.prompts())
}

fn length(prompt: &str) -> u32 {
    u32::try_from(prompt.chars().count()).unwrap()
}

#[test]
fn what_does_not_fit_is_left_out_by_importance_and_the_oldest_of_the_target_last() {
    let whole = length(&reply_within(u32::MAX).1[0]);
    let mut shown_before = BY_IMPORTANCE.len();
    let mut left_out = NOTHING;
    for window in (1..=whole).rev() {
        let (reply, prompts) = reply_within(window);
        let Ok(reply) = reply else { break };
        let prompt = &prompts[0];
        assert!(length(prompt) <= window);
        for stays in [
            "thread-1",
            "thread-4",
            "thread-6",
            "返信の本文だけを書いてください",
        ] {
            assert!(prompt.contains(stays), "{stays} in\n{prompt}");
        }
        let shown: Vec<&str> = BY_IMPORTANCE
            .into_iter()
            .filter(|part| prompt.contains(part))
            .collect();
        assert_eq!(
            shown,
            BY_IMPORTANCE[BY_IMPORTANCE.len() - shown.len()..],
            "the least important go first"
        );
        assert!(shown.len() <= shown_before, "less room never shows more");
        shown_before = shown.len();
        left_out = reply.left_out;
    }
    assert_eq!(shown_before, 0);
    let all = LeftOut {
        other_channels: 0,
        workspace: 1,
        messages: 4 + 3,
        channel: 3,
    };
    assert_eq!(left_out, all, "all of it is counted");
}

#[test]
fn what_was_found_is_left_out_before_the_conversation_and_the_last_first() {
    let host = busy_host();
    host.storage.cannot_search.set(false);
    let shown = |window| {
        host.llm.window.set(Some(window));
        let before = host.llm.calls();
        let reply = mention(&host, &answered()).unwrap();
        let prompt = host.llm.prompts().remove(before);
        let numbers = (1..9).filter(|number| prompt.contains(&format!("### [{number}] ")));
        (
            numbers.collect::<Vec<i64>>(),
            length(&prompt),
            reply.left_out,
        )
    };
    let (all, whole, _) = shown(u32::MAX);
    assert_eq!(all, [1, 2, 3, 4, 5]);
    let (some, _, left_out) = shown(whole - 1);
    assert_eq!(some, [1, 2, 3, 4]);
    assert_eq!(left_out, NOTHING, "what was found is not counted");
}

#[test]
fn of_the_top_level_the_answered_and_the_newest_message_stay() {
    let host = busy_host();
    for number in 1..=9 {
        host.say(
            "C1",
            -50 + number,
            &format!("top-{number} {}", "z".repeat(30)),
        );
    }
    let rendered = |window| {
        host.llm.window.set(Some(window));
        let before = host.llm.calls();
        let reply = mention(&host, &target(None, -45));
        (reply, host.llm.prompts().get(before).cloned())
    };
    let least = (1..2000)
        .find(|window| rendered(*window).0.is_ok())
        .unwrap();
    let (reply, prompt) = rendered(least);
    let prompt = prompt.unwrap();
    let shown = |number: i64| prompt.contains(&format!("top-{number} "));
    let shown: Vec<i64> = (1..=9).filter(|number| shown(*number)).collect();
    assert_eq!(shown, [5, 9]);
    // Two threads of two and six messages, and all but two of the top level's eleven.
    assert_eq!(reply.unwrap().left_out.messages, 2 + 6 + 9);
}

#[test]
fn a_target_that_does_not_fit_at_all_is_an_error_that_tells_the_limit_and_asks_nobody() {
    let (reply, prompts) = reply_within(100);
    assert!(
        matches!(reply, Err(Error::PromptTooLong(TokenExcess { tokens, limit: 100 })) if tokens > 100),
        "{reply:?}"
    );
    assert!(prompts.is_empty());
}

#[test]
fn the_longest_answer_and_the_margin_are_kept_free() {
    let whole = length(&reply_within(u32::MAX).1[0]);
    for (window, cut) in [(whole + 150, 0), (whole + 149, 1)] {
        let mut host = busy_host();
        host.settings.reply_max_tokens = 100;
        host.settings.context_margin_tokens = 50;
        host.llm.window.set(Some(window));
        let left_out = mention(&host, &answered()).unwrap().left_out;
        assert_eq!(left_out.workspace, cut, "{window}");
    }
}

#[test]
fn after_a_prompt_that_was_too_long_a_shorter_one_is_sent() {
    for told in [Some(900), None, Some(1_000_000)] {
        let host = busy_host();
        host.llm.answer_by(move |_, request| {
            if length(&request.system_prompt) > 900 {
                Err(LlmError::ContextTooLong(told))
            } else {
                Ok(completion(ANSWER, FinishReason::Stop))
            }
        });
        let reply = mention(&host, &answered()).unwrap();
        assert!(reply.left_out.workspace > 0);
        let lengths: Vec<u32> = host.llm.prompts().iter().map(|p| length(p)).collect();
        assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
    }
}

#[test]
fn a_judgments_prompt_fits_too() {
    let host = busy_host();
    let judgment = r#"{"should_respond": false, "reason": "", "confidence": 1}"#;
    host.llm
        .answer_by(move |_, _| Ok(completion(judgment, FinishReason::Stop)));
    let ports = host.ports();
    let responder = Responder::new(&ports, &host.chat, at(0));
    responder.judge(&answered()).unwrap();
    let whole = length(&host.llm.prompts()[0]);
    host.llm.window.set(Some(whole - 1));
    responder.judge(&answered()).unwrap();
    let prompt = &host.llm.prompts()[1];
    assert!(length(prompt) < whole && !prompt.contains("talk-1"));
}

#[test]
fn a_rendered_prompt_is_the_one_that_is_sent_but_for_the_offer_to_search() {
    let rendered = |prompt: &str| prompt.rfind("\n上の内容だけでは").unwrap();
    let whole = &reply_within(u32::MAX).1[0];
    let offer = length(&whole[rendered(whole)..]);
    let whole = length(whole) - offer;
    for window in [whole, whole - 200, whole - 400] {
        let host = busy_host();
        host.llm.window.set(Some(window + offer));
        let newest = target(Some(-100), -94);
        mention(&host, &newest).unwrap();
        let mut context = host
            .requested(
                crate::bindings::exports::myao::memory::context_builder::BuildRequest {
                    channel_id: "C1".to_owned(),
                    target_thread_ts: newest.thread_ts,
                    since: None,
                    message_limit: None,
                },
            )
            .unwrap();
        context.persona = persona_for(&host.settings, &host.settings.response_prompt, &context);
        // What the responder leaves out and adds.
        let is_own = |memory: &ChannelMemory| memory.channel_id == "C1";
        context.channel_memories.retain(is_own);
        context.notes = Some(crate::bindings::types::Notes {
            now: Some(at(0)),
            ..crate::context::NO_NOTES
        });
        host.llm.window.set(Some(window));
        let ports = host.ports();
        let prompt = asker(&ports, at(0)).render_reply(&context, Occasion::Mention);
        let sent = &host.llm.prompts()[0];
        assert_eq!(prompt.unwrap(), sent[..rendered(sent)]);
    }
}
