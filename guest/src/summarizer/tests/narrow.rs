//! A model that refuses to read something: the rest is remembered, and it costs few calls.

use super::*;
use crate::bindings::types::{ChannelMemory, Message};
use crate::testing::{at, message};

/// What the model refuses to read.
const POISON: &str = "POISON";

/// Refuses every prompt that holds [`POISON`].
fn refusing() -> ScriptedLlm {
    refusing_with(|| Err(LlmError::Refused("policy".to_owned())))
}

fn refusing_with(
    refusal: impl Fn() -> Result<crate::bindings::llm::Completion, LlmError> + 'static,
) -> ScriptedLlm {
    let llm = ScriptedLlm::default();
    llm.answer_by(move |calls, request| {
        if request.system_prompt.contains(POISON) {
            refusal()
        } else {
            let text = format!("- call {} was answered", letters(calls));
            Ok(completion(&text, FinishReason::Stop))
        }
    });
    llm
}

/// A conversation of so many messages, of which these are refused.
fn conversation(count: usize, refused: &[usize]) -> Context {
    let mut context = nothing_to_summarise();
    let said = |number: usize| -> Message {
        let word = if refused.contains(&number) {
            POISON
        } else {
            "fine"
        };
        message(
            i64::try_from(number).unwrap(),
            &format!("m{number:03} {word}."),
        )
    };
    context.conversation_history.top_level_messages = (0..count).map(said).collect();
    context
}

fn summarize(
    llm: &ScriptedLlm,
    context: &Context,
    (scope, memory_type): (Scope, MemoryType),
    existing_memory: Option<&str>,
) -> Result<Summary, Error> {
    let settings = Settings {
        language: crate::settings::Language::Any,
        ..settings()
    };
    Summarizer::new(llm, &Quiet, &settings).summarize_with(
        context,
        scope,
        memory_type,
        existing_memory,
        Narrowing::Refusals,
    )
}

#[test]
fn one_refused_message_among_many_costs_at_most_twelve_calls_more() {
    for refused in [0, 1, 77, 100, 198, 199] {
        let llm = refusing();
        let context = conversation(200, &[refused]);
        let summary = summarize(&llm, &context, (Channel, ShortTerm), None).unwrap();
        assert!(llm.calls() <= 13, "{refused}: {}", llm.calls());
        let coverage = summary.coverage;
        assert_eq!(usize::try_from(coverage.calls).unwrap(), llm.calls());
        assert_eq!(
            (coverage.messages, coverage.covered, coverage.refused),
            (200, 199, 1)
        );
        let prompt = llm.prompts().pop().unwrap();
        assert!(!prompt.contains(POISON));
        for number in (0..200).filter(|number| *number != refused) {
            assert!(prompt.contains(&format!("m{number:03} fine")), "{number}");
        }
        assert!(
            prompt.contains("(left out: "),
            "its place in the talk stays"
        );
    }
}

#[test]
fn several_refused_messages_are_found_one_after_the_other() {
    let refused = [3, 4, 40];
    let llm = refusing();
    let summary = summarize(
        &llm,
        &conversation(50, &refused),
        (Channel, ShortTerm),
        None,
    );
    assert_eq!(summary.unwrap().coverage.refused, 3);
    let prompt = llm.prompts().pop().unwrap();
    assert_eq!(prompt.matches(" fine").count(), 47);
}

#[test]
fn a_conversation_of_which_much_is_refused_is_remembered_all_the_same() {
    let refused: Vec<usize> = (10..200).filter(|number| number % 3 == 0).collect();
    let llm = refusing();
    let context = conversation(200, &refused);
    summarize(&llm, &context, (Channel, ShortTerm), None).unwrap();
    assert!(llm.calls() <= 100, "{}", llm.calls());
    let prompt = llm.prompts().pop().unwrap();
    assert!(!prompt.contains(POISON));
    for number in 0..10 {
        assert!(prompt.contains(&format!("m{number:03} fine")), "{number}");
    }
}

#[test]
fn a_single_message_that_is_refused_is_a_note() {
    let llm = refusing();
    let summary = summarize(&llm, &conversation(1, &[0]), (Channel, ShortTerm), None).unwrap();
    assert!(llm.calls() <= 3, "{}", llm.calls());
    assert_eq!(summary.coverage.covered, 0);
}

#[test]
fn a_thread_is_remembered_without_what_is_refused_in_it_or_around_it() {
    for (target, around) in [(POISON, "fine"), ("fine", POISON)] {
        let mut context = golden_context();
        let target_ts = context.target_thread_ts.clone();
        let history = &mut context.conversation_history;
        history.top_level_messages.push(message(5, around));
        let thread = &mut history.threads;
        let thread = thread
            .iter_mut()
            .find(|thread| Some(&thread.thread_ts) == target_ts.as_ref());
        thread.unwrap().messages.push(message(6, target));
        let llm = refusing();
        let summary = summarize(&llm, &context, (Thread, ShortTerm), None).unwrap();
        assert_eq!(summary.coverage.refused, 1);
        let of_target = u32::from(target == POISON);
        assert_eq!(
            summary.coverage.messages - summary.coverage.covered,
            of_target
        );
    }
}

#[test]
fn a_refused_memory_of_another_channel_is_left_out_of_the_surroundings() {
    let mut context = golden_context();
    for number in 0..10 {
        let word = if number == 7 { POISON } else { "fine" };
        context.channel_memories.push(of_channel(number, word));
    }
    let llm = refusing();
    let summary = summarize(&llm, &context, (Thread, ShortTerm), None).unwrap();
    let coverage = summary.coverage;
    assert_eq!((coverage.covered, coverage.refused), (coverage.messages, 1));
    let prompt = llm.prompts().pop().unwrap();
    assert!(prompt.contains("of room-6") && !prompt.contains("of room-7"));
}

fn of_channel(number: usize, word: &str) -> ChannelMemory {
    ChannelMemory {
        channel_id: format!("R{number}"),
        channel_name: format!("room-{number}"),
        long_term_memory: Some(format!("- of room-{number}, {word}")),
        short_term_memory: None,
        short_term_memory_history: Vec::new(),
    }
}

/// The golden channel with this version and existing memory.
fn merge(version: &str) -> Context {
    let mut context = golden_context();
    let own = context.conversation_history.channel_id.clone();
    context.channel_memories = vec![ChannelMemory {
        channel_id: own,
        channel_name: "general".to_owned(),
        long_term_memory: None,
        short_term_memory: Some(version.to_owned()),
        short_term_memory_history: vec![version.to_owned()],
    }];
    context
}

#[test]
fn a_refused_line_of_a_version_or_of_the_memory_is_left_out_of_the_merge() {
    let lines = |poison: bool, name: &str| {
        let word = if poison { POISON } else { "fine" };
        format!("- {name} one\n- {name} two {word}\n- {name} three\n")
    };
    for (in_version, in_memory) in [(true, false), (false, true)] {
        let (version, memory) = (lines(in_version, "new"), lines(in_memory, "old"));
        let llm = refusing();
        let merged = summarize(&llm, &merge(&version), (Channel, LongTerm), Some(&memory));
        assert_eq!(merged.unwrap().coverage.refused, 1);
        let prompt = llm.prompts().pop().unwrap();
        for kept in ["new one", "new three", "old one", "old three"] {
            assert!(prompt.contains(kept), "{kept}");
        }
        assert_eq!(prompt.contains("new two"), !in_version);
        assert_eq!(prompt.contains("old two"), !in_memory);
    }
}

#[test]
fn a_refused_channel_is_left_out_of_the_workspaces_merge() {
    let mut context = nothing_to_summarise();
    for number in 0..100 {
        let word = if number == 42 { POISON } else { "fine" };
        context.channel_memories.push(of_channel(number, word));
    }
    let llm = refusing();
    let merged = summarize(&llm, &context, (Workspace, LongTerm), Some("- before"));
    assert_eq!(merged.unwrap().coverage.refused, 1);
    assert!(llm.calls() <= 13, "{}", llm.calls());
    let prompt = llm.prompts().pop().unwrap();
    assert_eq!(prompt.matches("- of room-").count(), 99);
}

#[test]
fn a_model_that_refuses_everything_is_given_up_after_few_calls() {
    let llm = ScriptedLlm::default();
    llm.answer_by(|_, _| Err(LlmError::Refused("no".to_owned())));
    let refused = summarize(&llm, &conversation(200, &[]), (Channel, ShortTerm), None);
    assert_eq!(refused, Err(Error::Llm(LlmError::Refused("no".to_owned()))));
    assert!(llm.calls() <= 13, "{}", llm.calls());
}

#[test]
fn a_model_that_refuses_the_note_too_is_given_up() {
    for refused in [0, 5, 9] {
        let llm = ScriptedLlm::default();
        llm.answer_by(|_, request| {
            let prompt = &request.system_prompt;
            if prompt.contains(POISON) || prompt.contains("(left out: ") {
                return Err(LlmError::Refused("no".to_owned()));
            }
            Ok(completion("- an answer", FinishReason::Stop))
        });
        let context = conversation(100, &[10 * refused]);
        let made = summarize(&llm, &context, (Channel, ShortTerm), None);
        assert!(made.is_err(), "{made:?}");
        assert!(llm.calls() <= 30, "{}", llm.calls());
    }
}

#[test]
fn another_failure_ends_the_search() {
    let llm = ScriptedLlm::default();
    llm.answer_by(|calls, _| match calls {
        0 => Err(LlmError::Refused("policy".to_owned())),
        _ => Err(LlmError::Unavailable("down".to_owned())),
    });
    let failed = summarize(&llm, &conversation(200, &[]), (Channel, ShortTerm), None);
    assert_eq!(
        failed,
        Err(Error::Llm(LlmError::Unavailable("down".to_owned())))
    );
    assert_eq!(llm.calls(), 2);
}

#[test]
fn a_bad_answer_is_narrowed_down_only_if_the_memory_failed_before() {
    let context = conversation(64, &[30]);
    for (narrowing, is_made) in [(Narrowing::Refusals, false), (Narrowing::BadAnswers, true)] {
        let llm = refusing_with(|| Ok(completion("", FinishReason::Stop)));
        let settings = Settings {
            language: crate::settings::Language::Any,
            ..settings()
        };
        let summarizer = Summarizer::new(&llm, &Quiet, &settings);
        let made = summarizer.summarize_with(&context, Channel, ShortTerm, None, narrowing);
        assert_eq!(made.is_ok(), is_made, "{made:?}");
        // A bad answer is asked for once more, but not while the search goes on.
        let most = if is_made { 2 + 6 + 1 } else { 2 };
        assert_eq!(llm.calls(), most);
    }
}

#[test]
fn the_note_is_in_the_language_of_the_talk() {
    let mut context = conversation(6, &[]);
    for said in &mut context.conversation_history.top_level_messages {
        said.text = "来週の会議は水曜日の午後三時からに決まりました。資料は前日までに共有します。"
            .to_owned();
        said.timestamp = at(1);
    }
    context.conversation_history.top_level_messages[2]
        .text
        .push_str(POISON);
    let llm = refusing();
    summarize(&llm, &context, (Channel, ShortTerm), None).unwrap();
    assert!(
        llm.prompts()
            .pop()
            .unwrap()
            .contains("この発言は省かれています")
    );
}
