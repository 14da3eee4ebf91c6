//! A target that is too long for one prompt is covered completely, in order, and merged.

use super::*;
use crate::bindings::types::{ChannelMemory, Message};
use crate::testing::{Quiet, message, ts};
use std::collections::BTreeMap;

/// Every prompt of the model fits so many characters.
const WINDOW: u32 = 900;

fn tight() -> Settings {
    Settings {
        short_term_summary_max_tokens: 0,
        long_term_summary_max_tokens: 0,
        context_margin_tokens: 0,
        ..settings()
    }
}

/// A model with the window, whose `n`th answer is `- summary` and `n` in letters.
fn model() -> ScriptedLlm {
    let llm = ScriptedLlm::default();
    llm.window.set(Some(WINDOW));
    llm.answer_by(|n, _| {
        Ok(completion(
            &format!("- summary {}", letters(n)),
            FinishReason::Stop,
        ))
    });
    llm
}

/// As [`tight`] and [`model`], but answers may have so many tokens.
fn with_room_for(tokens: u32) -> (Settings, ScriptedLlm) {
    let settings = Settings {
        short_term_summary_max_tokens: tokens,
        ..tight()
    };
    let llm = model();
    llm.window.set(Some(WINDOW + tokens));
    (settings, llm)
}

fn summarize(llm: &ScriptedLlm, context: &Context, scope: Scope) -> Summary {
    summarize_with(&tight(), llm, context, scope)
}

fn summarize_with(
    settings: &Settings,
    llm: &ScriptedLlm,
    context: &Context,
    scope: Scope,
) -> Summary {
    let summarizer = Summarizer::new(llm, &Quiet, settings);
    let summary = summarizer
        .summarize(context, scope, ShortTerm, None)
        .unwrap();
    for prompt in llm.prompts() {
        assert!(prompt.chars().count() <= WINDOW as usize, "{prompt}");
    }
    summary
}

/// The prompts of chunks, without those that merge summaries.
fn chunk_prompts(llm: &ScriptedLlm) -> Vec<String> {
    let mut prompts = llm.prompts();
    prompts.retain(|prompt| !prompt.contains("の部分要約"));
    prompts
}

/// A conversation with 60 top-level messages; every sixth began a thread of three.
fn long_conversation() -> Context {
    let mut context = golden_context();
    let history = &mut context.conversation_history;
    history.top_level_messages.clear();
    history.threads.clear();
    for number in 0..60 {
        let first = message(number * 10, &format!("<m{number}>"));
        if number % 6 == 0 {
            let replies =
                (1..3).map(|reply| message(number * 10 + reply, &format!("<m{number}-{reply}>")));
            history.threads.push(crate::bindings::types::Thread {
                thread_ts: ts(number * 10),
                messages: std::iter::once(first).chain(replies).collect(),
            });
        } else {
            history.top_level_messages.push(first);
        }
    }
    context
}

#[test]
fn every_message_goes_into_one_chunk_in_order_and_threads_stay_together() {
    let llm = model();
    let summary = summarize(&llm, &long_conversation(), Channel);
    let chunks = chunk_prompts(&llm);
    assert!(chunks.len() > 2);
    let position = |text: &str| {
        let found: Vec<usize> = (0..chunks.len())
            .filter(|chunk| chunks[*chunk].contains(text))
            .collect();
        assert_eq!(found.len(), 1, "{text} is in one chunk: {found:?}");
        found[0]
    };
    let mut last = 0;
    for number in 0..60 {
        let chunk = position(&format!("<m{number}>"));
        assert!(chunk >= last, "in order");
        last = chunk;
        if number % 6 == 0 {
            for reply in 1..3 {
                assert_eq!(position(&format!("<m{number}-{reply}>")), chunk);
            }
        }
    }
    let Coverage {
        messages,
        covered,
        chunks: count,
        ..
    } = summary.coverage;
    assert_eq!((messages, covered, count as usize), (80, 80, chunks.len()));
    assert_eq!(summary.coverage.calls as usize, llm.calls());
}

#[test]
fn the_chunks_summaries_are_merged_in_order_and_the_merge_is_the_text() {
    let llm = model();
    let summary = summarize(&llm, &long_conversation(), Channel);
    let merge = llm.prompts().pop().unwrap();
    let positions: Vec<Option<usize>> = (0..chunk_prompts(&llm).len())
        .map(|n| merge.find(&format!("- summary {}\n", letters(n))))
        .collect();
    assert!(positions.is_sorted() && positions[0].is_some(), "{merge}");
    assert!(merge.contains("#general チャンネル"));
    assert_eq!(
        summary.text,
        format!("- summary {}", letters(llm.calls() - 1))
    );
}

#[test]
fn summaries_that_do_not_fit_into_one_merge_are_merged_in_several_steps() {
    let (settings, llm) = with_room_for(320);
    llm.answer_by(|n, _| {
        let text = format!("- summary {} {}", letters(n), "あ".repeat(300));
        Ok(completion(&text, FinishReason::Stop))
    });
    let summary = summarize_with(&settings, &llm, &long_conversation(), Channel);
    let merges = llm.calls() - chunk_prompts(&llm).len();
    assert!(merges > 1);
    assert!(
        summary
            .text
            .starts_with(&format!("- summary {} あ", letters(llm.calls() - 1)))
    );
}

#[test]
fn summaries_of_which_no_two_fit_are_an_error() {
    let (settings, llm) = with_room_for(600);
    llm.answer_by(|_, _| Ok(completion(&"あ".repeat(600), FinishReason::Stop)));
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&long_conversation(), Channel, ShortTerm, None);
    assert!(
        matches!(summary, Err(Error::PromptTooLong(_))),
        "{summary:?}"
    );
}

#[test]
fn a_thread_longer_than_a_chunk_is_split_between_messages_and_keeps_its_name() {
    let mut context = golden_context();
    let target = ts(0);
    context.target_thread_ts = Some(target.clone());
    context.conversation_history.threads = vec![crate::bindings::types::Thread {
        thread_ts: target.clone(),
        messages: (0..50)
            .map(|number| message(number, &format!("<m{number}>")))
            .collect(),
    }];
    for scope in [Thread, Channel] {
        let llm = model();
        let summary = summarize(&llm, &context, scope);
        let chunks = chunk_prompts(&llm);
        assert!(chunks.len() > 1 && summary.coverage.covered >= 50);
        for chunk in &chunks {
            assert!(chunk.contains(&target), "{chunk}");
        }
        let order: Vec<usize> = (0..50)
            .map(|number| {
                chunks
                    .iter()
                    .position(|chunk| chunk.contains(&format!("<m{number}>")))
                    .unwrap()
            })
            .collect();
        assert!(order.is_sorted());
    }
}

#[test]
fn a_message_longer_than_a_chunk_is_split_and_covered_to_the_last_character() {
    let words: Vec<String> = (0..700).map(|number| format!("w{number:04}")).collect();
    for text in [words.join(" "), words.concat(), "長い話。".repeat(900)] {
        let mut context = golden_context();
        context.conversation_history.threads.clear();
        context.conversation_history.top_level_messages = vec![message(0, &text)];
        let llm = model();
        let summary = summarize(&llm, &context, Channel);
        assert_eq!(
            (summary.coverage.messages, summary.coverage.covered),
            (1, 1)
        );
        let parts: Vec<String> = chunk_prompts(&llm)
            .iter()
            .map(|prompt| {
                let (_, part) = prompt.split_once("** alice:\n").unwrap();
                part.split_once("\n\n---\n").unwrap().0.to_owned()
            })
            .collect();
        assert_eq!(parts.concat(), text);
    }
}

#[test]
fn the_workspace_takes_in_as_many_channels_as_fit_and_then_the_others() {
    let mut context = golden_context();
    context.channel_memories = (0..40)
        .map(|number| ChannelMemory {
            channel_id: format!("C{number}"),
            channel_name: format!("channel-{number}"),
            long_term_memory: Some(format!("- <fact {number}>")),
            short_term_memory: None,
            short_term_memory_history: Vec::new(),
        })
        .collect();
    let llm = model();
    let settings = tight();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer
        .summarize(&context, Workspace, LongTerm, Some("- before"))
        .unwrap();
    let prompts = llm.prompts();
    assert!(prompts.len() > 1);
    for (n, prompt) in prompts.iter().enumerate() {
        assert!(prompt.chars().count() <= WINDOW as usize);
        let existing = match n {
            0 => "- before".to_owned(),
            n => format!("- summary {}", letters(n - 1)),
        };
        assert!(prompt.contains(&existing), "{prompt}");
    }
    for number in 0..40 {
        let with = |prompt: &&String| prompt.contains(&format!("<fact {number}>"));
        assert_eq!(prompts.iter().filter(with).count(), 1, "fact {number}");
    }
    assert_eq!(
        summary.text,
        format!("- summary {}", letters(prompts.len() - 1))
    );
    assert_eq!(summary.coverage.chunks as usize, prompts.len());
}

#[test]
fn a_chunk_that_fails_fails_the_memory_and_a_truncated_one_marks_it() {
    let llm = model();
    llm.script(1, Err(LlmError::TimedOut));
    let settings = tight();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let summary = summarizer.summarize(&long_conversation(), Channel, ShortTerm, None);
    assert_eq!(summary, Err(Error::Llm(LlmError::TimedOut)));

    let llm = model();
    llm.script(1, Ok(completion("- a\n- b", FinishReason::Length)));
    assert!(summarize(&llm, &long_conversation(), Channel).truncated);
    assert!(!summarize(&model(), &long_conversation(), Channel).truncated);
}

/// Whatever the messages and the window: nothing is lost, nothing is over the budget.
#[test]
fn any_conversation_is_covered_in_any_window_that_holds_a_word() {
    for seed in 0..60_u32 {
        let number = |salt: u32, most: u32| {
            (seed.wrapping_mul(2_654_435_761) ^ salt.wrapping_mul(40_503)).rotate_left(salt % 13)
                % most
        };
        let mut context = golden_context();
        let history = &mut context.conversation_history;
        history.threads.clear();
        history.top_level_messages = (0..number(1, 40) + 1)
            .map(|n| -> Message {
                let text = "あ".repeat(number(n + 7, 400) as usize);
                message(i64::from(n), &format!("<{n}>{text}"))
            })
            .collect();
        let sent: usize = history
            .top_level_messages
            .iter()
            .map(|message| message.text.matches('あ').count())
            .sum();
        let llm = model();
        let window = 500 + number(2, 1500);
        llm.window.set(Some(window));
        let settings = tight();
        let summary = Summarizer::new(&llm, &Quiet, &settings)
            .summarize(&context, Channel, ShortTerm, None)
            .unwrap();
        let prompts = chunk_prompts(&llm);
        let around = golden_prompt_without_messages().matches('あ').count();
        let found: usize = prompts
            .iter()
            .map(|prompt| prompt.matches('あ').count() - around)
            .sum();
        assert_eq!(found, sent, "seed {seed}, {:?}", summary.coverage);
        let mut lengths = llm.prompts().into_iter().map(|p| p.chars().count());
        assert!(
            lengths.all(|length| length <= window as usize),
            "seed {seed}"
        );
    }
}

fn golden_prompt_without_messages() -> String {
    let mut context = golden_context();
    context.conversation_history.top_level_messages.clear();
    context.conversation_history.threads.clear();
    context.workspace_long_term_memory = None;
    let (llm, settings) = (ScriptedLlm::default(), tight());
    Summarizer::new(&llm, &Quiet, &settings)
        .render_prompt(&context, Channel, ShortTerm, None)
        .unwrap()
}

/// So that a test that counts chunks would see one too many.
#[test]
fn a_conversation_that_just_fits_is_one_chunk() {
    let context = long_conversation();
    let (llm, settings) = (ScriptedLlm::default(), tight());
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    let whole = summarizer
        .render_prompt(&context, Channel, ShortTerm, None)
        .unwrap();
    let mut chunks = BTreeMap::new();
    for less in [0, 1000] {
        let llm = model();
        llm.window
            .set(Some(u32::try_from(whole.chars().count()).unwrap() - less));
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        let summary = summarizer.summarize(&context, Channel, ShortTerm, None);
        chunks.insert(less, summary.unwrap().coverage.chunks);
    }
    assert_eq!(chunks, BTreeMap::from([(0, 1), (1000, 2)]));
}
