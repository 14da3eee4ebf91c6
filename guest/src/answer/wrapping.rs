//! Removes what a model writes around a summary: thoughts, a code fence, a lead-in, an offer to do more.
//!
//! A lead-in is a first line that announces a summary (or only says "Sure!"), if a bullet, heading, row, fence or
//! nothing follows, or if the line ends with a colon. An offer is a last line outside the bullets that offers more
//! help.

use super::lines::{Kind, Line, is_empty, read};
use super::wording::{folded, frame};
use crate::text::{is_line_break, width};

/// Tags around a model's thoughts.
const THOUGHTS: &[&str] = &["think", "thinking", "thought", "reasoning"];
/// Wrappings may be nested: a lead-in, then a fence with a title in it.
const MAX_LAYERS: usize = 4;
/// The longest lead-in or offer, in columns.
const MAX_FRAME_WIDTH: usize = 200;

/// The summary in an answer. Line breaks become `\n`; other control characters are removed.
pub(super) fn unwrap(answer: &str, cut_off: bool) -> String {
    let text = with_plain_breaks(answer);
    let mut text = without_thoughts(&text);
    for _ in 0..MAX_LAYERS {
        let before = text.len();
        text = without_fence(trim_lines(text), cut_off);
        text = without_offer(without_lead(trim_lines(text)));
        if text.len() == before {
            break;
        }
    }
    dedent(trim_lines(text)).trim().to_owned()
}

/// An answer with `\n` for every line break, without thoughts and control characters.
pub(super) fn plain(answer: &str) -> String {
    let text = with_plain_breaks(answer);
    trim_lines(without_thoughts(&text)).trim().to_owned()
}

/// The content of a code fence around everything, if the fence names one of these languages.
pub(super) fn without_fence_of<'t>(text: &'t str, contents: &[&str], cut_off: bool) -> &'t str {
    let first = text.lines().next().unwrap_or_default();
    let named = first.trim().trim_start_matches(['`', '~']).to_lowercase();
    if contents.contains(&named.as_str()) {
        without_fence(text, cut_off)
    } else {
        text
    }
}

fn with_plain_breaks(text: &str) -> String {
    let unified = text.replace("\r\n", "\n");
    let breaks = unified
        .chars()
        .map(|c| if is_line_break(c) { '\n' } else { c });
    breaks
        .filter(|c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect()
}

/// The text after the thoughts at the beginning; empty if they do not end.
fn without_thoughts(mut text: &str) -> &str {
    if !text.contains('<') {
        return text;
    }
    for _ in 0..MAX_LAYERS {
        let lower = text.to_ascii_lowercase();
        let head = lower.trim_start();
        let opened = THOUGHTS
            .iter()
            .find(|tag| head.starts_with(&format!("<{tag}>")));
        let end = match opened {
            Some(tag) => Some(end_of_thought(&lower, tag).unwrap_or(text.len())),
            // Some chat templates write the opening tag into the prompt.
            None => THOUGHTS.iter().find_map(|tag| {
                let end = end_of_thought(&lower, tag)?;
                let stands_alone = lower
                    .get(end..)?
                    .trim_start_matches([' ', '\t'])
                    .starts_with('\n');
                (stands_alone && !lower.contains(&format!("<{tag}>"))).then_some(end)
            }),
        };
        match end {
            Some(end) => text = text.get(end..).unwrap_or_default(),
            None => break,
        }
    }
    text
}

fn end_of_thought(lower: &str, tag: &str) -> Option<usize> {
    let close = format!("</{tag}>");
    lower.find(&close).map(|at| at + close.len())
}

/// Removes blank lines and rules from both ends, but keeps the first line's indentation.
fn trim_lines(text: &str) -> &str {
    let is_frame = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || (line.len() > 2
                && ['-', '=', '*', '_']
                    .iter()
                    .any(|c| line.chars().all(|d| d == *c)))
    };
    let mut text = text;
    while let Some((_, rest)) = text.split_once('\n').filter(|(first, _)| is_frame(first)) {
        text = rest;
    }
    while let Some((rest, _)) = text.rsplit_once('\n').filter(|(_, last)| is_frame(last)) {
        text = rest;
    }
    if is_frame(text) { "" } else { text.trim_end() }
}

/// The content of a code fence around everything.
fn without_fence(text: &str, cut_off: bool) -> &str {
    let Some((open, inner)) = text.split_once('\n') else {
        return text;
    };
    let mark = ["```", "~~~"]
        .into_iter()
        .find(|mark| open.trim_start().starts_with(mark));
    let (Some(mark), Some(Kind::Fence)) = (mark, read(open).first().map(|line| line.kind)) else {
        return text;
    };
    let (body, last) = inner.rsplit_once('\n').unwrap_or(("", inner));
    let is_close = |line: &str| line.trim() == mark;
    if is_close(last) && !body.split('\n').any(is_close) {
        body
    } else if cut_off && !inner.split('\n').any(is_close) {
        inner
    } else {
        text
    }
}

fn without_lead(text: &str) -> &str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = read(first);
    let Some(line) = line
        .first()
        .filter(|line| width(&line.body) <= MAX_FRAME_WIDTH)
    else {
        return text;
    };
    let next = rest
        .split('\n')
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let opens = matches!(
        read(next).first().map(|line| line.kind),
        Some(Kind::Item | Kind::Heading | Kind::Row | Kind::Fence | Kind::Rule | Kind::Blank)
    );
    let folded = folded(&line.body);
    let is_lead = match line.kind {
        Kind::Heading => frame::is_title(&folded),
        Kind::Text => {
            frame::is_title(&folded)
                || frame::is_lead_in(&folded) && (opens || line.body.ends_with([':', '：']))
                || frame::is_acknowledgement(&folded)
        }
        _ => false,
    };
    if is_lead { rest } else { text }
}

fn without_offer(text: &str) -> &str {
    let Some((rest, last)) = text.rsplit_once('\n') else {
        return text;
    };
    let is_offer = |line: &Line<'_>| {
        line.kind == Kind::Text
            && line.indent == 0
            && width(&line.body) <= MAX_FRAME_WIDTH
            && frame::is_offer(&folded(&line.body))
    };
    if read(last).iter().any(is_offer) && !is_empty(rest) {
        rest
    } else {
        text
    }
}

/// Removes the indentation that all lines share.
fn dedent(text: &str) -> String {
    let lines = || text.split('\n');
    let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count();
    let common = lines()
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);
    let cut = |line: &str| {
        line.chars()
            .skip(common)
            .collect::<String>()
            .trim_end()
            .to_owned()
    };
    lines().map(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_go_whether_or_not_their_tags_are_whole() {
        assert_eq!(unwrap("<think>\nhm, - x\n</think>\n\n- a", false), "- a");
        assert_eq!(unwrap("<Thinking>x</Thinking>- a", false), "- a");
        assert_eq!(unwrap("hm, the user wants\n</think>\n- a", false), "- a");
        assert_eq!(unwrap("<think>\nhm, the user", true), "");
        let quoted = "- bob: strip `<think>` and `</think>` tags\n- b";
        assert_eq!(unwrap(quoted, false), quoted);
        let quoted = "- alice: use </think> here\n- b";
        assert_eq!(unwrap(quoted, false), quoted);
    }

    #[test]
    fn fence_around_everything_goes() {
        assert_eq!(unwrap("```markdown\n- a\n- b\n```", false), "- a\n- b");
        assert_eq!(unwrap("~~~\n- a\n~~~\n", false), "- a");
        assert_eq!(unwrap("```\n- a\n- b", true), "- a\n- b");
        for text in [
            "```\nx\n```\n- a\n```\ny\n```",
            "```\n- a\n- b",
            "- a\n```\nx\n```",
        ] {
            assert_eq!(unwrap(text, false), text);
        }
    }

    #[test]
    fn frame_around_the_bullets_goes() {
        let framed = [
            "以下は要約です：\n\n- a",
            "承知しました。\n以下が会話の要約です。\n- a\n\n他にご質問があればお気軽にどうぞ。",
            "Sure! Here's a summary of the conversation:\n\n- a\n\nLet me know if you need anything else!",
            "Here is the summary:\n```\n- a\n```\nLet me know if I can help.",
            "## 要約\n- a",
            "**Summary:**\n- a",
            "---\n- a\n---",
        ];
        for text in framed {
            assert_eq!(unwrap(text, false), "- a", "{text}");
        }
        assert_eq!(
            unwrap("Here is the summary:\nThe team met.", false),
            "The team met."
        );
    }

    #[test]
    fn frame_around_nothing_leaves_nothing() {
        for text in [
            "承知しました。",
            "以下に会話を要約しました。\n- ",
            "Sure!\nHere is the summary of it.",
            "## 要約",
        ] {
            assert!(is_empty(&unwrap(text, false)), "{text}");
        }
    }

    #[test]
    fn content_is_no_frame() {
        let plain = [
            "- Here is the summary: alice\n- Let me know if it breaks, bob says",
            "The team met here.\n- a",
            "以下の予算を承認した\n- 120万円",
            "Here is the summary of the meeting that bob sent\nand that alice liked.",
            "- a\n  Let me know, says bob",
            "Let me know",
            "会話を要約した結果は次のとおり\nというものだった",
            "## 決定\n- a",
        ];
        for text in plain {
            assert_eq!(unwrap(text, false), text);
        }
    }

    #[test]
    fn common_indentation_goes_and_the_levels_stay() {
        assert_eq!(
            unwrap("\n  - a\n    - b\r\n  - c\u{0}", false),
            "- a\n  - b\n- c"
        );
    }
}
