//! How a text is asked for and accepted. A comment above a test names the row of the specification's test table that it
//! covers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod chunks;
mod extracted;
mod fit;
mod judged;
mod narrow;
mod second_ask;

use super::*;
use crate::bindings::errors::{BadAnswer, Combination};
use crate::bindings::llm::{FinishReason, LlmError, Request};
use crate::bindings::types::Citation;
use crate::testing::{Quiet, ScriptedLlm, TestHost, completion, golden_context};
use MemoryType::{LongTerm, ShortTerm};
use Scope::{Channel, Thread, Workspace};

/// Every combination that exists, the retired one last.
const ALL: [(Scope, MemoryType); 5] = [
    (Thread, ShortTerm),
    (Channel, ShortTerm),
    (Channel, LongTerm),
    (Workspace, LongTerm),
    (Workspace, ShortTerm),
];

/// The real prompts, the retired combination included.
fn settings() -> Settings {
    Settings {
        legacy_workspace_short_term: true,
        ..TestHost::with_prompts().settings
    }
}

/// The golden context without what any combination summarises.
fn nothing_to_summarise() -> Context {
    let mut context = golden_context();
    context.conversation_history.top_level_messages.clear();
    context.conversation_history.threads.clear();
    context.channel_memories.clear();
    context
}

/// A number in letters: digits would follow from no message.
fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
    [letter(number / 26), letter(number)].into_iter().collect()
}

/// Summarises the golden context with this answer.
fn answered(text: &str, finish_reason: FinishReason) -> Result<Summary, Error> {
    let llm = ScriptedLlm::default();
    for call in [0, 1] {
        llm.script(call, Ok(completion(text, finish_reason)));
    }
    Summarizer::new(&llm, &Quiet, &settings()).summarize(
        &golden_context(),
        Channel,
        ShortTerm,
        None,
    )
}

// -- what is asked --

// extra05a LLM呼び出し形式: メッセージ形式. A request of `wit/llm.wit` has one system message and no place for another.
#[test]
fn the_model_gets_one_system_message_which_is_the_rendered_prompt() {
    let (llm, settings, context) = (ScriptedLlm::default(), settings(), golden_context());
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    for (calls, (scope, memory_type)) in (1..).zip(ALL) {
        let _ = summarizer
            .summarize(&context, scope, memory_type, Some("- 既存"))
            .unwrap();
        let Request { system_prompt, .. } = llm.requests().pop().unwrap();
        let prompt = summarizer
            .render_prompt(&context, scope, memory_type, Some("- 既存"))
            .unwrap();
        assert_eq!(system_prompt, prompt);
        assert_eq!(llm.calls(), calls, "one call each");
    }
}

// extra05a LLM呼び出し形式: max_tokens LONG_TERM, max_tokens SHORT_TERM
#[test]
fn max_tokens_are_those_of_the_memory_type() {
    let mut settings = settings();
    settings.long_term_summary_max_tokens = 777;
    settings.short_term_summary_max_tokens = 333;
    let llm = ScriptedLlm::default();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    for (scope, memory_type) in ALL {
        let _ = summarizer
            .summarize(&golden_context(), scope, memory_type, None)
            .unwrap();
        let expected = if memory_type == LongTerm { 777 } else { 333 };
        assert_eq!(llm.requests().pop().unwrap().max_tokens, expected);
    }
}

// 05 THREAD: スレッドメッセージ使用
#[test]
fn a_threads_prompt_holds_the_messages_of_its_target() {
    let prompt = prompt_of(Thread, ShortTerm, None);
    let (_, target) = prompt
        .split_once("## 要約対象スレッド: 1709280000.000001")
        .unwrap();
    assert!(target.contains("今日のタスク確認しよう") && target.contains("了解、リスト共有するね"));
}

// 05 CHANNEL: 長期記憶（短期記憶をマージ）, 05 CHANNEL: 補助情報
#[test]
fn a_channels_long_term_prompt_holds_the_short_term_memory_and_the_workspaces() {
    let prompt = prompt_of(Channel, LongTerm, Some("- 既存"));
    for part in [
        "## 統合対象: チャンネルの短期記憶\n- 今週の進捗報告",
        "- 既存",
        "## ワークスペースの概要\n- 2024年1月",
    ] {
        assert!(prompt.contains(part), "{part} is missing in {prompt}");
    }
}

// 05 WORKSPACE: 補助情報なし
#[test]
fn a_workspace_prompt_has_no_surroundings() {
    for memory_type in [LongTerm, ShortTerm] {
        let prompt = prompt_of(Workspace, memory_type, None);
        assert_eq!(
            prompt.matches("\n## ").count(),
            1,
            "the target alone: {prompt}"
        );
        assert!(
            !prompt.contains("ワークスペースの概要") && !prompt.contains("2024年1月"),
            "{prompt}"
        );
    }
}

// 05 THREAD: 既存記憶更新. Document extra05a wins: its THREAD prompt has no existing memory, and 05 itself gives
// `existing_memory` to long-term memories only.
#[test]
fn a_short_term_prompt_has_no_existing_memory() {
    for scope in [Thread, Channel] {
        assert!(!prompt_of(scope, ShortTerm, Some("existing memory")).contains("existing memory"));
    }
}

fn prompt_of(scope: Scope, memory_type: MemoryType, existing_memory: Option<&str>) -> String {
    let llm = ScriptedLlm::default();
    let _ = Summarizer::new(&llm, &Quiet, &settings())
        .summarize(&golden_context(), scope, memory_type, existing_memory)
        .unwrap();
    llm.prompts().remove(0)
}

// -- nothing to summarise --

// 05 THREAD: target なし, extra05a THREAD: target なし
#[test]
fn a_thread_without_a_target_is_the_empty_string_and_asks_no_model() {
    let mut context = golden_context();
    context.target_thread_ts = None;
    let llm = ScriptedLlm::default();
    let settings = settings();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let nothing = Summary {
        text: String::new(),
        engine: None,
        truncated: false,
        coverage: Coverage {
            messages: 0,
            covered: 0,
            left_out: NOTHING,
            chunks: 0,
            calls: 0,
            unfounded: 0,
            doubtful: 0,
            refused: 0,
            records: 0,
            late: 0,
            refused_items: 0,
        },
        citations: Vec::new(),
        records: Vec::new(),
        items: Vec::new(),
    };
    for existing_memory in [None, Some("existing")] {
        let summary = summarizer.summarize(&context, Thread, ShortTerm, existing_memory);
        assert_eq!(summary, Ok(nothing.clone()));
    }
    assert_eq!(llm.calls(), 0);
}

#[test]
fn a_thread_without_messages_is_the_empty_string_and_asks_no_model() {
    let mut context = golden_context();
    context.target_thread_ts = Some("1.000000".to_owned());
    let llm = ScriptedLlm::default();
    let summary = Summarizer::new(&llm, &Quiet, &settings()).summarize(
        &context,
        Thread,
        ShortTerm,
        Some("old"),
    );
    assert_eq!(summary.unwrap().text, "");
    assert_eq!(llm.calls(), 0);
}

// 05 CHANNEL: 空コンテンツ, 05 WORKSPACE: チャンネル記憶なし, extra05a CHANNEL: 空会話履歴,
// extra05a WORKSPACE: 空チャンネル記憶
#[test]
fn nothing_to_summarise_is_the_existing_memory_or_the_empty_string_and_asks_no_model() {
    for engine in [Engine::Llm, Engine::Extractive] {
        let settings = Settings {
            engine,
            ..settings()
        };
        let llm = ScriptedLlm::default();
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        for (scope, memory_type) in &ALL[1..] {
            let text = |existing| {
                let context = nothing_to_summarise();
                let summary = summarizer
                    .summarize(&context, *scope, *memory_type, existing)
                    .unwrap();
                assert_eq!((summary.engine, summary.truncated), (None, false));
                summary.text
            };
            assert_eq!(text(Some(" existing ")), " existing ", "unchanged");
            assert_eq!(text(None), "");
        }
        assert_eq!(llm.calls(), 0);
    }
}

#[test]
fn a_combination_without_a_memory_is_refused_even_with_nothing_to_summarise() {
    let llm = ScriptedLlm::default();
    let settings = Settings {
        legacy_workspace_short_term: false,
        ..settings()
    };
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    for (scope, memory_type) in [(Thread, LongTerm), (Workspace, ShortTerm)] {
        for context in [golden_context(), nothing_to_summarise()] {
            let error = Error::UnsupportedCombination(Combination { scope, memory_type });
            assert_eq!(
                summarizer.summarize(&context, scope, memory_type, Some("old")),
                Err(error)
            );
        }
    }
    assert_eq!(llm.calls(), 0);
}

// -- what is taken from an answer --

#[test]
fn an_answer_is_stripped() {
    let summary = answered("\n\u{3000} - 要約 \n\n", FinishReason::Stop).unwrap();
    assert_eq!(
        summary,
        Summary {
            text: "- 要約".to_owned(),
            engine: Some(Engine::Llm),
            truncated: false,
            coverage: Coverage {
                messages: 6,
                covered: 6,
                left_out: NOTHING,
                chunks: 1,
                calls: 1,
                unfounded: 0,
                doubtful: 0,
                refused: 0,
                records: 0,
                late: 0,
                refused_items: 0,
            },
            // The messages do not say it.
            citations: vec![Citation {
                start: 0,
                length: 4,
                messages: Vec::new(),
                by_program: false,
            }],
            records: Vec::new(),
            items: Vec::new(),
        }
    );
}

#[test]
fn an_answer_that_was_cut_off_ends_at_its_last_whole_line_and_says_so() {
    for (answer, kept) in [
        ("- one\n- two\n- thr", "- one\n- two"),
        ("- one\n- two\n", "- one\n- two"),
        ("\n- one\n\n- tw", "- one"),
        ("- one without an end", "- one without an end"),
        ("\n- one without an end", "- one without an end"),
    ] {
        let summary = answered(answer, FinishReason::Length).unwrap();
        assert_eq!(
            (summary.text.as_str(), summary.truncated),
            (kept, true),
            "{answer:?}"
        );
    }
}

#[test]
fn an_answer_that_a_filter_held_back_is_refused() {
    for text in ["", "- half of it"] {
        let answer = answered(text, FinishReason::ContentFilter);
        assert!(
            matches!(answer, Err(Error::Llm(LlmError::Refused(_)))),
            "{answer:?}"
        );
    }
}
