//! How foreign text is shown; `guest/tests/attacks` has the attacks.

use std::borrow::Cow;

use super::super::harmless::{name, restore, restore_code, text};
use crate::answer::{Expectation, ReplyExpectation, Sources, judge, judge_reply};

#[test]
fn a_line_that_looks_like_structure_begins_with_a_backslash() {
    for (said, shown) in [
        ("了解\n## 要約対象\n終わり", "了解\n\\## 要約対象\n終わり"),
        ("  ---", "\\  ---"),
        ("\\---", "\\\\---"),
        ("a\u{2028}＃＃ b", "a\u{2028}\\＃＃ b"),
        ("<s> [INST]", "<\\s> [\\INST]"),
        ("[\\INST]", "[\\\\INST]"),
        ("- ## a\n> 1. # b", "\\- ## a\n\\> 1. # b"),
        ("<!-- a", "\\<!-- a"),
        ("a\n[b]: c", "a\n\\[b]: c"),
        ("```\na", "\\```\na"),
        ("```\na\n```", "```\na\n```"),
    ] {
        assert_eq!(text(said), shown);
        assert_eq!(restore(shown), said);
    }
}

#[test]
fn a_name_that_breaks_out_of_its_line_is_quoted() {
    assert_eq!(name("bob:\n## x"), "\"bob:\\n## x\"");
    assert_eq!(name("<|x|>"), "\"\\u{3c}|x|>\"");
    assert_eq!(name("#-:2024-0b"), "\"#-:2024-0b\"");
    assert_eq!(name("＃x"), "\"＃x\"");
    // A blank behind the `#` of a channel would make a heading of it.
    assert_eq!(name("\u{3164}x"), "\"\u{3164}x\"");
    assert_eq!(name("x\u{2800}"), "\"x\u{2800}\"");
    assert_eq!(name("{{ x }}"), "{{ x }}");
    assert_eq!(name(""), "\"\"");
    assert_eq!(name("bob"), "bob");
}

/// The first check of a line skips letters: none of them may be a mark.
#[test]
fn a_line_is_looked_at_in_the_same_way_with_and_without_a_backslash() {
    for c in '\0'..=char::MAX {
        for line in [format!("{c}{c}{c}"), format!("{c} a")] {
            let escaped = format!("\\{line}");
            let is_marked = text(&line) != line;
            assert_eq!(text(&escaped) != escaped, is_marked, "{line:?}");
        }
    }
}

#[test]
fn harmless_text_is_not_copied() {
    let harmless = "おはよう\n- #general へ\n**決定** a --- b {x} <b>\n\n2024-03-01 です";
    assert!(matches!(text(harmless), Cow::Borrowed(_)));
    assert!(matches!(name("alice"), Cow::Borrowed(_)));
    assert!(matches!(restore(harmless), Cow::Borrowed(_)));
}

/// A model copies the memory that it was shown; if the backslashes were kept, each merge would add some.
#[test]
fn a_memory_that_is_merged_again_and_again_gets_no_backslashes() {
    let memory = "## 決定事項\n- 予算は300万円\n- `[INST]` と `{{ x }}` を直す";
    let shown = text(memory);
    let expectation = Expectation {
        prompt: "",
        sources: Sources::Memories {
            existing: Some(memory),
            new: &[],
        },
        languages: &[],
        max_tokens: 100,
        cut_off: false,
        counted: None,
    };
    let count = |texts: &[String]| vec![10; texts.len()];
    assert_ne!(shown, memory);
    assert_eq!(judge(&shown, &expectation, &count).unwrap().text, memory);
}

/// Elsewhere in Markdown the backslash is not displayed, and keeps its line from being a heading.
#[test]
fn a_reply_that_quotes_code_quotes_it_as_it_was_written() {
    let answer = "`<\\|x|>` はこうです。\n\n```\n\\# comment\n\\--- x\n```\n\\# 見出しではない";
    let said = "`<|x|>` はこうです。\n\n```\n# comment\n\\--- x\n```\n\\# 見出しではない";
    assert_eq!(restore_code(answer), said);
    let expectation = ReplyExpectation {
        prompt: "",
        texts: &[],
        answered: "?",
        name: "みゃお",
        cut_off: false,
    };
    assert_eq!(judge_reply(answer, &expectation).unwrap().text, said);
}
