//! The token limit holds for any limit and any way to count tokens.

use std::cell::Cell;

use myao_memory::bindings::types::Message;
use myao_memory::extractive::{Input, is_note, summarize};

use crate::conversations::{all, count_tokens, say, tokens};

/// As a cautious host counts: every byte is a token.
fn bytes(texts: &[String]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| u32::try_from(text.len()).unwrap())
        .collect()
}

/// The whole has more tokens than its parts together.
fn more_than_parts(texts: &[String]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| tokens(text) + u32::try_from(text.len() * text.len() / 5000).unwrap())
        .collect()
}

#[test]
fn limit_is_never_exceeded() {
    let counters = [
        count_tokens as fn(&[String]) -> Vec<u32>,
        bytes,
        more_than_parts,
    ];
    for (name, conversation) in all() {
        let messages = conversation.messages();
        for count in counters {
            for limit in (0..40)
                .chain((40..600).step_by(37))
                .chain([5_000, u32::MAX])
            {
                let text = summarize(Input::Messages(&messages), limit, &count);
                assert!(
                    count(std::slice::from_ref(&text))[0] <= limit,
                    "{name} at {limit}: {text}"
                );
                let merged = summarize(
                    Input::Memories {
                        existing: Some(&text),
                        new: &[(None, &text)],
                    },
                    limit,
                    &count,
                );
                assert!(
                    count(std::slice::from_ref(&merged))[0] <= limit,
                    "{name} at {limit}: {merged}"
                );
            }
        }
    }
}

#[test]
fn tiny_limits_keep_what_fits() {
    for (name, conversation) in all() {
        let messages = conversation.messages();
        let at = |limit| summarize(Input::Messages(&messages), limit, &count_tokens);
        assert_eq!(at(0), "", "{name}");
        assert_eq!(at(1), "", "{name}: not even a cut line fits");
        for limit in [5, 8, 12] {
            assert!(!at(limit).is_empty(), "{name} at {limit}: a cut line fits");
        }
        let text = at(30);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.len() > 1 && is_note(lines[0]) && lines[1].starts_with("- "),
            "{name}: {text}"
        );
    }
}

#[test]
fn single_line_over_the_limit_is_cut_at_a_word() {
    let long = say(
        0,
        "ann",
        &"release postponed because payment provider failed again ".repeat(4),
    );
    let text = summarize(Input::Messages(&[&long]), 30, &count_tokens);
    assert!(text.ends_with('…'), "{text}");
    let last = text.trim_end_matches('…').rsplit(' ').next().unwrap();
    assert!(
        long.text.split(' ').any(|word| word == last),
        "cut within a word: {text}"
    );
}

#[test]
fn tokens_are_counted_in_two_calls() {
    let calls = Cell::new(0);
    let count = |texts: &[String]| {
        calls.set(calls.get() + 1);
        count_tokens(texts)
    };
    for (_, conversation) in all() {
        calls.set(0);
        assert!(!summarize(Input::Messages(&conversation.messages()), 300, &count).is_empty());
        assert_eq!(calls.get(), 2);
    }
}

#[test]
fn nothing_gives_the_empty_string_and_counts_nothing() {
    let count = |_: &[String]| -> Vec<u32> { panic!("nothing to count") };
    let blank = say(0, "ann", " \n --- \n > \n\u{200b}");
    let inputs = [
        Input::Messages(&[]),
        Input::Messages(&[&blank]),
        Input::Memories {
            existing: None,
            new: &[],
        },
        Input::Memories {
            existing: Some("(Excerpts)\n\n---\n"),
            new: &[(Some("#general".to_owned()), "")],
        },
    ];
    for input in inputs {
        assert_eq!(summarize(input, 300, &count), "");
    }
}

#[test]
fn chatter_alone_still_leaves_its_best_line() {
    let messages = [say(0, "ann", "good morning"), say(1, "bob", "hello!")];
    let text = summarize(
        Input::Messages(&messages.iter().collect::<Vec<&Message>>()),
        300,
        &count_tokens,
    );
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn the_same_input_gives_the_same_text() {
    for (_, conversation) in all() {
        let messages = conversation.messages();
        let first = summarize(Input::Messages(&messages), 300, &count_tokens);
        for _ in 0..3 {
            assert_eq!(
                summarize(Input::Messages(&messages), 300, &count_tokens),
                first
            );
        }
    }
}
