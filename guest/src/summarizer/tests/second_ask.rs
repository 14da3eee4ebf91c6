//! The second ask: what its prompt says, and which of the two answers is kept.

use super::*;
use crate::bindings::llm::Completion;

const FOUNDED: &str = "- タスク確認: bob がリストを共有する";
const INVENTED: &str = "- 詳細は https://example.com/invented にある";

/// Makes the golden channel's memory of one type with these answers.
fn asked(
    memory_type: MemoryType,
    settings: &Settings,
    answers: &[Completion],
) -> (Result<Summary, Error>, ScriptedLlm) {
    let llm = ScriptedLlm::default();
    for (call, answer) in answers.iter().enumerate() {
        llm.script(call, Ok(answer.clone()));
    }
    let context = golden_context();
    let summary =
        Summarizer::new(&llm, &Quiet, settings).summarize(&context, Channel, memory_type, None);
    (summary, llm)
}

fn said(text: &str) -> Completion {
    completion(text, FinishReason::Stop)
}

#[test]
fn a_line_without_a_source_is_asked_for_once_more_and_then_dropped() {
    let both = format!("{FOUNDED}\n{INVENTED}");
    let (summary, llm) = asked(ShortTerm, &settings(), &[said(&both), said(&both)]);
    let summary = summary.unwrap();
    assert_eq!(
        (summary.text.as_str(), summary.coverage.unfounded),
        (FOUNDED, 1)
    );
    let [first, second] = llm.prompts().try_into().unwrap();
    let told = second.strip_prefix(&first).unwrap();
    // It names what is wrong, and shows the whole answer.
    assert!(
        told.contains("example.com/invented、") || told.contains("example.com/invented。"),
        "{told}"
    );
    assert!(told.contains(FOUNDED), "{told}");

    let (summary, _) = asked(ShortTerm, &settings(), &[said(&both), said(FOUNDED)]);
    let summary = summary.unwrap();
    assert_eq!(
        (summary.text.as_str(), summary.coverage.unfounded),
        (FOUNDED, 0)
    );
    // A second answer that is no answer leaves the first one.
    let (summary, _) = asked(ShortTerm, &settings(), &[said(&both), said("")]);
    assert_eq!(summary.unwrap().text, FOUNDED);
    // If nothing would be left, it stays, and counts.
    let (summary, _) = asked(ShortTerm, &settings(), &[said(INVENTED), said(INVENTED)]);
    let summary = summary.unwrap();
    assert_eq!(
        (summary.text.as_str(), summary.coverage.unfounded),
        (INVENTED, 1)
    );
}

#[test]
fn a_line_with_an_unknown_name_is_kept_and_counted_without_a_second_ask() {
    let line = "- 千田さんがリストを共有する";
    let (summary, llm) = asked(ShortTerm, &settings(), &[said(line)]);
    let summary = summary.unwrap();
    let coverage = &summary.coverage;
    assert_eq!((summary.text.as_str(), llm.calls()), (line, 1));
    assert_eq!((coverage.unfounded, coverage.doubtful), (0, 1));
}

#[test]
fn a_line_that_mentions_a_stranger_is_kept_and_counted_without_a_second_ask() {
    let line = "- bob がリストを @zoe に共有する";
    let (summary, llm) = asked(ShortTerm, &settings(), &[said(line)]);
    let summary = summary.unwrap();
    let coverage = &summary.coverage;
    assert_eq!((summary.text.as_str(), llm.calls()), (line, 1));
    assert_eq!((coverage.unfounded, coverage.doubtful), (0, 1));
}

#[test]
fn a_merge_that_is_cut_off_is_asked_for_once_more_with_its_limit() {
    let cut = completion("- 最初の話\n- 途中で切れ", FinishReason::Length);
    let (summary, llm) = asked(
        LongTerm,
        &settings(),
        &[cut.clone(), said("- 最初と最後の話")],
    );
    let summary = summary.unwrap();
    assert_eq!(
        (summary.text.as_str(), summary.truncated),
        ("- 最初と最後の話", false)
    );
    let second = llm.prompts().remove(1);
    assert!(
        second.contains("500トークンの上限") && second.contains("途中で切れ"),
        "{second}"
    );
    let (summary, _) = asked(LongTerm, &settings(), &[cut.clone(), cut.clone()]);
    let summary = summary.unwrap();
    assert_eq!(
        (summary.text.as_str(), summary.truncated),
        ("- 最初の話", true)
    );
    // A version's answer that is cut off is taken.
    let (summary, llm) = asked(ShortTerm, &settings(), &[cut]);
    assert_eq!((summary.unwrap().truncated, llm.calls()), (true, 1));
}

#[test]
fn a_length_is_judged_by_the_tokens_that_the_provider_counted() {
    // The estimate is one token for each character.
    let long = format!("- {}", "話が続いた、".repeat(100));
    let counted = |tokens| Completion {
        output_tokens: tokens,
        ..said(&long)
    };
    let (summary, llm) = asked(ShortTerm, &settings(), &[counted(Some(290))]);
    assert_eq!((summary.unwrap().text, llm.calls()), (long.clone(), 1));
    for tokens in [None, Some(900)] {
        let (summary, llm) = asked(ShortTerm, &settings(), &[counted(tokens), said(FOUNDED)]);
        assert_eq!(summary.unwrap().text, FOUNDED);
        let second = llm.prompts().remove(1);
        assert!(
            second.contains("約602トークン") && second.contains("51%以上短く"),
            "{second}"
        );
    }
}
