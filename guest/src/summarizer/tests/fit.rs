//! Every prompt fits: what is left out, in which order, and what a refused prompt shows about the window.

use super::*;
use crate::bindings::types::{ChannelMemory, ConversationHistory, LeftOut, Thread};
use crate::testing::{Quiet, message, ts};

/// What a thread's prompt shows besides its target, in the order in which it is left out.
const BY_IMPORTANCE: [&str; 12] = [
    "other-short-1",
    "other-short-2",
    "other-short-3",
    "other-long",
    "workspace-long",
    "talk-1",
    "side-thread-1",
    "talk-2",
    "own-short-1",
    "own-short-2",
    "own-short-3",
    "own-long",
];

fn channel_memory(id: &str) -> ChannelMemory {
    let text = |part: &str| format!("- {id}-{part} {}", "x".repeat(40));
    ChannelMemory {
        channel_id: id.to_owned(),
        channel_name: id.to_owned(),
        long_term_memory: Some(text("long")),
        short_term_memory: Some(text("short-3")),
        short_term_memory_history: [1, 2, 3].map(|n| text(&format!("short-{n}"))).to_vec(),
    }
}

/// A thread in a channel with memories, besides another channel.
fn busy_context() -> Context {
    let thread = |start: i64, name: &str| Thread {
        thread_ts: ts(start),
        messages: [(0, 1), (1, 2)]
            .map(|(later, n)| message(start + later, &format!("{name}-{n} {}", "y".repeat(40))))
            .to_vec(),
    };
    Context {
        persona: golden_context().persona,
        conversation_history: ConversationHistory {
            channel_id: "own".to_owned(),
            channel_name: "own".to_owned(),
            top_level_messages: vec![
                message(-300, "talk-1 hello hello hello"),
                message(-100, "talk-2 hello hello hello"),
            ],
            threads: vec![thread(-200, "side-thread"), thread(-50, "target")],
        },
        workspace_long_term_memory: Some("- workspace-long all of us".to_owned()),
        workspace_short_term_memory: None,
        channel_memories: vec![channel_memory("other"), channel_memory("own")],
        thread_memories: Vec::new(),
        target_thread_ts: Some(ts(-50)),
        notes: None,
    }
}

/// Settings under which a window is the longest prompt.
fn tight() -> Settings {
    Settings {
        short_term_summary_max_tokens: 0,
        long_term_summary_max_tokens: 0,
        context_margin_tokens: 0,
        ..settings()
    }
}

fn summarized(window: u32) -> (Result<Summary, Error>, Vec<String>) {
    let (llm, settings) = (ScriptedLlm::default(), tight());
    llm.window.set(Some(window));
    llm.answer_by(|_, _| Ok(completion("- text", FinishReason::Stop)));
    let summary = Summarizer::new(&llm, &Quiet, &settings).summarize(
        &busy_context(),
        Thread,
        ShortTerm,
        None,
    );
    (summary, llm.prompts())
}

fn whole_prompt() -> String {
    summarized(u32::MAX).1.remove(0)
}

#[test]
fn what_does_not_fit_is_left_out_by_importance_and_no_more_than_it_takes() {
    let whole = u32::try_from(whole_prompt().chars().count()).unwrap();
    let mut shown_before = BY_IMPORTANCE.len();
    for window in (1..=whole).rev() {
        let (summary, prompts) = summarized(window);
        let Ok(summary) = summary else { break };
        if summary.coverage.chunks > 1 {
            break;
        }
        let prompt = &prompts[0];
        assert!(prompt.chars().count() <= window as usize);
        assert!(prompt.contains("target-1") && prompt.contains("target-2"));
        assert!(prompt.contains("上記のスレッドの内容を要約してください"));
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
    }
    assert_eq!(shown_before, 0, "in the end only the target is left");
}

#[test]
fn the_coverage_says_what_was_left_out() {
    let of_window = |window| summarized(window).0.unwrap().coverage;
    let whole = u32::try_from(whole_prompt().chars().count()).unwrap();
    assert_eq!(of_window(whole).left_out, NOTHING);
    let one = of_window(whole - 1);
    assert_eq!(
        (one.left_out.other_channels, one.messages, one.covered),
        (1, 2, 2)
    );
    let most = (1..whole)
        .map(|window| summarized(window).0)
        .find_map(|summary| summary.ok().filter(|summary| summary.coverage.chunks == 1))
        .unwrap();
    let all = LeftOut {
        other_channels: 4,
        workspace: 1,
        messages: 4,
        channel: 4,
    };
    assert_eq!(most.coverage.left_out, all);
}

#[test]
fn a_window_that_is_not_known_cuts_nothing() {
    let llm = ScriptedLlm::default();
    let settings = tight();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
    assert_eq!(summary.unwrap().coverage.left_out, NOTHING);
    assert_eq!(llm.prompts(), [whole_prompt()]);
}

#[test]
fn output_and_margin_are_kept_free() {
    let settings = Settings {
        short_term_summary_max_tokens: 100,
        context_margin_tokens: 50,
        ..tight()
    };
    let whole = u32::try_from(whole_prompt().chars().count()).unwrap();
    for (window, left_out) in [(whole + 150, 0), (whole + 149, 1)] {
        let llm = ScriptedLlm::default();
        llm.window.set(Some(window));
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        let summary = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
        let coverage = summary.unwrap().coverage;
        assert_eq!(coverage.left_out.other_channels, left_out, "{window}");
    }
}

#[test]
fn a_rendered_prompt_is_the_one_that_is_sent() {
    let llm = ScriptedLlm::default();
    let settings = tight();
    let whole = u32::try_from(whole_prompt().chars().count()).unwrap();
    for window in [whole, whole - 300, whole - 600, 450] {
        llm.window.set(Some(window));
        llm.answer_by(|_, _| Ok(completion("- text", FinishReason::Stop)));
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        let prompt = summarizer.render_prompt(&busy_context(), Thread, ShortTerm, None);
        let before = llm.calls();
        let _ = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
        assert_eq!(Some(prompt.unwrap()), llm.prompts().get(before).cloned());
    }
}

#[test]
fn a_channels_prompt_can_do_without_the_workspace() {
    let settings = tight();
    let llm = ScriptedLlm::default();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    for (memory_type, existing) in [(ShortTerm, None), (LongTerm, Some("- existing"))] {
        llm.window.set(None);
        let context = busy_context();
        let whole = summarizer
            .render_prompt(&context, Channel, memory_type, existing)
            .unwrap();
        llm.window
            .set(Some(u32::try_from(whole.chars().count()).unwrap() - 1));
        let summary = summarizer.summarize(&context, Channel, memory_type, existing);
        assert_eq!(summary.unwrap().coverage.left_out.workspace, 1);
        let prompt = llm.prompts().pop().unwrap();
        assert!(whole.contains("workspace-long") && !prompt.contains("workspace-long"));
    }
}

#[test]
fn a_merge_that_does_not_fit_is_an_error_that_tells_the_limit_and_asks_nobody() {
    let (llm, settings) = (ScriptedLlm::default(), tight());
    llm.window.set(Some(100));
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&busy_context(), Channel, LongTerm, None);
    assert!(
        matches!(summary, Err(Error::PromptTooLong(excess)) if excess.limit == 100 && excess.tokens > 100),
        "{summary:?}"
    );
    assert_eq!(llm.calls(), 0);
}

/// A model that accepts no prompt of more than so many characters.
fn strict(llm: &ScriptedLlm, most: usize, told: Option<u32>) {
    llm.answer_by(move |_, request| {
        if request.system_prompt.chars().count() > most {
            Err(LlmError::ContextTooLong(told))
        } else {
            Ok(completion("- text", FinishReason::Stop))
        }
    });
}

#[test]
fn after_a_prompt_that_was_too_long_the_limit_that_was_told_is_kept() {
    let (llm, settings) = (ScriptedLlm::default(), tight());
    strict(&llm, 700, Some(700));
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
    assert_eq!(summary.unwrap().coverage.calls, 2);
    let again = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
    assert_eq!(again.unwrap().coverage.calls, 1, "the limit is remembered");
}

#[test]
fn a_limit_that_is_not_told_or_makes_no_sense_is_found_by_smaller_prompts() {
    for told in [None, Some(1_000_000)] {
        let (llm, settings) = (ScriptedLlm::default(), tight());
        strict(&llm, 600, told);
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        let summary = summarizer
            .summarize(&busy_context(), Thread, ShortTerm, None)
            .unwrap();
        assert!(summary.coverage.calls > 2);
        let lengths: Vec<usize> = llm.prompts().iter().map(|p| p.chars().count()).collect();
        assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
    }
}

#[test]
fn a_model_that_takes_no_prompt_at_all_is_given_up() {
    let (llm, settings) = (ScriptedLlm::default(), tight());
    strict(&llm, 0, None);
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&busy_context(), Thread, ShortTerm, None);
    assert!(
        matches!(summary, Err(Error::PromptTooLong(_))),
        "{summary:?}"
    );
    assert!(llm.calls() < 60);
}
